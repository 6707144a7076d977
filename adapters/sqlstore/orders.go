package sqlstore

import (
	"context"

	"github.com/haggle-commerce/haggle/domain/event"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/order"
	"github.com/haggle-commerce/haggle/ports"
)

// Orders is the store's view of orders and returns.
type Orders struct{ store *Store }

var _ ports.Orders = Orders{}

// Orders reads orders and keeps their returns.
func (s *Store) Orders() Orders { return Orders{s} }

const (
	insertOrder = `
INSERT INTO orders (project_id, id, checkout_id, session_id, confirmation, status, lines, address, email, notes,
  currency, subtotal, shipping, tax, savings, total, fulfillment, created_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18)`

	insertPayment = `
INSERT INTO payments (project_id, id, order_id, status, currency, amount, method, label, provider, created_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`

	selectOrder = `
SELECT o.project_id, o.id, o.checkout_id, o.session_id, o.confirmation, o.status, o.lines, o.address, o.email, o.notes,
  o.currency, o.subtotal, o.shipping, o.tax, o.savings, o.total, o.fulfillment, o.created_at,
  p.id AS payment_id, p.status AS payment_status, p.amount, p.method, p.label, p.provider, p.created_at AS paid_at
FROM orders AS o
JOIN payments AS p ON p.project_id = o.project_id AND p.order_id = o.id
WHERE o.project_id = $1`

	orderByID = `
  AND o.id = $2`

	orderByCheckout = `
  AND o.checkout_id = $2`

	insertReturn = `
INSERT INTO returns (project_id, id, order_id, status, items, comment, currency, estimate, instructions, created_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`

	selectReturn = `
SELECT project_id, id, order_id, status, items, comment, currency, estimate, instructions, created_at
FROM returns
WHERE project_id = $1`

	returnByID = `
  AND id = $2`

	returnsOfOrder = `
  AND order_id = $2
ORDER BY created_at, id`
)

// placeOrder are the effects that store a new order and its payment.
func placeOrder(o *order.Order) ([]effect, error) {
	args, err := orderArgs(o)
	return []effect{
		{statement: insertOrder, args: args, rows: anyRows},
		{statement: insertPayment, args: paymentArgs(o), rows: anyRows},
	}, err
}

func (v Orders) ByID(ctx context.Context, project id.Project, of id.Order) (*order.Order, error) {
	return v.one(ctx, project, orderByID, of.String())
}

func (v Orders) ByCheckout(ctx context.Context, project id.Project, of id.Checkout) (*order.Order, error) {
	return v.one(ctx, project, orderByCheckout, of.String())
}

func (v Orders) one(ctx context.Context, project id.Project, which, key string) (*order.Order, error) {
	var rows []orderRow
	b := v.store.reading(project)
	b.query(&rows, selectOrder+which, project.String(), key)
	if err := b.run(ctx); err != nil {
		return nil, err
	}
	if len(rows) == 0 {
		return nil, fault.Missing("order")
	}
	return fromOrderRow(rows[0])
}

func (v Orders) RequestReturn(ctx context.Context, project id.Project, of id.Order,
	request func(*order.Order, []order.Return) (*order.Return, *event.Event, error)) (*order.Return, error) {
	var requested *order.Return
	err := v.store.inTx(ctx, project, func(t *tx) error {
		o, earlier, err := lockOrder(ctx, t, project, of)
		if err != nil {
			return err
		}
		ret, announced, err := request(o, earlier)
		if err != nil {
			return err
		}
		requested = ret
		return addReturn(ctx, t, ret, announced)
	})
	if err != nil {
		return nil, err
	}
	return requested, nil
}

func lockOrder(ctx context.Context, t *tx, project id.Project, of id.Order) (*order.Order, []order.Return, error) {
	var row orderRow
	found, err := t.get(ctx, &row, selectOrder+orderByID+t.dialect.lock("o"), project.String(), of.String())
	if err != nil {
		return nil, nil, err
	}
	if !found {
		return nil, nil, fault.Missing("order")
	}
	var rows []returnRow
	if err := t.list(ctx, &rows, selectReturn+returnsOfOrder, project.String(), of.String()); err != nil {
		return nil, nil, err
	}
	earlier := make([]order.Return, len(rows))
	for i, r := range rows {
		if earlier[i], err = fromReturnRow(r); err != nil {
			return nil, nil, err
		}
	}
	o, err := fromOrderRow(row)
	return o, earlier, err
}

func addReturn(ctx context.Context, t *tx, ret *order.Return, announced *event.Event) error {
	args, err := returnArgs(ret)
	if err != nil {
		return err
	}
	if _, err := t.exec(ctx, insertReturn, args...); err != nil || announced == nil {
		return err
	}
	if args, err = eventArgs(announced); err != nil {
		return err
	}
	_, err = t.exec(ctx, insertEvent, args...)
	return err
}

func (v Orders) ReturnByID(ctx context.Context, project id.Project, of id.Return) (*order.Return, error) {
	var rows []returnRow
	b := v.store.reading(project)
	b.query(&rows, selectReturn+returnByID, project.String(), of.String())
	if err := b.run(ctx); err != nil {
		return nil, err
	}
	if len(rows) == 0 {
		return nil, fault.Missing("return")
	}
	found, err := fromReturnRow(rows[0])
	if err != nil {
		return nil, err
	}
	return &found, nil
}
