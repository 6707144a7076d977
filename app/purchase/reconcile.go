package purchase

import (
	"context"
	"errors"
	"time"

	"github.com/haggle-commerce/haggle/app/failpoint"
	"github.com/haggle-commerce/haggle/app/jobs"
	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/ports"
)

// perAccount is how many attempts at one payment account are asked about at once: fewer than a provider would
// mind, and few enough that one without answers delays nobody else's.
const perAccount = 4

// Reconciliation decides checkouts whose attempt nobody looks after, because a process died or a provider did
// not answer: it asks the provider by the attempt's key. A provider without answer is asked again later.
func (s *Service) Reconciliation() jobs.Job[*checkout.Checkout] {
	return jobs.Job[*checkout.Checkout]{
		Name:  "reconcile payments",
		Queue: s.Lapsed,
		Limits: jobs.Limits{
			Slots: 32,
			Slow:  16,
			Each:  perAccount,
			Long:  chargeTimeout / 2,
		},
		Lease: checkout.Lease,
		Poll:  2 * time.Second,
		Clock: s.Clock,
		Log:   s.Log,
		Work: func(ctx ports.Outbound, t jobs.Task[*checkout.Checkout]) error {
			at := *s
			at.Clock = t.Clock
			return at.decide(ctx, t.Item())
		},
	}
}

func (s *Service) decide(ctx ports.Outbound, c *checkout.Checkout) error {
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
func (s *Service) resolve(ctx ports.Outbound, p *project.Project, c *checkout.Checkout) (Result, error) {
	ctx = ctx.WithoutCancel()
	bounded, cancel := ctx.WithTimeout(chargeTimeout)
	defer cancel()
	outcome, err := s.Gateway.Resolve(bounded, ports.ChargeRequest{
		Project:  p.ID,
		Checkout: c.ID(),
		Charge:   c.Charge(),
	})
	if err != nil {
		s.Log.WarnContext(ctx, "payment still unresolved", "checkout", inLog(c.ID()), "attempt", c.Attempt(), "error", err)
		s.release(ctx, p, c, err)
		return nil, ErrUnresolved
	}
	if err := failpoint.At(ctx, failpoint.Resolved); err != nil {
		return nil, err
	}
	result, err := s.record(ctx, p, c.ID(), c.Attempt(), outcome)
	if errors.Is(err, errTaken) {
		s.release(ctx, p, c, errTaken)
	}
	return result, err
}

// Heard records what a provider told by itself about an attempt, by its key. What is known already, and
// what is no attempt of the project, changes nothing. An attempt that is just being charged is left to
// whoever charges it: the provider's answer says more than its notice, for one thing which card it was. Money
// for an attempt that was given up is an orphan charge.
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
	if err != nil {
		return ignoreMissing(err)
	}
	_, paid := outcome.(checkout.Paid)
	current := c.Status() == checkout.Processing && c.Attempt() == attempt
	if attempt > c.Attempt() || !current && !paid {
		return nil
	}
	_, err = s.recordAs(context.WithoutCancel(ctx), p, checkoutID, attempt, outcome, notice)
	if errors.Is(err, checkout.ErrProcessing) || errors.Is(err, errTaken) {
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
