package purchase

import (
	"context"
	"errors"

	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/ports"
)

// Reconcile decides checkouts whose attempt nobody looks after, because a process died or a provider
// did not answer: it asks the provider by the attempt's key. It returns how many it decided. Any number
// of replicas may run it at once.
func (s *Service) Reconcile(ctx context.Context) (decided int, err error) {
	lapsed, err := s.Checkouts.Lapsed(ctx, s.Clock.Now(), 100)
	if err != nil {
		return 0, err
	}
	for _, l := range lapsed {
		p, problem := s.Storefronts.ByProject(ctx, l.Project)
		if problem == nil {
			problem = s.adopt(ctx, p, l)
		}
		switch {
		case problem == nil:
			decided++
		case errors.Is(problem, errNotMine):
		default:
			err = errors.Join(err, problem)
		}
	}
	return decided, err
}

var errNotMine = errors.New("another one looks after the attempt")

// adopt takes over one lapsed attempt, alone, and resolves it.
func (s *Service) adopt(ctx context.Context, p *project.Project, l ports.LapsedCheckout) error {
	var mine *checkout.Checkout
	err := s.Checkouts.InTx(ctx, p.ID, func(tx ports.Purchase) error {
		c, err := tx.Lock(ctx, l.Checkout)
		if err != nil {
			return err
		}
		now := s.Clock.Now()
		if !c.Lapsed(now) {
			return errNotMine
		}
		if err := c.Renew(c.Attempt(), now); err != nil {
			return err
		}
		mine = c
		return tx.Save(ctx, c)
	})
	if err != nil {
		return err
	}
	return s.resolve(ctx, p, mine)
}

// resolve asks the provider what became of an attempt, and records it. The caller holds its lease.
func (s *Service) resolve(ctx context.Context, p *project.Project, c *checkout.Checkout) error {
	ctx = context.WithoutCancel(ctx)
	bounded, cancel := context.WithTimeout(ctx, chargeTimeout)
	defer cancel()
	outcome, err := s.Gateway.Resolve(bounded, p.ID, c.Charge().Key)
	if err != nil {
		s.Log.WarnContext(ctx, "payment still unresolved", "checkout", inLog(c.ID()), "attempt", c.Attempt(), "error", err)
		return s.release(ctx, p, c)
	}
	_, err = s.record(ctx, p, c.ID(), c.Attempt(), outcome)
	return err
}
