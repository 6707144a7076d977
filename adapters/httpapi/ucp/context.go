package ucp

import "github.com/danielgtaylor/huma/v2"

// contextRequest is what an agent says of its buyer. Nothing is decided by it, and what is not named here is ignored: claims
// that nobody knows must not be refused.
type contextRequest struct {
	Intent string `json:"intent,omitempty" maxLength:"500" doc:"What the buyer is after."`
}

// marketRequest is a contextRequest to the catalogue.
type marketRequest struct {
	Intent   string `json:"intent,omitempty" maxLength:"500" doc:"What the buyer is after."`
	Currency string `json:"currency,omitempty" maxLength:"200" doc:"Prices are in the shop's currency, whatever is named."`
}

// attribution is where a buyer came from, in parameters as URLs have them. Nothing follows from it, and it is not kept.
type attribution map[string]string

// Bounds of attribution.
const (
	mostParameters   = 100
	longestParameter = 1_000 // characters
)

// Schema is that of a map of texts.
func (attribution) Schema(huma.Registry) *huma.Schema {
	most, longest := mostParameters, longestParameter
	value := &huma.Schema{Type: huma.TypeString, MaxLength: &longest}
	value.PrecomputeMessages()
	s := &huma.Schema{
		Type:                 huma.TypeObject,
		AdditionalProperties: value,
		MaxProperties:        &most,
		Description:          "Where the buyer came from.",
	}
	s.PrecomputeMessages()
	return s
}
