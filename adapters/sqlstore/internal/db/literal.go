package db

import (
	"database/sql/driver"
	"encoding/hex"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/lib/pq"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/spelling"
)

// Plain converts arguments to values that both engines accept: text, integers, booleans, bytes and null. Ids, closed
// types and times are as in columns. Pointers stand for what they point to, and an error for a value that could not be
// encoded. Text must be storable in PostgreSQL.
func Plain(args []any) ([]any, error) {
	values := make([]any, len(args))
	for i, arg := range args {
		value, err := plain(arg)
		if err != nil {
			return nil, err
		}
		values[i] = value
	}
	return values, nil
}

// plain is one argument.
func plain(arg any) (any, error) {
	switch v := arg.(type) {
	case string:
		if strings.IndexByte(v, 0) >= 0 || !utf8.ValidString(v) {
			return nil, errText()
		}
		return arg, nil
	case nil, int64, bool, []byte:
		return arg, nil
	case time.Time:
		return Millis(v), nil
	case *time.Time:
		if v == nil {
			return nil, nil
		}
		return Millis(*v), nil
	case error:
		return nil, v
	}
	if text, known := spelling.For(reflect.TypeOf(arg)); known {
		return plain(text.Word(arg))
	}
	value, err := driver.DefaultParameterConverter.ConvertValue(arg)
	if err != nil {
		return nil, err
	}
	switch value.(type) {
	case string, int64, bool, []byte, nil:
		return plain(value)
	}
	return nil, fmt.Errorf("a %T is not stored", value)
}

// inline writes a statement to text with its parameters as literals. A $n inside quotes or a comment is no parameter.
// Values come from plain.
func inline(text *strings.Builder, statement string, values []any) error {
	for statement != "" {
		n := strings.IndexAny(statement, `$'"-`)
		if n < 0 {
			break
		}
		text.WriteString(statement[:n])
		statement = statement[n:]
		size := skipped(statement)
		if size == 0 {
			var err error
			if size, err = parameter(text, statement, values); err != nil {
				return err
			}
			statement = statement[size:]
			continue
		}
		text.WriteString(statement[:size])
		statement = statement[size:]
	}
	text.WriteString(statement)
	return nil
}

// skipped is the length of what begins the statement and holds no parameter: a quotation, a comment
// or a lone minus. It is 0 at a parameter.
func skipped(statement string) int {
	end := -1
	switch {
	case statement[0] == '$':
		return 0
	case statement[0] != '-':
		// A doubled quote ends one quotation and begins another, which has the same effect.
		end = strings.IndexByte(statement[1:], statement[0])
	case strings.HasPrefix(statement, "--"):
		end = strings.IndexByte(statement[1:], '\n')
	default:
		return 1
	}
	if end < 0 {
		return len(statement)
	}
	return end + 2
}

// parameter writes the literal of the $n that begins the statement and returns the length of the $n.
func parameter(text *strings.Builder, statement string, values []any) (int, error) {
	size := 1
	for size < len(statement) && statement[size] >= '0' && statement[size] <= '9' {
		size++
	}
	n, err := strconv.Atoi(statement[1:size])
	if err != nil || n < 1 || n > len(values) {
		return 0, fmt.Errorf("statement has %s and %d arguments", statement[:size], len(values))
	}
	writeLiteral(text, values[n-1])
	return size, nil
}

func writeLiteral(text *strings.Builder, value any) {
	switch v := value.(type) {
	case nil:
		text.WriteString("NULL")
	case string:
		quote(text, v)
	case int64:
		var digits [20]byte
		if v < 0 { // in parentheses, because two minus signs begin a comment
			text.WriteByte('(')
			defer text.WriteByte(')')
		}
		text.Write(strconv.AppendInt(digits[:0], v, 10))
	case bool:
		text.WriteString(strings.ToUpper(strconv.FormatBool(v)))
	case []byte:
		text.WriteString(`'\x`)
		_, _ = hex.NewEncoder(text).Write(v)
		text.WriteString(`'::bytea`)
	}
}

// quote writes a text as a literal. Most are plain and need no copy.
func quote(text *strings.Builder, value string) {
	if strings.ContainsAny(value, `'\`) {
		text.WriteString(pq.QuoteLiteral(value))
		return
	}
	text.WriteByte('\'')
	text.WriteString(value)
	text.WriteByte('\'')
}
