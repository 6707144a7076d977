package ucp

import (
	"strings"

	"github.com/haggle-commerce/haggle/domain/fault"
)

// content returns the text of an error with its fields, in the words of this protocol. Faults are shared by all protocols and use
// the words of Haggle's own.
func content(e *fault.Error) string {
	if text, own := inWords[e.Code]; own {
		return text
	}
	var text strings.Builder
	text.WriteString(e.Message)
	for _, d := range e.Details {
		text.WriteString(" " + fieldOf(d.Field) + ": " + plainWords.Replace(d.Message) + ".")
	}
	return text.String()
}

// codeOfFault is the code of an error.
func codeOfFault(e *fault.Error) string {
	if code, own := inCodes[e.Code]; own {
		return code
	}
	return e.Code
}

// inWords has texts by fault code, for faults whose own texts or fields are in the words of Haggle's protocol.
var inWords = map[string]string{
	"checkout_expired":    "The checkout has expired. Create a new one.",
	"checkout_canceled":   "The checkout is canceled. Create a new one.",
	"checkout_completed":  "The checkout is paid, and its order is placed.",
	"checkout_changed":    "The checkout was updated in the meantime. Read it again.",
	"checkout_incomplete": "The checkout is incomplete. Update it with the missing fields.",
	"session_expired":     "The cart has expired. Create a new one.",
	"session_exhausted":   "The cart has reached its limit of 1,000 offers. Start a negotiation without cart_id.",
	"too_many_payments":   "Too many payments of this buyer or address are in progress. Try again.",
	"payment_unresolved":  "The outcome of the payment is not known yet. Read the checkout again, and do not pay again.",
	"limit_reached":       "The cart has the maximum number of open checkouts. Cancel one, or wait until one has expired.",
	"quote_closed":        "The negotiation is closed. Start a new one.",
	"quote_accepted":      "The negotiation has been accepted.",
	"token_expired":       "The agreed price has expired. Negotiate again.",
	"token_redeemed":      "Another checkout has used the agreed price.",
}

// inCodes maps fault codes that name what this protocol does not have to its error codes.
var inCodes = map[string]string{
	"finalize_refused":  "complete_refused",
	"session_expired":   "cart_expired",
	"session_exhausted": "cart_exhausted",
	"token_expired":     "deal_expired",
	"token_redeemed":    "deal_redeemed",
}

// plainWords are those of problems with fields.
var plainWords = strings.NewReplacer("a quote", "a negotiation", "the quote", "the negotiation", "quote_id", "id", "a token", "a code", "session", "cart")

// inFields has the parts of field names that this protocol calls otherwise, the longest first.
var inFields = strings.NewReplacer(
	"shipping_address.name", destinationField+"last_name",
	"shipping_address.line1", destinationField+"street_address",
	"shipping_address.line2", destinationField+"extended_address",
	"shipping_address.city", destinationField+"address_locality",
	"shipping_address.state", destinationField+"address_region",
	"shipping_address.postal_code", destinationField+"postal_code",
	"shipping_address.country", destinationField+"address_country",
	"shipping_option", "fulfillment.methods.0.groups.0.selected_option_id",
	"checkout_token", "discounts.codes",
	"payment.method", "payment.instruments.0.handler_id",
	"offer_price", "offer",
	"session_id", "cart_id",
	"product_id", "item.id",
	"variant_id", "item.id",
	"quote_id", "id",
	"line_id", "id",
)

const destinationField = "fulfillment.methods.0.destinations.0."

func fieldOf(name string) string {
	if rest, of := strings.CutPrefix(name, "items"); of && (rest == "" || rest[0] == '.') {
		name = "line_items" + rest
	}
	return inFields.Replace(name)
}
