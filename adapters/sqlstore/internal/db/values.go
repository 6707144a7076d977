package db

import (
	"encoding/json"
	"fmt"
	"math/bits"
	"strconv"
	"strings"
	"time"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/stored"
	"github.com/haggle-commerce/haggle/domain/money"
)

// How values are stored: times as unix milliseconds, money as minor units beside its currency's code,
// lists and nested values as JSON text.

func Millis(t time.Time) int64 { return t.UnixMilli() }

func Time(n int64) time.Time { return time.UnixMilli(n).UTC() }

func OptionalMinor(a *money.Amount) *int64 {
	if a == nil {
		return nil
	}
	n := a.Minor()
	return &n
}

func OptionalAmount(n *int64, c money.Currency) *money.Amount {
	if n == nil {
		return nil
	}
	a := money.Of(*n, c)
	return &a
}

func Currency(code string) (money.Currency, error) {
	c, err := money.ParseCurrency(code)
	if err != nil {
		return c, Unreadable("currency "+code, err)
	}
	return c, nil
}

func ToJSON(v any) (string, error) {
	text, err := json.Marshal(v)
	if err != nil {
		return "", Unreadable(fmt.Sprintf("%T", v), err)
	}
	return string(text), nil
}

func FromJSON(text string, v any) error {
	if err := json.Unmarshal([]byte(text), v); err != nil {
		return Unreadable(fmt.Sprintf("%T", v), err)
	}
	return nil
}

// Unreadable is a stored value that this program cannot have written.
func Unreadable(what string, err error) error {
	return stored.Unreadable(what, err)
}

// Strings are the ids as text.
func Strings[T fmt.Stringer](ids []T) []string {
	list := make([]string, len(ids))
	for i, one := range ids {
		list[i] = one.String()
	}
	return list
}

// Args gathers a statement's arguments where their number varies.
type Args []any

// Add adds a value and returns its parameter.
func (a *Args) Add(value any) string {
	*a = append(*a, value)
	return parameterAt(len(*a))
}

func parameterAt(n int) string { return "$" + strconv.Itoa(n) }

// Row adds values and returns their parameters, in brackets: ($4, $5, $6).
func (a *Args) Row(values ...any) string {
	text := []byte{'('}
	for i, value := range values {
		if i > 0 {
			text = append(text, ',', ' ')
		}
		*a = append(*a, value)
		text = strconv.AppendInt(append(text, '$'), int64(len(*a)), 10)
	}
	return string(append(text, ')'))
}

// Listed is how many values a list has at most, by choice: long lists are read in parts.
const Listed = 500

// List is Row for the right-hand side of IN. No values are (NULL), which no value is in. The last value is repeated up
// to the next power of two, so that lists of all lengths make few statements.
func (a *Args) List(values []string) string {
	if len(values) == 0 {
		return "(NULL)"
	}
	list := make([]any, 1<<bits.Len(uint(len(values)-1)))
	for i := range list {
		list[i] = values[min(i, len(values)-1)]
	}
	return a.Row(list...)
}

// MillisOrNull returns nil, which is NULL, for the zero Time.
func MillisOrNull(t time.Time) *int64 {
	if t.IsZero() {
		return nil
	}
	n := Millis(t)
	return &n
}

// Printable returns text without the characters that cannot be stored. Storing an error message must not fail itself.
func Printable(text string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(text, "\uFFFD"), "\x00", "\uFFFD")
}
