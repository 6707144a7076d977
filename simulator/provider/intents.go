package provider

import (
	"cmp"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/haggle-commerce/haggle/simulator/provider/ledger"
)

var intentParams = []string{
	"amount", "currency", "confirm", "payment_method", "payment_method_data", "payment_method_types",
	"automatic_payment_methods", "metadata", "description", "off_session", "shared_payment_granted_token",
	"capture_method", "confirmation_method", "receipt_email", "statement_descriptor_suffix", "error_on_requires_action",
	"return_url", "use_stripe_sdk", "shipping", "payment_details", "payment_method_options",
}

const tokenParam = "payment_method_data[shared_payment_granted_token]"

// grantedToken returns the token from either of the two parameters that may have it.
func grantedToken(form url.Values) string {
	return cmp.Or(form.Get(tokenParam), form.Get("shared_payment_granted_token"))
}

// stripeTokenOf returns the token whose script applies to a charge or refund.
func stripeTokenOf(s *ledger.State, c *call) string {
	if c.operation == "refund" {
		charged, _ := chargeToRefund(s, c.form)
		return charged.Token
	}
	if token := grantedToken(c.form); token != "" {
		return token
	}
	known, _ := s.Intents.Get(c.request.PathValue("id"))
	return known.Token
}

func createIntent(c *change, call *call) answer {
	if refused, bad := unknownParam(call.form, intentParams...); bad {
		return refused
	}
	made, refused, ok := newIntent(c, call)
	if !ok {
		return refused
	}
	if call.form.Get("confirm") == "true" {
		return c.pay(call, made)
	}
	c.entry.Intents = append(c.entry.Intents, made)
	return answer{status: http.StatusOK, body: c.showIntent(made, call.form)}.began()
}

func newIntent(c *change, call *call) (made ledger.Intent, refused answer, ok bool) {
	form := call.form
	amount, refused, ok := positive(form, "amount")
	if !ok {
		return made, refused, false
	}
	currency := strings.ToLower(form.Get("currency"))
	switch {
	case amount == 0:
		return made, missingParam("amount"), false
	case currency == "":
		return made, missingParam("currency"), false
	case !isCurrency(currency):
		return made, invalid(http.StatusBadRequest, "", "currency", "Invalid currency: "+currency+"."), false
	case form.Get("capture_method") == "manual":
		return made, invalid(http.StatusBadRequest, "", "capture_method", "The look-alike captures at once."), false
	}
	made = ledger.Intent{
		ID:          newID("pi_3", 23),
		Account:     call.account,
		Live:        call.live,
		Key:         call.key,
		Amount:      amount,
		Currency:    currency,
		Status:      "requires_payment_method",
		Created:     c.seconds(),
		Description: form.Get("description"),
		Metadata:    object(form, "metadata"),
		MethodTypes: list(form, "payment_method_types"),
		OffSession:  isOffSession(form),
		Receipt:     form.Get("receipt_email"),
		Suffix:      form.Get("statement_descriptor_suffix"),
	}
	if len(made.MethodTypes) == 0 {
		made.MethodTypes = []string{"card"}
	}
	return c.withMethod(made, form)
}

func isOffSession(form url.Values) bool {
	text := form.Get("off_session")
	return text != "" && text != "false"
}

func isCurrency(code string) bool {
	return len(code) == 3 && strings.Trim(code, "abcdefghijklmnopqrstuvwxyz") == ""
}

// withMethod adds the payment method or token. An unknown card or token is a parameter error.
func (c *change) withMethod(made ledger.Intent, form url.Values) (ledger.Intent, answer, bool) {
	method, granted := form.Get("payment_method"), grantedToken(form)
	if method == "" && granted == "" {
		return made, answer{}, true
	}
	if granted != "" {
		t, ok := c.Tokens.Get(granted)
		if !ok || t.Kind != "stripe" || t.Seller != "" && t.Seller != made.Account {
			return made, unknownID("shared_payment_granted_token", granted, tokenParam), false
		}
		made.Token, made.Method = granted, ""
	} else {
		if _, _, known := ledger.CardOf(method); !known {
			return made, unknownID("PaymentMethod", method, "payment_method"), false
		}
		made.Method, made.Token = method, ""
	}
	made.Status = "requires_confirmation"
	return made, answer{}, true
}

func confirmIntent(c *change, call *call) answer {
	known, ok := c.intentOf(call)
	if !ok {
		return unknownID("payment_intent", call.request.PathValue("id"), "")
	}
	switch known.Status {
	case "succeeded":
		return c.wrongStatus(known, "You cannot confirm this PaymentIntent because it has already succeeded after being previously confirmed.")
	case "canceled":
		return c.wrongStatus(known, "This PaymentIntent's "+known.Status+" status does not allow it to be confirmed.")
	}
	changed, refused, ok := c.withMethod(known, call.form)
	if !ok {
		return refused
	}
	changed.OffSession = changed.OffSession || isOffSession(call.form)
	return c.pay(call, changed)
}

func (c *change) wrongStatus(i ledger.Intent, message string) answer {
	return stripeError(http.StatusBadRequest, stripeFault{kind: "invalid_request_error", code: "payment_intent_unexpected_state",
		message: message, intent: c.showIntent(i, nil)}).began()
}

var cancelable = []string{"requires_payment_method", "requires_confirmation", "requires_action"}

func cancelIntent(c *change, call *call) answer {
	known, ok := c.intentOf(call)
	if !ok {
		return unknownID("payment_intent", call.request.PathValue("id"), "")
	}
	if !slices.Contains(cancelable, known.Status) {
		return c.wrongStatus(known, "You cannot cancel this PaymentIntent because it has a status of "+known.Status+
			". Only a PaymentIntent with one of the following statuses may be canceled: requires_payment_method, requires_capture, requires_reauthorization, requires_confirmation, requires_action, processing.")
	}
	reason := call.form.Get("cancellation_reason")
	if !slices.Contains([]string{"", "duplicate", "fraudulent", "requested_by_customer", "abandoned"}, reason) {
		return invalid(http.StatusBadRequest, "", "cancellation_reason", "Invalid cancellation_reason: must be one of duplicate, fraudulent, requested_by_customer, or abandoned")
	}
	known.Status, known.CanceledAt, known.CancelReason = "canceled", c.seconds(), reason
	c.entry.Intents = append(c.entry.Intents, known)
	shown := c.showIntent(known, call.form)
	c.emit(call, "payment_intent.canceled", c.showIntent(known, nil))
	return answer{status: http.StatusOK, body: shown}.began()
}

func (c *change) intentOf(call *call) (ledger.Intent, bool) {
	known, ok := c.Intents.Get(call.request.PathValue("id"))
	return known, ok && known.Account == call.account
}

func readIntent(c *change, call *call) answer {
	known, ok := c.intentOf(call)
	if !ok {
		return unknownID("payment_intent", call.request.PathValue("id"), "")
	}
	return answer{status: http.StatusOK, body: c.showIntent(known, call.form)}
}

func listIntents(c *change, call *call) answer {
	return page(call, "payment_intent", "/v1/payment_intents", c.Intents,
		func(i ledger.Intent) bool { return i.Account == call.account },
		func(i ledger.Intent) int64 { return i.Created },
		func(i ledger.Intent) map[string]any { return c.showIntent(i, call.form) })
}
