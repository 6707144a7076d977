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

// perAccount is how many attempts of one payment account are resolved concurrently: few enough for a provider's rate limit, and
// for a provider that hangs not to delay other accounts.
const perAccount = 4

// Reconciliation returns the job that resolves lapsed payment attempts, which no process works on because one died or a provider
// did not answer. It asks the provider for the outcome by the attempt's key, and retries later if the provider does not answer.
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
			return at.reconcile(ctx, t.Item())
		},
	}
}

func (s *Service) reconcile(ctx ports.Outbound, c *checkout.Checkout) error {
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

// resolve asks the provider for the outcome of an attempt, and records it. The caller holds the attempt's lease. If the provider
// does not answer, resolve ends the lease, so that a buyer who retries does not have to wait for its end.
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

// RecordOutcome records the outcome of an attempt, identified by its key, that a provider reported by webhook. It ignores outcomes that
// are known already and keys that are not of an attempt of the project. It leaves an attempt that is being charged to the
// request that charges it, because the provider's response has more details than its webhook, such as the card. Money for an
// attempt that was given up is recorded as an orphan charge.
func (s *Service) RecordOutcome(ctx context.Context, of id.Project, key string, outcome checkout.Outcome) error {
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
	_, err = s.recordFrom(context.WithoutCancel(ctx), p, checkoutID, attempt, outcome, notice)
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
