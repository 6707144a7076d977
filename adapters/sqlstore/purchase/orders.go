package purchase

import (
	"context"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/db"
	"github.com/haggle-commerce/haggle/adapters/sqlstore/ledger"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/order"
	"github.com/haggle-commerce/haggle/ports"
)

// Orders stores orders, returns and refunds.
type Orders struct{ Store *db.DB }

var (
	_ ports.Orders     = Orders{}
	_ ports.OrderLists = Orders{}
	_ ports.Refunds    = Orders{}
)

var (
	insertOrder   = orders.Insert()
	insertPayment = Payments.Insert("status")

	orderColumns = orders.ColumnsOf("o") + `,
  p.id AS payment_id, p.amount, p.refunded, p.refunding, p.disputed, p.method, p.label, p.gateway, p.integration_id, p.provider,
  p.created_at AS paid_at`

	selectOrder = "\nSELECT " + orderColumns + fromOrders

	selectReturn = "\nSELECT " + returns.Columns() + fromReturns
)

const (
	fromOrders = `
FROM orders AS o
JOIN payments AS p ON p.project_id = o.project_id AND p.order_id = o.id
WHERE o.project_id = $1`

	orderByID = `
  AND o.id = $2`

	orderByCheckout = `
  AND o.checkout_id = $2`

	fromReturns = `
FROM returns
WHERE project_id = $1`

	returnByID = `
  AND id = $2`

	returnsOfOrder = `
  AND order_id = $2
ORDER BY created_at, id`
)

// placeOrder returns the effects that store a new order, its payment and its ledger transaction.
func placeOrder(o *order.Order) []db.Effect {
	payment := ports.OrderPayment{
		Payment: o.Payment,
		Project: o.Project,
		Order:   o.ID,
	}
	return append([]db.Effect{
		{
			Statement: insertOrder,
			Args:      orders.Args(toOrderRow(o)),
			Rows:      db.AnyRows,
		},
		{
			Statement: insertPayment,
			Args:      Payments.Args(payment, o.Payment.Status()),
			Rows:      db.AnyRows,
		},
	}, ledger.RecordTransaction(o.Sale())...)
}

func (v Orders) ByID(ctx context.Context, project id.Project, of id.Order) (*order.Order, error) {
	return oneOrder(ctx, v.Store.Read(project), selectOrder+orderByID, project, of)
}

func (v Orders) ByCheckout(ctx context.Context, project id.Project, of id.Checkout) (*order.Order, error) {
	return oneOrder(ctx, v.Store.Read(project), selectOrder+orderByCheckout, project, of)
}

func oneOrder(ctx context.Context, from db.Source, query string, args ...any) (*order.Order, error) {
	row, err := db.One[orderRow](ctx, from, "order", query, args...)
	if err != nil {
		return nil, err
	}
	return fromOrderRow(row), nil
}

func (v Orders) ReturnByID(ctx context.Context, project id.Project, of id.Return) (*order.Return, error) {
	return db.One[order.Return](ctx, v.Store.Read(project), "return", selectReturn+returnByID, project, of)
}
