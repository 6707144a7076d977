package operation

import "github.com/danielgtaylor/huma/v2"

// DocumentRequired says in the document that fields are required, and leaves it to the domain to
// miss them: so a merchant learns of missing and unacceptable fields at once.
func DocumentRequired(s *huma.Schema, fields ...string) *huma.Schema {
	s.Extensions = map[string]any{"required": fields}
	return s
}
