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

// Named is a checkout that an agent asks for. What another agent made and signed is not there for it.
type Named struct {
	Checkout id.Checkout
	Agent    agentid.Agent // that asks
}

// check refuses a checkout that is not there for the agent.
func (n Named) check(c *checkout.Checkout) error {
	if !n.Agent.FindsWhatWasMadeBy(c.Snapshot().Agent) {
		return fault.Missing("checkout")
	}
	return nil
}

// Get returns a checkout, as expired once its time is over, and the order of a completed one; nil: there is none.
func (s *Service) Get(ctx context.Context, p *project.Project, n Named) (*checkout.Checkout, *order.Order, error) {
	return s.get(ctx, p, n.Checkout, n.check)
}

// Show returns what Get does, whoever made the checkout: for its page, which shows people nothing of the buyer.
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
	_ = c.Expire(s.Clock.Now()) // in the answer alone: a background loop stores it
	return c, nil, nil
}
