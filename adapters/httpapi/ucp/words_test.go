package ucp

import (
	"maps"
	"regexp"
	"slices"
	"testing"

	"github.com/haggle-commerce/haggle/app/haggling"
	"github.com/haggle-commerce/haggle/app/pricing"
	"github.com/haggle-commerce/haggle/app/purchase"
	"github.com/haggle-commerce/haggle/domain/account"
	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/negotiation"
	"github.com/haggle-commerce/haggle/domain/session"
)

// ownWords matches words of Haggle's own protocol that this protocol does not have.
var ownWords = regexp.MustCompile(`(?i)\b(checkout_token|token|quote|quote_id|session|session_id|finalize|init|revise|offer_price|shipping_option|shipping_address|` +
	`product_id|variant_id|line_id|from_cart|project|plan)\b|(^| )items\.`)

// Answers of this protocol have no words of Haggle's own.
func TestContent_protocolWords(t *testing.T) {
	t.Parallel()
	for _, e := range []*fault.Error{
		checkout.ErrExpired, checkout.ErrCanceled, checkout.ErrCompleted, checkout.ErrProcessing, checkout.ErrTooManyInFlight, checkout.ErrNotPayable,
		checkout.ErrChanged, checkout.ErrStale, checkout.ErrDestination, purchase.ErrUnresolved, purchase.ErrCannotPay, session.ErrExpired,
		negotiation.ErrClosed, negotiation.ErrDeclined, haggling.ErrPriceChanged, pricing.ErrNothingSold, errKeyUsed,
		account.Full(checkout.MaxOpen, "open checkouts", "a session"),
		fault.New(fault.Conflict, "session_exhausted", "The session has reached its limit of 1,000 offers. Start a new one."),
		fault.New(fault.Conflict, "token_redeemed", "The checkout token has been used by another checkout."),
		fault.New(fault.Conflict, "token_expired", "The checkout token has expired. Ask for a new quote."),
		fault.Field("items", "add up to an amount that is too large"),
		fault.Field("items.3.quantity", "must be between 1 and 1,000"),
		fault.Field("items.0.product_id", "is no longer sold: remove it from the cart"),
		fault.Field("shipping_option", "is not an option of this checkout; its options are standard and express"),
		fault.Field("shipping_address.country", "is not in the shop's shipping_regions"),
		fault.Field("payment.method", "cannot charge this amount; pay by another method or with another shipping option"),
		fault.Field("checkout_token", "is not a token of this session"),
		fault.Field("add_bundle", "is only for a quote that suggests a bundle"),
		fault.Field("offer_price", "must be more than zero"),
	} {
		if found := ownWords.FindString(content(e)); found != "" {
			t.Errorf("%s says %q: %s", e.Code, found, content(e))
		}
	}
	texts := slices.Concat(slices.Collect(maps.Values(problems)), slices.Collect(maps.Values(absent)), slices.Collect(maps.Values(inWords)))
	for _, part := range missingParts {
		texts = append(texts, part.content)
	}
	for _, tool := range tools {
		texts = append(texts, tool.description)
		if len(tool.description) > 500 {
			t.Errorf("%s has %d characters of description", tool.operation, len(tool.description))
		}
	}
	for _, text := range texts {
		if found := ownWords.FindString(text); found != "" {
			t.Errorf("%q: %s", found, text)
		}
	}
	if len(texts) < 50 {
		t.Errorf("only %d texts were looked at", len(texts))
	}
}

func TestFieldOf(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"items":                    "line_items",
		"items.0.quantity":         "line_items.0.quantity",
		"items.0.variant_id":       "line_items.0.item.id",
		"itemsize":                 "itemsize",
		"shipping_address.country": "fulfillment.methods.0.destinations.0.address_country",
		"shipping_option":          "fulfillment.methods.0.groups.0.selected_option_id",
		"buyer.email":              "buyer.email",
	} {
		if got := fieldOf(name); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}
