package wire

import (
	"errors"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/haggle-commerce/haggle/domain/fault"
)

// unknownField is the message of a field that the schema does not have.
const unknownField = "is not a known field"

// schemasOf is the metadata key for the schemas that an operation's schemas refer to.
const schemasOf = "schemas"

// deepest is the depth of nested objects in which a field of another object is searched.
const deepest = 3

// nameKnownFields adds to each detail of an unknown field which field may have been meant, and which fields are known.
func nameKnownFields(e *fault.Error, op *huma.Operation, errs []error) {
	schemas, ok := op.Metadata[schemasOf].(huma.Registry)
	if !ok || op.RequestBody == nil || op.RequestBody.Content["application/json"] == nil {
		return
	}
	k := knownFields{schemas, op.RequestBody.Content["application/json"].Schema}
	for i, d := range e.Details {
		if d.Message != unknownField {
			continue
		}
		parts := strings.Split(d.Field, ".")
		parent := k.at(parts[:len(parts)-1])
		if parent == nil || len(parent.Properties) == 0 {
			continue
		}
		known := slices.Sorted(maps.Keys(parent.Properties))
		meant := nearest(parts[len(parts)-1], known)
		if meant == "" {
			meant = k.elsewhere(parts[len(parts)-1], valueOf(d.Field, errs))
		}
		if meant != "" {
			meant = "did you mean " + meant + "? "
		}
		e.Details[i].Message = cut(unknownField + ": " + meant + "known fields are " + fault.Known(known))
	}
}

// knownFields are those of a body.
type knownFields struct {
	schemas huma.Registry
	body    *huma.Schema
}

func (k knownFields) resolve(s *huma.Schema) *huma.Schema {
	if s != nil && s.Ref != "" {
		return k.schemas.SchemaFromRef(s.Ref)
	}
	return s
}

// at returns the schema of the object at a path, or nil if it is not known.
func (k knownFields) at(path []string) *huma.Schema {
	s := k.resolve(k.body)
	for _, name := range path {
		if s == nil {
			return nil
		}
		if _, err := strconv.Atoi(name); err == nil && s.Items != nil {
			s = k.resolve(s.Items)
			continue
		}
		s = k.resolve(s.Properties[name])
	}
	return s
}

// elsewhere returns the path of a field in another object of the body that has the name, or that has the name of a field in the
// value, or "".
func (k knownFields) elsewhere(name string, value any) string {
	names := []string{name}
	if object, ok := value.(map[string]any); ok {
		names = slices.Sorted(maps.Keys(object))
	}
	for _, n := range names {
		if path := k.find(k.resolve(k.body), n, deepest); path != "" {
			return path
		}
	}
	return ""
}

func (k knownFields) find(in *huma.Schema, name string, depth int) string {
	if in == nil || depth == 0 {
		return ""
	}
	if in.Properties[name] != nil {
		return name
	}
	for _, property := range slices.Sorted(maps.Keys(in.Properties)) {
		if path := k.find(k.resolve(in.Properties[property]), name, depth-1); path != "" {
			return property + "." + path
		}
	}
	return ""
}

// valueOf returns the value of an unknown field.
func valueOf(field string, errs []error) any {
	for _, err := range errs {
		var detail *huma.ErrorDetail
		if !errors.As(err, &detail) || fieldProblem(detail).Field != field {
			continue
		}
		if object, ok := detail.Value.(map[string]any); ok {
			return object[field[strings.LastIndex(field, ".")+1:]]
		}
	}
	return nil
}

// nearest returns the known name that is closest to a mistyped one, or "" if none is close.
func nearest(name string, known []string) string {
	best, least := "", max(1, len(name)/4)+1
	for _, k := range known {
		if d := distance(strings.ToLower(name), k); d < least {
			best, least = k, d
		}
	}
	return best
}

// distance is Levenshtein's, in bytes.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
