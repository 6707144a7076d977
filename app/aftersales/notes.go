package aftersales

import (
	"context"

	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/order"
)

// AddNote adds a note of a member or a program to an order.
func (s *Service) AddNote(ctx context.Context, n order.Note) (order.Note, error) {
	if err := n.Check(); err != nil {
		return n, err
	}
	n.ID, n.CreatedAt = id.New[id.Note](s.Entropy.IDBits()), s.Clock.Now()
	return n, s.Notes.Add(ctx, n)
}
