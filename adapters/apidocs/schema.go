package apidocs

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// field is one field of a body, or one parameter.
type field struct {
	Name     string
	Type     string
	Bounds   string
	Text     []block
	Required bool
	Fields   []field
}

// deepest is how many levels of nested fields are shown.
const deepest = 5

// fields returns the fields of an object, of a list's items, or of each alternative of a schema. Required ones come first.
func (d *document) fields(s *schema, within []*schema) []field {
	s = d.resolve(s)
	if len(within) == deepest || slices.Contains(within, s) {
		return nil
	}
	within = append(within[:len(within):len(within)], s)
	if len(s.OneOf) > 0 {
		var forms []field
		for _, form := range s.OneOf {
			forms = append(forms, field{
				Name:   d.form(form),
				Type:   "one of the forms",
				Text:   textOf(d.resolve(form).Description),
				Fields: d.fields(form, within),
			})
		}
		return forms
	}
	if s.Items != nil {
		return d.fields(s.Items, within)
	}
	if s.Additional.schema != nil && len(s.Properties) == 0 {
		return d.fields(s.Additional.schema, within)
	}
	names := sortedKeys(s.Properties)
	slices.SortStableFunc(names, func(a, b string) int { return rank(s.requires(a)) - rank(s.requires(b)) })
	fields := make([]field, len(names))
	for i, name := range names {
		property := s.Properties[name]
		fields[i] = d.field(name, property, s.requires(name), within)
		fields[i].Text = textOf(cmp.Or(property.Description, d.resolve(property).Description))
	}
	return fields
}

func (d *document) field(name string, s *schema, required bool, within []*schema) field {
	return field{
		Name:     name,
		Type:     d.typeOf(s),
		Bounds:   d.bounds(s),
		Required: required,
		Fields:   d.fields(s, within),
	}
}

// form names an alternative of a schema by the value that distinguishes it.
func (d *document) form(s *schema) string {
	for _, name := range []string{"status", "type"} {
		if p := d.resolve(s).Properties[name]; p != nil && len(p.Enum) == 1 {
			return fmt.Sprintf("%s: %v", name, p.Enum[0])
		}
	}
	return lastOf(s.Ref)
}

func rank(required bool) int {
	if required {
		return 0
	}
	return 1
}

// typeOf describes a type in words.
func (d *document) typeOf(s *schema) string {
	nullable := slices.Contains(s.Type, "null")
	s = d.resolve(s)
	text := s.Type.main()
	switch {
	case s.Items != nil:
		text = "list of " + d.typeOf(s.Items)
	case s.Additional.schema != nil && len(s.Properties) == 0:
		text = "map of " + d.typeOf(s.Additional.schema)
	case s.Format == "date-time":
		text = "time"
	case s.Format == "date" || s.Format == "email" || s.Format == "uuid":
		text = s.Format
	case s.Format == "uri":
		text = "URL"
	case text == "":
		text = "any"
	}
	if nullable || slices.Contains(s.Type, "null") {
		text += " or null"
	}
	return text
}

// unbounded are limits of every number on the wire. They are not shown.
var unbounded = []string{"1000000000000", "-1000000000000", "9007199254740991", "-9007199254740991"}

// bounds describes the values that a field may have.
func (d *document) bounds(s *schema) string {
	s = d.resolve(s)
	var parts []string
	add := func(format string, value ...any) { parts = append(parts, fmt.Sprintf(format, value...)) }
	for _, n := range []struct {
		words string
		value *json.Number
	}{{"at least %s", s.Minimum}, {"above %s", s.ExclusiveMinimum}, {"at most %s", s.Maximum}, {"below %s", s.ExclusiveMaximum}} {
		if n.value != nil && !slices.Contains(unbounded, n.value.String()) {
			add(n.words, n.value)
		}
	}
	for _, n := range []struct {
		words string
		value *int
	}{
		{"at least %d characters", s.MinLength}, {"at most %d characters", s.MaxLength},
		{"at least %d of them", s.MinItems}, {"at most %d of them", s.MaxItems},
	} {
		if n.value != nil {
			add(n.words, *n.value)
		}
	}
	if s.Pattern != "" {
		add("matches %s", s.Pattern)
	}
	if len(s.Enum) > 0 {
		add("one of %s", list(s.Enum))
	} else if s.Items != nil && len(d.resolve(s.Items).Enum) > 0 {
		add("of %s", list(d.resolve(s.Items).Enum))
	}
	if s.Default != nil {
		add("default %v", s.Default)
	}
	if len(s.Examples) > 0 {
		add("such as %s", compact(s.Examples[0]))
	}
	return strings.Join(parts, ", ")
}

func list(values []any) string {
	words := make([]string, len(values))
	for i, v := range values {
		words[i] = fmt.Sprint(v)
	}
	return strings.Join(words, ", ")
}

// compact returns a value as one line of JSON, a string without quotes.
func compact(v any) string {
	if s, ok := v.(string); ok {
		return s
	}
	text, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	return string(text)
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
