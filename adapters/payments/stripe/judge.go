package stripe

import (
	"cmp"
	"errors"
	"net/http"
	"slices"
	"strings"

	api "github.com/stripe/stripe-go/v85"

	"github.com/haggle-commerce/haggle/domain/checkout"
)

const authentication = "authentication_required"

// final are the decline codes after which Stripe advises, or the issuer demands, not to try the card
// again. Source: docs.stripe.com/declines/codes.
var final = []string{
	"fraudulent", "lost_card", "merchant_blacklist", "pickup_card", "restricted_card", "revocation_of_all_authorizations",
	"revocation_of_authorization", "security_violation", "stolen_card", "stop_payment_order",
}

// messages are what the better known codes mean to a buyer. Codes that tell on the holder of a card
// (lost, stolen, suspected) say no more than that it was declined.
var messages = map[string]string{
	"insufficient_funds":               "The card has insufficient funds.",
	"expired_card":                     "The card has expired.",
	"incorrect_cvc":                    "The card's security code is incorrect.",
	"card_velocity_exceeded":           "The card is over its limit.",
	"withdrawal_count_limit_exceeded":  "The card is over its limit.",
	"currency_not_supported":           "The card does not support this currency.",
	"payment_method_currency_mismatch": "The payment token is for another currency.",
	"card_not_supported":               "The card does not support this kind of purchase.",
	"processing_error":                 "The card could not be processed. Try again.",
	"amount_too_large":                 "The amount is more than may be charged.",
	"amount_too_small":                 "The amount is less than may be charged.",
	"token_already_used":               "The payment token was used already.",
	"invalid_token":                    "The payment token is not valid.",
	authentication:                     "The card's issuer wants the buyer to confirm the payment, which is not possible here.",
}

func message(code string) string { return cmp.Or(messages[code], "The payment was declined.") }

// judge is what an intent's state decides for good; false if nothing.
func judge(intent *api.PaymentIntent) (checkout.Outcome, bool) {
	switch {
	case intent.Status == api.PaymentIntentStatusSucceeded:
		return checkout.Paid{Provider: intent.ID, Label: label(intent.LatestCharge)}, true
	case intent.Metadata[metaVoid] != "":
		return checkout.NotCharged{}, true
	case intent.Status != api.PaymentIntentStatusRequiresPaymentMethod && intent.Status != api.PaymentIntentStatusCanceled:
		return nil, false
	case intent.LastPaymentError != nil:
		return declined(intent.LastPaymentError), true
	case intent.Status == api.PaymentIntentStatusCanceled:
		return checkout.NotCharged{}, true
	}
	return nil, false
}

// refusal is what a request that Stripe did not carry out means: the card was declined, the token is
// not good, or, rarely, the account may not charge this way.
func refusal(err error) checkout.Declined {
	var e *api.Error
	if !errors.As(err, &e) {
		return checkout.Declined{Code: "processing_error", Message: message("processing_error")}
	}
	if e.Type == api.ErrorTypeCard || e.HTTPStatusCode == http.StatusPaymentRequired {
		return declined(e)
	}
	code := string(e.Code)
	aboutToken := strings.HasPrefix(e.Param, "payment_method") || strings.HasPrefix(e.Param, "shared_payment")
	switch {
	case e.Code == api.ErrorCodeParameterUnknown: // the account may not charge tokens
	case e.Code == api.ErrorCodeResourceMissing, e.Code == "payment_intent_invalid_parameter", aboutToken && messages[code] == "":
		code = "invalid_token"
	}
	return checkout.Declined{Code: cmp.Or(code, "invalid_request"), Message: message(code)}
}

func declined(e *api.Error) checkout.Declined {
	code := cmp.Or(string(e.DeclineCode), string(e.Code), "card_declined")
	return checkout.Declined{Code: code, Message: message(code), Final: slices.Contains(final, code)}
}

// otherUse tells that the idempotency key belongs to another request.
func otherUse(err error) bool {
	var e *api.Error
	return errors.As(err, &e) && e.Type == api.ErrorTypeIdempotency && e.HTTPStatusCode != http.StatusConflict &&
		e.Code != api.ErrorCodeIdempotencyKeyInUse
}

var brands = map[string]string{
	"amex": "American Express", "cartes_bancaires": "Cartes Bancaires", "diners": "Diners Club", "discover": "Discover",
	"eftpos_au": "Eftpos", "jcb": "JCB", "mastercard": "Mastercard", "unionpay": "UnionPay", "visa": "Visa",
}

// label is the instrument in words, as far as the charge tells.
func label(charge *api.Charge) string {
	switch {
	case charge == nil || charge.PaymentMethodDetails == nil:
		return "Card"
	case charge.PaymentMethodDetails.Type == "link":
		return "Link"
	case charge.PaymentMethodDetails.Card == nil:
		return "Card"
	}
	card := charge.PaymentMethodDetails.Card
	brand := cmp.Or(brands[string(card.Brand)], "Card")
	if card.Last4 == "" {
		return brand
	}
	return brand + " ending in " + card.Last4
}
