package provider

import (
	"cmp"
	"fmt"
	"net/http"
	"net/url"
	"slices"

	"github.com/haggle-commerce/haggle/simulator/provider/ledger"
)

var refundReasons = []string{"", "duplicate", "fraudulent", "requested_by_customer"}

func createRefund(c *change, call *call) answer {
	form := call.form
	if refused, bad := unknownParam(form, "payment_intent", "charge", "amount", "reason", "metadata", "instructions_email"); bad {
		return refused
	}
	amount, refused, ok := positive(form, "amount")
	switch {
	case !ok:
		return refused
	case form.Get("charge") == "" && form.Get("payment_intent") == "":
		return invalid(http.StatusBadRequest, "parameter_missing", "charge", "One of the following params should be provided for this request: payment_intent or charge.")
	case !slices.Contains(refundReasons, form.Get("reason")):
		return invalid(http.StatusBadRequest, "", "reason", "Invalid reason: must be one of duplicate, fraudulent, or requested_by_customer")
	}
	paid, refused, ok := c.refundable(call)
	if !ok {
		return refused
	}
	left := paid.Amount - paid.Refunded
	amount = cmp.Or(amount, left)
	switch {
	case left == 0:
		return invalid(http.StatusBadRequest, "charge_already_refunded", "", "Charge "+paid.ID+" has already been refunded.").began()
	case amount > left:
		return invalid(http.StatusBadRequest, "", "amount", fmt.Sprintf("Refund amount (%s) is greater than unrefunded amount on charge (%s)",
			decimals(amount, paid.Currency), decimals(left, paid.Currency))).began()
	case call.plan.fault == "decline":
		return invalid(http.StatusBadRequest, cmp.Or(call.plan.code, "balance_insufficient"), "", "The refund was refused.").began()
	}
	return c.refundCharge(call, paid, amount)
}

// refundable returns the charge to refund.
func (c *change) refundable(call *call) (paid ledger.Charge, refused answer, ok bool) {
	form := call.form
	if id := form.Get("charge"); id != "" {
		paid, ok = c.Charges.Get(id)
		if !ok || paid.Account != call.account || paid.Provider != "stripe" {
			return paid, unknownID("charge", id, "charge"), false
		}
	} else {
		id := form.Get("payment_intent")
		known, ok := c.Intents.Get(id)
		if !ok || known.Account != call.account {
			return paid, unknownID("payment_intent", id, "payment_intent"), false
		}
		paid, _ = c.Charges.Get(known.LatestCharge)
	}
	if paid.Status != "succeeded" {
		return paid, invalid(http.StatusBadRequest, "charge_not_refundable", "", "This payment does not have a successful charge to refund.").began(), false
	}
	return paid, answer{}, true
}

// chargeToRefund is refundable without errors.
func chargeToRefund(s *ledger.State, form url.Values) (ledger.Charge, bool) {
	if id := form.Get("charge"); id != "" {
		return s.Charges.Get(id)
	}
	known, _ := s.Intents.Get(form.Get("payment_intent"))
	return s.Charges.Get(known.LatestCharge)
}

func (c *change) refundCharge(call *call, paid ledger.Charge, amount int64) answer {
	given := ledger.Refund{
		ID:       newID("re_3", 23),
		Provider: "stripe",
		Account:  call.account,
		Key:      call.key,
		Charge:   paid.ID,
		Intent:   paid.Intent,
		Amount:   amount,
		Currency: paid.Currency,
		Reason:   call.form.Get("reason"),
		Metadata: object(call.form, "metadata"),
		Created:  c.seconds(),
	}
	paid.Refunded += amount
	c.entry.Refunds = append(c.entry.Refunds, given)
	c.entry.Charges = append(c.entry.Charges, paid)
	c.announceRefund(call, paid, given)
	return answer{status: http.StatusOK, body: showRefund(given)}.began()
}

func readRefund(c *change, call *call) answer {
	known, ok := c.Refunds.Get(call.request.PathValue("id"))
	if !ok || known.Account != call.account {
		return unknownID("refund", call.request.PathValue("id"), "")
	}
	return answer{status: http.StatusOK, body: showRefund(known)}
}

func listRefunds(c *change, call *call) answer {
	ofIntent, ofCharge := call.form.Get("payment_intent"), call.form.Get("charge")
	return page(call, "refund", "/v1/refunds", c.Refunds,
		func(r ledger.Refund) bool {
			return r.Account == call.account && (ofIntent == "" || r.Intent == ofIntent) && (ofCharge == "" || r.Charge == ofCharge)
		},
		func(r ledger.Refund) int64 { return r.Created }, showRefund)
}

func readCharge(c *change, call *call) answer {
	known, ok := c.Charges.Get(call.request.PathValue("id"))
	if !ok || known.Account != call.account {
		return unknownID("charge", call.request.PathValue("id"), "")
	}
	return answer{status: http.StatusOK, body: c.showCharge(known)}
}

func readAccount(_ *change, call *call) answer {
	return answer{status: http.StatusOK, body: map[string]any{
		"id": call.account, "object": "account", "type": "standard", "country": "US", "default_currency": "usd",
		"email": "owner@example.com", "charges_enabled": true, "payouts_enabled": true, "details_submitted": true,
		"business_profile": map[string]any{"name": "Look-alike " + call.account, "url": nil},
		"capabilities":     map[string]any{"card_payments": "active", "transfers": "active"},
		"settings":         map[string]any{"dashboard": map[string]any{"display_name": "Look-alike", "timezone": "Etc/UTC"}},
		"metadata":         map[string]any{},
	}}
}
