// Package stored keeps domain structs as JSON in columns. Domain types have no tags, so a member has the name of its
// field in snake_case: MaxDiscount is max_discount. Amounts are minor units of a currency kept elsewhere, times unix
// milliseconds, ids and closed types text.
package stored

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"unicode"

	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/money"
)

// Tags are the JSON tags of members that are not stored as their field's name says, by type and field:
// "Segment.CostTo": ",omitempty". Fields tagged "-" are kept elsewhere.
type Tags map[string]string

// Format is how values of T are stored.
type Format[T any] struct{ tagged reflect.Type }

// JSON panics where a tag is no field's. Formats are made once, when the program starts.
func JSON[T any](tags Tags) Format[T] {
	used := Tags{}
	f := Format[T]{taggedType(reflect.TypeFor[T](), tags, used)}
	if len(used) != len(tags) {
		panic(fmt.Sprintf("stored: %s has fields %v, not %v", reflect.TypeFor[T](), used, tags))
	}
	return f
}

// Text is what is stored of a value.
func (f Format[T]) Text(v T) (string, error) {
	tagged := reflect.New(f.tagged)
	err := assign(tagged.Elem(), reflect.ValueOf(&v).Elem(), money.Currency{})
	var text []byte
	if err == nil {
		text, err = json.Marshal(tagged.Interface())
	}
	if err != nil {
		return "", Unreadable(fmt.Sprintf("%T", v), err)
	}
	return string(text), nil
}

// Read sets the fields that a text has members of, and leaves the others. Amounts are in the currency.
func (f Format[T]) Read(text string, into *T, currency money.Currency) error {
	tagged, value := reflect.New(f.tagged), reflect.ValueOf(into).Elem()
	err := assign(tagged.Elem(), value, currency)
	if err == nil {
		err = json.Unmarshal([]byte(text), tagged.Interface())
	}
	if err == nil {
		err = assign(value, tagged.Elem(), currency)
	}
	if err != nil {
		return Unreadable(fmt.Sprintf("%T", into), err)
	}
	return nil
}

// Unreadable is a stored value that this program cannot have written.
func Unreadable(what string, err error) error {
	return fault.New(fault.Internal, "internal_error", "Something went wrong.").
		Because(fmt.Errorf("%w: %s: %w", fault.ErrUnreadable, what, err))
}

// snake is a Go name in snake_case: LLMProvider is llm_provider.
func snake(name string) string {
	var to strings.Builder
	runes := []rune(name)
	for i, r := range runes {
		begins := i > 0 && unicode.IsUpper(r) &&
			(!unicode.IsUpper(runes[i-1]) || i+1 < len(runes) && unicode.IsLower(runes[i+1]))
		if begins {
			to.WriteByte('_')
		}
		to.WriteRune(unicode.ToLower(r))
	}
	return to.String()
}
