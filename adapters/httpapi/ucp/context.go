package ucp

import (
	"github.com/danielgtaylor/huma/v2"

	"github.com/haggle-commerce/haggle/domain/checkout"
)

// contextRequest is what an agent claims about its buyer. Nothing depends on it. Unknown claims are ignored and must not be
// refused.
type contextRequest struct {
	Intent string `json:"intent,omitempty" maxLength:"500" doc:"What the buyer is looking for."`
}

// placedRequest is a contextRequest with the buyer's place.
type placedRequest struct {
	Intent  string `json:"intent,omitempty" maxLength:"500" doc:"What the buyer is looking for."`
	Country string `json:"address_country,omitempty" maxLength:"200" example:"US" doc:"ISO 3166-1 alpha-2."`
	Region  string `json:"address_region,omitempty" maxLength:"200" example:"NY" doc:"ISO 3166-2 without the country."`
}

// place returns the ISO 3166 code of the place, or "" if it is not known.
func (r *placedRequest) place() string {
	if r == nil {
		return ""
	}
	return checkout.Address{Country: r.Country, State: r.Region}.RegionCode()
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
