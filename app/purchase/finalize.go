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

// chargeTimeout bounds one charge with all of its tries. It is well under checkout.Lease, so that a
// lapsed attempt is never still being charged.
const chargeTimeout = 8 * time.Second

// ErrUnresolved means that nobody knows yet whether the buyer paid. The buyer asks again, with the
// same token, and is never charged twice.
var ErrUnresolved = fault.New(fault.Unavailable, "payment_unresolved",
	"The payment provider has not answered. Send the same finalize again: you will not be charged twice.").After(2 * time.Second)

// ErrCannotPay means that the shop's provider takes nothing from the shop at the moment.
var ErrCannotPay = fault.New(fault.Unavailable, "payment_unavailable",
	"The shop cannot take this payment at the moment. Nothing was charged.").After(time.Minute)

// FinalizeRequest pays a checkout.
type FinalizeRequest struct {
	Checkout id.Checkout
	Agent    agentid.Agent // that asks for it
	Revision int           // of the checkout that is to be paid; 0: whichever there is
	Method   project.PaymentMethod
	Token    string // never stored
	Client   string // who pays, as far as known: too many declines make a client wait
	Option   string // "" for the one selected at init
	Email    string
	Notes    string
	// Hook is where the agent hears of the order, unless the checkout has one. One that no requests may be sent to is left out:
	// it keeps nobody from paying.
	Hook checkout.Hook
	// Physical says that the protocol sells no digital items: a checkout that has some is refused, and stays as it is.
	Physical bool
}

// Result of a finalize: Placed or Declined.
type Result interface{ result() }

// Placed is the checkout's order.
type Placed struct {
	Order *order.Order
	// Checkout is the completed checkout where it is at hand; nil: it has to be read.
	Checkout *checkout.Checkout
	// Payer reports whether the request has the token that the order was paid with. Others may know the checkout's id:
	// the merchant's staff see it.
	Payer bool

	elsewhere bool // somebody else recorded the order
}

// Declined is a refused payment. The checkout may be paid again if it is pending.
type Declined struct {
	Outcome  checkout.Declined
	Checkout id.Checkout
	Status   checkout.Status
	Revision int          // the attempt may have chosen another way of shipping
	Total    money.Amount // that was to be paid
}

func (Placed) result()   {}
func (Declined) result() {}

// mostUncharged is how many attempts one finalize makes that the provider does not take. More than one
// in a row is the provider's fault.
const mostUncharged = 3

// mostChanges is how often a finalize begins anew because the project or the checkout was changed.
const mostChanges = 10

// Finalize pays a checkout. It is idempotent by checkout: however often and from however many places
// it is called, there is one attempt at a time and at most one order.
func (s *Service) Finalize(ctx ports.Outbound, p *project.Project, r FinalizeRequest) (Result, error) {
	f := &finalizing{
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
	if placed, ok := result.(Placed); ok && placed.elsewhere {
		c, unknown := s.Checkouts.Get(ctx, p.ID, r.Checkout)
		return Placed{Order: placed.Order, Payer: unknown == nil && paidWith(c, r.Token)}, err
	}
	return result, err
}

// paidWith reports whether a completed checkout was paid with a token.
func paidWith(c *checkout.Checkout, token string) bool {
	return c.Snapshot().Payment.TokenHash == id.Hash(token)
}

func (s *Service) finalize(ctx, waited ports.Outbound, f *finalizing) (Result, error) {
	uncharged, changed := 0, 0
	for pause := 20 * time.Millisecond; ; pause = min(2*pause, 320*time.Millisecond) {
		found, err := f.next(ctx)
		if changed < mostChanges && f.outdated(err) {
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
			result, err := s.takeUp(ctx, p, c, r.Token)
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
			// The provider will never take this attempt: it was asked about before. The next one is new.
			if uncharged++; uncharged == mostUncharged {
				return nil, checkout.ErrProcessing
			}
			f.restart()
		}
		if !f.wait(waited, pause, err) {
			return nil, cmp.Or(err, error(checkout.ErrProcessing))
		}
	}
}

// ofPayer notes whether the request has the token of the attempt that the result is of.
func ofPayer(r Result, payer bool) Result {
	if placed, ok := r.(Placed); ok {
		placed.Payer = payer
		return placed
	}
	return r
}

// charge asks the provider for the money, outside of any transaction, and records the outcome. It goes
// on when the client hangs up: what is charged must be recorded. No result means that the attempt was not
// charged and counts as none.
func (s *Service) charge(ctx ports.Outbound, p *project.Project, of attempt, token string) (Result, error) {
	c := of.checkout
	ctx = ctx.WithoutCancel()
	bounded, cancel := ctx.WithTimeout(chargeTimeout)
	defer cancel()
	outcome, err := s.ask(bounded, of, chargeRequest(p, c, token))
	if errors.Is(err, ports.ErrCredentialsRefused) || errors.Is(err, ports.ErrAccountRefused) {
		s.Log.ErrorContext(ctx, "the provider refuses the shop's credentials or account", "provider", c.Charge().Route.Provider, "project", p.ID, "error", err)
		_, err = s.record(ctx, p, c.ID(), c.Attempt(), checkout.NotCharged{})
		return nil, cmp.Or(err, error(ErrCannotPay))
	}
	if err != nil {
		s.count(nil, nil)
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

// takeUp finds the outcome of a lapsed attempt, whose lease the caller holds. A buyer with the same token has the
// identical charge repeated under the attempt's key: a provider that charged answers what it answered before, and
// one that did not charges now. The amount, the method and the
// shipping option are those of the attempt, whatever the request says now. If the answer is unclear, for a
// provider may also have kept an error for it, the attempt is resolved as any other.
func (s *Service) takeUp(ctx ports.Outbound, p *project.Project, of lapsed, token string) (Result, error) {
	if !of.again {
		return s.resolve(ctx, p, of.checkout)
	}
	ctx = ctx.WithoutCancel()
	bounded, cancel := ctx.WithTimeout(chargeTimeout)
	defer cancel()
	r := chargeRequest(p, of.checkout, token)
	r.Again = true
	outcome, err := s.ask(bounded, of.attempt, r)
	if err == nil {
		return s.record(ctx, p, of.checkout.ID(), of.checkout.Attempt(), outcome)
	}
	s.Log.InfoContext(ctx, "repeated charge is unclear", "checkout", inLog(of.checkout.ID()), "attempt", of.checkout.Attempt(), "error", err)
	late := errors.Is(err, errTooLate) // the timer was received from, and fires once
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

// ask is the charge between the two points at which it may be cut off.
func (s *Service) ask(ctx ports.Outbound, of attempt, r ports.ChargeRequest) (checkout.Outcome, error) {
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

// release ends the attempt's lease, so that whoever comes next may ask for its outcome at once, and
// tells the merchant, once, that nobody knows it. A search that is not at its end yet goes on from there.
func (s *Service) release(ctx context.Context, p *project.Project, c *checkout.Checkout, cause error) {
	err := s.Checkouts.InTx(ctx, p.ID, func(tx ports.Purchase) error {
		current, now, err := tx.Lock(ctx, c.ID())
		if err != nil {
			return err
		}
		first, err := leave(current, c.Attempt(), cause, now)
		if err != nil {
			return nil // decided meanwhile
		}
		var e *event.Event
		if first {
			e = s.unresolved(current, now)
		}
		return tx.Save(ctx, current, e)
	})
	if err != nil {
		s.Log.WarnContext(ctx, "lease left to lapse by itself", "checkout", inLog(c.ID()), "error", err)
	}
	s.placed()
}

// leave ends the lease of an attempt whose outcome cause kept from being known.
func leave(c *checkout.Checkout, attempt int, cause error, now time.Time) (first bool, err error) {
	c.Problem(attempt, ports.Problem(cause))
	var looking ports.StillLooking
	if errors.As(cause, &looking) {
		return c.KeepLooking(attempt, looking.Progress, now)
	}
	return c.Release(attempt, now)
}

// unresolved is the event that nobody knows the outcome of an attempt.
func (s *Service) unresolved(c *checkout.Checkout, now time.Time) *event.Event {
	return event.New(s.Entropy.IDBits(), c.Snapshot().Project, now, event.UnresolvedPayment(c))
}

func (s *Service) placed() {
	if s.Placed != nil {
		s.Placed()
	}
}
