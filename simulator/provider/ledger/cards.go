package ledger

import (
	"strings"
)

// Card is the card of one of Stripe's test payment methods.
type Card struct {
	Brand string `json:"brand"`
	Last4 string `json:"last4"`
}

// Decline is the reason why a payment was declined.
type Decline struct {
	Code        string `json:"code"`
	DeclineCode string `json:"decline_code,omitempty"`
	Message     string `json:"message"`
}

var brands = map[string]Card{
	"visa": {"visa", "4242"}, "visa_debit": {"visa", "5556"}, "mastercard": {"mastercard", "4444"},
	"mastercard_debit": {"mastercard", "3222"}, "mastercard_prepaid": {"mastercard", "5100"}, "amex": {"amex", "8431"},
	"discover": {"discover", "9424"}, "diners": {"diners", "0004"}, "jcb": {"jcb", "0505"}, "unionpay": {"unionpay", "0005"},
	"us": {"visa", "4242"}, "bypassPending": {"visa", "0077"},
}

// declining are the test methods that are declined, without pm_card_ and an optional visa_.
var declining = map[string]struct{ last4, code string }{
	"chargeDeclined":                      {"0002", "generic_decline"},
	"chargeDeclinedInsufficientFunds":     {"9995", "insufficient_funds"},
	"chargeDeclinedLostCard":              {"9987", "lost_card"},
	"chargeDeclinedStolenCard":            {"9979", "stolen_card"},
	"chargeDeclinedExpiredCard":           {"0069", "expired_card"},
	"chargeDeclinedIncorrectCvc":          {"0127", "incorrect_cvc"},
	"chargeDeclinedProcessingError":       {"0119", "processing_error"},
	"chargeDeclinedVelocityLimitExceeded": {"6975", "card_velocity_exceeded"},
	"chargeDeclinedFraudulent":            {"0019", "fraudulent"},
	"chargeCustomerFail":                  {"0341", "generic_decline"},
	"radarBlock":                          {"0019", "fraudulent"},
	"riskLevelHighest":                    {"4954", "fraudulent"},
	"authenticationRequired":              {"3184", "authentication_required"},
}

// CardOf returns the card of a payment method, and the decline code if it is always declined.
func CardOf(method string) (c Card, declineCode string, known bool) {
	name, ok := strings.CutPrefix(method, "pm_card_")
	if !ok {
		return Card{}, "", false
	}
	if c, ok := brands[name]; ok {
		return c, "", true
	}
	d, ok := declining[strings.TrimPrefix(name, "visa_")]
	return Card{"visa", d.last4}, d.code, ok
}

// ownCode has the decline codes that are also error codes. The error code of all others is card_declined.
var ownCode = map[string]string{
	"expired_card":            "Your card has expired.",
	"incorrect_cvc":           "Your card's security code is incorrect.",
	"incorrect_number":        "Your card number is incorrect.",
	"incorrect_zip":           "The zip code you supplied failed validation.",
	"processing_error":        "An error occurred while processing your card. Try again in a little bit.",
	"authentication_required": "Your card was declined. This transaction requires authentication.",
}

var declineMessages = map[string]string{
	"insufficient_funds":     "Your card has insufficient funds.",
	"card_velocity_exceeded": "Your card was declined for making repeated attempts too frequently or exceeding its amount limit.",
	"card_not_supported":     "Your card is not supported.",
	"currency_not_supported": "Your card does not support this currency.",
}

// CardDecline returns Stripe's error for a decline code.
func CardDecline(code string) Decline {
	if code == "" {
		code = "generic_decline"
	}
	d := Decline{
		Code:        "card_declined",
		DeclineCode: code,
		Message:     "Your card was declined.",
	}
	if message, own := ownCode[code]; own {
		d.Code, d.Message = code, message
	} else if message, ok := declineMessages[code]; ok {
		d.Message = message
	}
	return d
}
