package apidiff

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/pb33f/libopenapi/what-changed/model"
)

// judge tells whether a change breaks clients. The library's verdict knows no direction: it calls every
// change of a bound, of required and of type breaking, and the first enum of a string harmless. So what
// is in a schema is judged here, and beside schemas what the library is too strict or too lax about.
func judge(l, r *document, at place, c *model.Change) bool {
	if c.Property == "description" || c.Property == "tags" || at.path[0] == "info" {
		return false
	}
	if path, _ := at.holder(); path != nil {
		return judgeSchema(l, r, at, c)
	}
	switch {
	case c.Property == "requestBody":
		return removed(c) || needed(lookup(r.root, at.path))
	case c.Property == "parameters":
		return removed(c) || needed(lookup(r.root, at.path[:min(len(at.path), 5)]))
	case c.Property == "required":
		return c.New == "true"
	case c.Property == "style" || c.Property == "explode":
		return true
	case at.in("security"):
		return !admits(lookup(l.root, at.path[:4]), lookup(r.root, at.path[:4]))
	case at.path[0] == "security":
		return !admits(l.root["security"], r.root["security"])
	}
	return c.Breaking
}

func removed(c *model.Change) bool {
	return c.ChangeType == model.ObjectRemoved || c.ChangeType == model.PropertyRemoved
}

// admits tells whether whoever met one of the requirements before meets one after.
func admits(before, after any) bool {
	for _, held := range requirements(before) {
		if !slices.ContainsFunc(requirements(after), func(asked map[string]any) bool { return meets(held, asked) }) {
			return false
		}
	}
	return true
}

// requirements are the alternatives that an operation asks for: schemes with scopes.
func requirements(v any) []map[string]any {
	var alternatives []map[string]any
	list, _ := v.([]any)
	for _, one := range list {
		alternative, _ := one.(map[string]any)
		alternatives = append(alternatives, alternative)
	}
	if len(alternatives) == 0 {
		return []map[string]any{{}} // nothing is asked
	}
	return alternatives
}

func meets(held, asked map[string]any) bool {
	for scheme, scopes := range asked {
		have, ok := held[scheme].([]any)
		need, _ := scopes.([]any)
		if !ok || slices.ContainsFunc(need, func(scope any) bool { return !slices.Contains(have, scope) }) {
			return false
		}
	}
	return true
}

// needed tells whether a parameter, any of a list of parameters, or a body must be given.
func needed(v any) bool {
	switch v := v.(type) {
	case map[string]any:
		return v["required"] == true
	case []any:
		return slices.ContainsFunc(v, needed)
	}
	return false
}

func judgeSchema(l, r *document, at place, c *model.Change) bool {
	given, dropped := c.New != "", c.New == ""
	switch c.Property {
	case "properties":
		return c.ChangeType == model.ObjectRemoved
	case "required":
		return at.request() == (c.ChangeType == model.PropertyAdded)
	case "enum", "oneOf", "anyOf":
		return judgeChoice(l, r, at, c)
	case "type":
		before, after := typesAt(l, at), typesAt(r, at)
		if at.request() {
			return !within(before, after)
		}
		return !within(after, before)
	case "maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties":
		return at.request() && given && (c.Original == "" || number(c.New) < number(c.Original))
	case "minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties":
		return at.request() && given && (c.Original == "" || number(c.New) > number(c.Original))
	case "pattern", "multipleOf", "uniqueItems":
		return at.request() && given && c.New != "false"
	case "default":
		return at.request() && c.Original != ""
	case "format":
		return at.request() && given || at.response() && (dropped || c.Original != "")
	case "additionalProperties":
		return at.request() && !open(lookup(r.root, at.path))
	}
	return c.Breaking
}

// judgeChoice is of one value of an enum or one form of oneOf. To have the first one narrows, to lose
// all of them widens.
func judgeChoice(l, r *document, at place, c *model.Change) bool {
	list := at.path
	for len(list) > 0 && list[len(list)-1] != c.Property {
		list = list[:len(list)-1]
	}
	first, all := lookup(l.root, list) == nil, lookup(r.root, list) == nil
	if at.request() {
		return !removed(c) && first || removed(c) && !all
	}
	return removed(c) && all && c.Property != "enum"
}

// typesAt are the types of the schema that a place is in; none: any.
func typesAt(d *document, at place) []string {
	path, _ := at.holder()
	schema, _ := lookup(d.root, path).(map[string]any)
	switch v := schema["type"].(type) {
	case string:
		return []string{v}
	case []any:
		var types []string
		for _, one := range v {
			types = append(types, fmt.Sprint(one))
		}
		return types
	}
	return nil
}

// within tells whether every value of some types is one of others.
func within(types, others []string) bool {
	if len(types) == 0 || len(others) == 0 {
		return len(others) == 0
	}
	for _, t := range types {
		if !slices.Contains(others, t) && (t != "integer" || !slices.Contains(others, "number")) {
			return false
		}
	}
	return true
}

// open tells whether additionalProperties allow any field.
func open(additional any) bool { return additional == nil || additional == true }

func number(text string) float64 {
	n, _ := strconv.ParseFloat(text, 64) // bounds are numbers
	return n
}

// describe says where within an operation the change is, and what happened.
func describe(at place, c *model.Change) string {
	var where []string
	if named := at.named(); named != "" {
		where = append(where, named)
	}
	holder, field := at.holder()
	if holder != nil && c.Property == "required" {
		field = strings.TrimPrefix(field+"."+c.Original+c.New, ".")
	}
	if field != "" {
		where = append(where, field)
	}
	if side := at.side(); side != "" && len(at.path) > 4 {
		where = append(where, "("+side+")")
	}
	if len(where) == 0 {
		return c.Property + ": " + deed(c)
	}
	return strings.Join(where, " ") + ": " + c.Property + " " + deed(c)
}

func deed(c *model.Change) string {
	switch c.ChangeType {
	case model.ObjectRemoved, model.PropertyRemoved:
		return strings.TrimSpace("removed " + line(c.Original))
	case model.ObjectAdded, model.PropertyAdded:
		return strings.TrimSpace("added " + line(c.New))
	}
	if c.Original == "" && c.New == "" {
		return "changed"
	}
	return fmt.Sprintf("changed from %q to %q", line(c.Original), line(c.New))
}

// line is the beginning of a text, on one line.
func line(text string) string {
	const longest = 60
	text = strings.Join(strings.Fields(text), " ")
	if runes := []rune(text); len(runes) > longest {
		return string(runes[:longest]) + "…"
	}
	return text
}
