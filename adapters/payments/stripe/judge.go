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

// final are the decline codes after which Stripe advises, or the issuer requires, not to retry the card. Source: docs.stripe.com/declines/codes.
var final = []string{
	"fraudulent", "lost_card", "merchant_blacklist", "pickup_card", "restricted_card", "revocation_of_all_authorizations",
	"revocation_of_authorization", "security_violation", "stolen_card", "stop_payment_order",
}

// messages are messages for the buyer for the common codes. For codes that reveal something about the card's holder
// (lost, stolen, suspected) the message only says that the payment was declined.
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
	"invalid_token":                    "The payment token is not valid. Pay with another one.",
	authentication:                     "The card's issuer wants the buyer to confirm the payment, which is not possible here.",
}

func message(code string) string { return cmp.Or(messages[code], "The payment was declined.") }

// judge returns the final outcome of an intent by its state, or false if it is undecided.
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

// refusal returns the decline that a 4xx of Stripe stands for, or false if the error is about the merchant's account or our
// request: tokens or the currency are not enabled for it, it is restricted, a parameter is unknown. Declines are card
// errors ("the card can't be charged for some reason", docs.stripe.com/api/errors, read November 2026), errors whose
// parameter is the token, and errors about the amount.
func refusal(err error) (checkout.Declined, bool) {
	var e *api.Error
	if !errors.As(err, &e) {
		return checkout.Declined{}, false
	}
	if e.Type == api.ErrorTypeCard || e.HTTPStatusCode == http.StatusPaymentRequired {
		return declined(e), true
	}
	code := string(e.Code)
	aboutToken := strings.HasPrefix(e.Param, "payment_method_data") || strings.HasPrefix(e.Param, "shared_payment")
	switch {
	case slices.Contains(accountCodes, code):
		return checkout.Declined{}, false
	case slices.Contains(tokenCodes, code), aboutToken && messages[code] == "":
		code = "invalid_token"
	case messages[code] == "":
		return checkout.Declined{}, false
	}
	return checkout.Declined{Code: code, Message: message(code)}, true
}

var (
	// accountCodes are codes of errors that no buyer can cause, with any parameter.
	accountCodes = []string{
		"account_invalid", "account_closed", "country_unsupported", "parameter_missing", "parameter_unknown", "parameters_exclusive",
		"payment_method_not_available", "payment_method_unactivated", "secret_key_required", "testmode_charges_only", "livemode_mismatch",
		"tls_version_unsupported", "url_invalid",
	}
	// tokenCodes are codes for a token that does not exist, has expired, or belongs to another seller.
	tokenCodes = []string{"resource_missing", "payment_intent_invalid_parameter", "payment_method_invalid_parameter"}
)

func declined(e *api.Error) checkout.Declined {
	code := cmp.Or(string(e.DeclineCode), string(e.Code), "card_declined")
	return checkout.Declined{
		Code:    code,
		Message: message(code),
		Final:   slices.Contains(final, code),
	}
}

// otherUse reports whether the idempotency key belongs to another request.
func otherUse(err error) bool {
	var e *api.Error
	return errors.As(err, &e) && e.Type == api.ErrorTypeIdempotency && e.HTTPStatusCode != http.StatusConflict &&
		e.Code != api.ErrorCodeIdempotencyKeyInUse
}

var brands = map[string]string{
	"amex": "American Express", "cartes_bancaires": "Cartes Bancaires", "diners": "Diners Club", "discover": "Discover",
	"eftpos_au": "Eftpos", "jcb": "JCB", "mastercard": "Mastercard", "unionpay": "UnionPay", "visa": "Visa",
}

// label describes the payment instrument, as far as the charge shows it.
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
