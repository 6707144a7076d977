package negotiation

import (
	"slices"

	"github.com/haggle-commerce/haggle/domain/fault"
)

// ErrDeclined refuses an offer on a quote that the buyer declined.
var ErrDeclined = fault.New(fault.Conflict, "quote_closed", "The quote is closed: the buyer declined it. Ask for a new one.")

// Reason is why a buyer declines a quote. The names are those of the intent trace of OpenAI's and Stripe's Agentic
// Commerce Protocol (2026-04-17). The zero Reason is none.
type Reason struct{ name string }

func (r Reason) String() string { return r.name }

// The reasons.
var (
	PriceSensitivity = Reason{"price_sensitivity"}
	ShippingCost     = Reason{"shipping_cost"}
	ShippingSpeed    = Reason{"shipping_speed"}
	ProductFit       = Reason{"product_fit"}
	TrustSecurity    = Reason{"trust_security"}
	ReturnsPolicy    = Reason{"returns_policy"}
	PaymentOptions   = Reason{"payment_options"}
	Comparison       = Reason{"comparison"}
	TimingDeferred   = Reason{"timing_deferred"}
	OtherReason      = Reason{"other"}
)

// Reasons returns all reasons.
func Reasons() []Reason {
	return []Reason{
		PriceSensitivity, ShippingCost, ShippingSpeed, ProductFit, TrustSecurity, ReturnsPolicy, PaymentOptions, Comparison,
		TimingDeferred, OtherReason,
	}
}

// ParseReason reads a reason given by a buyer's agent. The list may grow, so an unknown one is OtherReason. "" is no
// reason.
func ParseReason(word string) Reason {
	r := Reason{word}
	if word == "" || slices.Contains(Reasons(), r) {
		return r
	}
	return OtherReason
}
