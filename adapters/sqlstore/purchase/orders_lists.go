package purchase

import (
	"context"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/db"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/order"
	"github.com/haggle-commerce/haggle/ports"
)

func (v Orders) Orders(ctx context.Context, project id.Project, f ports.OrderFilter, page ports.Page) ([]*order.Order, int, error) {
	w := db.Conditions{Args: db.Args{project.String()}}
	for _, c := range []struct{ comparison, value string }{
		{"o.status = ", f.Status.String()},
		{"o.fulfillment_status = ", f.Fulfillment.String()},
		{"p.status = ", f.Payment.String()},
		{"o.confirmation = ", f.Confirmation},
		{"o.email = ", f.Email},
	} {
		if c.value != "" {
			w.And(c.comparison, c.value)
		}
	}
	w.During("o.created_at", f.From, f.To)
	var counts []db.CountRow
	var rows []paidOrderRow
	b := v.store.Read(project)
	b.Query(&counts, "SELECT count(*) AS n"+ordersPaid+w.Text, w.Args...)
	end := w.Args.Page(page)
	b.Query(&rows, selectOrder+w.Text+`
ORDER BY o.created_at DESC, o.id DESC`+end, w.Args...)
	if err := b.Run(ctx); err != nil {
		return nil, 0, err
	}
	list := make([]*order.Order, len(rows))
	for i, r := range rows {
		var err error
		if list[i], err = fromOrderRow(r); err != nil {
			return nil, 0, err
		}
	}
	return list, counts[0].N, nil
}

func (v Orders) Refunds(ctx context.Context, project id.Project, f ports.RefundFilter, page ports.Page) ([]order.Refund, int, error) {
	w := db.Conditions{Args: db.Args{project.String()}}
	if f.Status != (order.RefundStatus{}) {
		w.And("status = ", f.Status.String())
	}
	if !f.Order.IsZero() {
		w.And("order_id = ", f.Order.String())
	}
	w.During("created_at", f.From, f.To)
	return db.Page[order.Refund](ctx, v.store.Read(project), RefundColumns, fromRefunds, w, "created_at DESC, id DESC", page)
}

func (v Orders) Returns(ctx context.Context, project id.Project, f ports.ReturnFilter, page ports.Page) ([]order.Return, int, error) {
	w := db.Conditions{Args: db.Args{project.String()}}
	if f.Status != (order.ReturnStatus{}) {
		w.And("status = ", f.Status.String())
	}
	if !f.Order.IsZero() {
		w.And("order_id = ", f.Order.String())
	}
	w.During("created_at", f.From, f.To)
	var counts []db.CountRow
	var rows []returnRow
	b := v.store.Read(project)
	b.Query(&counts, `
SELECT count(*) AS n
FROM returns
WHERE project_id = $1`+w.Text, w.Args...)
	end := w.Args.Page(page)
	b.Query(&rows, selectReturn+w.Text+`
ORDER BY created_at DESC, id DESC`+end, w.Args...)
	if err := b.Run(ctx); err != nil {
		return nil, 0, err
	}
	list := make([]order.Return, len(rows))
	for i, r := range rows {
		var err error
		if list[i], err = fromReturnRow(r); err != nil {
			return nil, 0, err
		}
	}
	return list, counts[0].N, nil
}
