package wire

import (
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/haggle-commerce/haggle/domain/fault"
)

// unknownParameter is Huma's message about a query parameter that the operation does not have.
const unknownParameter = "unknown query parameter"

// nameParameters has problems of unknown query parameters name those that the operation knows.
func nameParameters(e *fault.Error, op *huma.Operation) {
	for i, d := range e.Details {
		if d.Message == unknownParameter {
			e.Details[i].Message = "is not a known parameter: " + knownParameters(op)
		}
	}
}

func knownParameters(op *huma.Operation) string {
	var names []string
	for _, p := range op.Parameters {
		if p.In == "query" {
			names = append(names, p.Name)
		}
	}
	if len(names) == 0 {
		return "there are none here"
	}
	return "there are " + strings.Join(names, ", ")
}
