package purchase

import (
	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/db"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/order"
)

var (
	disputes = db.NewTable[DisputeRow]("disputes")

	SelectDispute = `
SELECT ` + disputes.Columns() + `
FROM disputes
WHERE project_id = $1`

	upsertDispute = disputes.Insert() + `
ON CONFLICT (project_id, id) DO UPDATE
SET ` + db.Excluded("status", "reason", "currency", "amount", "withdrawn_currency", "withdrawn", "fee_currency", "fee", "steps",
		"reported_at", "updated_at")
)

const (
	disputesOfOrder = `
  AND order_id = $2
ORDER BY created_at, id`

	DisputesOfPayment = `
  AND payment_id = $2
ORDER BY created_at, id`
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

func toDisputeRow(d order.Dispute) DisputeRow {
	return DisputeRow{
		ProjectID:         d.Project.String(),
		ID:                d.ID.String(),
		OrderID:           d.Order.String(),
		PaymentID:         d.Payment.String(),
		Gateway:           d.Gateway,
		Provider:          d.Provider,
		Status:            d.Status.String(),
		Reason:            d.Reason,
		Currency:          d.Amount.Currency().Code(),
		Amount:            d.Amount.Minor(),
		WithdrawnCurrency: d.Withdrawn.Currency().Code(),
		Withdrawn:         d.Withdrawn.Minor(),
		FeeCurrency:       d.Fee.Currency().Code(),
		Fee:               d.Fee.Minor(),
		Steps:             d.Steps,
		ReportedAt:        db.Millis(d.Reported),
		CreatedAt:         db.Millis(d.CreatedAt),
		UpdatedAt:         db.Millis(d.UpdatedAt),
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
