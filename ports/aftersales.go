package ports

import (
	"context"
	"time"

	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/order"
)

// Orders reads orders and changes their returns, refunds and disputes.
type Orders interface {
	ByID(ctx context.Context, project id.Project, order id.Order) (*order.Order, error)
	ByCheckout(ctx context.Context, project id.Project, checkout id.Checkout) (*order.Order, error)
	ReturnByID(ctx context.Context, project id.Project, ret id.Return) (*order.Return, error)
	// Case reads an order with its returns, refunds and disputes, each oldest first.
	Case(ctx context.Context, project id.Project, order id.Order) (*order.Case, error)
	// Change loads the case for exclusive use, runs change on it and, if that returns nil, stores the case with the
	// effects that its methods collected: stock put back, ledger transactions, events. Stock goes back to its former
	// locations; a level at its maximum stays at that, and removed products are skipped. change does no I/O and may run
	// more than once.
	Change(ctx context.Context, project id.Project, order id.Order, change func(*order.Case) error) (*order.Case, error)
}

// OrderFilter narrows the list of orders. Zero fields narrow nothing.
type OrderFilter struct {
	Status       order.Status
	Fulfillment  order.FulfillmentStatus
	Payment      order.PaymentStatus
	Confirmation string
	Email        string
	IDs          []id.Order // only these
	From, To     time.Time  // from, and before
}

// ReturnFilter narrows the list of returns. Zero fields narrow nothing.
type ReturnFilter struct {
	Status   order.ReturnStatus
	Order    id.Order
	From, To time.Time // from, and before
}

// RefundFilter narrows the list of refunds. Zero fields narrow nothing.
type RefundFilter struct {
	Status   order.RefundStatus
	Order    id.Order
	From, To time.Time // from, and before
}

// OrderLists lists what follows sales, newest first, each with the number of all that fit the filter.
type OrderLists interface {
	Orders(ctx context.Context, project id.Project, f OrderFilter, page Page) ([]*order.Order, int, error)
	Returns(ctx context.Context, project id.Project, f ReturnFilter, page Page) ([]order.Return, int, error)
	Refunds(ctx context.Context, project id.Project, f RefundFilter, page Page) ([]order.Refund, int, error)
}

// DueRefunds leases pending refunds that no process is working on. A group is a project.
type DueRefunds = Queue[DueRefund]

// DueRefund is a pending refund that no process is working on.
type DueRefund struct {
	Project id.Project
	Order   id.Order
	Refund  id.Refund
}

// Refunds finds refunds.
type Refunds interface {
	RefundByID(ctx context.Context, project id.Project, refund id.Refund) (*order.Refund, error)
}
