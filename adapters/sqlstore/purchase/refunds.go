package purchase

import (
	"context"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/db"
	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/queue"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/order"
	"github.com/haggle-commerce/haggle/ports"
)

var (
	refunds = db.NewTable[RefundRow]("refunds")

	// RefundColumns are those of RefundRow.
	RefundColumns = refunds.Columns()

	selectRefund = `
SELECT ` + RefundColumns + `
FROM refunds
WHERE project_id = $1`
)

const (
	refundByID = `
  AND id = $2`

	RefundsOfPayment = `
  AND payment_id = $2
ORDER BY created_at, id`

	refundsOfOrder = `
  AND payment_id = (SELECT id FROM payments WHERE project_id = $1 AND order_id = $2)
ORDER BY created_at, id`
)

type RefundRow struct {
	ProjectID  string `db:"project_id"`
	ID         string
	OrderID    string `db:"order_id"`
	PaymentID  string `db:"payment_id"`
	ReturnID   string `db:"return_id"`
	Status     string
	Currency   string
	Amount     int64
	Reason     string
	Failure    string
	Provider   string
	CreatedAt  int64 `db:"created_at"`
	UpdatedAt  int64 `db:"updated_at"`
	Attempts   int
	DueAt      *int64 `db:"due_at"`
	Origin     string
	ReversedAt *int64 `db:"reversed_at"`
	Problem    string
}

func toRefundRow(r order.Refund) RefundRow {
	return RefundRow{
		ProjectID:  r.Project.String(),
		ID:         r.ID.String(),
		OrderID:    r.Order.String(),
		PaymentID:  r.Payment.String(),
		ReturnID:   r.Return.String(),
		Status:     r.Status.String(),
		Currency:   r.Amount.Currency().Code(),
		Amount:     r.Amount.Minor(),
		Reason:     r.Reason,
		Failure:    r.Failure,
		Provider:   r.Provider,
		CreatedAt:  db.Millis(r.CreatedAt),
		UpdatedAt:  db.Millis(r.UpdatedAt),
		Attempts:   r.Attempts,
		DueAt:      db.MillisOrNull(r.DueAt),
		Origin:     r.Origin.String(),
		ReversedAt: db.MillisOrNull(r.ReversedAt),
		Problem:    r.Problem,
	}
}

func FromRefundRows(rows []RefundRow) ([]order.Refund, error) {
	var list []order.Refund
	for _, r := range rows {
		amount, err := db.Amount(r.Amount, r.Currency)
		if err != nil {
			return nil, err
		}
		list = append(list, order.Refund{
			ID: id.Stored[id.Refund](r.ID), Project: id.Stored[id.Project](r.ProjectID), Order: id.Stored[id.Order](r.OrderID),
			Payment: id.Stored[id.Payment](r.PaymentID), Return: id.Stored[id.Return](r.ReturnID), Amount: amount,
			Reason: r.Reason, Status: order.RefundStatuses[r.Status], Failure: r.Failure, Provider: r.Provider,
			CreatedAt: db.Time(r.CreatedAt), UpdatedAt: db.Time(r.UpdatedAt), Attempts: r.Attempts, DueAt: db.TimeOrZero(r.DueAt),
			Origin: order.RefundOrigins[r.Origin], ReversedAt: db.TimeOrZero(r.ReversedAt), Problem: r.Problem,
		})
	}
	return list, nil
}

func (v Orders) RefundByID(ctx context.Context, project id.Project, of id.Refund) (*order.Refund, error) {
	list, err := Refunds(ctx, v.store, project, refundByID, of.String())
	if err != nil {
		return nil, err
	}
	if len(list) == 0 {
		return nil, fault.Missing("refund")
	}
	return &list[0], nil
}

func Refunds(ctx context.Context, s *db.DB, project id.Project, which, key string) ([]order.Refund, error) {
	var rows []RefundRow
	b := s.Read(project)
	b.Query(&rows, selectRefund+which, project.String(), key)
	if err := b.Run(ctx); err != nil {
		return nil, err
	}
	return FromRefundRows(rows)
}

// NewDueRefunds returns a view that hands out refunds that nobody looks after.
func NewDueRefunds(s *db.DB) ports.DueRefunds {
	return queue.Queue[leasedRefundRow, ports.DueRefund]{Store: s, Table: DueRefunds, Lease: leasedRefundRow.lease}
}

var DueRefunds = queue.Table{
	Name: "refunds", Table: "refunds", Key: "id", Group: "queue", Waits: "due_at IS NOT NULL",
	Due: "due_at", Lease: "due_at", Retry: "due_at", Columns: "project_id, id, order_id, queue",
}

type leasedRefundRow struct {
	ProjectID string `db:"project_id"`
	ID        string
	OrderID   string `db:"order_id"`
	Queue     string
	queue.HeldRow
}

func (r leasedRefundRow) lease() ports.Leased[ports.DueRefund] {
	return queue.Decoded(r.Held(r.ProjectID, r.ID, r.Queue), func() (ports.DueRefund, error) {
		return ports.DueRefund{
			Project: id.Stored[id.Project](r.ProjectID), Order: id.Stored[id.Order](r.OrderID), Refund: id.Stored[id.Refund](r.ID),
		}, nil
	})
}
