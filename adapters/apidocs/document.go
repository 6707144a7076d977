package apidocs

import (
	"encoding/json"
	"slices"
	"strings"
)

// document is the part of an OpenAPI 3.1 document that pages show.
type document struct {
	Info struct {
		Description string `json:"description"`
	} `json:"info"`
	Servers []struct {
		URL string `json:"url"`
	} `json:"servers"`
	Tags []struct {
		Name        string `json:"name"`
		Description string `json:"description"`
	} `json:"tags"`
	Paths      map[string]pathItem `json:"paths"`
	Webhooks   map[string]pathItem `json:"webhooks"`
	Components struct {
		Schemas    map[string]*schema    `json:"schemas"`
		Parameters map[string]*parameter `json:"parameters"`
		Responses  map[string]*response  `json:"responses"`
	} `json:"components"`
}

type pathItem struct {
	Get    *operation `json:"get"`
	Post   *operation `json:"post"`
	Put    *operation `json:"put"`
	Patch  *operation `json:"patch"`
	Delete *operation `json:"delete"`
}

// operation is one method of a path. Method and Path are filled in by operations.
type operation struct {
	Method, Path string
	ID           string                `json:"operationId"`
	Summary      string                `json:"summary"`
	Description  string                `json:"description"`
	Tags         []string              `json:"tags"`
	Deprecated   bool                  `json:"deprecated"`
	Parameters   []*parameter          `json:"parameters"`
	RequestBody  *content              `json:"requestBody"`
	Responses    map[string]*response  `json:"responses"`
	Security     []map[string][]string `json:"security"`
}

type parameter struct {
	Ref         string  `json:"$ref"`
	Name        string  `json:"name"`
	In          string  `json:"in"`
	Description string  `json:"description"`
	Required    bool    `json:"required"`
	Schema      *schema `json:"schema"`
	Example     any     `json:"example"`
}

type content struct {
	Required bool              `json:"required"`
	Content  map[string]*media `json:"content"`
}

type response struct {
	Ref         string            `json:"$ref"`
	Description string            `json:"description"`
	Content     map[string]*media `json:"content"`
}

type media struct {
	Schema   *schema `json:"schema"`
	Example  any     `json:"example"`
	Examples map[string]struct {
		Summary string `json:"summary"`
		Value   any    `json:"value"`
	} `json:"examples"`
}

type schema struct {
	Ref              string             `json:"$ref"`
	Type             types              `json:"type"`
	Format           string             `json:"format"`
	Description      string             `json:"description"`
	Properties       map[string]*schema `json:"properties"`
	Required         []string           `json:"required"`
	Additional       additional         `json:"additionalProperties"`
	Items            *schema            `json:"items"`
	OneOf            []*schema          `json:"oneOf"`
	Enum             []any              `json:"enum"`
	Examples         []any              `json:"examples"`
	Default          any                `json:"default"`
	Pattern          string             `json:"pattern"`
	Minimum          *json.Number       `json:"minimum"`
	Maximum          *json.Number       `json:"maximum"`
	ExclusiveMinimum *json.Number       `json:"exclusiveMinimum"`
	ExclusiveMaximum *json.Number       `json:"exclusiveMaximum"`
	MinLength        *int               `json:"minLength"`
	MaxLength        *int               `json:"maxLength"`
	MinItems         *int               `json:"minItems"`
	MaxItems         *int               `json:"maxItems"`
	WriteOnly        bool               `json:"writeOnly"`
}

// types are one or several types. JSON has a single type as a string.
type types []string

// UnmarshalJSON reads a string or a list.
func (t *types) UnmarshalJSON(text []byte) error {
	if len(text) > 0 && text[0] == '"' {
		*t = make(types, 1)
		return json.Unmarshal(text, &(*t)[0])
	}
	return json.Unmarshal(text, (*[]string)(t))
}

// main returns the type that is not null, "" for any.
func (t types) main() string {
	for _, one := range t {
		if one != "null" {
			return one
		}
	}
	return ""
}

// additional is the schema of additionalProperties, nil if that is missing or a boolean.
type additional struct{ *schema }

// UnmarshalJSON reads a schema and ignores true and false.
func (a *additional) UnmarshalJSON(text []byte) error {
	if len(text) > 0 && text[0] == '{' {
		return json.Unmarshal(text, &a.schema)
	}
	return nil
}

// read parses a document and resolves operations' references to shared parameters and responses.
func read(text []byte) (*document, error) {
	d := &document{}
	if err := json.Unmarshal(text, d); err != nil {
		return nil, err
	}
	for _, op := range d.operations() {
		for i, p := range op.Parameters {
			if shared := d.Components.Parameters[lastOf(p.Ref)]; shared != nil {
				op.Parameters[i] = shared
			}
		}
		for status, r := range op.Responses {
			if shared := d.Components.Responses[lastOf(r.Ref)]; shared != nil {
				op.Responses[status] = shared
			}
		}
	}
	return d, nil
}

// operations returns the document's operations by path and method, webhooks last.
func (d *document) operations() []*operation {
	var all []*operation
	collect := func(items map[string]pathItem, webhooks bool) {
		for _, path := range sortedKeys(items) {
			item := items[path]
			for _, one := range []struct {
				method string
				*operation
			}{{"GET", item.Get}, {"POST", item.Post}, {"PUT", item.Put}, {"PATCH", item.Patch}, {"DELETE", item.Delete}} {
				if one.operation == nil {
					continue
				}
				one.operation.Method, one.operation.Path = one.method, path
				if webhooks {
					one.operation.Method = eventMethod
				}
				all = append(all, one.operation)
			}
		}
	}
	collect(d.Paths, false)
	collect(d.Webhooks, true)
	return all
}

// eventMethod is shown instead of an HTTP method for events that the server sends.
const eventMethod = "EVENT"

// resolve follows a reference.
func (d *document) resolve(s *schema) *schema {
	if s == nil {
		return &schema{}
	}
	if s.Ref != "" {
		if found := d.Components.Schemas[lastOf(s.Ref)]; found != nil {
			return found
		}
		return &schema{}
	}
	return s
}

func (s *schema) requires(name string) bool { return slices.Contains(s.Required, name) }

// body returns the schema of a JSON body, else that of the first other media type.
func body(of map[string]*media) (string, *media) {
	for _, kind := range append([]string{"application/json"}, sortedKeys(of)...) {
		if m := of[kind]; m != nil {
			return kind, m
		}
	}
	return "", nil
}

func lastOf(ref string) string { return ref[strings.LastIndexByte(ref, '/')+1:] }
