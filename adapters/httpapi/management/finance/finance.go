package finance

import (
	"context"
	"time"

	"github.com/haggle-commerce/haggle/adapters/httpapi/management/internal/operation"
	"github.com/haggle-commerce/haggle/adapters/httpapi/wire"
	"github.com/haggle-commerce/haggle/app/finance"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/ledger"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/ports"
)

func (h *handlers) registerFinance() {
	const wallets, all, one = "/v1/finance/wallets", "/v1/finance/transactions", "/v1/finance/transactions/{transaction_id}"
	g := h.Group("Finance", "finance", operation.HeaderProject)
	operation.Register(g, "list-wallets", "GET "+wallets, "List balances with payment providers, by currency, without their fees",
		operation.HandleList(h.listWallets, wire.Identity))
	operation.Register(g, "list-transactions", "GET "+all, "List the ledger's transactions, newest first",
		operation.HandleKeyset(h.listTransactions, placeOfTransaction, toAPITransaction))
	operation.Register(g, "get-transaction", "GET "+one, "Get a transaction", wire.HandleOne(h.getTransaction, toAPITransaction))
	operation.RegisterPhased(g, "reconcile", "GET /v1/finance/reconciliation", "Compare the books with those of the payment providers",
		h.reconcile, operation.Errors(409, 422), operation.AsksProvider)
}

// walletView has the balances of the providers in one currency.
type walletView struct {
	Currency  string           `json:"currency" example:"USD"`
	Balance   wire.Money       `json:"balance" doc:"Captured − refunded − disputed − fees − paid_out + orphaned + adjusted."`
	Captured  wire.Money       `json:"captured" doc:"Captured for orders, all time."`
	Refunded  wire.Money       `json:"refunded" doc:"Refunded, all time, without refunds that failed later."`
	Disputed  wire.Money       `json:"disputed" doc:"Withdrawn for disputes that are open or lost."`
	Fees      wire.Money       `json:"fees" doc:"Fees of the providers, including those of disputes."`
	PaidOut   wire.Money       `json:"paid_out" doc:"Paid out to the merchant's bank account."`
	Orphaned  wire.Money       `json:"orphaned" doc:"Charged without an order, and not refunded yet."`
	Adjusted  wire.Money       `json:"adjusted" doc:"Adjustments of the providers for other reasons; may be negative."`
	Providers []providerWallet `json:"providers"`
}

type providerWallet struct {
	Provider string     `json:"provider" example:"stripe"`
	Balance  wire.Money `json:"balance"`
}

func (h *handlers) listWallets(ctx context.Context, rq operation.Request, in *operation.Paging) ([]walletView, int, error) {
	found, err := rq.Stores.Ledger.Wallets(ctx, rq.Caller.Project.ID)
	if err != nil {
		return nil, 0, err
	}
	all, err := toAPIWallets(found)
	return operation.Part(all, *in), len(all), err
}

// toAPIWallets groups wallets by currency. Wallets of one currency must be adjacent.
func toAPIWallets(wallets []ports.Wallet) ([]walletView, error) {
	var all []walletView
	for _, w := range wallets {
		currency := w.Balance.Currency()
		if len(all) == 0 || all[len(all)-1].Currency != currency.Code() {
			none := wire.ToMoney(money.Zero(currency))
			all = append(all, walletView{
				Currency: currency.Code(),
				Balance:  none,
				Captured: none,
				Refunded: none,
				Disputed: none,
				Fees:     none,
				PaidOut:  none,
				Orphaned: none,
				Adjusted: none,
			})
		}
		joined := &all[len(all)-1]
		for _, sum := range []struct {
			of   *wire.Money
			more money.Amount
		}{
			{&joined.Balance, w.Balance},
			{&joined.Captured, w.Received},
			{&joined.Refunded, w.Refunded},
			{&joined.Disputed, w.Disputed},
			{&joined.Fees, w.Fees},
			{&joined.PaidOut, w.PaidOut},
			{&joined.Orphaned, w.Orphaned},
			{&joined.Adjusted, w.Adjusted},
		} {
			total, err := sum.of.Add(sum.more)
			if err != nil {
				return nil, err
			}
			*sum.of = wire.ToMoney(total)
		}
		joined.Providers = append(joined.Providers, providerWallet{w.Provider, wire.ToMoney(w.Balance)})
	}
	return all, nil
}

type transactionView struct {
	ID        string      `json:"id"`
	Type      string      `json:"type" enum:"sale,refund,refund_reversal,dispute,fee,payout,adjustment,orphan,orphan_refund,orphan_reversal" doc:"refund_reversal, orphan_reversal: a refund failed after it had succeeded. orphan: a charge without an order, which is owed to the buyer."`
	Currency  string      `json:"currency" example:"USD"`
	Amount    wire.Money  `json:"amount" doc:"The amount moved; never negative."`
	OrderID   *string     `json:"order_id" nullable:"true" doc:"Null: the transaction is for no order."`
	PaymentID *string     `json:"payment_id" nullable:"true" doc:"Null: the transaction is for no order."`
	RefundID  *string     `json:"refund_id" nullable:"true" doc:"The refund, also of a reversal."`
	DisputeID *string     `json:"dispute_id" nullable:"true" doc:"The dispute. It may have several transactions: each records a change."`
	Reference *string     `json:"reference" nullable:"true" doc:"The provider's id of a fee, a payout, an adjustment, an orphaned charge or its refund."`
	Entries   []entryView `json:"entries" doc:"Entries whose amounts sum to zero."`
	CreatedAt wire.Time   `json:"created_at"`
}

type entryView struct {
	Account string     `json:"account" example:"funds:stripe"`
	Amount  wire.Money `json:"amount" doc:"Positive: a debit. Negative: a credit."`
}

type listTransactionsInput struct {
	operation.Keyset[id.Transaction]
	operation.Period
	Type  string             `query:"type" enum:"sale,refund,refund_reversal,dispute,fee,payout,adjustment,orphan,orphan_refund,orphan_reversal"`
	Order wire.Ref[id.Order] `query:"order_id"`
}

func (h *handlers) listTransactions(ctx context.Context, rq operation.Request, in *listTransactionsInput, page ports.Page) ([]ledger.Transaction, int, error) {
	from, to := in.Span(rq)
	filter := ports.TransactionFilter{
		Kind:  ledger.Kinds[in.Type],
		Order: in.Order.ID,
		From:  from,
		To:    to,
	}
	return rq.Stores.Ledger.Transactions(ctx, rq.Caller.Project.ID, filter, page)
}

func placeOfTransaction(t ledger.Transaction) ports.Place {
	return ports.Place{At: t.At, ID: t.ID.String()}
}

type OnTransaction struct {
	Transaction wire.Ref[id.Transaction] `path:"transaction_id"`
}

func (h *handlers) getTransaction(ctx context.Context, rq operation.Request, in *OnTransaction) (t ledger.Transaction, err error) {
	found, err := rq.Stores.Ledger.TransactionByID(ctx, rq.Caller.Project.ID, in.Transaction.ID)
	if err != nil {
		return t, err
	}
	return *found, nil
}

// toAPITransaction shows each account once: it adds up the entries of a transaction to the same account.
func toAPITransaction(t ledger.Transaction) transactionView {
	view := transactionView{
		ID:        t.ID.String(),
		Type:      t.Kind.String(),
		OrderID:   wire.ToOptionalID(t.Order),
		PaymentID: wire.ToOptionalID(t.Payment),
		RefundID:  wire.ToOptionalID(t.Refund),
		DisputeID: wire.ToOptionalID(t.Dispute),
		CreatedAt: wire.ToTime(t.At),
	}
	if t.Dispute.IsZero() {
		view.Reference = wire.ToOptional(t.Reference)
	}
	total := int64(0)
	var currency money.Currency
	places := map[ledger.Account]int{}
	for _, e := range t.Entries() {
		currency = e.Amount.Currency()
		total += max(e.Amount.Minor(), 0)
		if at, known := places[e.Account]; known {
			view.Entries[at].Amount = wire.ToMoney(money.Of(view.Entries[at].Amount.Minor()+e.Amount.Minor(), currency))
			continue
		}
		places[e.Account] = len(view.Entries)
		view.Entries = append(view.Entries, entryView{e.Account.String(), wire.ToMoney(e.Amount)})
	}
	view.Currency, view.Amount = currency.Code(), wire.ToMoney(money.Of(total, currency))
	return view
}

type reconcileInput struct {
	From wire.When `query:"from" doc:"At or after this time. A date is the start of that day in the project's time zone. Without from and to, the response is the last result of the hourly comparison of yesterday and today."`
	To   wire.When `query:"to" doc:"Before this time, and at most 31 days after from; a date as in from."`
}

type reconciliation struct {
	From      wire.Time        `json:"from"`
	To        wire.Time        `json:"to"`
	Providers []providerReport `json:"providers"`
}

// providerReport compares one provider's books with ours.
type providerReport struct {
	Provider    string           `json:"provider" example:"stripe"`
	Matched     int              `json:"matched" doc:"Movements of money in both books, with the same amount."`
	Ours        []currencyTotal  `json:"ours" doc:"Captured − refunded, by our books."`
	Theirs      []currencyTotal  `json:"theirs" doc:"Captured − refunded, by the provider's books."`
	Differences []differenceView `json:"differences" doc:"Most important first."`
	Found       int              `json:"differences_found" doc:"The number of all differences, including those omitted from differences."`
	Unexplained int              `json:"unexplained" doc:"Differences that no state explains."`
	ComparedAt  *wire.Time       `json:"compared_at" nullable:"true" doc:"The time of the last hourly comparison. Null: none, or it did not include this."`
	Problem     *string          `json:"problem" nullable:"true" doc:"The error of the hourly comparison since then. Null: no error."`
}

type currencyTotal struct {
	Currency string     `json:"currency" example:"USD"`
	Amount   wire.Money `json:"amount"`
}

type differenceView struct {
	Kind       string      `json:"kind" enum:"missing_here,missing_there,amount_differs" doc:"missing_here: the provider has it and our books do not."`
	Type       string      `json:"type" enum:"sale,refund"`
	PaymentID  *string     `json:"payment_id" nullable:"true"`
	RefundID   *string     `json:"refund_id" nullable:"true"`
	Reference  string      `json:"reference" doc:"Our id or, if it is missing here, the id that the provider stored."`
	ProviderID string      `json:"provider_id" doc:"The provider's id."`
	Currency   string      `json:"currency"`
	Ours       *wire.Money `json:"ours" nullable:"true"`
	Theirs     *wire.Money `json:"theirs" nullable:"true"`
	At         wire.Time   `json:"at"`
	State      *string     `json:"state" nullable:"true" enum:"in_flight,orphan,reversed,elsewhere" doc:"The explanation of a movement that is missing here. in_flight: a payment attempt or a refund that is not decided yet. orphan: a charge without an order that is being refunded, or its refund. reversed: a refund that the provider took back. elsewhere: moved at the provider outside of this project. Null: unexplained."`
}

type reconciliationOutput = wire.Output[reconciliation]

func (h *handlers) reconcile(ctx ports.Outbound, rq operation.Request, in *reconcileInput) (*reconciliationOutput, error) {
	if !in.From.Given() && !in.To.Given() {
		return h.latestReconciliation(ctx, rq)
	}
	if err := bothEnds(in.From, in.To); err != nil {
		return nil, err
	}
	from, to := operation.Period(*in).Span(rq)
	reports, err := h.Finance.In(rq.Stores).Reconcile(ctx, rq.Caller.Project, from, to)
	if err != nil {
		return nil, err
	}
	return &reconciliationOutput{Body: reconciliation{wire.ToTime(from), wire.ToTime(to), wire.Each(reports, toAPIReport)}}, nil
}

// bothEnds refuses a span with one end.
func bothEnds(from, to wire.When) error {
	missing := ""
	switch {
	case !from.Given():
		missing = "from"
	case !to.Given():
		missing = "to"
	default:
		return nil
	}
	return wire.BadParameter(missing, "is required if the other end is given")
}

// latestReconciliation covers the periods of the providers' latest comparisons. Before the first comparison, both ends of its
// period are the time when the project was created.
func (h *handlers) latestReconciliation(ctx context.Context, rq operation.Request) (*reconciliationOutput, error) {
	results, err := rq.Stores.Reconciliations.Results(ctx, rq.Caller.Project.ID, finance.MostDifferences)
	if err != nil {
		return nil, err
	}
	var from, to time.Time
	if len(results) == 0 {
		from = rq.Caller.Project.CreatedAt
		to = from
	}
	for _, r := range results {
		if from.IsZero() || r.From.Before(from) && !r.From.IsZero() {
			from = r.From
		}
		if r.To.After(to) {
			to = r.To
		}
	}
	return &reconciliationOutput{Body: reconciliation{wire.ToTime(from), wire.ToTime(to), wire.Each(results, toAPIResult)}}, nil
}

func toAPIResult(r ports.ReconciliationResult) providerReport {
	return providerReport{
		Provider:    r.Route.Provider,
		Matched:     r.Matched,
		Ours:        wire.Each(r.Totals, func(t ports.ReconciledTotal) currencyTotal { return toAPITotal(t.Ours) }),
		Theirs:      wire.Each(r.Totals, func(t ports.ReconciledTotal) currencyTotal { return toAPITotal(t.Theirs) }),
		Differences: wire.Each(r.Differences, toAPIDifference),
		Found:       r.Found,
		Unexplained: r.Unexplained,
		ComparedAt:  wire.ToKnownTime(r.RanAt),
		Problem:     wire.ToOptional(r.LastError),
	}
}

func toAPIReport(r finance.Report) providerReport {
	return providerReport{
		Provider:    r.Route.Provider,
		Matched:     r.Matched,
		Ours:        wire.Each(r.Ours, toAPITotal),
		Theirs:      wire.Each(r.Theirs, toAPITotal),
		Differences: wire.Each(r.Differences, toAPIDifference),
		Found:       r.Found,
		Unexplained: r.Unexplained,
	}
}

func toAPITotal(a money.Amount) currencyTotal {
	return currencyTotal{a.Currency().Code(), wire.ToMoney(a)}
}

func toAPIDifference(d ports.MoneyDifference) differenceView {
	view := differenceView{
		Kind:       d.Kind(),
		Type:       ledger.SaleKind.String(),
		PaymentID:  wire.ToOptionalID(d.Payment),
		RefundID:   wire.ToOptionalID(d.RefundID),
		Reference:  d.Reference,
		ProviderID: d.Provider,
		Ours:       wire.ToOptionalMoney(d.Ours),
		Theirs:     wire.ToOptionalMoney(d.Theirs),
		At:         wire.ToTime(d.At),
		State:      wire.ToOptional(d.State.String()),
	}
	if d.Refund {
		view.Type = ledger.RefundKind.String()
	}
	for _, side := range []*money.Amount{d.Ours, d.Theirs} {
		if side != nil {
			view.Currency = side.Currency().Code()
		}
	}
	return view
}
