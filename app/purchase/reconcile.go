package purchase

import (
	"context"
	"errors"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/haggle-commerce/haggle/app/failpoint"
	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/ports"
)

// Reconcile adopts at most adopted attempts at once, and asks about atOnce of them at the same time.
// Fewer than a provider would mind, and all of them within one lease.
const (
	adopted = 64
	atOnce  = 32
)

// Reconcile decides checkouts whose attempt nobody looks after, because a process died or a provider
// did not answer: it asks the provider by the attempt's key. It returns how many it decided. Any number
// of replicas may run it at once: an attempt that one has adopted the others leave alone for a lease. A
// provider without answer is asked again the next time.
func (s *Service) Reconcile(ctx context.Context) (decided int, err error) {
	for {
		now := s.Clock.Now()
		lapsed, err := s.Checkouts.Adopt(ctx, now, now.Add(checkout.Lease), adopted)
		if err != nil {
			return decided, err
		}
		n, err := s.adopt(ctx, lapsed)
		decided += n
		if err != nil || len(lapsed) < adopted || ctx.Err() != nil {
			return decided, err
		}
	}
}

// adopt resolves attempts that nobody else looks after.
func (s *Service) adopt(ctx context.Context, lapsed []*checkout.Checkout) (decided int, err error) {
	var mu sync.Mutex
	var group errgroup.Group
	group.SetLimit(atOnce)
	for _, c := range lapsed {
		group.Go(func() error {
			problem := s.decide(ctx, c)
			mu.Lock()
			defer mu.Unlock()
			if problem == nil {
				decided++
			}
			err = errors.Join(err, problem)
			return nil
		})
	}
	_ = group.Wait()
	return decided, err
}

func (s *Service) decide(ctx context.Context, c *checkout.Checkout) error {
	if err := failpoint.At(ctx, failpoint.Adopted); err != nil {
		return err
	}
	p, err := s.Storefronts.ByProject(ctx, c.Snapshot().Project)
	if err != nil {
		return err
	}
	_, err = s.resolve(ctx, p, c)
	return err
}

// resolve asks the provider what became of an attempt, and records it. The caller holds its lease, which
// ends if there is no answer: a buyer who asks again is not kept waiting.
func (s *Service) resolve(ctx context.Context, p *project.Project, c *checkout.Checkout) (Result, error) {
	ctx = context.WithoutCancel(ctx)
	bounded, cancel := context.WithTimeout(ctx, chargeTimeout)
	defer cancel()
	outcome, err := s.Gateway.Resolve(bounded, ports.ChargeRequest{Project: p.ID, Checkout: c.ID(), Charge: c.Charge()})
	if err != nil {
		s.Log.WarnContext(ctx, "payment still unresolved", "checkout", inLog(c.ID()), "attempt", c.Attempt(), "error", err)
		s.release(ctx, p, c, err)
		return Result{}, ErrUnresolved
	}
	if err := failpoint.At(ctx, failpoint.Resolved); err != nil {
		return Result{}, err
	}
	return s.record(ctx, p, c.ID(), c.Attempt(), outcome)
}

// Heard records what a provider told by itself about an attempt, by its key. What is known already, and
// what is no attempt of the project, changes nothing. An attempt that is just being charged is left to
// whoever charges it: the provider's answer says more than its notice, for one thing which card it was.
func (s *Service) Heard(ctx context.Context, of id.Project, key string, outcome checkout.Outcome) error {
	checkoutID, attempt, err := checkout.ParseAttemptKey(key)
	if err != nil {
		return nil
	}
	p, err := s.Storefronts.ByProject(ctx, of)
	if err != nil {
		return ignoreMissing(err)
	}
	c, err := s.Checkouts.Get(ctx, of, checkoutID)
	if err != nil || c.Status() != checkout.Processing || c.Attempt() != attempt {
		return ignoreMissing(err)
	}
	_, err = s.recordIf(context.WithoutCancel(ctx), p, checkoutID, attempt, outcome, (*checkout.Checkout).Lapsed)
	if errors.Is(err, checkout.ErrProcessing) {
		return nil
	}
	return err
}

func ignoreMissing(err error) error {
	if fault.KindOf(err) == fault.NotFound {
		return nil
	}
	return err
}
