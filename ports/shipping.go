package ports

import (
	"context"

	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/order"
)

// Labels keeps the labels of orders: at most one of an order, and one test label. An unknown order, or
// another project's: NotFound order_not_found.
type Labels interface {
	// Find is an order's label, or its test label; nil: there is none, or no such order.
	Find(ctx context.Context, project id.Project, order id.Order, test bool) (*order.Label, error)
	// List is an order's label and its test label, without their PDFs; none: there is neither, or no such order.
	List(ctx context.Context, project id.Project, order id.Order) ([]*order.Label, error)
	// Lock locks those of orders that have a label, until the transaction ends, and returns their labels, without the
	// PDFs and the test labels. Meanwhile nobody else changes a label of these orders.
	Lock(ctx context.Context, project id.Project, orders []id.Order) ([]*order.Label, error)
	// Change loads an order and its label for exclusive use, nil where there is none yet, and stores and
	// returns the label that change returns, unless that is nil. An error of change stores nothing. change
	// does no I/O and may run more than once.
	Change(ctx context.Context, project id.Project, order id.Order, test bool,
		change func(*order.Order, *order.Label) (*order.Label, error)) (*order.Label, error)
}
