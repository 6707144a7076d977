package wire

import (
	"strconv"

	"github.com/danielgtaylor/huma/v2"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Several is a value of a request that may be one string or a list of strings.
type Several []string

// Bounds of Several.
const (
	mostSeveral    = 20
	longestSeveral = 200 // characters of each
)

func (s *Several) UnmarshalJSONFrom(d *jsontext.Decoder) error {
	if d.PeekKind() == '"' {
		one := ""
		err := json.UnmarshalDecode(d, &one)
		*s = Several{one}
		return err
	}
	var all []string
	err := json.UnmarshalDecode(d, &all)
	*s = all
	return err
}

// Schema is one text, or a list of them.
func (Several) Schema(huma.Registry) *huma.Schema {
	one := func() *huma.Schema {
		longest := longestSeveral
		s := &huma.Schema{Type: huma.TypeString, MaxLength: &longest}
		s.PrecomputeMessages()
		return s
	}
	most := mostSeveral
	many := &huma.Schema{
		Type:     huma.TypeArray,
		Items:    one(),
		MaxItems: &most,
	}
	many.PrecomputeMessages()
	s := &huma.Schema{
		OneOf:       []*huma.Schema{one(), many},
		Description: "One value, or a list of at most " + strconv.Itoa(mostSeveral) + ".",
	}
	s.PrecomputeMessages()
	return s
}

// Unknown has the unknown fields of an object. A struct has it as a field with the options json:",embed" hidden:"true".
type Unknown map[string]jsontext.Value

// Schema documents nothing.
func (Unknown) Schema(huma.Registry) *huma.Schema { return &huma.Schema{} }
