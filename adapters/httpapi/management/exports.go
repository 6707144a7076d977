package management

import (
	"context"

	"github.com/danielgtaylor/huma/v2"

	"github.com/haggle-commerce/haggle/domain/ledger"
	"github.com/haggle-commerce/haggle/ports"
)

func (h *handlers) registerExports() {
	registerRead(h, financeTag, operation{id: "export-payments", method: "GET", path: "/v1/finance/payments.csv", scope: "finance:read", on: headerProject,
		csv: true, summary: "Download payments as CSV, newest first"}, (*handlers).exportPayments)
	registerRead(h, financeTag, operation{id: "export-transactions", method: "GET", path: "/v1/finance/transactions.csv", scope: "finance:read", on: headerProject,
		csv: true, summary: "Download the ledger as CSV, a line for each entry, newest first"}, (*handlers).exportTransactions)
}

type exportInput struct{ Period }

func (h *handlers) exportPayments(ctx context.Context, rq Request, in *exportInput) (*huma.StreamResponse, error) {
	from, to := in.span(rq)
	shop, filter := rq.Caller.project.ID, ports.PaymentFilter{From: from, To: to}
	return download(h.DownloadLane, rq.Caller.tenant(), table{
		name: "payments.csv",
		columns: []string{
			"id", "created_at", "status", "amount", "refunded_amount", "currency", "method", "instrument", "provider", "order_id", "checkout_id",
		},
		rows: func(ctx context.Context, write func(...string) error) error {
			return rq.Stores.Payments.EachPayment(ctx, shop, filter, func(p ports.OrderPayment) error {
				return write(p.ID.String(), csvTime(p.CreatedAt), p.Status().String(), p.Amount.String(), p.Refunded.String(),
					p.Amount.Currency().Code(), paymentMethods[p.Method], plain(p.Label), plain(p.Route.Provider), p.Order.String(), p.Checkout.String())
			})
		},
	}), nil
}

func (h *handlers) exportTransactions(ctx context.Context, rq Request, in *exportInput) (*huma.StreamResponse, error) {
	from, to := in.span(rq)
	shop, filter := rq.Caller.project.ID, ports.TransactionFilter{From: from, To: to}
	return download(h.DownloadLane, rq.Caller.tenant(), table{
		name: "transactions.csv",
		columns: []string{
			"transaction_id", "created_at", "type", "account", "amount", "currency", "order_id", "payment_id", "refund_id",
		},
		rows: func(ctx context.Context, write func(...string) error) error {
			return rq.Stores.Ledger.EachTransaction(ctx, shop, filter, func(t ledger.Transaction) error {
				for _, e := range toAPITransaction(t).Entries {
					if err := write(t.ID.String(), csvTime(t.At), t.Kind.String(), plain(e.Account), e.Amount.String(),
						e.Amount.Currency().Code(), t.Order.String(), t.Payment.String(), t.Refund.String()); err != nil {
						return err
					}
				}
				return nil
			})
		},
	}), nil
}
