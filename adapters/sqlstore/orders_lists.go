package sqlstore

import (
	"context"

	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/order"
	"github.com/haggle-commerce/haggle/ports"
)

func (v Orders) Orders(ctx context.Context, project id.Project, f ports.OrderFilter, page ports.Page) ([]*order.Order, int, error) {
	w := conditions{args: arguments{project.String()}}
	for _, c := range []struct{ comparison, value string }{
		{"o.status = ", f.Status.String()},
		{"o.fulfillment_status = ", f.Fulfillment.String()},
		{"p.status = ", f.Payment.String()},
		{"o.confirmation = ", f.Confirmation},
		{"o.email = ", f.Email},
	} {
		if c.value != "" {
			w.and(c.comparison, c.value)
		}
	}
	w.during("o.created_at", f.From, f.To)
	var counts []countRow
	var rows []orderRow
	b := v.store.reading(project)
	b.query(&counts, "SELECT count(*) AS n"+ordersPaid+w.text, w.args...)
	end := w.args.page(page)
	b.query(&rows, selectOrder+w.text+`
ORDER BY o.created_at DESC, o.id DESC`+end, w.args...)
	if err := b.run(ctx); err != nil {
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
	w := conditions{args: arguments{project.String()}}
	if f.Status != (order.RefundStatus{}) {
		w.and("status = ", f.Status.String())
	}
	if !f.Order.IsZero() {
		w.and("order_id = ", f.Order.String())
	}
	w.during("created_at", f.From, f.To)
	var counts []countRow
	var rows []refundRow
	b := v.store.reading(project)
	b.query(&counts, `
SELECT count(*) AS n
FROM refunds
WHERE project_id = $1`+w.text, w.args...)
	end := w.args.page(page)
	b.query(&rows, selectRefund+w.text+`
ORDER BY created_at DESC, id DESC`+end, w.args...)
	if err := b.run(ctx); err != nil {
		return nil, 0, err
	}
	list, err := fromRefundRows(rows)
	return list, counts[0].N, err
}

func (v Orders) Returns(ctx context.Context, project id.Project, f ports.ReturnFilter, page ports.Page) ([]order.Return, int, error) {
	w := conditions{args: arguments{project.String()}}
	if f.Status != (order.ReturnStatus{}) {
		w.and("status = ", f.Status.String())
	}
	if !f.Order.IsZero() {
		w.and("order_id = ", f.Order.String())
	}
	w.during("created_at", f.From, f.To)
	var counts []countRow
	var rows []returnRow
	b := v.store.reading(project)
	b.query(&counts, `
SELECT count(*) AS n
FROM returns
WHERE project_id = $1`+w.text, w.args...)
	end := w.args.page(page)
	b.query(&rows, selectReturn+w.text+`
ORDER BY created_at DESC, id DESC`+end, w.args...)
	if err := b.run(ctx); err != nil {
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
