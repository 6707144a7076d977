package porttest

import (
	"time"

	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/domain/event"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/order"
	"github.com/haggle-commerce/haggle/ports"
)

// Attempted is a checkout that is being paid since a time.
func (s *Shop) Attempted(at time.Time) *checkout.Checkout {
	s.T.Helper()
	c, err := s.claimAt(s.Checkout(s.Session(), Line(s.Product(50), 1)).ID(), at)
	s.Must(err)
	return c
}

// AskInVain leaves the attempt of a checkout unresolved once more.
func (s *Shop) AskInVain(of id.Checkout, at time.Time) {
	s.T.Helper()
	s.Must(s.Checkouts.InTx(s.Ctx, s.Project.ID, func(tx ports.Purchase) error {
		c, _, err := tx.Lock(s.Ctx, of)
		if err != nil {
			return err
		}
		c.Problem(c.Attempt(), "No answer.")
		if _, err := c.Release(c.Attempt(), at); err != nil {
			return err
		}
		return tx.Save(s.Ctx, c, nil)
	}))
}

// UnresolvedCheckout is a checkout whose attempt began at a time and whose provider did not report its outcome.
func (s *Shop) UnresolvedCheckout(at time.Time) *checkout.Checkout {
	s.T.Helper()
	c := s.Attempted(at)
	s.AskInVain(c.ID(), at)
	return c
}

// UnresolvedRefund is a refund that was requested at a time and whose provider did not report its outcome.
func (s *Shop) UnresolvedRefund(at time.Time) order.Refund {
	s.T.Helper()
	refund := Random[id.Refund]()
	of := s.Order(1)
	c := s.CarryOn(of.ID, func(c *order.Case) error {
		s.Must(c.Refund(refund, Pointer(USD(100)), "Broken", at))
		return c.PostponeRefund(refund, "No answer.", at)
	})
	return *c.FindRefund(refund)
}

// notCharged ends an attempt that was never charged.
func notCharged(c *checkout.Checkout) (ports.Settlement, error) {
	back, err := c.PutBack(c.Attempt())
	return ports.Settlement{Checkout: c, PutBack: back}, err
}

func AlertPayments(s *Shop) (bool, error) { return s.Late.UnresolvedPayments(s.Ctx, 2, Announce) }

func AlertRefunds(s *Shop) (bool, error) { return s.Late.UnresolvedRefunds(s.Ctx, 2, Announce) }

// alerts expects so many events in all at times since noon, each a millisecond before and at the time.
func (s *Shop) alerts(work Announcing, of event.Type, at time.Duration, want int) {
	s.T.Helper()
	for _, step := range []struct {
		at   time.Duration
		want int
	}{{at - time.Millisecond, want - 1}, {at, want}, {at, want}} {
		s.SetClock(Noon.Add(step.at))
		Same(s.T, "announced after "+step.at.String(), len(s.Announced(work, of)), step.want)
	}
}

func AnnounceUnresolvedPayment(s *Shop) {
	s.Attempted(Noon) // whose provider was not asked yet
	c := s.UnresolvedCheckout(Noon)
	s.alerts(AlertPayments, event.PaymentUnresolvedType, checkout.AlertAfter, 1)
	first := s.Announced(AlertPayments, event.PaymentUnresolvedType)[0]
	Same(s.T, "data", first, map[string]any{
		"checkout_id": c.ID().String(), "attempt": 1.0, "amount": first["amount"], "currency": "USD", "method": "psp_spt", "provider": "sandbox",
		"since": Noon.Format(time.RFC3339), "times_asked": 1.0, "problem": "No answer.",
	})
	listed, _, err := s.Unresolved.UnresolvedPayments(s.Ctx, s.Project.ID, ports.PaymentFilter{}, ports.Page{Limit: 1})
	s.Must(err)
	Same(s.T, "alerted", listed[0].AlertedAt, Noon.Add(checkout.AlertAfter))
	s.alerts(AlertPayments, event.PaymentUnresolvedType, checkout.AlertAfter+checkout.AlertEvery, 2)
	s.alerts(AlertPayments, event.PaymentUnresolvedType, checkout.AlertAfter+2*checkout.AlertEvery, 3)

	// The alerts of an attempt that is over do not delay those of the next one.
	next := checkout.AlertAfter + 2*checkout.AlertEvery + time.Minute
	s.Must(s.Settle(c.ID(), notCharged))
	Same(s.T, "announced once it is decided", len(s.Announced(AlertPayments, event.PaymentUnresolvedType)), 3)
	s.reopen(c, Noon.Add(next))
	listed, _, err = s.Unresolved.UnresolvedPayments(s.Ctx, s.Project.ID, ports.PaymentFilter{}, ports.Page{Limit: 1})
	s.Must(err)
	Same(s.T, "alerted to the next attempt", listed[0].AlertedAt, time.Time{})
	s.alerts(AlertPayments, event.PaymentUnresolvedType, next+checkout.AlertAfter, 4)
}

// reopen begins another attempt at a time when the checkout has expired, which it has not.
func (s *Shop) reopen(c *checkout.Checkout, at time.Time) {
	s.T.Helper()
	s.Must(s.Checkouts.InTx(s.Ctx, s.Project.ID, func(tx ports.Purchase) error {
		locked, _, err := tx.Lock(s.Ctx, c.ID())
		if err != nil {
			return err
		}
		snapshot := locked.Snapshot()
		snapshot.Status, snapshot.Attempt, snapshot.ClaimedAt, snapshot.RetryAt, snapshot.LeaseUntil = checkout.Processing, 2, at, at, at
		return tx.Save(s.Ctx, checkout.Rehydrate(snapshot), nil)
	}))
}

func AnnounceUnresolvedRefund(s *Shop) {
	r := s.UnresolvedRefund(Noon)
	s.alerts(AlertRefunds, event.RefundUnresolvedType, checkout.AlertAfter, 1)
	Same(s.T, "data", s.Announced(AlertRefunds, event.RefundUnresolvedType)[0], map[string]any{
		"refund_id": r.ID.String(), "order_id": r.Order.String(), "payment_id": r.Payment.String(), "amount": 1.0, "currency": "USD",
		"provider": "sandbox", "since": Noon.Format(time.RFC3339), "times_asked": 1.0, "problem": "No answer.",
	})
	listed, _, err := s.Unresolved.UnresolvedRefunds(s.Ctx, s.Project.ID, ports.RefundFilter{}, ports.Page{Limit: 1})
	s.Must(err)
	Same(s.T, "alerted", listed[0].AlertedAt, Noon.Add(checkout.AlertAfter))
	s.alerts(AlertRefunds, event.RefundUnresolvedType, checkout.AlertAfter+checkout.AlertEvery, 2)
	s.CarryOn(r.Order, func(c *order.Case) error {
		return c.SettleRefund(r.ID, order.Refunded{Provider: "re_1"}, Random[id.Event](), Noon.Add(time.Hour))
	})
	s.SetClock(Noon.Add(checkout.AlertAfter + 2*checkout.AlertEvery))
	Same(s.T, "announced once it is decided", len(s.Announced(AlertRefunds, event.RefundUnresolvedType)), 2)
}
