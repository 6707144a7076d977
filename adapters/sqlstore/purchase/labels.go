package purchase

import (
	"context"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/db"
	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/stored"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/order"
	"github.com/haggle-commerce/haggle/ports"
)

// Labels is the store's view of the labels of orders.
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

	upsertLabel = labels.Insert() + `
ON CONFLICT (project_id, order_id, test) DO UPDATE
SET ` + db.Excluded("id", "created_at", "void_due_at", "voided_at", "former", "integration_id", "carrier", "service", "grams", "due_at", "unsure", "remote", "tracking_number", "currency",
		"price", "pdf", "told", "bought_at")
)

const labelsOfOrder = `
WHERE project_id = $1
  AND order_id = $2`

func (v Labels) Find(ctx context.Context, project id.Project, of id.Order, test bool) (*order.Label, error) {
	return db.First[order.Label](ctx, v.Store.Read(project), selectLabel, project, of, test)
}

func (v Labels) List(ctx context.Context, project id.Project, of id.Order) ([]*order.Label, error) {
	rows, err := db.All[order.Label](ctx, v.Store.Read(project), listLabels, project, of)
	return pointers(rows), err
}

func pointers(rows []order.Label) []*order.Label {
	list := make([]*order.Label, len(rows))
	for i := range rows {
		list[i] = &rows[i]
	}
	return list
}

// Change locks the order, also where there is no label yet that could be locked, and so keeps the order as
// it is until the label is stored.
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
