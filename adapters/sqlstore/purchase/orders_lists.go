package purchase

import (
	"context"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/db"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/order"
	"github.com/haggle-commerce/haggle/ports"
)

var (
	newest = db.Newest{Time: "created_at", ID: "id"}

	// ListedOrders are the orders of a project.
	ListedOrders = db.Listing{
		Columns: orderColumns,
		From:    fromOrders,
		Newest: db.Newest{
			Time: "o.created_at",
			ID:   "o.id",
		},
	}

	// ListedReturns are the returns of a project.
	ListedReturns = db.Listing{
		Columns: returns.Columns(),
		From:    fromReturns,
		Newest:  newest,
	}
)

// fromOrdersAlone counts orders: each has one payment.
const fromOrdersAlone = `
FROM orders AS o
WHERE o.project_id = $1`

// OrdersWhere narrows ListedOrders.
func OrdersWhere(d db.Dialect, project id.Project, f ports.OrderFilter) (db.Conditions, error) {
	w := db.Conditions{Args: db.Args{project}}
	w.Is("o.status", f.Status)
	w.Is("o.fulfillment_status", f.Fulfillment)
	w.Is("p.status", f.Payment)
	w.Equal("o.confirmation", f.Confirmation)
	w.Equal("o.email", f.Email)
	if len(f.IDs) > 0 {
		names := make([]string, len(f.IDs))
		for i, o := range f.IDs {
			names[i] = o.String()
		}
		in, err := d.In(&w.Args, names)
		if err != nil {
			return w, err
		}
		w.Text += "\n  AND o.id IN " + in
	}
	w.During("o.created_at", f.From, f.To)
	return w, nil
}

func (v Orders) Orders(ctx context.Context, project id.Project, f ports.OrderFilter, page ports.Page) ([]*order.Order, int, error) {
	w, err := OrdersWhere(v.Store.Dialect, project, f)
	if err != nil {
		return nil, 0, err
	}
	listed := ListedOrders
	if f.Payment == (order.PaymentStatus{}) {
		listed.Counted = fromOrdersAlone
	}
	rows, total, err := db.Keyed[orderRow](ctx, v.Store.Read(project), listed, w, page)
	list := make([]*order.Order, len(rows))
	for i := range rows {
		list[i] = fromOrderRow(&rows[i])
	}
	return list, total, err
}

func (v Orders) Refunds(ctx context.Context, project id.Project, f ports.RefundFilter, page ports.Page) ([]order.Refund, int, error) {
	w := db.Conditions{Args: db.Args{project}}
	w.Is("status", f.Status)
	w.Equal("order_id", f.Order)
	w.During("created_at", f.From, f.To)
	listed := db.Listing{
		Columns: RefundColumns,
		From:    fromRefunds,
		Newest:  newest,
	}
	return db.Keyed[order.Refund](ctx, v.Store.Read(project), listed, w, page)
}

func (v Orders) Returns(ctx context.Context, project id.Project, f ports.ReturnFilter, page ports.Page) ([]order.Return, int, error) {
	w := db.Conditions{Args: db.Args{project}}
	w.Is("status", f.Status)
	w.Equal("order_id", f.Order)
	w.During("created_at", f.From, f.To)
	return db.Keyed[order.Return](ctx, v.Store.Read(project), ListedReturns, w, page)
}
