package wire

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"
)

// shareFrom is how often a definition must occur in the document to be moved to components.
const shareFrom = 5

// share returns a copy of the document in which responses of errors, headers and parameters that many
// operations repeat stand once, in components, and the operations refer to them. The document itself
// stays as it is: requests are still served by its operations.
func share(doc *huma.OpenAPI) *huma.OpenAPI {
	s := sharing{
		responses:  newRepeated[huma.Response]("responses"),
		headers:    newRepeated[huma.Header]("headers"),
		parameters: newRepeated[huma.Param]("parameters"),
	}
	mapOperations(doc.Paths, s.count)
	mapOperations(doc.Webhooks, s.count)
	copied, components := *doc, *doc.Components
	copied.Paths = mapOperations(doc.Paths, s.operation)
	copied.Webhooks = mapOperations(doc.Webhooks, s.operation)
	components.Responses, components.Headers, components.Parameters = s.responses.kept, s.headers.kept, s.parameters.kept
	copied.Components = &components
	return &copied
}

// mapOperations returns a copy of the paths with every operation replaced.
func mapOperations(paths map[string]*huma.PathItem, change func(*huma.Operation) *huma.Operation) map[string]*huma.PathItem {
	changed := make(map[string]*huma.PathItem, len(paths))
	for path, original := range paths {
		item := *original
		for _, op := range []**huma.Operation{&item.Get, &item.Post, &item.Put, &item.Patch, &item.Delete} {
			if *op != nil {
				*op = change(*op)
			}
		}
		changed[path] = &item
	}
	return changed
}

// sharing holds what the operations repeat.
type sharing struct {
	responses  repeated[huma.Response]
	headers    repeated[huma.Header]
	parameters repeated[huma.Param]
}

func (s sharing) count(op *huma.Operation) *huma.Operation {
	for status, response := range op.Responses {
		if status > "4" { // "default", too
			s.responses.count(responseName(op, status, response), response)
		}
		for name, header := range response.Headers {
			s.headers.count(name, header)
		}
	}
	for _, parameter := range op.Parameters {
		s.parameters.count(parameter.Name, parameter)
	}
	return op
}

func (s sharing) operation(op *huma.Operation) *huma.Operation {
	changed := *op
	changed.Parameters = slices.Clone(op.Parameters)
	for i, parameter := range op.Parameters {
		if ref := s.parameters.ref(parameter.Name, parameter, parameter); ref != "" {
			changed.Parameters[i] = &huma.Param{Ref: ref}
		}
	}
	changed.Responses = make(map[string]*huma.Response, len(op.Responses))
	for status, response := range op.Responses {
		short := *response
		short.Headers = maps.Clone(response.Headers)
		for name, header := range response.Headers {
			if ref := s.headers.ref(name, header, header); ref != "" {
				short.Headers[name] = &huma.Header{Ref: ref}
			}
		}
		changed.Responses[status] = &short
		if ref := s.responses.ref(responseName(op, status, response), response, &short); ref != "" {
			changed.Responses[status] = &huma.Response{Ref: ref}
		}
	}
	return &changed
}

// responseName is such as BadRequest, or ACPBadRequest in the ACP API.
func responseName(op *huma.Operation, status string, response *huma.Response) string {
	name := strings.ReplaceAll(response.Description, " ", "")
	if status == "default" {
		name = "OtherError"
	}
	return styleOf(op).Prefix + name
}

// repeated counts the definitions of one kind, and collects those that are referred to.
type repeated[T any] struct {
	section string
	uses    map[string]map[string]int // by name and definition
	kept    map[string]*T
}

func newRepeated[T any](section string) repeated[T] {
	return repeated[T]{
		section: section,
		uses:    map[string]map[string]int{},
		kept:    map[string]*T{},
	}
}

func (r repeated[T]) count(name string, definition *T) {
	if r.uses[name] == nil {
		r.uses[name] = map[string]int{}
	}
	r.uses[name][textOf(definition)]++
}

// ref returns the reference to a definition, which stands in components as short, or "" if the definition
// stays where it is: it is not repeated often enough, or another one has its name.
func (r repeated[T]) ref(name string, definition, short *T) string {
	text := textOf(definition)
	if r.uses[name][text] < shareFrom || r.mostUsed(name) != text {
		return ""
	}
	r.kept[name] = short
	return "#/components/" + r.section + "/" + name
}

// mostUsed returns the definition that gets a name in components.
func (r repeated[T]) mostUsed(name string) string {
	most := ""
	for _, text := range slices.Sorted(maps.Keys(r.uses[name])) {
		if most == "" || r.uses[name][text] > r.uses[name][most] {
			most = text
		}
	}
	return most
}

// textOf returns the JSON of a definition, by which definitions are compared. Huma's types can always be encoded.
func textOf(definition any) string {
	text, err := json.Marshal(definition)
	if err != nil {
		panic(err)
	}
	return string(text)
}
