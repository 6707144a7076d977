package finance

import (
	"context"

	"github.com/danielgtaylor/huma/v2"

	"github.com/haggle-commerce/haggle/adapters/httpapi/commerce"
	"github.com/haggle-commerce/haggle/adapters/httpapi/management/internal/operation"
	"github.com/haggle-commerce/haggle/domain/ledger"
	"github.com/haggle-commerce/haggle/ports"
)

func (h *handlers) registerExports() {
	g := h.Group("Finance", "finance", operation.HeaderProject)
	operation.Register(g, "export-payments", "GET /v1/finance/payments.csv", "Download payments as CSV, newest first", h.exportPayments, operation.CSV)
	operation.Register(g, "export-transactions", "GET /v1/finance/transactions.csv", "Download the ledger as CSV, one line for each entry, newest first",
		h.exportTransactions, operation.CSV)
}

func (h *handlers) exportPayments(ctx context.Context, rq operation.Request, in *operation.Period) (*huma.StreamResponse, error) {
	from, to := in.Span(rq)
	shop, filter := rq.Caller.Project.ID, ports.PaymentFilter{From: from, To: to}
	return operation.Download(h.DownloadLane, rq.Caller.Tenant(), operation.Table{
		Name: "payments.csv",
		Columns: []string{
			"id", "created_at", "status", "amount", "refunded_amount", "currency", "method", "instrument", "provider", "order_id", "checkout_id",
		},
		Rows: func(ctx context.Context, write func(...string) error) error {
			return rq.Stores.Payments.EachPayment(ctx, shop, filter, func(p ports.OrderPayment) error {
				return write(p.ID.String(), operation.CSVTime(p.CreatedAt), p.Status().String(), p.Amount.String(), p.Refunded.String(),
					p.Amount.Currency().Code(), commerce.PaymentMethods[p.Method], operation.CSVText(p.Label), operation.CSVText(p.Route.Provider), p.Order.String(), p.Checkout.String())
			})
		},
	}), nil
}

func (h *handlers) exportTransactions(ctx context.Context, rq operation.Request, in *operation.Period) (*huma.StreamResponse, error) {
	from, to := in.Span(rq)
	shop, filter := rq.Caller.Project.ID, ports.TransactionFilter{From: from, To: to}
	return operation.Download(h.DownloadLane, rq.Caller.Tenant(), operation.Table{
		Name: "transactions.csv",
		Columns: []string{
			"transaction_id", "created_at", "type", "account", "amount", "currency", "order_id", "payment_id", "refund_id",
		},
		Rows: func(ctx context.Context, write func(...string) error) error {
			return rq.Stores.Ledger.EachTransaction(ctx, shop, filter, func(t ledger.Transaction) error {
				for _, e := range toAPITransaction(t).Entries {
					if err := write(t.ID.String(), operation.CSVTime(t.At), t.Kind.String(), operation.CSVText(e.Account), e.Amount.String(),
						e.Amount.Currency().Code(), t.Order.String(), t.Payment.String(), t.Refund.String()); err != nil {
						return err
					}
				}
				return nil
			})
		},
	}), nil
}
