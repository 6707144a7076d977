package purchase

import (
	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/db"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/order"
)

const (
	disputeColumns = `project_id, id, order_id, payment_id, gateway, provider, status, reason, currency, amount,
  withdrawn_currency, withdrawn, fee_currency, fee, steps, reported_at, created_at, updated_at`

	SelectDispute = `
SELECT ` + disputeColumns + `
FROM disputes
WHERE project_id = $1`

	disputesOfOrder = `
  AND order_id = $2
ORDER BY created_at, id`

	DisputesOfPayment = `
  AND payment_id = $2
ORDER BY created_at, id`

	upsertDispute = `
INSERT INTO disputes (` + disputeColumns + `)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18)
ON CONFLICT (project_id, id) DO UPDATE
SET status = excluded.status, reason = excluded.reason, currency = excluded.currency, amount = excluded.amount,
  withdrawn_currency = excluded.withdrawn_currency, withdrawn = excluded.withdrawn, fee_currency = excluded.fee_currency,
  fee = excluded.fee, steps = excluded.steps, reported_at = excluded.reported_at, updated_at = excluded.updated_at`
)

type DisputeRow struct {
	ProjectID         string `db:"project_id"`
	ID                string
	OrderID           string `db:"order_id"`
	PaymentID         string `db:"payment_id"`
	Gateway           string
	Provider          string
	Status            string
	Reason            string
	Currency          string
	Amount            int64
	WithdrawnCurrency string `db:"withdrawn_currency"`
	Withdrawn         int64
	FeeCurrency       string `db:"fee_currency"`
	Fee               int64
	Steps             int
	ReportedAt        int64 `db:"reported_at"`
	CreatedAt         int64 `db:"created_at"`
	UpdatedAt         int64 `db:"updated_at"`
}

// disputeArgs are the values of disputeColumns.
func disputeArgs(d order.Dispute) []any {
	return []any{
		d.Project.String(), d.ID.String(), d.Order.String(), d.Payment.String(), d.Gateway, d.Provider, d.Status.String(), d.Reason,
		d.Amount.Currency().Code(), d.Amount.Minor(), d.Withdrawn.Currency().Code(), d.Withdrawn.Minor(),
		d.Fee.Currency().Code(), d.Fee.Minor(), d.Steps, db.Millis(d.Reported), db.Millis(d.CreatedAt), db.Millis(d.UpdatedAt),
	}
}

func FromDisputeRows(rows []DisputeRow) ([]order.Dispute, error) {
	var list []order.Dispute
	for _, r := range rows {
		d := order.Dispute{
			ID: id.Stored[id.Dispute](r.ID), Project: id.Stored[id.Project](r.ProjectID), Order: id.Stored[id.Order](r.OrderID),
			Payment: id.Stored[id.Payment](r.PaymentID), Gateway: r.Gateway, Provider: r.Provider,
			Status: order.DisputeStatuses[r.Status], Reason: r.Reason, Steps: r.Steps, Reported: db.Time(r.ReportedAt),
			CreatedAt: db.Time(r.CreatedAt), UpdatedAt: db.Time(r.UpdatedAt),
		}
		for _, part := range []struct {
			to       *money.Amount
			minor    int64
			currency string
		}{{&d.Amount, r.Amount, r.Currency}, {&d.Withdrawn, r.Withdrawn, r.WithdrawnCurrency}, {&d.Fee, r.Fee, r.FeeCurrency}} {
			var err error
			if *part.to, err = db.Amount(part.minor, part.currency); err != nil {
				return nil, err
			}
		}
		list = append(list, d)
	}
	return list, nil
}
