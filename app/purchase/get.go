package purchase

import (
	"context"

	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/order"
	"github.com/haggle-commerce/haggle/domain/project"
)

// Get returns a checkout, as expired once its time is over, and the order of a completed one; nil: there is none.
func (s *Service) Get(ctx context.Context, p *project.Project, of id.Checkout) (*checkout.Checkout, *order.Order, error) {
	c, err := s.Checkouts.Get(ctx, p.ID, of)
	if err != nil {
		return nil, nil, err
	}
	if c.Status() == checkout.Completed {
		o, err := s.Orders.ByCheckout(ctx, p.ID, of)
		return c, o, err
	}
	_ = c.Expire(s.Clock.Now()) // in the answer alone: a background loop stores it
	return c, nil, nil
}
