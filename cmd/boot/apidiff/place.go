package apidiff

import (
	"fmt"
	"strings"
)

// place is where in a document something is. The zero place is the document as a whole.
type place struct {
	path []string
	doc  *document
}

// operation is such as "GET /v1/products", or "" outside of operations.
func (p place) operation() string {
	if len(p.path) < 3 || p.path[0] != "paths" {
		return ""
	}
	return strings.ToUpper(p.path[2]) + " " + p.path[1]
}

// part is the operation, and the status if the place is in a response.
func (p place) part() string {
	if p.response() && len(p.path) > 4 {
		return p.operation() + " " + p.path[4]
	}
	return p.operation()
}

func (p place) in(what string) bool {
	return p.operation() != "" && len(p.path) > 3 && p.path[3] == what
}

func (p place) response() bool { return p.in("responses") }
func (p place) request() bool  { return p.in("requestBody") || p.in("parameters") }

// side says who writes what is at the place.
func (p place) side() string {
	switch {
	case p.in("requestBody"):
		return "request body"
	case p.in("responses"):
		return "response"
	}
	return ""
}

// named is such as "query parameter limit" or "header ETag", or "".
func (p place) named() string {
	switch {
	case p.in("parameters") && len(p.path) > 4:
		object, _ := lookup(p.doc.root, p.path[:5]).(map[string]any)
		return fmt.Sprintf("%v parameter %v", object["in"], object["name"])
	case p.response() && len(p.path) > 6 && p.path[5] == "headers":
		return "header " + p.path[6]
	}
	return ""
}

// holder is the path of the innermost schema that the place is in, and the field's name from the
// nearest schema with a name. No schema: nil.
func (p place) holder() (path []string, field string) {
	start := p.schemaStart()
	if start < 0 {
		return nil, ""
	}
	end, name := start, p.doc.schemas[strings.Join(p.path[:start], "\n")]
	for end < len(p.path) {
		step := p.path[end:]
		switch {
		case len(step) > 1 && step[0] == "properties":
			name, end = strings.TrimPrefix(name+"."+step[1], "."), end+2
		case len(step) > 1 && step[0] == "oneOf":
			end += 2
		case step[0] == "items":
			name, end = name+"[]", end+1
		case step[0] == "additionalProperties":
			name, end = name+".*", end+1
		default:
			return p.path[:end], name
		}
		if named := p.doc.schemas[strings.Join(p.path[:end], "\n")]; named != "" {
			name = named
		}
	}
	return p.path[:end], name
}

// schemaStart is the index after the path's way into its outermost schema.
func (p place) schemaStart() int {
	for _, way := range [][]string{
		{"parameters", "*", "schema"}, {"requestBody", "content", "*", "schema"},
		{"responses", "*", "content", "*", "schema"}, {"responses", "*", "headers", "*", "schema"},
	} {
		if p.operation() == "" || len(p.path) < 3+len(way) {
			continue
		}
		fits := true
		for i, step := range way {
			fits = fits && (step == "*" || step == p.path[3+i])
		}
		if fits {
			return 3 + len(way)
		}
	}
	return -1
}
