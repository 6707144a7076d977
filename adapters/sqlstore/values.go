package sqlstore

import (
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/money"
)

// How values are stored: times as unix milliseconds, money as minor units beside its currency's code,
// lists and nested values as JSON text.

func toMillis(t time.Time) int64 { return t.UnixMilli() }

func fromMillis(n int64) time.Time { return time.UnixMilli(n).UTC() }

func toOptionalMillis(t *time.Time) *int64 {
	if t == nil {
		return nil
	}
	n := toMillis(*t)
	return &n
}

func fromOptionalMillis(n *int64) *time.Time {
	if n == nil {
		return nil
	}
	t := fromMillis(*n)
	return &t
}

func toOptionalMinor(a *money.Amount) *int64 {
	if a == nil {
		return nil
	}
	n := a.Minor()
	return &n
}

func fromOptionalMinor(n *int64, c money.Currency) *money.Amount {
	if n == nil {
		return nil
	}
	a := money.Of(*n, c)
	return &a
}

func fromCurrency(code string) (money.Currency, error) {
	c, err := money.ParseCurrency(code)
	if err != nil {
		return c, unreadable("currency "+code, err)
	}
	return c, nil
}

func toJSON(v any) (string, error) {
	text, err := json.Marshal(v)
	if err != nil {
		return "", unreadable(fmt.Sprintf("%T", v), err)
	}
	return string(text), nil
}

func fromJSON(text string, v any) error {
	if err := json.Unmarshal([]byte(text), v); err != nil {
		return unreadable(fmt.Sprintf("%T", v), err)
	}
	return nil
}

// unreadable is a stored value that this program cannot have written.
func unreadable(what string, err error) error {
	return fault.New(fault.Internal, "internal_error", "Something went wrong.").
		Because(fmt.Errorf("%w: %s: %w", fault.ErrUnreadable, what, err))
}

// texts are the ids as text.
func texts[T fmt.Stringer](ids []T) []string {
	list := make([]string, len(ids))
	for i, one := range ids {
		list[i] = one.String()
	}
	return list
}

// arguments gathers a statement's arguments where their number varies.
type arguments []any

// add adds a value and returns its parameter.
func (a *arguments) add(value any) string {
	*a = append(*a, value)
	return parameterAt(len(*a))
}

func parameterAt(n int) string { return "$" + strconv.Itoa(n) }

// row adds values and returns their parameters, in brackets: ($4, $5, $6).
func (a *arguments) row(values ...any) string {
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

// listed is how many values a list has at most, by choice: long lists are read in parts.
const listed = 500

// list is row for what a column is to be IN. No values are (NULL), which nothing is in.
func (a *arguments) list(values []string) string {
	if len(values) == 0 {
		return "(NULL)"
	}
	list := make([]any, len(values))
	for i, value := range values {
		list[i] = value
	}
	return a.row(list...)
}
