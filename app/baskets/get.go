package baskets

import (
	"context"

	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/ports"
)

// Get reads the cart of a session. This counts as activity of the session.
func (s *Service) Get(ctx context.Context, p *project.Project, n Named) (*Basket, error) {
	known, err := s.Carts.Cart(ctx, p.ID, ports.CartAsk{Session: n.Session})
	if err != nil {
		return nil, err
	}
	sess, touched, err := s.sessionFor(p, n, known, false)
	if err != nil {
		return nil, err
	}
	b := basketOf(p, known, sess, known.Items)
	return &b, s.Sessions.Keep(ctx, sess, touched)
}
