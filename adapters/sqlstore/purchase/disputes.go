package purchase

import (
	"context"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/db"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/order"
	"github.com/haggle-commerce/haggle/ports"
)

var (
	disputes = db.NewTable[order.Dispute]("disputes", db.Columns{
		"Withdrawn":  ",currency=withdrawn_currency",
		"Fee":        ",currency=fee_currency",
		"Reported":   "reported_at",
		"DueBy":      ",null",
		"Evidence":   ",json",
		"AnsweredAt": ",null",
	})

	disputesOfOrder = disputes.Select() + `
WHERE project_id = $1
  AND order_id = $2
ORDER BY created_at, id`

	DisputesOfPayment = disputes.Select() + `
WHERE project_id = $1
  AND payment_id = $2
ORDER BY created_at, id`

	upsertDispute = disputes.Insert() + `
ON CONFLICT (project_id, id) DO UPDATE
SET ` + db.Excluded("status", "reason", "currency", "amount", "withdrawn_currency", "withdrawn", "fee_currency", "fee", "steps",
		"reported_at", "updated_at", "response", "due_by", "evidence", "answered_at")
)

const newestDisputes = "created_at DESC, id DESC"

func (v Orders) DisputeByID(ctx context.Context, project id.Project, of id.Dispute) (*order.Dispute, error) {
	query := disputes.Select() + `
WHERE project_id = $1
  AND id = $2`
	return db.One[order.Dispute](ctx, v.Store.Read(project), "dispute", query, project, of)
}

func (v Orders) Disputes(ctx context.Context, project id.Project, f ports.DisputeFilter, after *ports.DisputePlace, limit int) ([]order.Dispute, *ports.DisputePlace, error) {
	w := db.Conditions{Args: db.Args{project}}
	w.Equal("status", f.Status)
	w.Equal("response", f.Response)
	w.Equal("order_id", f.Order)
	w.During("created_at", f.From, f.To)
	if after != nil {
		w.Text += "\n  AND (created_at, id) < " + w.Args.Row(db.Millis(after.At), after.Dispute)
	}
	query := disputes.Select() + `
WHERE project_id = $1` + w.Text + `
ORDER BY ` + newestDisputes + `
LIMIT ` + w.Args.Add(limit+1)
	list, err := db.All[order.Dispute](ctx, v.Store.Read(project), query, w.Args...)
	if err != nil || len(list) <= limit {
		return list, nil, err
	}
	list = list[:limit]
	last := list[limit-1]
	return list, &ports.DisputePlace{At: last.CreatedAt, Dispute: last.ID}, nil
}
