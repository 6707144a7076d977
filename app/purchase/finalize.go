package purchase

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/haggle-commerce/haggle/domain/agent"
	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
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

// FinalizeRequest pays a checkout.
type FinalizeRequest struct {
	Checkout id.Checkout
	Method   string
	Token    string // never stored
	Option   string // "" for the one selected at init
	Email    string
	Notes    string
}

// Result of a finalize: an Order, or a Declined payment.
type Result struct {
	Order    *order.Order
	Declined *Declined
}

// Declined is a refused payment.
type Declined struct {
	Outcome      checkout.Declined
	Checkout     id.Checkout
	Status       checkout.Status
	RetryAllowed bool
}

// mostUncharged is how many attempts one finalize makes that the provider does not take. More than one
// in a row is the provider's fault.
const mostUncharged = 3

// Finalize pays a checkout. It is idempotent by checkout: however often and from however many places
// it is called, there is one attempt at a time and at most one order.
func (s *Service) Finalize(ctx context.Context, p *project.Project, r FinalizeRequest) (Result, error) {
	patience := s.Patience
	if patience == 0 {
		patience = 10 * time.Second
	}
	waited, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	asked, uncharged := false, 0
	for pause := 20 * time.Millisecond; ; pause = min(2*pause, 320*time.Millisecond) {
		if !asked {
			if err := s.consent(ctx, p, r.Checkout); err != nil {
				return Result{}, err
			}
			asked = true
		}
		c, err := s.claim(ctx, p, r)
		switch {
		case err == nil && c.done != nil:
			return Result{Order: c.done}, nil
		case err == nil && c.resolve:
			if err := s.resolve(ctx, p, c.checkout); err != nil {
				return Result{}, err
			}
			asked = false // what comes next is a new attempt
			continue
		case err == nil:
			result, err := s.charge(ctx, p, c.checkout, r.Token)
			if err != nil || result != (Result{}) {
				return result, err
			}
			// The provider will never take this attempt: it was asked about before. The next one is new.
			if uncharged++; uncharged == mostUncharged {
				return Result{}, checkout.ErrProcessing
			}
			asked = false
		case !errors.Is(err, checkout.ErrProcessing):
			return Result{}, err
		}
		select {
		case <-waited.Done():
			return Result{}, checkout.ErrProcessing
		case <-time.After(pause):
		}
	}
}

// consent asks the agent, before any transaction, whether a checkout that could be paid may be.
func (s *Service) consent(ctx context.Context, p *project.Project, id id.Checkout) error {
	c, err := s.Checkouts.Get(ctx, p.ID, id)
	if err != nil || c.Payable(s.Clock.Now()) != nil {
		return err // what is not payable, the claim answers
	}
	verdict, err := s.Agent.Finalize(ctx, agent.FinalizeEvent{Project: p, Checkout: c, Total: c.Total()})
	if err == nil && verdict.Refused {
		err = fault.New(fault.Conflict, "finalize_refused", verdict.Reason)
	}
	return err
}

// claimed is what came of a claim: an order that is there already, a lapsed attempt of another token
// to be resolved first, or an attempt to be charged now.
type claimed struct {
	done     *order.Order
	resolve  bool
	checkout *checkout.Checkout
}

// claim is the first transaction: the checkout becomes processing, and its stock is taken.
func (s *Service) claim(ctx context.Context, p *project.Project, r FinalizeRequest) (result claimed, err error) {
	var refusal error // to be answered although the transaction commits
	payment := checkout.Payment{
		Method: r.Method, TokenHash: id.Hash(r.Token), Email: r.Email, Notes: r.Notes, Option: r.Option,
	}
	err = s.Checkouts.InTx(ctx, p.ID, func(tx ports.Purchase) error {
		result, refusal = claimed{}, nil
		now := s.Clock.Now()
		c, err := tx.Lock(ctx, r.Checkout)
		if err != nil {
			return err
		}
		result.checkout = c
		switch {
		case c.Status() == checkout.Completed:
			return nil
		case c.Lapsed(now):
			result.resolve = c.Snapshot().Payment.TokenHash != payment.TokenHash
			if err := c.Renew(c.Attempt(), now); err != nil {
				return err
			}
			return tx.Save(ctx, c)
		}
		if refusal = c.Payable(now); refusal != nil {
			if c.Expire(now) == nil {
				return tx.Save(ctx, c)
			}
			return refusal
		}
		return s.take(ctx, tx, c, payment, now)
	})
	switch {
	case err != nil:
		return claimed{}, err
	case refusal != nil:
		return claimed{}, refusal
	case result.checkout.Status() == checkout.Completed:
		result.done, err = s.Orders.ByCheckout(ctx, p.ID, r.Checkout)
	}
	return result, err
}

// take claims a payable checkout with the stock it needs.
func (s *Service) take(ctx context.Context, tx ports.Purchase, c *checkout.Checkout, payment checkout.Payment, now time.Time) error {
	levels, err := tx.Stock(ctx, c.Needs())
	if err != nil {
		return err
	}
	takes, short := catalog.Allocate(c.Needs(), levels)
	if len(short) > 0 {
		return outOfStock(c, short)
	}
	if err := c.Claim(payment, takes, now); err != nil {
		return err
	}
	return tx.Claim(ctx, c)
}

func outOfStock(c *checkout.Checkout, short []catalog.Need) error {
	e := fault.New(fault.Conflict, "out_of_stock", "There is not enough stock. Nothing was charged.")
	for i, line := range c.Snapshot().Lines {
		at := slices.IndexFunc(short, func(n catalog.Need) bool { return n.Variant == line.Variant })
		if at >= 0 {
			e.With(itemField(i, "quantity"), fmt.Sprintf("only %d of %s left", short[at].Quantity, strings.TrimSpace(line.Name+" "+line.Label)))
		}
	}
	return e
}

// charge asks the provider for the money, outside of any transaction, and records the outcome. It goes
// on when the client hangs up: what is charged must be recorded. The zero Result means that the attempt
// was not charged and counts as none.
func (s *Service) charge(ctx context.Context, p *project.Project, c *checkout.Checkout, token string) (Result, error) {
	ctx = context.WithoutCancel(ctx)
	bounded, cancel := context.WithTimeout(ctx, chargeTimeout)
	defer cancel()
	outcome, err := s.Gateway.Charge(bounded, ports.ChargeRequest{
		Project: p.ID, Checkout: c.ID(), Charge: c.Charge(), Token: token,
	})
	if err != nil {
		s.count(nil)
		s.Log.WarnContext(ctx, "payment unresolved", "checkout", inLog(c.ID()), "attempt", c.Attempt(), "error", err)
		return Result{}, s.release(ctx, p, c)
	}
	return s.record(ctx, p, c.ID(), c.Attempt(), outcome)
}

// release ends the attempt's lease, so that whoever comes next may ask for its outcome at once.
func (s *Service) release(ctx context.Context, p *project.Project, c *checkout.Checkout) error {
	err := s.Checkouts.InTx(ctx, p.ID, func(tx ports.Purchase) error {
		now, err := tx.Lock(ctx, c.ID())
		if err != nil {
			return err
		}
		if now.Release(c.Attempt(), s.Clock.Now()) != nil {
			return nil // decided meanwhile
		}
		return tx.Save(ctx, now)
	})
	if err != nil {
		s.Log.WarnContext(ctx, "lease left to lapse by itself", "checkout", inLog(c.ID()), "error", err)
	}
	return ErrUnresolved
}

// record is the second transaction: everything that follows from the outcome, or nothing. If the
// attempt was decided by somebody else meanwhile, their outcome is the answer.
func (s *Service) record(ctx context.Context, p *project.Project, checkoutID id.Checkout, attempt int, outcome checkout.Outcome) (Result, error) {
	var result Result
	err := s.Checkouts.InTx(ctx, p.ID, func(tx ports.Purchase) error {
		c, err := tx.Lock(ctx, checkoutID)
		if err != nil {
			return err
		}
		result = Result{}
		settlement, err := s.settle(p, c, attempt, outcome)
		if err != nil {
			return err
		}
		if declined, ok := outcome.(checkout.Declined); ok {
			result.Declined = &Declined{declined, c.ID(), c.Status(), c.Status() == checkout.Pending}
		}
		result.Order = settlement.Order
		return tx.Settle(ctx, settlement)
	})
	if errors.Is(err, checkout.ErrStale) {
		if o, found := s.Orders.ByCheckout(ctx, p.ID, checkoutID); found == nil {
			return Result{Order: o}, nil
		}
		return s.late(ctx, p, checkoutID, attempt, outcome)
	}
	if err != nil {
		s.Log.ErrorContext(ctx, "payment outcome not recorded yet; the reconciler will", "checkout", inLog(checkoutID), "error", err)
		return Result{}, ErrUnresolved
	}
	s.count(outcome)
	return result, nil
}

// count counts an attempt by its outcome; nil is one that nobody knows.
func (s *Service) count(outcome checkout.Outcome) {
	if s.Meter == nil {
		return
	}
	result := "unresolved"
	switch outcome.(type) {
	case checkout.Paid:
		result = "paid"
	case checkout.Declined:
		result = "declined"
	case checkout.NotCharged:
		result = "not_charged"
	}
	s.Meter.Paid(result)
}

// late answers an outcome that somebody else recorded first, and no order came of it.
func (s *Service) late(ctx context.Context, p *project.Project, checkoutID id.Checkout, attempt int, outcome checkout.Outcome) (Result, error) {
	switch o := outcome.(type) {
	case checkout.Paid:
		s.Log.ErrorContext(ctx, "the provider took money for an attempt that was given up: refund it",
			"charge", o.Provider, "checkout", inLog(checkoutID), "attempt", attempt)
	case checkout.Declined:
		c, err := s.Checkouts.Get(ctx, p.ID, checkoutID)
		if err == nil && (c.Status() == checkout.Pending || c.Status() == checkout.Canceled) {
			return Result{Declined: &Declined{o, c.ID(), c.Status(), c.Status() == checkout.Pending}}, nil
		}
	}
	return Result{}, ErrUnresolved
}

// inLog names a checkout in the log. Its id is a capability and stays out of it (decisions 5).
func inLog(c id.Checkout) string { return id.Hash(c.String())[:12] }

// settle moves the checkout by the outcome and says what else is to be stored.
func (s *Service) settle(p *project.Project, c *checkout.Checkout, attempt int, outcome checkout.Outcome) (ports.Settlement, error) {
	settlement := ports.Settlement{Checkout: c}
	var err error
	switch o := outcome.(type) {
	case checkout.Paid:
		if err = c.Complete(attempt); err != nil {
			return settlement, err
		}
		settlement.Order, settlement.Event = s.place(p, c, o)
	case checkout.Declined:
		settlement.PutBack, err = c.Decline(attempt, !o.Final)
	case checkout.NotCharged:
		settlement.PutBack, err = c.PutBack(attempt)
	default:
		err = fmt.Errorf("purchase: unknown outcome %T", outcome)
	}
	return settlement, err
}

// confirmation is an order's number to read aloud: HG-7K2M-9QXA.
func (s *Service) confirmation() string {
	text := strings.ToUpper(s.Entropy.Secret(5))
	return "HG-" + text[:4] + "-" + text[4:8]
}
