package provider

import (
	"net/http"
	"regexp"

	"github.com/haggle-commerce/haggle/simulator/provider/ledger"
)

var metadataQuery = regexp.MustCompile(`^metadata\['([^']+)'\]:'([^']*)'$`)

// stripeFee is 2.9 % plus 30 minor units, paypalFee 3.49 % plus 49.
func stripeFee(amount int64) int64 { return amount*29/1000 + 30 }
func paypalFee(amount int64) int64 { return amount*349/10_000 + 49 }

// balanceRow is a balance transaction of a Stripe account.
type balanceRow struct {
	id, category, kind, currency string
	amount, fee, created         int64
	source                       any
}

func (r balanceRow) show() map[string]any {
	return map[string]any{
		"id": r.id, "object": "balance_transaction", "amount": r.amount, "fee": r.fee, "net": r.amount - r.fee, "currency": r.currency,
		"created": r.created, "available_on": r.created, "status": "available", "type": r.kind, "reporting_category": r.category,
		"source": r.source, "fee_details": []any{}, "description": nil, "exchange_rate": nil,
	}
}

// listBalance derives the balance transactions from charges, refunds, disputes and payouts.
func listBalance(c *change, call *call) answer {
	rows := ledger.NewTable(func(r balanceRow) string { return r.id })
	expanded := expands(call.form, "source")
	source := func(id string, shown map[string]any) any {
		if expanded {
			return shown
		}
		return id
	}
	for taken := range c.Charges.Oldest() {
		if taken.Provider == "stripe" && taken.Account == call.account && taken.Status == "succeeded" {
			rows.Put([]balanceRow{{
				id:       "txn_3" + derived(taken.ID, 23),
				category: "charge",
				kind:     "charge",
				currency: taken.Currency,
				amount:   taken.Amount,
				fee:      stripeFee(taken.Amount),
				created:  taken.Created,
				source:   source(taken.ID, c.showCharge(taken)),
			}})
		}
	}
	for given := range c.Refunds.Oldest() {
		if given.Provider != "stripe" || given.Account != call.account {
			continue
		}
		back := balanceRow{
			id:       "txn_3" + derived(given.ID, 23),
			category: "refund",
			kind:     "refund",
			currency: given.Currency,
			amount:   -given.Amount,
			created:  given.Created,
			source:   source(given.ID, showRefund(given)),
		}
		rows.Put([]balanceRow{back})
		if given.FailedAt > 0 {
			back.id, back.category, back.kind, back.amount, back.created = "txn_3"+derived(given.ID+" failed", 23), "refund_failure", "refund_failure", given.Amount, given.FailedAt
			rows.Put([]balanceRow{back})
		}
	}
	for d := range c.Disputes.Oldest() {
		if d.Provider == "stripe" && d.Account == call.account {
			rows.Put(disputeRows(d, source(d.ID, showDispute(d))))
		}
	}
	for sent := range c.Payouts.Oldest() {
		if sent.Provider == "stripe" && sent.Account == call.account {
			rows.Put([]balanceRow{{
				id:       "txn_1" + derived(sent.ID, 23),
				category: "payout",
				kind:     "payout",
				currency: sent.Currency,
				amount:   -sent.Amount,
				created:  sent.Created,
				source:   source(sent.ID, map[string]any{"id": sent.ID, "object": "payout"}),
			}})
		}
	}
	return page(call, "balance_transaction", "/v1/balance_transactions", rows,
		func(balanceRow) bool { return true }, func(r balanceRow) int64 { return r.created }, balanceRow.show)
}

// disputeRows are the withdrawal with the fee, and the reinstatement.
func disputeRows(d ledger.Dispute, source any) (rows []balanceRow) {
	if d.WithdrawnAt > 0 {
		rows = append(rows, balanceRow{
			id:       "txn_1" + derived(d.ID, 23),
			category: "dispute",
			kind:     "adjustment",
			currency: d.Currency,
			amount:   -d.Amount,
			fee:      disputeFee,
			created:  d.WithdrawnAt,
			source:   source,
		})
	}
	if d.ReinstatedAt > 0 {
		rows = append(rows, balanceRow{
			id:       "txn_1" + derived(d.ID+" won", 23),
			category: "dispute_reversal",
			kind:     "adjustment",
			currency: d.Currency,
			amount:   d.Amount,
			created:  d.ReinstatedAt,
			source:   source,
		})
	}
	return rows
}

func disputeTransactions(d ledger.Dispute) []any {
	shown := []any{}
	for _, row := range disputeRows(d, d.ID) {
		shown = append(shown, row.show())
	}
	return shown
}

// searchIntents supports one form of query: metadata['NAME']:'VALUE'. It does not find intents that are newer than
// Config.SearchLag.
func searchIntents(c *change, call *call) answer {
	query := call.form.Get("query")
	match := metadataQuery.FindStringSubmatch(query)
	if match == nil {
		return invalid(http.StatusBadRequest, "", "query", "The look-alike searches for metadata['NAME']:'VALUE' alone.")
	}
	data := []any{}
	for i := range c.Intents.Newest() {
		indexed := i.Created <= c.now.Add(-c.p.config.SearchLag).Unix()
		if i.Account == call.account && indexed && i.Metadata[match[1]] == match[2] {
			data = append(data, c.showIntent(i, call.form))
		}
	}
	return answer{status: http.StatusOK, body: map[string]any{
		"object": "search_result", "url": "/v1/payment_intents/search", "has_more": false, "next_page": nil, "data": data,
	}}
}
