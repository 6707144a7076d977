package ports

import (
	"context"

	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/order"
)

// OrderNotes stores merchants' notes about orders. They are separate from the orders, because buyers see those.
type OrderNotes interface {
	// Add adds a note. Unknown order: NotFound order_not_found. An order with order.MaxNotes: order.ErrTooManyNotes.
	Add(ctx context.Context, n order.Note) error
	// Notes are an order's, oldest first. Unknown order: NotFound order_not_found.
	Notes(ctx context.Context, project id.Project, of id.Order) ([]order.Note, error)
}
