package baskets

import (
	"context"

	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/ports"
)

// Get reads the cart of a session, which counts as activity.
func (s *Service) Get(ctx context.Context, p *project.Project, of id.Session) (*Basket, error) {
	known, err := s.Carts.Cart(ctx, p.ID, ports.CartAsk{Session: of})
	if err != nil {
		return nil, err
	}
	visit, touched, err := s.visit(p, of, known, false)
	if err != nil {
		return nil, err
	}
	b := view(p, known, visit, known.Items)
	return &b, s.Sessions.Keep(ctx, visit, touched)
}
