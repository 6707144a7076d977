package exposure

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
)

// schema is the part of a JSON schema that the walk understands.
type schema struct {
	Ref        string             `json:"$ref"`
	Type       any                `json:"type"` // one name or a list
	Format     string             `json:"format"`
	Enum       []any              `json:"enum"`
	Examples   []any              `json:"examples"`
	Minimum    *float64           `json:"minimum"`
	MinLength  int                `json:"minLength"`
	MinItems   int                `json:"minItems"`
	Required   []string           `json:"required"`
	Properties map[string]*schema `json:"properties"`
	Items      *schema            `json:"items"`
	OneOf      []*schema          `json:"oneOf"`
	AnyOf      []*schema          `json:"anyOf"`
}

// resolved follows references.
func (s *schema) resolved(defs map[string]*schema) *schema {
	for s.Ref != "" {
		next := defs[strings.TrimPrefix(s.Ref, "#/components/schemas/")]
		if next == nil {
			return &schema{}
		}
		s = next
	}
	for _, forms := range [][]*schema{s.OneOf, s.AnyOf} {
		if len(forms) > 0 {
			return forms[0].resolved(defs)
		}
	}
	return s
}

// kind returns the type's name, ignoring null.
func (s *schema) kind() string {
	names, ok := s.Type.([]any)
	if !ok {
		names = []any{s.Type}
	}
	for _, name := range names {
		if name != "null" && name != nil {
			return name.(string)
		}
	}
	return ""
}

type parameter struct {
	Ref      string `json:"$ref"`
	Name     string `json:"name"`
	In       string `json:"in"`
	Required bool   `json:"required"`
}

// operation is a method of a path.
type operation struct {
	ID         string                `json:"operationId"`
	Parameters []parameter           `json:"parameters"`
	Security   []map[string][]string `json:"security"`
	Body       *struct {
		Content map[string]struct {
			Schema *schema `json:"schema"`
		} `json:"content"`
	} `json:"requestBody"`
	Responses map[string]any `json:"responses"`

	method, path string
	defs         map[string]*schema
}

func (o *operation) name() string { return o.method + " " + o.path }

func (o *operation) has(in, name string) bool {
	return slices.ContainsFunc(o.Parameters, func(p parameter) bool { return p.In == in && p.Name == name })
}

// scope returns the scope that the operation requires, or "".
func (o *operation) scope() string {
	if len(o.Security) >= 1 && len(o.Security[0]["api_key"]) == 1 {
		return o.Security[0]["api_key"][0]
	}
	return ""
}

// or returns another scope that is sufficient, or "".
func (o *operation) or() string {
	if len(o.Security) == 2 && len(o.Security[1]["api_key"]) == 1 {
		return o.Security[1]["api_key"][0]
	}
	return ""
}

// body returns the schema of the request's body, or nil.
func (o *operation) body() *schema {
	if o.Body == nil {
		return nil
	}
	return o.Body.Content["application/json"].Schema
}

// succeeds returns the documented success status.
func (o *operation) succeeds() int {
	for status := 200; status < 300; status++ {
		if _, ok := o.Responses[fmt.Sprint(status)]; ok {
			return status
		}
	}
	return 0
}

// operations reads the document that a server serves, sorted by path and method.
func operations(url string) ([]*operation, error) {
	r, err := http.Get(url + "/openapi.json")
	if err != nil {
		return nil, err
	}
	defer r.Body.Close()
	var document struct {
		Paths      map[string]map[string]*operation `json:"paths"`
		Components struct {
			Schemas    map[string]*schema   `json:"schemas"`
			Parameters map[string]parameter `json:"parameters"`
		} `json:"components"`
	}
	if err := json.NewDecoder(r.Body).Decode(&document); err != nil {
		return nil, err
	}
	var list []*operation
	for path, methods := range document.Paths {
		for method, o := range methods {
			o.method, o.path, o.defs = strings.ToUpper(method), path, document.Components.Schemas
			for i, p := range o.Parameters {
				if name, shared := strings.CutPrefix(p.Ref, "#/components/parameters/"); shared {
					o.Parameters[i] = document.Components.Parameters[name]
				}
			}
			list = append(list, o)
		}
	}
	slices.SortFunc(list, func(a, b *operation) int { return strings.Compare(a.path+a.method, b.path+b.method) })
	return list, nil
}

// filling makes bodies. set has values by dotted path, in which lists have no index.
type filling struct {
	defs  map[string]*schema
	set   map[string]any
	known func(path string) string // the values of ids; "": it is none
}

// wants reports whether something at or below the path is set.
func (f filling) wants(path string) bool {
	for at := range f.set {
		if at == path || strings.HasPrefix(at, path+".") {
			return true
		}
	}
	return false
}

// value returns the set value, or the smallest value that the schema allows.
func (f filling) value(s *schema, path string) any {
	s = s.resolved(f.defs)
	if given, ok := f.set[path]; ok && s.kind() != "array" {
		return given
	} else if ok {
		if _, list := given.([]any); list {
			return given
		}
	}
	switch {
	case len(s.Properties) > 0:
		return f.object(s, path)
	case s.kind() == "array":
		list := []any{}
		for range max(s.MinItems, 1) {
			list = append(list, f.value(s.Items, path))
		}
		return list
	case f.known(path) != "":
		return f.known(path)
	case len(s.Examples) > 0:
		return s.Examples[0]
	case len(s.Enum) > 0:
		return s.Enum[0]
	}
	return plain(s)
}

func (f filling) object(s *schema, path string) map[string]any {
	object := map[string]any{}
	for name, property := range s.Properties {
		if at := join(path, name); slices.Contains(s.Required, name) || f.wants(at) {
			object[name] = f.value(property, at)
		}
	}
	return object
}

func plain(s *schema) any {
	switch s.kind() {
	case "boolean":
		return true
	case "integer", "number":
		if s.Minimum != nil {
			return max(*s.Minimum, 1)
		}
		return 1
	case "object":
		return map[string]any{}
	}
	switch s.Format {
	case "uri":
		return "https://example.com/"
	case "email":
		return "a@example.com"
	case "date-time":
		return "2030-01-31T12:00:00Z"
	}
	return strings.Repeat("a", max(s.MinLength, 3))
}

// leaves collects the dotted paths of all values of a schema.
func leaves(s *schema, defs map[string]*schema, path string, found map[string]bool) {
	s = s.resolved(defs)
	switch {
	case strings.Count(path, ".") > 5: // a recursive schema
	case s.kind() == "array" && s.Items != nil:
		leaves(s.Items, defs, path, found)
	case len(s.Properties) > 0:
		for name, property := range s.Properties {
			leaves(property, defs, join(path, name), found)
		}
	default:
		found[path] = true
	}
}

func join(path, name string) string { return strings.TrimPrefix(path+"."+name, ".") }
