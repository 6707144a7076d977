package purchase

import (
	"context"
	"time"

	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/domain/event"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/order"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/ports"
)

// ManualResolution is a person's decision about a payment attempt whose outcome the provider does not report.
type ManualResolution struct {
	Checkout id.Checkout
	Attempt  int // 0: the one in flight
	Charged  bool
	Charge   string // the provider's id of the charge, if charged
	Reason   string
}

// Resolved is an attempt that a person decided.
type Resolved struct {
	Attempt int
	Amount  money.Amount
	Route   project.PaymentRoute
	Order   *order.Order // nil: not charged
}

// Decidable returns nil if a person can decide an attempt of a checkout now, or the reason why not. attempt 0 is the one in
// flight.
func (s *Service) Decidable(ctx context.Context, of id.Project, c id.Checkout, attempt int) error {
	found, err := s.Checkouts.PayAttempts(ctx, of, c, "", checkout.DeclineWindow)
	if err != nil {
		return err
	}
	return found.Checkout.Decidable(attempt, found.Now)
}

// CheckResolution checks a person's decision, and asks the provider which attempt a named charge belongs to. It writes nothing.
func (s *Service) CheckResolution(ctx ports.Outbound, of id.Project, r ManualResolution) error {
	if err := checkout.CheckDecision(r.Charged, r.Charge, "provider_charge_id", r.Reason); err != nil {
		return err
	}
	if err := s.checkOrphan(ctx, of, r.Charge); err != nil {
		return err
	}
	return s.checkOrigin(ctx, of, r)
}

// ResolveManually records a person's decision about an attempt as if it were the provider's response. The caller must call
// CheckResolution first. It returns Conflict for an attempt that is being resolved, or is too young (checkout.Decidable). If the
// provider reports a charge after the decision not charged, it becomes an orphan charge and is refunded.
func (s *Service) ResolveManually(ctx context.Context, p *project.Project, r ManualResolution) (Resolved, error) {
	var outcome checkout.Outcome = checkout.NotCharged{}
	if r.Charged {
		outcome = checkout.Paid{Provider: r.Charge}
	}
	var resolved Resolved
	var completed *checkout.Checkout
	err := s.Checkouts.InTx(ctx, p.ID, func(tx ports.Purchase) error {
		c, now, err := tx.Lock(ctx, r.Checkout)
		if err != nil {
			return err
		}
		if err := c.DecideManually(r.Attempt, now); err != nil {
			return err
		}
		charge := c.Charge()
		resolved = Resolved{
			Attempt: c.Attempt(),
			Amount:  charge.Amount,
			Route:   charge.Route,
		}
		if r.Charged {
			if err := s.checkCharge(charge, r.Charge); err != nil {
				return err
			}
		}
		settlement, err := s.settle(p, c, c.Attempt(), outcome, now)
		if err != nil {
			return err
		}
		resolved.Order, completed = settlement.Order, nil
		if settlement.Order != nil {
			completed = c
		}
		return tx.Settle(ctx, settlement)
	})
	if err != nil {
		return Resolved{}, err
	}
	s.Log.WarnContext(ctx, "a person decided a payment attempt", "project", p.ID.String(), "checkout", inLog(r.Checkout),
		"attempt", resolved.Attempt, "charged", r.Charged)
	s.countOutcome(outcome, completed)
	s.outboxWritten()
	return resolved, nil
}

// checkCharge checks the id of a charge that a person entered.
func (s *Service) checkCharge(c checkout.Charge, named string) error {
	const field = "provider_charge_id"
	switch names, known := s.Gateway.(ports.ChargeNames); {
	case c.Route.Provider == project.SandboxProvider && named == "":
	case named == "":
		return fault.Field(field, "is required: refunds and reconciliation need it")
	case known && names.ChargeForm(c.Route, named) != "":
		return fault.Field(field, names.ChargeForm(c.Route, named))
	}
	return nil
}

// checkOrigin asks the provider for the origin of a charge. It refuses a charge that belongs to another payment attempt, of this
// project or of another one with the same account, and a charge that the account does not have. If the provider does not
// answer, the person's decision is accepted, because that is the case which people decide.
func (s *Service) checkOrigin(ctx ports.Outbound, of id.Project, r ManualResolution) error {
	gateway, ok := s.Gateway.(ports.ChargeGateway)
	if r.Charge == "" || !ok {
		return nil
	}
	c, err := s.Checkouts.Get(ctx, of, r.Checkout)
	if err != nil {
		return err
	}
	charge := c.Charge()
	if c.Status() != checkout.Processing || s.checkCharge(charge, r.Charge) != nil {
		return nil // refused under the lock
	}
	ctx, cancel := ctx.WithTimeout(chargeTimeout)
	defer cancel()
	key, err := gateway.ChargeKey(ctx, of, charge.Route, r.Charge)
	switch {
	case fault.KindOf(err) == fault.NotFound:
		return fault.Field("provider_charge_id", "is not a charge of the connected account")
	case err == nil && key != "" && key != charge.Key:
		return fault.New(fault.Conflict, "charge_of_another_payment", "The charge belongs to another payment attempt at the provider.")
	}
	return nil
}

// checkOrphan refuses a charge that is an orphan charge, which is refunded. The store refuses a charge of another order.
func (s *Service) checkOrphan(ctx context.Context, of id.Project, charge string) error {
	if charge == "" {
		return nil
	}
	orphans, _, err := s.Orphans.Orphans(ctx, of, ports.OrphanFilter{Charge: charge}, ports.Page{Limit: 1})
	if err == nil && len(orphans) > 0 {
		return fault.New(fault.Conflict, "charge_orphaned", "The charge is recorded as orphaned and is being refunded.")
	}
	return err
}

// OrphanResolution is a person's decision about the refund of an orphan charge.
type OrphanResolution struct {
	Orphan    string
	Succeeded bool
	Refund    string // the provider's id of the refund, if it succeeded
	Reason    string
}

// OrphanDecidable returns an orphan charge, and an error if a person cannot decide its refund now.
func (s *Service) OrphanDecidable(ctx context.Context, of id.Project, r OrphanResolution) (*checkout.Orphan, error) {
	list, _, err := s.Orphans.Orphans(ctx, of, ports.OrphanFilter{ID: r.Orphan}, ports.Page{Limit: 1})
	if err != nil {
		return nil, err
	}
	if len(list) == 0 {
		return nil, fault.Missing("orphan")
	}
	return &list[0], list[0].Decidable(r.Succeeded, s.Clock.Now())
}

// ResolveOrphan records a person's decision about the refund of an orphan charge as if it were the provider's response. It
// returns Conflict for a refund that the provider still decides, or that is too young (checkout.Orphan.Decidable). If the
// provider reports a failure later, it is booked as a reversal; a success after the decision failed is booked as a refund.
func (s *Service) ResolveOrphan(ctx context.Context, of id.Project, r OrphanResolution) (*checkout.Orphan, error) {
	if err := checkout.CheckDecision(r.Succeeded, r.Refund, "provider_refund_id", r.Reason); err != nil {
		return nil, err
	}
	o, err := s.OrphanDecidable(ctx, of, r)
	if err != nil {
		return nil, err
	}
	if r.Succeeded {
		if err := s.checkOrphanRefund(ctx, o, r.Refund); err != nil {
			return nil, err
		}
	}
	err = s.Orphans.ChangeOrphan(ctx, of, r.Orphan, func(locked *checkout.Orphan, now time.Time) (*event.Event, error) {
		if err := locked.DecideManually(r.Succeeded, r.Refund, now); err != nil {
			return nil, err
		}
		*o = *locked
		return s.orphanEvent(locked, now), nil
	})
	if err != nil {
		return nil, err
	}
	s.Log.WarnContext(ctx, "a person decided the refund of an orphaned charge", "project", of.String(), "orphan", r.Orphan, "succeeded", r.Succeeded)
	s.outboxWritten()
	return o, nil
}

// checkOrphanRefund checks the id of a refund that a person entered. No other refund of the project may have it.
func (s *Service) checkOrphanRefund(ctx context.Context, o *checkout.Orphan, named string) error {
	switch {
	case named == "" && o.Route.Provider == project.SandboxProvider:
		return nil
	case named == "":
		return fault.Field("provider_refund_id", "is required: reconciliation needs it")
	case named == o.Refund: // the refund that the provider reversed
		return order.ErrRefundTaken
	}
	known, err := s.Payments.FindMovements(ctx, o.Project, o.Route, []ports.Movement{{Refund: true, Provider: named}})
	for _, k := range known {
		if k.Provider == named && k.Key != "" {
			return order.ErrRefundTaken
		}
	}
	return err
}
