package provider

import (
	"encoding/json"
	"iter"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/haggle-commerce/haggle/simulator/provider/ledger"
)

// Stripe's objects as JSON. With a nil form nothing is expanded.

func (c *change) showIntent(i ledger.Intent, form url.Values) map[string]any {
	var latest any
	if i.LatestCharge != "" {
		latest = i.LatestCharge
		if form != nil && expands(form, "latest_charge") {
			latest = c.showCharge(c.currentCharge(i.LatestCharge))
		}
	}
	shown := map[string]any{
		"id": i.ID, "object": "payment_intent", "amount": i.Amount, "amount_capturable": 0, "amount_received": i.Received,
		"amount_details": map[string]any{"tip": map[string]any{}}, "application": nil, "application_fee_amount": nil,
		"automatic_payment_methods": nil, "canceled_at": number(i.CanceledAt), "cancellation_reason": text(i.CancelReason),
		"capture_method": "automatic_async", "client_secret": i.ID + "_secret_" + derived(i.ID, 25),
		"confirmation_method": "automatic", "created": i.Created, "currency": i.Currency, "customer": nil,
		"description": text(i.Description), "last_payment_error": raw(i.LastError), "latest_charge": latest,
		"livemode": i.Live, "metadata": metadata(i.Metadata), "next_action": nil, "on_behalf_of": nil,
		"payment_method": text(methodID(i)), "payment_method_configuration_details": nil,
		"payment_method_options": map[string]any{"card": map[string]any{"request_three_d_secure": "automatic"}},
		"payment_method_types":   i.MethodTypes, "processing": nil, "receipt_email": text(i.Receipt), "review": nil,
		"setup_future_usage": nil, "shipping": nil, "source": nil, "statement_descriptor": nil,
		"statement_descriptor_suffix": text(i.Suffix), "status": i.Status, "transfer_data": nil, "transfer_group": nil,
	}
	if i.Status == "requires_action" {
		shown["next_action"] = map[string]any{"type": "use_stripe_sdk", "use_stripe_sdk": map[string]any{}}
	}
	return shown
}

// methodID returns the payment method that Stripe shows, which a charge creates.
func methodID(i ledger.Intent) string {
	switch {
	case i.Token != "":
		return "pm_1" + derived(i.Token, 23)
	case i.Method != "":
		return "pm_1" + derived(i.ID+i.Method, 23)
	}
	return ""
}

// currentCharge returns a charge, including one that this request has created.
func (c *change) currentCharge(id string) ledger.Charge {
	for _, made := range c.entry.Charges {
		if made.ID == id {
			return made
		}
	}
	known, _ := c.Charges.Get(id)
	return known
}

func (c *change) showCharge(taken ledger.Charge) map[string]any {
	paid := taken.Status == "succeeded"
	captured := int64(0)
	outcome := map[string]any{"network_status": "approved_by_network", "type": "authorized", "seller_message": "Payment complete.",
		"reason": nil, "risk_level": "normal", "network_advice_code": nil, "network_decline_code": nil}
	failure := ledger.Decline{}
	if paid {
		captured = taken.Amount
	} else if taken.Failure != nil {
		failure = *taken.Failure
		outcome["network_status"], outcome["type"] = "declined_by_network", "issuer_declined"
		outcome["reason"], outcome["seller_message"] = failure.DeclineCode, "The bank did not return any further details with this decline."
	}
	return map[string]any{
		"id": taken.ID, "object": "charge", "amount": taken.Amount, "amount_captured": captured, "amount_refunded": taken.Refunded,
		"balance_transaction": transactionID(taken.ID, paid), "billing_details": map[string]any{"address": nil, "email": nil, "name": nil, "phone": nil},
		"captured": paid, "created": taken.Created, "currency": taken.Currency, "customer": nil, "description": text(taken.Description),
		"disputed": false, "failure_balance_transaction": nil, "failure_code": text(failure.Code), "failure_message": text(failure.Message),
		"fraud_details": map[string]any{}, "livemode": taken.Live, "metadata": metadata(taken.Metadata), "outcome": outcome, "paid": paid,
		"payment_intent": text(taken.Intent), "payment_method": "pm_1" + derived(taken.ID, 23),
		"payment_method_details": map[string]any{"type": "card", "card": showCard(taken.Card)},
		"receipt_email":          nil, "receipt_number": nil, "receipt_url": nil, "refunded": paid && taken.Refunded == taken.Amount,
		"review": nil, "shipping": nil, "source": nil, "status": taken.Status, "transfer_data": nil, "transfer_group": nil,
	}
}

func transactionID(id string, exists bool) any {
	if !exists {
		return nil
	}
	return "txn_3" + derived(id, 23)
}

func showCard(shown *ledger.Card) map[string]any {
	if shown == nil {
		shown = &ledger.Card{}
	}
	return map[string]any{
		"brand": shown.Brand, "last4": shown.Last4, "country": "US", "exp_month": 12, "exp_year": 2034, "funding": "credit",
		"fingerprint": derived(shown.Brand+shown.Last4, 16), "network": shown.Brand, "wallet": nil, "three_d_secure": nil,
		"checks": map[string]any{"address_line1_check": nil, "address_postal_code_check": nil, "cvc_check": nil},
	}
}

func showMethod(taken ledger.Charge) map[string]any {
	return map[string]any{
		"id": "pm_1" + derived(taken.ID, 23), "object": "payment_method", "type": "card", "card": showCard(taken.Card),
		"billing_details": map[string]any{"address": nil, "email": nil, "name": nil, "phone": nil},
		"created":         taken.Created, "customer": nil, "livemode": taken.Live, "metadata": map[string]any{},
	}
}

func showRefund(r ledger.Refund) map[string]any {
	status := "succeeded"
	if r.FailedAt > 0 {
		status = "failed"
	}
	return map[string]any{
		"id": r.ID, "object": "refund", "amount": r.Amount, "balance_transaction": transactionID(r.ID, true), "charge": r.Charge,
		"created": r.Created, "currency": r.Currency, "metadata": metadata(r.Metadata), "payment_intent": text(r.Intent),
		"reason": text(r.Reason), "receipt_number": nil, "source_transfer_reversal": nil, "status": status,
		"transfer_reversal": nil, "failure_reason": text(r.Failure),
		"destination_details": map[string]any{"type": "card", "card": map[string]any{"reference_status": "pending", "reference_type": "acquirer_reference_number", "type": "refund"}},
	}
}

// page answers with a page of a list, newest first. The parameters may have limit, starting_after, ending_before and
// created.
func page[T any](call *call, object, path string, rows *ledger.Table[T], wanted func(T) bool, created func(T) int64, show func(T) map[string]any) answer {
	limit, refused, ok := positive(call.form, "limit")
	if !ok {
		return refused
	}
	if limit == 0 {
		limit = 10
	}
	for _, cursor := range []string{"starting_after", "ending_before"} {
		id := call.form.Get(cursor)
		if row, known := rows.Get(id); id != "" && (!known || !wanted(row)) {
			return unknownID(object, id, cursor)
		}
	}
	data, more := []any{}, false
	for row := range between(rows, call.form) {
		if !wanted(row) || !createdWithin(created(row), call.form) {
			continue
		}
		if int64(len(data)) == min(limit, 100) {
			more = true
			break
		}
		data = append(data, show(row))
	}
	return answer{status: http.StatusOK, body: map[string]any{"object": "list", "url": path, "has_more": more, "data": data}}
}

// between returns the rows after starting_after and before ending_before, newest first.
func between[T any](rows *ledger.Table[T], form url.Values) iter.Seq[T] {
	after, before := form.Get("starting_after"), form.Get("ending_before")
	return func(yield func(T) bool) {
		for row := range rows.Newest() {
			id := rows.ID(row)
			switch {
			case id == before:
				return
			case after != "":
				if id == after {
					after = ""
				}
			case !yield(row):
				return
			}
		}
	}
}

// createdWithin checks created, created[gt], [gte], [lt] and [lte].
func createdWithin(at int64, form url.Values) bool {
	for name, holds := range map[string]func(limit int64) bool{
		"created":      func(limit int64) bool { return at == limit },
		"created[gt]":  func(limit int64) bool { return at > limit },
		"created[gte]": func(limit int64) bool { return at >= limit },
		"created[lt]":  func(limit int64) bool { return at < limit },
		"created[lte]": func(limit int64) bool { return at <= limit },
	} {
		limit, err := strconv.ParseInt(strings.TrimSpace(form.Get(name)), 10, 64)
		if err == nil && !holds(limit) {
			return false
		}
	}
	return true
}

// number and text return null for zero values, as Stripe does.
func number(n int64) any {
	if n == 0 {
		return nil
	}
	return n
}

func text(s string) any {
	if s == "" {
		return nil
	}
	return s
}

func raw(j json.RawMessage) any {
	if len(j) == 0 {
		return nil
	}
	return j
}

func metadata(m map[string]string) map[string]string {
	if m == nil {
		return map[string]string{}
	}
	return m
}
