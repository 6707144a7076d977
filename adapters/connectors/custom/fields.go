package custom

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/haggle-commerce/haggle/adapters/connectors"
	"github.com/haggle-commerce/haggle/domain/money"
)

// fields holds the fields of a JSON object. It collects every problem with them, so that the merchant sees all
// problems at once.
type fields struct {
	values map[string]json.RawMessage
	path   string
	wrong  *[]string
}

func fieldsOf(values map[string]json.RawMessage) fields {
	return fields{values: values, wrong: new([]string)}
}

// readFields returns the fields of raw, the value of the field name. It notes a problem if raw is no object.
func (f fields) readFields(raw json.RawMessage, name string) fields {
	inner := fields{path: f.path + name + ".", wrong: f.wrong}
	if json.Unmarshal(raw, &inner.values) != nil {
		f.addProblem(name, "must be an object")
	}
	return inner
}

func (f fields) addProblem(name, message string) {
	*f.wrong = append(*f.wrong, f.path+name+" "+message)
}

// problem returns all problems as text for the merchant, or "".
func (f fields) problem() string {
	slices.Sort(*f.wrong)
	return strings.Join(slices.Compact(*f.wrong), "; ")
}

// raw returns a field's value, or nil if it is left out or null.
func (f fields) raw(name string) json.RawMessage {
	if raw := f.values[name]; !bytes.Equal(raw, []byte("null")) {
		return raw
	}
	return nil
}

func (f fields) text(name string) (text string) {
	if raw := f.raw(name); raw != nil && json.Unmarshal(raw, &text) != nil {
		f.addProblem(name, "must be text")
	}
	return plain(text)
}

// plain returns text without NUL characters, which PostgreSQL does not store.
func plain(text string) string { return strings.ReplaceAll(text, "\x00", "") }

// digits returns the text of a number, or of a string that contains one; "" if the field is empty.
func (f fields) digits(name string) string {
	raw := f.raw(name)
	if raw == nil {
		return ""
	}
	text := string(raw)
	if raw[0] == '"' && json.Unmarshal(raw, &text) != nil {
		text = ""
	}
	text = strings.TrimSpace(text)
	if text == "" && raw[0] == '"' {
		return ""
	}
	if _, err := money.ParseDecimal(text, 0); errors.Is(err, money.ErrSyntax) || len(text) > 40 {
		f.addProblem(name, "must be a number")
		return ""
	}
	return text
}

// id returns an id: text or a whole number.
func (f fields) id(name string) string {
	raw := f.raw(name)
	if raw == nil {
		return ""
	}
	var text string
	switch {
	case raw[0] == '"' && json.Unmarshal(raw, &text) == nil:
		text = strings.TrimSpace(plain(text))
	case strings.Trim(string(raw), "0123456789") == "":
		text = string(raw)
	default:
		f.addProblem(name, "must be text or a whole number")
	}
	if utf8.RuneCountInString(text) > longestID {
		f.addProblem(name, "has more than 200 characters")
		return ""
	}
	return text
}

const mostPieces = 1_000_000_000

func (f fields) integer(name string) int {
	text := f.digits(name)
	if text == "" {
		return 0
	}
	n, err := money.ParseDecimal(text, 0)
	if err != nil || n < -mostPieces || n > mostPieces {
		f.addProblem(name, "must be a whole number within ±1,000,000,000")
		return 0
	}
	return int(n)
}

func (f fields) boolean(name string) (value bool) {
	if raw := f.raw(name); raw != nil && json.Unmarshal(raw, &value) != nil {
		f.addProblem(name, "must be true or false")
	}
	return value
}

func (f fields) moment(name string) time.Time {
	text := f.text(name)
	if _, err := time.Parse(time.RFC3339, text); text != "" && err != nil {
		f.addProblem(name, "must be a time such as 2026-03-04T05:06:07Z")
	}
	return connectors.Moment(text)
}

// wholeSecond reports whether a time has no fraction of a second.
func (f fields) wholeSecond(name string) bool {
	text := f.text(name)
	return text != "" && !strings.ContainsAny(text, ".,")
}

func (f fields) currency(name string) string { return strings.ToUpper(strings.TrimSpace(f.text(name))) }

func (f fields) list(name string) (list []json.RawMessage) {
	if raw := f.raw(name); raw != nil && json.Unmarshal(raw, &list) != nil {
		f.addProblem(name, "must be a list")
	}
	return list
}
