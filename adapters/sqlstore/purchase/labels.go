package purchase

import (
	"context"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/db"
	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/stored"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/order"
	"github.com/haggle-commerce/haggle/ports"
)

// Labels stores the labels of orders.
type Labels struct{ Store *db.DB }

var _ ports.Labels = Labels{}

var (
	_ = stored.JSON[order.VoidedLabel](nil)

	labels = db.NewTable[order.Label]("labels", db.Columns{
		"Price": ",none", "DueAt": ",null", "BoughtAt": ",null", "VoidDueAt": ",null", "VoidedAt": ",null", "Former": ",json",
	})

	selectLabel = labels.Select() + labelsOfOrder + `
  AND test = $3`

	// A label's PDF may have some 100 KB, and shows the buyer's address.
	listLabels = "\nSELECT " + labels.ColumnsBut("pdf") + "\nFROM labels" + labelsOfOrder

	labelsAmong = "\nSELECT " + labels.ColumnsBut("pdf") + `
FROM labels
WHERE project_id = $1
  AND test = $2
  AND order_id IN `

	upsertLabel = labels.Insert() + `
ON CONFLICT (project_id, order_id, test) DO UPDATE
SET ` + db.Excluded("id", "created_at", "void_due_at", "voided_at", "former", "integration_id", "carrier", "service", "grams", "due_at", "unsure", "remote", "tracking_number", "currency",
		"price", "pdf", "told", "bought_at")
)

const (
	// labeledOrders begins a statement that reads which orders have a label. It joins payments, because every
	// transaction locks them after orders.
	labeledOrders = `
SELECT o.id
FROM orders AS o
JOIN payments AS p ON p.project_id = o.project_id AND p.order_id = o.id
JOIN labels AS l ON l.project_id = o.project_id AND l.order_id = o.id AND l.test = $2
WHERE o.project_id = $1
  AND o.id IN `

	labelsOfOrder = `
WHERE project_id = $1
  AND order_id = $2`
)

func (v Labels) Find(ctx context.Context, project id.Project, of id.Order, test bool) (*order.Label, error) {
	return db.First[order.Label](ctx, v.Store.Read(project), selectLabel, project, of, test)
}

func (v Labels) List(ctx context.Context, project id.Project, of id.Order) ([]*order.Label, error) {
	rows, err := db.All[order.Label](ctx, v.Store.Read(project), listLabels, project, of)
	return pointers(rows), err
}

// Lock is one round trip, in which PostgreSQL reads the labels after it has waited for the orders.
func (v Labels) Lock(ctx context.Context, project id.Project, of []id.Order) ([]*order.Label, error) {
	if len(of) == 0 {
		return nil, nil
	}
	args := db.Args{project, false}
	among, err := v.Store.Dialect.In(&args, db.Strings(of))
	if err != nil {
		return nil, err
	}
	return db.InTx(ctx, v.Store, project, func(t *db.Tx) ([]*order.Label, error) {
		var locked []string
		var rows []order.Label
		b := v.Store.Read(project)
		if t.Dialect.ForUpdate != "" { // SQLite has one writer
			b.Query(&locked, labeledOrders+among+"\nORDER BY o.id"+lock(t.Dialect, "o, p"), args...)
		}
		b.Query(&rows, labelsAmong+among, args...)
		err := t.Run(ctx, b)
		return pointers(rows), err
	})
}

func pointers(rows []order.Label) []*order.Label {
	list := make([]*order.Label, len(rows))
	for i := range rows {
		list[i] = &rows[i]
	}
	return list
}

// Change locks the order, even if there is no label yet that could be locked, and so keeps the order as it is until the
// label is stored.
func (v Labels) Change(ctx context.Context, project id.Project, of id.Order, test bool,
	change func(*order.Order, *order.Label) (*order.Label, error)) (*order.Label, error) {
	return db.InTx(ctx, v.Store, project, func(t *db.Tx) (*order.Label, error) {
		o, err := oneOrder(ctx, t, selectOrder+orderByID+lock(t.Dialect, "o, p"), project, of)
		if err != nil {
			return nil, err
		}
		label, err := db.First[order.Label](ctx, t, selectLabel, project, of, test)
		if err != nil {
			return nil, err
		}
		changed, err := change(o, label)
		if err != nil || changed == nil {
			return nil, err
		}
		_, err = t.Exec(ctx, upsertLabel, labels.Args(*changed)...)
		return changed, err
	})
}
