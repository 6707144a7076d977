package db

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"
	"sync"
	"time"

	jsonv1 "github.com/go-json-experiment/json/v1"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/spelling"
	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/stored"
	"github.com/haggle-commerce/haggle/domain/money"
)

// codec is how values of a Go type are stored in a column:
//
//	string, bool, integers, float64   as they are
//	[]byte                            as they are; none are NULL, without the option empty
//	[32]byte                          as so many bytes
//	ids, closed types, currencies     as text: package spelling
//	time.Time                         as unix milliseconds
//	money.Amount                      as minor units, beside a column with the currency; in no currency with the option none
//	*T                                as a T; nil is NULL
//	with the option json              as JSON text, in the format of package stored if the type has one there
//	with the option null              the zero value is NULL
type codec struct {
	// read takes what the driver returned, and the row's currency if the codec is inCurrency.
	read func(from any, c money.Currency, to reflect.Value) error
	// write returns what a driver takes, or an error.
	write      func(from reflect.Value) any
	inCurrency bool
}

// codecOf reports false for a type that does not fit into one column.
func codecOf(t reflect.Type, o options) (codec, bool) {
	text, isText := spelling.For(t)
	var c codec
	switch {
	case t.Kind() == reflect.Pointer:
		of, known := codecOf(t.Elem(), o)
		return pointerCodec(t, of), known
	case o.json:
		c = jsonCodec(t)
	case isText:
		c = textCodec(text)
	case t == reflect.TypeFor[time.Time]():
		c = codec{read: readTime, write: func(from reflect.Value) any { return from.Addr().Interface().(*time.Time).UnixMilli() }}
	case t == reflect.TypeFor[money.Amount]():
		c = codec{
			read:       amountReader(o.none),
			write:      func(from reflect.Value) any { return from.Addr().Interface().(*money.Amount).Minor() },
			inCurrency: true,
		}
	case t == reflect.TypeFor[[]byte]():
		c = codec{read: readBytes, write: func(from reflect.Value) any {
			switch {
			case from.Len() > 0:
				return from.Bytes()
			case o.empty:
				return []byte{}
			}
			return nil
		}}
	case t.Kind() == reflect.Array && t.Elem().Kind() == reflect.Uint8:
		c = codec{read: readArray, write: func(from reflect.Value) any { return from.Bytes() }}
	default:
		var known bool
		if c, known = kindCodec(t); !known {
			return c, false
		}
	}
	if o.null {
		c = nullCodec(c)
	}
	return c, true
}

func textCodec(text spelling.Text) codec {
	return codec{
		read: func(from any, _ money.Currency, to reflect.Value) error {
			word, err := readText(from)
			if err != nil {
				return err
			}
			return text.Read(word, to.Addr().Interface())
		},
		write: func(from reflect.Value) any { return text.Write(from.Addr().Interface()) },
	}
}

func readTime(from any, _ money.Currency, to reflect.Value) error {
	n, err := readInteger(from)
	*to.Addr().Interface().(*time.Time) = Time(n)
	return err
}

// amountReader refuses amounts in no currency, but with the option none reads 0 in none as no amount.
func amountReader(none bool) func(any, money.Currency, reflect.Value) error {
	return func(from any, c money.Currency, to reflect.Value) error {
		n, err := readInteger(from)
		if err == nil && c == (money.Currency{}) && (n != 0 || !none) {
			return fmt.Errorf("%d in no currency", n)
		}
		*to.Addr().Interface().(*money.Amount) = money.Of(n, c)
		return err
	}
}

func readBytes(from any, _ money.Currency, to reflect.Value) error {
	switch v := from.(type) {
	case nil:
		to.SetBytes(nil)
	case []byte:
		to.SetBytes(bytes.Clone(v))
	case string:
		to.SetBytes([]byte(v))
	default:
		return fmt.Errorf("%T is no bytes", from)
	}
	return nil
}

func readArray(from any, _ money.Currency, to reflect.Value) error {
	text, err := readText(from)
	if err == nil && len(text) != to.Len() {
		return fmt.Errorf("has %d bytes, not %d", len(text), to.Len())
	}
	reflect.Copy(to, reflect.ValueOf([]byte(text)))
	return err
}

// jsonCodec writes domain types in the format of package stored, and other types by their own tags. A list without
// elements is [], which is read as nil.
func jsonCodec(t reflect.Type) codec {
	format := sync.OnceValues(func() (stored.Untyped, bool) { return stored.For(t) }) // it may be made after the codec
	return codec{
		read: func(from any, c money.Currency, to reflect.Value) error {
			text, err := readText(from)
			if err != nil || text == "[]" && t.Kind() == reflect.Slice {
				return err
			}
			if format, ok := format(); ok {
				return format.Set(to, text, c)
			}
			return jsonv1.Unmarshal([]byte(text), to.Addr().Interface())
		},
		write: func(from reflect.Value) any {
			if format, ok := format(); ok {
				text, err := format.Write(from)
				if err != nil {
					return err
				}
				return text
			}
			if t.Kind() == reflect.Slice && from.Len() == 0 {
				return "[]"
			}
			text, err := json.Marshal(from.Addr().Interface())
			if err != nil {
				return Unreadable(t.String(), err)
			}
			return string(text)
		},
		inCurrency: true,
	}
}

func pointerCodec(t reflect.Type, of codec) codec {
	return codec{
		read: func(from any, c money.Currency, to reflect.Value) error {
			if from == nil {
				to.SetZero()
				return nil
			}
			to.Set(reflect.New(t.Elem()))
			return of.read(from, c, to.Elem())
		},
		write: func(from reflect.Value) any {
			if from.IsNil() {
				return nil
			}
			return of.write(from.Elem())
		},
		inCurrency: of.inCurrency,
	}
}

func nullCodec(of codec) codec {
	return codec{
		read: func(from any, c money.Currency, to reflect.Value) error {
			if from == nil {
				to.SetZero()
				return nil
			}
			return of.read(from, c, to)
		},
		write: func(from reflect.Value) any {
			if stored.IsZero(from) {
				return nil
			}
			return of.write(from)
		},
		inCurrency: of.inCurrency,
	}
}

func kindCodec(t reflect.Type) (codec, bool) {
	switch {
	case t == reflect.TypeFor[time.Duration](): // of which unit?
		return codec{}, false
	case t.Kind() == reflect.String:
		return codec{
			read: func(from any, _ money.Currency, to reflect.Value) error {
				text, err := readText(from)
				to.SetString(text)
				return err
			},
			write: func(from reflect.Value) any { return from.String() },
		}, true
	case t.Kind() == reflect.Bool:
		return codec{read: readBool, write: func(from reflect.Value) any { return from.Bool() }}, true
	case t.Kind() == reflect.Float64:
		return codec{read: readFloat, write: func(from reflect.Value) any { return from.Float() }}, true
	case t.Kind() >= reflect.Int && t.Kind() <= reflect.Int64:
		return codec{
			read: func(from any, _ money.Currency, to reflect.Value) error {
				n, err := readInteger(from)
				if err == nil && to.OverflowInt(n) {
					return fmt.Errorf("%d is too large", n)
				}
				to.SetInt(n)
				return err
			},
			write: func(from reflect.Value) any { return from.Int() },
		}, true
	}
	return codec{}, false
}

func readText(from any) (string, error) {
	switch v := from.(type) {
	case string:
		return v, nil
	case []byte:
		return string(v), nil
	case nil:
		return "", errNull
	}
	return fmt.Sprint(from), nil
}

// errNull is a NULL where the Go type has no value for it.
var errNull = fmt.Errorf("is NULL")

// readInteger also reads text: PostgreSQL's sums are of a decimal type.
func readInteger(from any) (int64, error) {
	if n, ok := from.(int64); ok {
		return n, nil
	}
	text, err := readText(from)
	if err != nil {
		return 0, err
	}
	return strconv.ParseInt(text, 10, 64)
}

// readBool also reads SQLite's 1 and 0.
func readBool(from any, _ money.Currency, to reflect.Value) error {
	if is, ok := from.(bool); ok {
		to.SetBool(is)
		return nil
	}
	text, err := readText(from)
	if err != nil {
		return err
	}
	is, err := strconv.ParseBool(text)
	to.SetBool(is)
	return err
}

func readFloat(from any, _ money.Currency, to reflect.Value) error {
	if f, ok := from.(float64); ok {
		to.SetFloat(f)
		return nil
	}
	text, err := readText(from)
	if err != nil {
		return err
	}
	f, err := strconv.ParseFloat(text, 64)
	to.SetFloat(f)
	return err
}
