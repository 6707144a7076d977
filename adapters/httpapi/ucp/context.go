package ucp

import "github.com/danielgtaylor/huma/v2"

// contextRequest is what an agent claims about its buyer. Nothing depends on it. Unknown claims are ignored and must not be
// refused.
type contextRequest struct {
	Intent string `json:"intent,omitempty" maxLength:"500" doc:"What the buyer is looking for."`
}

// marketRequest is a contextRequest to the catalogue.
type marketRequest struct {
	Intent   string `json:"intent,omitempty" maxLength:"500" doc:"What the buyer is looking for."`
	Currency string `json:"currency,omitempty" maxLength:"200" doc:"Ignored: prices are in the shop's currency."`
}

// attribution says where a buyer came from, in URL parameters. It is neither used nor stored.
type attribution map[string]string

// Bounds of attribution.
const (
	mostParameters   = 100
	longestParameter = 1_000 // characters
)

// Schema returns the schema of a map of strings.
func (attribution) Schema(huma.Registry) *huma.Schema {
	most, longest := mostParameters, longestParameter
	value := &huma.Schema{Type: huma.TypeString, MaxLength: &longest}
	value.PrecomputeMessages()
	s := &huma.Schema{
		Type:                 huma.TypeObject,
		AdditionalProperties: value,
		MaxProperties:        &most,
		Description:          "The page or campaign that the buyer came from.",
	}
	s.PrecomputeMessages()
	return s
}
