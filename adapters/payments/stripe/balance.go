package stripe

import (
	"time"

	api "github.com/stripe/stripe-go/v85"

	"github.com/haggle-commerce/haggle/domain/order"
	"github.com/haggle-commerce/haggle/ports"
)

var (
	_ ports.BalanceReader = (*Provider)(nil)
	_ ports.DisputeReader = (*Provider)(nil)
)

// categories maps the reporting categories of balance transactions. Missing ones are ports.BalanceOther. Source:
// docs.stripe.com/reports/reporting-categories, read November 2026.
var categories = map[api.BalanceTransactionReportingCategory]ports.BalanceKind{
	api.BalanceTransactionReportingCategoryFee:            ports.BalanceFee,
	api.BalanceTransactionReportingCategoryTax:            ports.BalanceFee, // on Stripe's fees
	api.BalanceTransactionReportingCategoryPayout:         ports.BalancePayout,
	api.BalanceTransactionReportingCategoryPayoutReversal: ports.BalancePayout,
}

// reportedElsewhere are the categories whose gross amount is a charge, a refund or a dispute, which Statement and disputes report.
// Only their fees are changes here.
var reportedElsewhere = map[api.BalanceTransactionReportingCategory]bool{
	api.BalanceTransactionReportingCategoryCharge:                 true,
	api.BalanceTransactionReportingCategoryChargeFailure:          true,
	api.BalanceTransactionReportingCategoryPartialCaptureReversal: true,
	api.BalanceTransactionReportingCategoryRefund:                 true,
	api.BalanceTransactionReportingCategoryRefundFailure:          true,
	api.BalanceTransactionReportingCategoryDispute:                true,
	api.BalanceTransactionReportingCategoryDisputeReversal:        true,
}

// BalanceChanges reads the balance transactions by the second in which they were created. Amounts are in the currency
// in which the account settles. It leaves out unknown currencies. News has disputes, failed refunds, and refunds that were
// not requested here, each in its current state.
func (p *Provider) BalanceChanges(
	ctx ports.Outbound, a ports.PaymentAccount, s ports.StatementRequest, each func(ports.BalanceChange) error,
) error {
	params := &api.BalanceTransactionListParams{
		CreatedRange: &api.RangeQueryParams{GreaterThanOrEqual: upToSecond(s.From), LesserThan: upToSecond(s.To)},
	}
	params.Limit = api.Int64(pageSize)
	params.AddExpand("data.source")
	began := p.clock.Now()
	for t, err := range p.client(a).V1BalanceTransactions.List(ctx, params).All(ctx) {
		if err != nil {
			return redacted(err)
		}
		all := changes(t)
		ahead, _ := p.remote.Skew() // known at least from this answer
		if news, ok := newsOfTransaction(t, began.Add(ahead)); ok {
			all = append(all, ports.BalanceChange{
				Kind:     ports.BalanceNews,
				Provider: t.ID,
				At:       time.Unix(t.Created, 0).UTC(),
				News:     news,
			})
		}
		for _, c := range all {
			if err := each(c); err != nil {
				return err
			}
		}
	}
	return nil
}

// changes returns a transaction's amount and its fee, except amounts that are reported elsewhere.
func changes(t *api.BalanceTransaction) (all []ports.BalanceChange) {
	add := func(kind ports.BalanceKind, units int64) {
		amount, err := fromUnits(units, string(t.Currency))
		if err != nil || units == 0 {
			return
		}
		all = append(all, ports.BalanceChange{
			Kind:     kind,
			Provider: t.ID,
			Charge:   chargeOf(t.Source),
			Amount:   amount,
			At:       time.Unix(t.Created, 0).UTC(),
		})
	}
	kind, known := categories[t.ReportingCategory]
	switch {
	case kind == ports.BalanceFee:
		add(ports.BalanceFee, t.Amount-t.Fee)
		return all
	case !known && !reportedElsewhere[t.ReportingCategory]:
		kind = ports.BalanceOther
		fallthrough
	case known:
		add(kind, t.Amount)
	}
	disputed := reportedElsewhere[t.ReportingCategory] && t.Source != nil && t.Source.Dispute != nil
	switch {
	case disputed && inReport(t):
		add(ports.BalanceDispute, t.Amount-t.Fee)
	case disputed:
		add(ports.BalanceDispute, t.Amount)
		fallthrough
	case !inReport(t):
		add(ports.BalanceFee, -t.Fee)
	}
	return all
}

// Dispute reads the current state of a dispute.
func (p *Provider) Dispute(ctx ports.Outbound, a ports.PaymentAccount, dispute string) (ports.PaymentEvent, error) {
	began := p.clock.Now()
	found, err := p.client(a).V1Disputes.Retrieve(ctx, dispute, nil)
	if err != nil {
		return ports.PaymentEvent{}, redacted(err)
	}
	ahead, _ := p.remote.Skew()
	return newsOfDispute(found, began.Add(ahead)), nil
}

// newsOfTransaction returns the news that a webhook should have reported about a transaction's source, or false if there is none.
func newsOfTransaction(t *api.BalanceTransaction, at time.Time) (news ports.PaymentEvent, ok bool) {
	switch {
	case t.Source == nil:
		return news, false
	case t.Source.Dispute != nil:
		news = newsOfDispute(t.Source.Dispute, at)
		return news, news.Dispute != nil
	case t.Source.Refund != nil:
		news, err := newsOfRefund(t.Source.Refund)
		_, failed := news.Refund.(order.RefundFailed)
		return news, err == nil && (failed || news.External != nil)
	}
	return news, false
}

// inReport reports whether the report of the dispute contains the transaction's fee (see withdrawals), so that it would count twice.
func inReport(t *api.BalanceTransaction) bool {
	return t.Source != nil && t.Source.Dispute != nil && t.Source.Dispute.Currency == t.Currency
}

// chargeOf returns the id of a transaction's payment intent, which identifies the charge.
func chargeOf(source *api.BalanceTransactionSource) string {
	var of *api.PaymentIntent
	switch {
	case source == nil:
	case source.Charge != nil:
		of = source.Charge.PaymentIntent
	case source.Refund != nil:
		of = source.Refund.PaymentIntent
	case source.Dispute != nil:
		of = source.Dispute.PaymentIntent
	}
	if of == nil {
		return ""
	}
	return of.ID
}
