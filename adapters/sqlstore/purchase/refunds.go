package purchase

import (
	"context"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/db"
	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/queue"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/order"
	"github.com/haggle-commerce/haggle/ports"
)

var (
	refunds = db.NewTable[order.Refund]("refunds", db.Columns{"ReversedAt": ",null", "DueAt": ",null"})

	// RefundColumns are those of order.Refund.
	RefundColumns = refunds.Columns()

	fromRefunds = `
FROM refunds
WHERE project_id = $1`

	selectRefund = "\nSELECT " + RefundColumns + fromRefunds + `
  AND id = $2`

	RefundsOfPayment = "\nSELECT " + RefundColumns + fromRefunds + `
  AND payment_id = $2
ORDER BY created_at, id`

	refundsOfOrder = "\nSELECT " + RefundColumns + fromRefunds + `
  AND payment_id = (SELECT id FROM payments WHERE project_id = $1 AND order_id = $2)
ORDER BY created_at, id`
)

func (v Orders) RefundByID(ctx context.Context, project id.Project, of id.Refund) (*order.Refund, error) {
	return db.One[order.Refund](ctx, v.Store.Read(project), "refund", selectRefund, project, of)
}

// NewDueRefunds returns a view that leases pending refunds that no process works on.
func NewDueRefunds(s *db.DB) ports.DueRefunds {
	return queue.Queue[dueRefundRow, ports.DueRefund]{
		Store: s,
		Table: DueRefunds,
		Item: func(r dueRefundRow) (ports.DueRefund, error) {
			return ports.DueRefund{
				Project: r.Project,
				Order:   r.Order,
				Refund:  r.ID,
			}, nil
		},
	}
}

var DueRefunds = queue.Table{
	Name:    "refunds",
	Table:   "refunds",
	Key:     "id",
	Group:   "queue",
	Waits:   "due_at IS NOT NULL",
	Due:     "due_at",
	Lease:   "due_at",
	Retry:   "due_at",
	Columns: "project_id, id, order_id",
}

type dueRefundRow struct {
	Project id.Project
	Order   id.Order
	ID      id.Refund
}
