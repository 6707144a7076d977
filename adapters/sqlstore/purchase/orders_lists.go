package purchase

import (
	"context"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/db"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/order"
	"github.com/haggle-commerce/haggle/ports"
)

func (v Orders) Orders(ctx context.Context, project id.Project, f ports.OrderFilter, page ports.Page) ([]*order.Order, int, error) {
	w := db.Conditions{Args: db.Args{project}}
	w.Equal("o.status", f.Status)
	w.Equal("o.fulfillment_status", f.Fulfillment)
	w.Equal("p.status", f.Payment)
	w.Equal("o.confirmation", f.Confirmation)
	w.Equal("o.email", f.Email)
	if len(f.IDs) > 0 {
		names := make([]string, len(f.IDs))
		for i, o := range f.IDs {
			names[i] = o.String()
		}
		in, err := v.Store.Dialect.In(&w.Args, names)
		if err != nil {
			return nil, 0, err
		}
		w.Text += "\n  AND o.id IN " + in
	}
	w.During("o.created_at", f.From, f.To)
	rows, total, err := db.Page[orderRow](ctx, v.Store.Read(project), orderColumns, fromOrders, w, "o.created_at DESC, o.id DESC", page)
	list := make([]*order.Order, len(rows))
	for i := range rows {
		list[i] = fromOrderRow(&rows[i])
	}
	return list, total, err
}

func (v Orders) Refunds(ctx context.Context, project id.Project, f ports.RefundFilter, page ports.Page) ([]order.Refund, int, error) {
	w := db.Conditions{Args: db.Args{project}}
	w.Equal("status", f.Status)
	w.Equal("order_id", f.Order)
	w.During("created_at", f.From, f.To)
	return db.Page[order.Refund](ctx, v.Store.Read(project), RefundColumns, fromRefunds, w, newest, page)
}

func (v Orders) Returns(ctx context.Context, project id.Project, f ports.ReturnFilter, page ports.Page) ([]order.Return, int, error) {
	w := db.Conditions{Args: db.Args{project}}
	w.Equal("status", f.Status)
	w.Equal("order_id", f.Order)
	w.During("created_at", f.From, f.To)
	return db.Page[order.Return](ctx, v.Store.Read(project), returns.Columns(), fromReturns, w, newest, page)
}

const newest = "created_at DESC, id DESC"
