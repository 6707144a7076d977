package provider

import (
	"cmp"
	"errors"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/haggle-commerce/haggle/simulator/provider/ledger"
)

// Events that the merchant does not cause: disputes, refunds in the dashboard, refunds that fail after they succeeded,
// and payouts.

// disputeFee is the fee of both providers for a dispute.
const disputeFee = 1500

// callAs returns a call in the name of an account, for events that no request caused.
func callAs(account string, live bool) *call {
	return &call{
		account: account,
		live:    live,
		id:      newID("req_", 14),
		request: &http.Request{Host: "provider.example"},
	}
}

// chargeNamed returns a charge or capture by its id or by the id of its payment intent.
func (c *change) chargeNamed(of string) (ledger.Charge, error) {
	if known, ok := c.Intents.Get(of); ok {
		of = known.LatestCharge
	}
	paid, ok := c.Charges.Get(of)
	if !ok || paid.Status != "succeeded" {
		return paid, errors.New("charge: no such successful charge: " + of)
	}
	return paid, nil
}

// refundInDashboard creates a refund as if it were made in the dashboard.
func refundInDashboard(c *change, r controlRequest) (any, error) {
	var asked struct {
		Charge string `json:"charge"`
		Amount int64  `json:"amount"`
	}
	if err := r.read(&asked); err != nil {
		return nil, err
	}
	paid, err := c.chargeNamed(asked.Charge)
	amount := cmp.Or(asked.Amount, paid.Amount-paid.Refunded)
	switch {
	case err != nil:
		return nil, err
	case amount < 1 || amount > paid.Amount-paid.Refunded:
		return nil, errors.New("amount: not left on the charge")
	}
	return c.refundOutside(paid, amount, "refund"), nil
}

// refundOutside refunds an amount of a charge. kind is refund, or reversal for PayPal's reversals.
func (c *change) refundOutside(paid ledger.Charge, amount int64, kind string) ledger.Refund {
	given := ledger.Refund{
		Provider: paid.Provider,
		Account:  paid.Account,
		Charge:   paid.ID,
		Intent:   paid.Intent,
		Amount:   amount,
		Currency: paid.Currency,
		Created:  c.seconds(),
		Kind:     kind,
	}
	paid.Refunded += amount
	call := callAs(paid.Account, paid.Live)
	if paid.Provider == "stripe" {
		given.ID = newID("re_3", 23)
		c.announceRefund(call, paid, given)
	} else {
		// A refund from the dashboard repeats the invoice and the custom id of its capture.
		given.ID, given.InvoiceID, given.CustomID = strings.ToUpper(newID("", 17)), paid.InvoiceID, paid.CustomID
		name := map[string]string{"refund": "PAYMENT.CAPTURE.REFUNDED", "reversal": "PAYMENT.CAPTURE.REVERSED"}[kind]
		c.emitPayPal(call, name, "refund", c.showPayPalRefund(call, given))
	}
	c.entry.Refunds = append(c.entry.Refunds, given)
	c.entry.Charges = append(c.entry.Charges, paid)
	return given
}

// announceRefund emits Stripe's events of a new refund.
func (c *change) announceRefund(call *call, paid ledger.Charge, given ledger.Refund) {
	c.emit(call, "charge.refunded", c.showCharge(paid))
	c.emit(call, "refund.created", showRefund(given))
	c.emit(call, "refund.updated", showRefund(given))
}

// failRefund makes a Stripe refund fail that had succeeded, as banks do days later.
func failRefund(c *change, r controlRequest) (any, error) {
	var asked struct {
		Refund string `json:"refund"`
		Reason string `json:"reason"`
	}
	if err := r.read(&asked); err != nil {
		return nil, err
	}
	given, ok := c.Refunds.Get(asked.Refund)
	if !ok || given.Provider != "stripe" || given.FailedAt > 0 {
		return nil, errors.New("refund: no such refund of Stripe's")
	}
	given.FailedAt, given.Failure = c.seconds(), cmp.Or(asked.Reason, "expired_or_canceled_card")
	paid, _ := c.Charges.Get(given.Charge)
	paid.Refunded -= given.Amount
	c.entry.Refunds = append(c.entry.Refunds, given)
	c.entry.Charges = append(c.entry.Charges, paid)
	c.emit(callAs(given.Account, paid.Live), "refund.failed", showRefund(given))
	return given, nil
}

// openDispute withdraws the disputed amount from a Stripe account at once, unless it is an inquiry. PayPal only holds it.
func openDispute(c *change, r controlRequest) (any, error) {
	var asked struct {
		Charge  string `json:"charge"`
		Amount  int64  `json:"amount"`
		Reason  string `json:"reason"`
		Inquiry bool   `json:"inquiry"`
	}
	if err := r.read(&asked); err != nil {
		return nil, err
	}
	paid, err := c.chargeNamed(asked.Charge)
	if err != nil {
		return nil, err
	}
	made := ledger.Dispute{
		Provider: paid.Provider,
		Account:  paid.Account,
		Live:     paid.Live,
		Charge:   paid.ID,
		Intent:   paid.Intent,
		Amount:   cmp.Or(asked.Amount, paid.Amount),
		Currency: paid.Currency,
		Created:  c.seconds(),
		DueBy:    c.seconds() + respondWithin,
	}
	if paid.Provider == "paypal" {
		made.ID, made.Status, made.Reason = "PP-D-"+newID("", 8), waitingForSeller, cmp.Or(strings.ToUpper(asked.Reason), "UNAUTHORISED")
	} else {
		made.ID, made.Status, made.Reason = newID("du_1", 23), "needs_response", cmp.Or(asked.Reason, "fraudulent")
		if asked.Inquiry {
			made.Status = "warning_needs_response"
		}
	}
	c.announceDispute(made, "charge.dispute.created", "CUSTOMER.DISPUTE.CREATED")
	if made.Status == "needs_response" {
		made.WithdrawnAt = c.seconds()
		c.announceDispute(made, "charge.dispute.funds_withdrawn", "")
	}
	c.entry.Disputes = append(c.entry.Disputes, made)
	return made, nil
}

func (c *change) announceDispute(d ledger.Dispute, stripe, paypal string) {
	call := callAs(d.Account, d.Live)
	switch {
	case d.Provider == "stripe" && stripe != "":
		c.emit(call, stripe, showDispute(d))
	case d.Provider == "paypal" && paypal != "":
		c.emitPayPal(call, paypal, "dispute", showPayPalDispute(d))
	}
}

func readDispute(c *change, call *call) answer {
	known, ok := c.Disputes.Get(call.request.PathValue("id"))
	if !ok || known.Provider != "stripe" || known.Account != call.account {
		return unknownID("dispute", call.request.PathValue("id"), "")
	}
	return answer{status: http.StatusOK, body: showDispute(known)}
}

func closeDispute(c *change, r controlRequest) (any, error) {
	var asked struct {
		Dispute string `json:"dispute"`
		Outcome string `json:"outcome"`
	}
	if err := r.read(&asked); err != nil {
		return nil, err
	}
	d, ok := c.Disputes.Get(asked.Dispute)
	if !ok || d.ClosedAt > 0 || asked.Outcome != "won" && asked.Outcome != "lost" {
		return nil, errors.New("dispute: an open one; outcome: won or lost")
	}
	return c.decide(d, asked.Outcome), nil
}

// decide closes a dispute as won or lost.
func (c *change) decide(d ledger.Dispute, outcome string) ledger.Dispute {
	d.ClosedAt, d.Status = c.seconds(), outcome
	if d.Provider == "paypal" {
		d.Status, d.Outcome = "RESOLVED", map[string]string{"won": "RESOLVED_SELLER_FAVOUR", "lost": "RESOLVED_BUYER_FAVOUR"}[outcome]
		if paid, _ := c.Charges.Get(d.Charge); outcome == "lost" {
			c.refundOutside(paid, min(d.Amount, paid.Amount-paid.Refunded), "reversal")
		}
	}
	if outcome == "won" && d.WithdrawnAt > 0 {
		d.ReinstatedAt = c.seconds()
		c.announceDispute(d, "charge.dispute.funds_reinstated", "")
	}
	c.announceDispute(d, "charge.dispute.closed", "CUSTOMER.DISPUTE.RESOLVED")
	c.entry.Disputes = append(c.entry.Disputes, d)
	return d
}

func payOut(c *change, r controlRequest) (any, error) {
	var asked struct {
		Provider string `json:"provider"`
		Account  string `json:"account"`
		Currency string `json:"currency"`
		Amount   int64  `json:"amount"`
	}
	if err := r.read(&asked); err != nil {
		return nil, err
	}
	if asked.Provider != "stripe" && asked.Provider != "paypal" || asked.Account == "" || asked.Amount < 1 || !isCurrency(strings.ToLower(asked.Currency)) {
		return nil, errors.New("provider: stripe or paypal; account, currency and amount: required")
	}
	made := ledger.Payout{
		ID:       newID("po_1", 23),
		Provider: asked.Provider,
		Account:  asked.Account,
		Currency: asked.Currency,
		Amount:   asked.Amount,
		Created:  c.seconds(),
	}
	c.entry.Payouts = append(c.entry.Payouts, made)
	return made, nil
}

// addIntents adds other intents to an account, spread over a period.
func addIntents(c *change, r controlRequest) (any, error) {
	var asked struct {
		Account string `json:"account"`
		Count   int    `json:"count"`
		From    int64  `json:"from"`
		To      int64  `json:"to"`
	}
	if err := r.read(&asked); err != nil {
		return nil, err
	}
	if asked.Account == "" || asked.Count < 1 || asked.Count > 100_000 || asked.To < asked.From {
		return nil, errors.New("account: required; count: 1 to 100000; from and to: a span of Unix seconds")
	}
	for i := range asked.Count {
		c.entry.Intents = append(c.entry.Intents, ledger.Intent{
			ID:          newID("pi_3", 23),
			Account:     asked.Account,
			Amount:      100,
			Currency:    "usd",
			Status:      "requires_payment_method",
			Created:     asked.From + (asked.To-asked.From)*int64(i)/int64(asked.Count),
			MethodTypes: []string{"card"},
		})
	}
	return map[string]any{"made": asked.Count}, nil
}

// setClock sets how far the look-alike's clock is ahead of the machine's.
func setClock(c *change, r controlRequest) (any, error) {
	var asked struct {
		AheadMS int64 `json:"ahead_ms"`
	}
	if err := r.read(&asked); err != nil {
		return nil, err
	}
	c.p.ahead.Store(int64(time.Duration(asked.AheadMS) * time.Millisecond))
	return asked, nil
}

func showDispute(d ledger.Dispute) map[string]any {
	return map[string]any{
		"id": d.ID, "object": "dispute", "amount": d.Amount, "currency": d.Currency, "charge": d.Charge, "payment_intent": text(d.Intent),
		"created": d.Created, "livemode": d.Live, "metadata": map[string]any{}, "reason": d.Reason, "status": d.Status,
		"is_charge_refundable": d.WithdrawnAt == 0, "evidence": metadata(d.Evidence), "evidence_details": map[string]any{
			"due_by": d.DueBy, "has_evidence": len(d.Evidence) > 0, "past_due": false, "submission_count": d.Submitted,
		},
		"balance_transactions": disputeTransactions(d),
	}
}

func showPayPalDispute(d ledger.Dispute) map[string]any {
	shown := map[string]any{
		"dispute_id": d.ID, "create_time": moment(d.Created), "update_time": moment(max(d.Created, d.UpdatedAt, d.ClosedAt)), "reason": d.Reason, "status": d.Status,
		"dispute_amount": inPayPal(d.Amount, d.Currency), "dispute_life_cycle_stage": "CHARGEBACK", "dispute_channel": "INTERNAL",
		"disputed_transactions": []any{map[string]any{"seller_transaction_id": d.Charge, "seller_protection_eligible": true}},
	}
	if d.Status == waitingForSeller {
		shown["seller_response_due_date"] = moment(d.DueBy)
		shown["links"] = disputeLinks(d)
	}
	if len(d.Evidence) > 0 {
		evidences := []any{}
		for _, kind := range slices.Sorted(maps.Keys(d.Evidence)) {
			evidences = append(evidences, map[string]any{"evidence_type": kind, "notes": d.Evidence[kind], "source": "SUBMITTED_BY_SELLER"})
		}
		shown["evidences"] = evidences
	}
	if d.Outcome != "" {
		shown["dispute_outcome"] = map[string]any{"outcome_code": d.Outcome}
	}
	return shown
}
