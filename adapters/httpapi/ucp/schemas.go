package ucp

import (
	"encoding/json"
	"strings"

	"github.com/danielgtaylor/huma/v2"
)

// schemas builds self-contained schemas, without references into an API's document.
type schemas struct {
	api  huma.API
	root map[string]any // the API's document
}

func newSchemas(api huma.API) schemas {
	return schemas{api, asJSON(api.OpenAPI())}
}

// asJSON converts a value of our own API document to plain JSON values. It cannot fail.
func asJSON(v any) (object map[string]any) {
	text, err := json.Marshal(v)
	if err == nil {
		err = json.Unmarshal(text, &object)
	}
	if err != nil {
		panic(err)
	}
	return object
}

// operation finds an operation by its id.
func (s schemas) operation(of string) (path, method string, op *huma.Operation) {
	for at, item := range s.api.OpenAPI().Paths {
		for _, op := range []*huma.Operation{item.Get, item.Post, item.Put} {
			if op != nil && op.OperationID == of {
				return at, op.Method, op
			}
		}
	}
	panic("ucp: no operation is named " + of)
}

// arguments is the schema of a tool's arguments.
func (s schemas) arguments(op *huma.Operation, body string, keyed bool) map[string]any {
	properties := map[string]any{"meta": metaSchema(keyed)}
	required := []any{}
	if keyed {
		required = append(required, "meta")
	}
	for _, p := range op.Parameters {
		if p.In == "path" && p.Name == "id" {
			properties["id"] = map[string]any{"type": "string", "maxLength": longestID, "description": p.Description}
			required = append(required, "id")
		}
	}
	if op.RequestBody != nil {
		schema, _ := s.inline(asJSON(op.RequestBody.Content["application/json"].Schema), nil).(map[string]any)
		if body != "" {
			properties[body] = schema
			required = append(required, body)
		} else {
			fields, _ := schema["properties"].(map[string]any)
			for name, field := range fields {
				properties[name] = field
			}
			needed, _ := schema["required"].([]any)
			required = append(required, needed...)
		}
	}
	return map[string]any{"type": "object", "properties": properties, "required": required}
}

// longestID is the limit of an id's length. All of our ids are shorter.
const longestID = 200

// metaSchema is the schema of what an agent may send in addition to the arguments. Clients that are not platforms have no
// profile.
func metaSchema(keyed bool) map[string]any {
	schema := map[string]any{
		"type": "object",
		"properties": map[string]any{
			"ucp-agent": map[string]any{
				"type":       "object",
				"required":   []any{"profile"},
				"properties": map[string]any{"profile": map[string]any{"type": "string", "format": "uri", "description": "For UCP platforms. Other clients omit ucp-agent."}},
			},
			"idempotency-key": map[string]any{
				"type":        "string",
				"minLength":   shortestKey,
				"maxLength":   longestKey,
				"description": "A random UUID. The same key and arguments return the first response again.",
			},
		},
	}
	if keyed {
		schema["required"] = []any{"idempotency-key"}
	}
	return schema
}

// inline replaces references by the schemas that they refer to. A recursive schema becomes any object.
func (s schemas) inline(node any, within []string) any {
	switch n := node.(type) {
	case map[string]any:
		if ref, ok := n["$ref"].(string); ok {
			for _, outer := range within {
				if outer == ref {
					return map[string]any{"type": "object"}
				}
			}
			return s.inline(s.at(ref), append(within[:len(within):len(within)], ref))
		}
		made := make(map[string]any, len(n))
		for name, value := range n {
			if name != "additionalProperties" { // requests may have more fields, and later answers will
				made[name] = s.inline(value, within)
			}
		}
		return made
	case []any:
		made := make([]any, len(n))
		for i, value := range n {
			made[i] = s.inline(value, within)
		}
		return made
	}
	return node
}

// at is what a reference leads to.
func (s schemas) at(ref string) any {
	var node any = s.root
	for name := range strings.SplitSeq(strings.TrimPrefix(ref, "#/"), "/") {
		object, _ := node.(map[string]any)
		node = object[name]
	}
	return node
}
