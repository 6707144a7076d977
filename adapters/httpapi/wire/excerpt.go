package wire

import (
	"maps"
	"strings"

	"github.com/danielgtaylor/huma/v2"
)

// Excerpt returns a document of the operations whose paths begin with prefix, and which keep picks. Their paths begin after
// the prefix, and lack its parameters. The document has the schemas that they use and no others. change may write into an
// operation's parameters, the media types of its request and its responses; what these hold is shared with doc.
func Excerpt(doc *huma.OpenAPI, prefix string, keep func(*huma.Operation) bool, change func(*huma.Operation)) *huma.OpenAPI {
	part := &huma.OpenAPI{
		OpenAPI: doc.OpenAPI,
		Info:    &huma.Info{},
		Paths:   map[string]*huma.PathItem{},
	}
	used := references{from: doc.Components.Schemas, to: huma.NewMapRegistry("#/components/schemas/", schemaName)}
	for path, item := range doc.Paths {
		rest, below := strings.CutPrefix(path, prefix)
		if !below {
			continue
		}
		kept := false
		short := mapOperations(map[string]*huma.PathItem{rest: item}, func(op *huma.Operation) *huma.Operation {
			if !keep(op) {
				return nil
			}
			kept = true
			copied := copyOperation(op, prefix)
			change(copied)
			used.operation(copied)
			return copied
		})
		if kept {
			part.Paths[rest] = short[rest]
		}
	}
	part.Components = &huma.Components{Schemas: used.to}
	return share(standard(part))
}

// copyOperation returns an operation without the parameters of a prefix of its path.
func copyOperation(op *huma.Operation, prefix string) *huma.Operation {
	copied := *op
	copied.Parameters = nil
	for _, p := range op.Parameters {
		if p.In != "path" || !strings.Contains(prefix, "{"+p.Name+"}") {
			parameter := *p
			copied.Parameters = append(copied.Parameters, &parameter)
		}
	}
	copied.Responses = make(map[string]*huma.Response, len(op.Responses))
	for status, r := range op.Responses {
		response := *r
		copied.Responses[status] = &response
	}
	if op.RequestBody != nil {
		body := *op.RequestBody
		body.Content = maps.Clone(body.Content)
		for name, media := range body.Content {
			form := *media
			body.Content[name] = &form
		}
		copied.RequestBody = &body
	}
	return &copied
}

// references copies the schemas that are referred to from one registry to another one.
type references struct{ from, to huma.Registry }

func (u references) operation(op *huma.Operation) {
	for _, p := range op.Parameters {
		u.schema(p.Schema)
	}
	if op.RequestBody != nil {
		for _, media := range op.RequestBody.Content {
			u.schema(media.Schema)
		}
	}
	for _, response := range op.Responses {
		for _, media := range response.Content {
			u.schema(media.Schema)
		}
		for _, header := range response.Headers {
			u.schema(header.Schema)
		}
	}
}

func (u references) schema(s *huma.Schema) {
	if s == nil {
		return
	}
	if s.Ref != "" {
		name := s.Ref[strings.LastIndexByte(s.Ref, '/')+1:]
		if u.to.Map()[name] == nil {
			known := u.from.Map()[name]
			u.to.Map()[name] = known
			u.schema(known)
		}
		return
	}
	u.schema(s.Items)
	u.schema(s.Not)
	if element, ok := s.AdditionalProperties.(*huma.Schema); ok {
		u.schema(element)
	}
	for _, property := range s.Properties {
		u.schema(property)
	}
	for _, forms := range [][]*huma.Schema{s.OneOf, s.AnyOf, s.AllOf} {
		for _, form := range forms {
			u.schema(form)
		}
	}
}
