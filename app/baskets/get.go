package baskets

import (
	"context"

	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/ports"
)

// Get reads the cart of a session, which counts as activity.
func (s *Service) Get(ctx context.Context, p *project.Project, n Named) (*Basket, error) {
	known, err := s.Carts.Cart(ctx, p.ID, ports.CartAsk{Session: n.Session})
	if err != nil {
		return nil, err
	}
	visit, touched, err := s.visit(p, n, known, false)
	if err != nil {
		return nil, err
	}
	b := view(p, known, visit, known.Items)
	return &b, s.Sessions.Keep(ctx, visit, touched)
}
