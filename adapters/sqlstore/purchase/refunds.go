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

const (
	RefundColumns = `project_id, id, order_id, payment_id, return_id, status, currency, amount, reason, failure, provider,
  created_at, updated_at, attempts, due_at, origin, reversed_at, problem`

	selectRefund = `
SELECT ` + RefundColumns + `
FROM refunds
WHERE project_id = $1`

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

// refundArgs are the values of RefundColumns.
func refundArgs(r order.Refund) []any {
	return []any{
		r.Project.String(), r.ID.String(), r.Order.String(), r.Payment.String(), r.Return.String(), r.Status.String(),
		r.Amount.Currency().Code(), r.Amount.Minor(), r.Reason, r.Failure, r.Provider,
		db.Millis(r.CreatedAt), db.Millis(r.UpdatedAt), r.Attempts, db.MillisOrNull(r.DueAt),
		r.Origin.String(), db.MillisOrNull(r.ReversedAt), r.Problem,
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
