package provider

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"github.com/haggle-commerce/haggle/simulator/provider/ledger"
)

// pay charges an intent that has a payment method. It may be declined.
func (c *change) pay(call *call, i ledger.Intent) answer {
	if i.Method == "" && i.Token == "" {
		return invalid(http.StatusBadRequest, "parameter_missing", "payment_method", missingMethod)
	}
	method, t := i.Method, ledger.Token{}
	if i.Token != "" {
		t, _ = c.Tokens.Get(i.Token)
		if why := checkLimits(t, i.Currency, i.Amount, c.seconds()); why != nil {
			return why.stripe(t).began()
		}
		method = t.Method
	}
	shown, declineCode, _ := ledger.CardOf(method)
	if call.plan.fault == "decline" {
		declineCode = ledger.CardDecline(call.plan.code).DeclineCode
	}
	if declineCode == "authentication_required" && !i.OffSession && i.Token == "" {
		i.Status = "requires_action"
		c.entry.Intents = append(c.entry.Intents, i)
		return answer{status: http.StatusOK, body: c.showIntent(i, call.form)}.began()
	}
	attempt := ledger.Charge{
		ID:          newID("ch_3", 23),
		Provider:    "stripe",
		Account:     i.Account,
		Live:        i.Live,
		Key:         call.key,
		Amount:      i.Amount,
		Currency:    i.Currency,
		Metadata:    i.Metadata,
		Created:     c.seconds(),
		Intent:      i.ID,
		Token:       i.Token,
		Method:      method,
		Card:        &shown,
		Description: i.Description,
		Status:      "succeeded",
	}
	if declineCode != "" {
		return c.declined(call, i, attempt, ledger.CardDecline(declineCode))
	}
	return c.paid(call, i, attempt, t)
}

const missingMethod = "You cannot confirm this PaymentIntent because it's missing a payment method. You can either update the PaymentIntent with a payment method and then confirm it again, or confirm it again directly with a payment method or ConfirmationToken."

func (c *change) paid(call *call, i ledger.Intent, taken ledger.Charge, t ledger.Token) answer {
	i.Status, i.LatestCharge, i.Received, i.LastError = "succeeded", taken.ID, i.Amount, nil
	c.entry.Intents = append(c.entry.Intents, i)
	c.entry.Charges = append(c.entry.Charges, taken)
	c.recordCharge(t, taken.Amount)
	c.emit(call, "payment_intent.succeeded", c.showIntent(i, nil))
	return answer{status: http.StatusOK, body: c.showIntent(i, call.form)}.began()
}

// recordCharge records a successful charge on its token. The zero token is a plain card.
func (c *change) recordCharge(t ledger.Token, amount int64) {
	if t.ID == "" {
		return
	}
	t.Used, t.Taken, t.LastUse = t.Used+1, t.Taken+amount, c.seconds()
	c.entry.Tokens = append(c.entry.Tokens, t)
}

func (c *change) declined(call *call, i ledger.Intent, failed ledger.Charge, why ledger.Decline) answer {
	failed.Status, failed.Failure = "failed", &why
	f := stripeFault{
		kind:        "card_error",
		code:        why.Code,
		declineCode: why.DeclineCode,
		message:     why.Message,
		charge:      failed.ID,
		method:      showMethod(failed),
	}
	i.Status, i.LatestCharge, i.Token, i.Method = "requires_payment_method", failed.ID, "", ""
	i.LastError, _ = json.Marshal(f.object())
	c.entry.Intents = append(c.entry.Intents, i)
	c.entry.Charges = append(c.entry.Charges, failed)
	c.emit(call, "payment_intent.payment_failed", c.showIntent(i, nil))
	f.intent = c.showIntent(i, nil)
	return stripeError(http.StatusPaymentRequired, f).began()
}

// refusal is the reason why a token does not allow a charge.
type refusal struct {
	code, param, message string
	issue                string // PayPal's issue
}

// checkLimits returns nil if the token allows the charge.
func checkLimits(t ledger.Token, currency string, amount, now int64) *refusal {
	switch {
	case t.Revoked > 0:
		return &refusal{"payment_intent_invalid_parameter", tokenParam, "has been revoked", "AGREEMENT_ALREADY_CANCELLED"}
	case t.Uses > 0 && t.Used >= t.Uses:
		return &refusal{"token_already_used", tokenParam, "has been consumed", "AGREEMENT_ALREADY_CANCELLED"}
	case t.ExpiresAt > 0 && now >= t.ExpiresAt:
		return &refusal{"payment_intent_invalid_parameter", tokenParam, "has expired", "AGREEMENT_ALREADY_CANCELLED"}
	case t.Currency != "" && !strings.EqualFold(t.Currency, currency):
		return &refusal{"payment_method_currency_mismatch", "currency", "is limited to another currency", "TRANSACTION_REFUSED"}
	case t.MaxAmount > 0 && amount > t.MaxAmount-t.Taken:
		return &refusal{"amount_too_large", "amount", "does not cover this amount", "TRANSACTION_LIMIT_EXCEEDED"}
	}
	return nil
}

func (r *refusal) stripe(t ledger.Token) answer {
	return invalid(http.StatusBadRequest, r.code, r.param, fmt.Sprintf("The SharedPaymentGrantedToken %s %s.", t.ID, r.message))
}
