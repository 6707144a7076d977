package baskets

import (
	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/ports"
)

// PrepareCancel prepares to empty the cart of a session. Its agreements stay redeemable by their tokens until they expire, and
// can be put into the cart again; a checkout of the cart is unchanged. It writes nothing.
func (s *Service) PrepareCancel(ctx ports.Outbound, p *project.Project, n Named) (*PreparedPut, error) {
	return s.PreparePut(ctx, p, PutRequest{
		Session: n.Session,
		Agent:   n.Agent,
		Buyer:   &checkout.Buyer{},
	})
}
