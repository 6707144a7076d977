package purchase

import (
	"context"

	"github.com/haggle-commerce/haggle/domain/agentid"
	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/order"
	"github.com/haggle-commerce/haggle/domain/project"
)

// Named identifies a checkout, and the agent that requests it. Only a verified agent itself finds the checkouts that it opened.
type Named struct {
	Checkout id.Checkout
	Agent    agentid.Agent // that sends the request
}

// check returns NotFound for a checkout that the agent must not see.
func (n Named) check(c *checkout.Checkout) error {
	if !n.Agent.FindsWhatWasMadeBy(c.Snapshot().Agent) {
		return fault.Missing("checkout")
	}
	return nil
}

// Get returns a checkout, and its order if it is completed. After its validity the checkout is returned as expired.
func (s *Service) Get(ctx context.Context, p *project.Project, n Named) (*checkout.Checkout, *order.Order, error) {
	return s.get(ctx, p, n.Checkout, n.check)
}

// Show is Get for a checkout of any agent. It is for the checkout's page, which shows no data of the buyer.
func (s *Service) Show(ctx context.Context, p *project.Project, of id.Checkout) (*checkout.Checkout, *order.Order, error) {
	return s.get(ctx, p, of, func(*checkout.Checkout) error { return nil })
}

func (s *Service) get(ctx context.Context, p *project.Project, of id.Checkout, check func(*checkout.Checkout) error) (*checkout.Checkout, *order.Order, error) {
	c, err := s.Checkouts.Get(ctx, p.ID, of)
	if err != nil {
		return nil, nil, err
	}
	if err := check(c); err != nil {
		return nil, nil, err
	}
	if c.Status() == checkout.Completed {
		o, err := s.Orders.ByCheckout(ctx, p.ID, of)
		return c, o, err
	}
	_ = c.Expire(s.Clock.Now()) // only in the response; a background job stores it
	return c, nil, nil
}
