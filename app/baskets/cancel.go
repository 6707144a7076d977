package baskets

import (
	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/ports"
)

// PrepareCancel empties the cart of a session. Its agreements can still be bought by their tokens until they expire, or be put
// into the cart again, and a checkout that was made of it stays as it is. It writes nothing.
func (s *Service) PrepareCancel(ctx ports.Outbound, p *project.Project, n Named) (*PreparedPut, error) {
	return s.PreparePut(ctx, p, PutRequest{
		Session: n.Session,
		Agent:   n.Agent,
		Buyer:   &checkout.Buyer{},
	})
}
