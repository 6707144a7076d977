// Package stored encodes domain structs as JSON for columns. Domain types have no tags, so a member has the name of its
// field in snake_case: MaxDiscount is max_discount. Amounts are minor units of a currency kept elsewhere, times unix
// milliseconds, ids and closed types text.
package stored

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"unicode"

	jsonv1 "github.com/go-json-experiment/json/v1"

	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/money"
)

// Tags are the JSON tags of members that are not stored as their field's name says, by type and field:
// "Segment.CostTo": ",omitempty". Fields tagged "-" are kept elsewhere. The zero time is null with ",null", and no member
// with ",omitempty"; with ",format:RFC3339" a time keeps its zone. The amount in no currency is no member with ",omitzero".
// The fields of a struct with ",inline" are members themselves.
type Tags map[string]string

// Format is how values of T are stored.
type Format[T any] struct{ Untyped }

// Untyped is the format of a type that is known when the program runs.
type Untyped struct{ tagged reflect.Type }

var formats = map[reflect.Type]Untyped{}

// For returns the format of a type for which JSON was called, or of a list of them.
func For(t reflect.Type) (Untyped, bool) {
	f, known := formats[t]
	if !known && t.Kind() == reflect.Slice {
		if f, known = formats[t.Elem()]; known {
			f.tagged = reflect.SliceOf(f.tagged)
		}
	}
	return f, known
}

// JSON panics if a tag names no field. Formats are made once, when the program starts.
func JSON[T any](tags Tags) Format[T] {
	used, of := Tags{}, reflect.TypeFor[T]()
	f := Untyped{taggedType(of, tags, used)}
	if len(used) != len(tags) {
		panic(fmt.Sprintf("stored: %s has fields %v, not %v", of, used, tags))
	}
	formats[of] = f
	return Format[T]{f}
}

// Text returns the stored text of a value.
func (f Format[T]) Text(v T) (string, error) { return f.Write(reflect.ValueOf(&v).Elem()) }

// Read sets the fields that a text has members of, and leaves the others. Amounts are in the currency.
func (f Format[T]) Read(text string, into *T, currency money.Currency) error {
	return f.Set(reflect.ValueOf(into).Elem(), text, currency)
}

// Write returns the stored text of an addressable value. A nil list or map is stored as an empty one.
func (f Untyped) Write(v reflect.Value) (string, error) {
	tagged := reflect.New(f.tagged)
	switch {
	case v.Kind() == reflect.Slice && v.IsNil():
		return "[]", nil
	case v.Kind() == reflect.Map && v.IsNil():
		return "{}", nil
	}
	err := assign(tagged.Elem(), v, money.Currency{})
	var text []byte
	if err == nil {
		text, err = json.Marshal(tagged.Interface())
	}
	if err != nil {
		return "", Unreadable(v.Type().String(), err)
	}
	return string(text), nil
}

// Set is Read. An empty list or map is nil.
func (f Untyped) Set(v reflect.Value, text string, currency money.Currency) error {
	tagged := reflect.New(f.tagged)
	var err error
	if !v.IsZero() {
		err = assign(tagged.Elem(), v, currency)
	}
	if err == nil {
		err = jsonv1.Unmarshal([]byte(text), tagged.Interface())
	}
	if err == nil {
		err = assign(v, tagged.Elem(), currency)
	}
	if err != nil {
		return Unreadable(v.Type().String(), err)
	}
	if (v.Kind() == reflect.Slice || v.Kind() == reflect.Map) && v.Len() == 0 {
		v.SetZero()
	}
	return nil
}

// Unreadable is a stored value that this program cannot have written.
func Unreadable(what string, err error) error {
	return fault.New(fault.Internal, "internal_error", "Something went wrong.").
		Because(fmt.Errorf("%w: %s: %w", fault.ErrUnreadable, what, err))
}

// Snake is a Go name in snake_case: LLMProvider is llm_provider.
func Snake(name string) string {
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
