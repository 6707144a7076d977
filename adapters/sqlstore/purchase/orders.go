package purchase

import (
	"context"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/db"
	"github.com/haggle-commerce/haggle/adapters/sqlstore/ledger"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/order"
	"github.com/haggle-commerce/haggle/ports"
)

// Orders is the store's view of orders, returns and refunds.
type Orders struct{ store *db.DB }

var (
	_ ports.Orders     = Orders{}
	_ ports.OrderLists = Orders{}
	_ ports.Refunds    = Orders{}
)

// NewOrders returns a view that keeps orders and what follows them.
func NewOrders(s *db.DB) Orders { return Orders{s} }

var (
	InsertOrder   = orders.Insert()
	insertPayment = payments.Insert()

	selectOrder = "\nSELECT " + orders.ColumnsOf("o") + `,
  p.id AS payment_id, p.amount, p.refunded, p.refunding, p.disputed, p.method, p.label, p.gateway, p.integration_id, p.provider,
  p.created_at AS paid_at` + ordersPaid

	selectReturn = `
SELECT ` + returns.Columns() + `
FROM returns
WHERE project_id = $1`
)

const (
	ordersPaid = `
FROM orders AS o
JOIN payments AS p ON p.project_id = o.project_id AND p.order_id = o.id
WHERE o.project_id = $1`

	orderByID = `
  AND o.id = $2`

	orderByCheckout = `
  AND o.checkout_id = $2`

	returnByID = `
  AND id = $2`

	returnsOfOrder = `
  AND order_id = $2
ORDER BY created_at, id`
)

// placeOrder are the effects that store a new order, its payment and what the ledger says of it.
func placeOrder(o *order.Order) ([]db.Effect, error) {
	row, err := toOrderRow(o)
	return append([]db.Effect{
		{Statement: InsertOrder, Args: orders.Args(row), Rows: db.AnyRows},
		{Statement: insertPayment, Args: payments.Args(toPaymentRow(o)), Rows: db.AnyRows},
	}, ledger.RecordTransaction(o.Sale())...), err
}

func (v Orders) ByID(ctx context.Context, project id.Project, of id.Order) (*order.Order, error) {
	return v.one(ctx, project, orderByID, of.String())
}

func (v Orders) ByCheckout(ctx context.Context, project id.Project, of id.Checkout) (*order.Order, error) {
	return v.one(ctx, project, orderByCheckout, of.String())
}

func (v Orders) one(ctx context.Context, project id.Project, which, key string) (*order.Order, error) {
	var rows []paidOrderRow
	b := v.store.Read(project)
	b.Query(&rows, selectOrder+which, project.String(), key)
	if err := b.Run(ctx); err != nil {
		return nil, err
	}
	if len(rows) == 0 {
		return nil, fault.Missing("order")
	}
	return fromOrderRow(rows[0])
}

func (v Orders) ReturnByID(ctx context.Context, project id.Project, of id.Return) (*order.Return, error) {
	var rows []returnRow
	b := v.store.Read(project)
	b.Query(&rows, selectReturn+returnByID, project.String(), of.String())
	if err := b.Run(ctx); err != nil {
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
