package purchase

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/haggle-commerce/haggle/app/failpoint"
	"github.com/haggle-commerce/haggle/domain/agentid"
	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/domain/event"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/order"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/ports"
)

// chargeTimeout limits one charge with all of its retries. It is well below checkout.Lease, so that a
// lapsed attempt is never still being charged.
const chargeTimeout = 8 * time.Second

// ErrUnresolved means that the outcome of the charge is not known yet. The buyer can retry with the same token, and is never
// charged twice.
var ErrUnresolved = fault.New(fault.Unavailable, "payment_unresolved",
	"The payment provider has not responded. Send the same finalize again: you will not be charged twice.").After(2 * time.Second)

// ErrCannotPay means that the shop's provider accepts no charges from the shop at the moment.
var ErrCannotPay = fault.New(fault.Unavailable, "payment_unavailable",
	"The shop cannot accept this payment at the moment. Nothing was charged.").After(time.Minute)

// FinalizeRequest pays a checkout.
type FinalizeRequest struct {
	Checkout id.Checkout
	Agent    agentid.Agent // that sends the request
	Revision int           // of the checkout that is to be paid; 0: any
	Method   project.PaymentMethod
	Token    string // never stored
	Client   string // who pays, as far as known; too many declines make a client wait
	Option   string // "": the one selected at init
	Email    string
	Notes    string
	// Hook is the webhook for the order, unless the checkout has one. An invalid one is ignored, so that it does not prevent
	// the payment.
	Hook checkout.Hook
	// Physical means that the protocol sells no digital items: a checkout that has some is refused and unchanged.
	Physical bool
}

// Result of a finalize: Placed or Declined.
type Result interface{ result() }

// Placed is the checkout's order.
type Placed struct {
	Order *order.Order
	// Checkout is the completed checkout, or nil if the caller has to read it.
	Checkout *checkout.Checkout
	// Payer reports whether the request has the token that the order was paid with. Not only the payer knows the checkout's
	// id, because the merchant's staff can see it.
	Payer bool

	recordedElsewhere bool // another request recorded the order
}

// Declined is a declined payment. The checkout may be paid again if it is pending.
type Declined struct {
	Outcome  checkout.Declined
	Checkout id.Checkout
	Status   checkout.Status
	Revision int          // of the checkout; the attempt may have selected another shipping option
	Total    money.Amount // of the attempt
}

func (Placed) result()   {}
func (Declined) result() {}

// maxUncharged is how many attempts one finalize makes if the provider reports NotCharged. More than one in a row is a fault
// of the provider.
const maxUncharged = 3

// maxChanges is how often a finalize starts over because the project or the checkout was changed.
const maxChanges = 10

// Finalize pays a checkout. It is idempotent by checkout: there is one attempt at a time and at most one order, even if several
// replicas are called concurrently.
func (s *Service) Finalize(ctx ports.Outbound, p *project.Project, r FinalizeRequest) (Result, error) {
	f := &finalization{
		Service: s,
		project: p,
		request: r,
		route:   p.PaymentRoute(r.Method, s.Sandbox),
		leave:   func() {},
	}
	defer func() { f.leave() }()
	patience := s.Patience
	if patience == 0 {
		patience = 10 * time.Second
	}
	waited, cancel := ctx.WithTimeout(patience)
	defer cancel()
	result, err := s.finalize(ctx, waited, f)
	if fault.Is(err, "token_redeemed") {
		return nil, cmp.Or(s.loseDeals(ctx, p.ID, r.Checkout), err)
	}
	if placed, ok := result.(Placed); ok && placed.recordedElsewhere {
		c, unknown := s.Checkouts.Get(ctx, p.ID, r.Checkout)
		return Placed{Order: placed.Order, Payer: unknown == nil && paidWith(c, r.Token)}, err
	}
	return result, err
}

// paidWith reports whether a completed checkout was paid with a token.
func paidWith(c *checkout.Checkout, token string) bool {
	return c.Snapshot().Payment.TokenHash == id.Hash(token)
}

func (s *Service) finalize(ctx, waited ports.Outbound, f *finalization) (Result, error) {
	uncharged, changed := 0, 0
	for pause := 20 * time.Millisecond; ; pause = min(2*pause, 320*time.Millisecond) {
		found, err := f.claimNext(ctx)
		if changed < maxChanges && f.outdated(err) {
			if err := f.reread(ctx); err != nil {
				return nil, err
			}
			changed++
			continue
		}
		p, r := f.project, f.request
		if err != nil && !errors.Is(err, checkout.ErrProcessing) && !errors.Is(err, checkout.ErrTooManyInFlight) {
			return nil, err
		}
		switch c := found.(type) {
		case paid:
			return Placed{
				Order:    c.order,
				Checkout: c.checkout,
				Payer:    paidWith(c.checkout, r.Token),
			}, nil
		case lapsed:
			result, err := s.resume(ctx, p, c, r.Token)
			if _, declined := result.(Declined); err != nil || result != nil && (c.same || !declined) {
				return ofPayer(result, c.same), err
			}
			f.restart()
			continue
		case attempt:
			result, err := s.charge(ctx, p, c, r.Token)
			if err != nil || result != nil {
				return ofPayer(result, true), err
			}
			// The provider will never charge this attempt, because it was resolved as not charged. Make a new one.
			if uncharged++; uncharged == maxUncharged {
				return nil, checkout.ErrProcessing
			}
			f.restart()
		}
		if !f.wait(waited, pause, err) {
			return nil, cmp.Or(err, error(checkout.ErrProcessing))
		}
	}
}

// ofPayer sets Payer if the result is Placed.
func ofPayer(r Result, payer bool) Result {
	if placed, ok := r.(Placed); ok {
		placed.Payer = payer
		return placed
	}
	return r
}

// charge charges the attempt, outside of any transaction, and records the outcome. It continues when the client hangs up,
// because a charge must be recorded. A nil result without an error means that the attempt was not charged and does not count.
func (s *Service) charge(ctx ports.Outbound, p *project.Project, of attempt, token string) (Result, error) {
	c := of.checkout
	ctx = ctx.WithoutCancel()
	bounded, cancel := ctx.WithTimeout(chargeTimeout)
	defer cancel()
	outcome, err := s.callCharge(bounded, of, chargeRequest(p, c, token))
	if errors.Is(err, ports.ErrCredentialsRefused) || errors.Is(err, ports.ErrAccountRefused) {
		s.Log.ErrorContext(ctx, "the provider refuses the shop's credentials or account", "provider", c.Charge().Route.Provider, "project", p.ID, "error", err)
		_, err = s.record(ctx, p, c.ID(), c.Attempt(), checkout.NotCharged{})
		return nil, cmp.Or(err, error(ErrCannotPay))
	}
	if err != nil {
		s.countOutcome(nil, nil)
		s.Log.WarnContext(ctx, "payment unresolved", "checkout", inLog(c.ID()), "attempt", c.Attempt(), "error", err)
		s.release(ctx, p, c, err)
		return nil, ErrUnresolved
	}
	return s.record(ctx, p, c.ID(), c.Attempt(), outcome)
}

func chargeRequest(p *project.Project, c *checkout.Checkout, token string) ports.ChargeRequest {
	return ports.ChargeRequest{
		Project:  p.ID,
		Checkout: c.ID(),
		Charge:   c.Charge(),
		Token:    token,
	}
}

// resume finds the outcome of a lapsed attempt, whose lease the caller holds. For a buyer with the same token it repeats the
// identical charge under the attempt's idempotency key: a provider that has charged repeats its response, another one charges
// now. Amount, method and shipping option are those of the attempt, not those of the request. If the response is unclear,
// because a provider may have stored an error under the key, the attempt is resolved like any other.
func (s *Service) resume(ctx ports.Outbound, p *project.Project, of lapsed, token string) (Result, error) {
	if !of.again {
		return s.resolve(ctx, p, of.checkout)
	}
	ctx = ctx.WithoutCancel()
	bounded, cancel := ctx.WithTimeout(chargeTimeout)
	defer cancel()
	r := chargeRequest(p, of.checkout, token)
	r.Again = true
	outcome, err := s.callCharge(bounded, of.attempt, r)
	if err == nil {
		return s.record(ctx, p, of.checkout.ID(), of.checkout.Attempt(), outcome)
	}
	s.Log.InfoContext(ctx, "repeated charge is unclear", "checkout", inLog(of.checkout.ID()), "attempt", of.checkout.Attempt(), "error", err)
	late := errors.Is(err, errTooLate) // then callCharge has received from the timer, which fires only once
	select {
	case <-of.late.C:
		late = true
	default:
	}
	if late { // another call of the provider might outlast the lease
		s.release(ctx, p, of.checkout, err)
		return nil, ErrUnresolved
	}
	return s.resolve(ctx, p, of.checkout)
}

var errTooLate = errors.New("it took too long to get here")

// callCharge calls the gateway between its two failpoints, unless too little of the lease is left.
func (s *Service) callCharge(ctx ports.Outbound, of attempt, r ports.ChargeRequest) (checkout.Outcome, error) {
	if err := failpoint.At(ctx, failpoint.BeforeCharge); err != nil {
		return nil, err
	}
	select {
	case <-of.late.C:
		return nil, errTooLate
	default:
	}
	outcome, err := s.Gateway.Charge(ctx, r)
	return outcome, cmp.Or(err, failpoint.At(ctx, failpoint.Charged))
}

// release ends the attempt's lease, so that its outcome can be resolved at once, and emits the event that it is unknown, only
// once. It stores the progress of a search at the provider that is not finished.
func (s *Service) release(ctx context.Context, p *project.Project, c *checkout.Checkout, cause error) {
	err := s.Checkouts.InTx(ctx, p.ID, func(tx ports.Purchase) error {
		current, now, err := tx.Lock(ctx, c.ID())
		if err != nil {
			return err
		}
		first, err := endLease(current, c.Attempt(), cause, now)
		if err != nil {
			return nil // decided meanwhile
		}
		var e *event.Event
		if first {
			e = s.unresolvedEvent(current, now)
		}
		return tx.Save(ctx, current, e)
	})
	if err != nil {
		s.Log.WarnContext(ctx, "lease left to lapse by itself", "checkout", inLog(c.ID()), "error", err)
	}
	s.outboxWritten()
}

// endLease ends the lease of an attempt whose outcome is unknown because of cause. first reports whether the attempt is
// unresolved for the first time.
func endLease(c *checkout.Checkout, attempt int, cause error, now time.Time) (first bool, err error) {
	c.Problem(attempt, ports.Problem(cause))
	var looking ports.StillLooking
	if errors.As(cause, &looking) {
		return c.KeepLooking(attempt, looking.Progress, now)
	}
	return c.Release(attempt, now)
}

// unresolvedEvent returns the event that the outcome of an attempt is unknown.
func (s *Service) unresolvedEvent(c *checkout.Checkout, now time.Time) *event.Event {
	return event.New(s.Entropy.IDBits(), c.Snapshot().Project, now, event.UnresolvedPayment(c))
}

func (s *Service) outboxWritten() {
	if s.Placed != nil {
		s.Placed()
	}
}
