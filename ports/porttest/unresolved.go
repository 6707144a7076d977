package porttest

import (
	"slices"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/domain/event"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/order"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/ports"
)

// Unresolved is the contract of ports.Unresolved. Each test has a database of its own, for ages are of all projects.
func Unresolved(t *testing.T, open Open) {
	for name, test := range map[string]func(*shop){
		"unresolved payments are listed": unresolvedPayments,
		"unresolved refunds are listed":  unresolvedRefunds,
		"ages are of the oldest":         unresolvedAges,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(openShop(t, open(t)))
		})
	}
}

// attempted is a checkout that is being paid since a time.
func (s *shop) attempted(at time.Time) *checkout.Checkout {
	s.t.Helper()
	c, err := s.claimAt(s.checkout(s.session(), line(s.product(50), 1)).ID(), at)
	s.must(err)
	return c
}

// askInVain leaves the attempt of a checkout unresolved once more.
func (s *shop) askInVain(of id.Checkout, at time.Time) {
	s.t.Helper()
	s.must(s.Checkouts.InTx(s.ctx, s.project.ID, func(tx ports.Purchase) error {
		c, _, err := tx.Lock(s.ctx, of)
		if err != nil {
			return err
		}
		c.Problem(c.Attempt(), "No answer.")
		if _, err := c.Release(c.Attempt(), at); err != nil {
			return err
		}
		return tx.Save(s.ctx, c, nil)
	}))
}

// unresolved is a checkout whose attempt began at a time and was asked about in vain.
func (s *shop) unresolved(at time.Time) *checkout.Checkout {
	s.t.Helper()
	c := s.attempted(at)
	s.askInVain(c.ID(), at)
	return c
}

// unresolvedRefund is one that was requested at a time and asked for in vain.
func (s *shop) unresolvedRefund(at time.Time) order.Refund {
	s.t.Helper()
	refund := random[id.Refund]()
	of := s.order(1)
	c := s.carryOn(of.ID, func(c *order.Case) error {
		s.must(c.Refund(refund, pointer(usd(100)), "Broken", at))
		return c.PostponeRefund(refund, "No answer.", at)
	})
	return *c.FindRefund(refund)
}

// notCharged ends an attempt that was never charged.
func notCharged(c *checkout.Checkout) (ports.Settlement, error) {
	back, err := c.PutBack(c.Attempt())
	return ports.Settlement{Checkout: c, PutBack: back}, err
}

func unresolvedPayments(s *shop) {
	s.attempted(noon)
	s.sold(s.product(5), 1)
	first, second := s.unresolved(noon), s.unresolved(noon.Add(time.Minute))
	s.askInVain(second.ID(), noon.Add(2*time.Minute))
	openShop(s.t, s.Stores).unresolved(noon)
	s.SetClock(noon.Add(time.Hour))
	list := func(f ports.PaymentFilter, p ports.Page) (ids []id.Checkout, all []ports.UnresolvedPayment, total int) {
		s.t.Helper()
		all, total, err := s.Unresolved.UnresolvedPayments(s.ctx, s.project.ID, f, p)
		s.must(err)
		for _, u := range all {
			ids = append(ids, u.Checkout.ID())
		}
		return ids, all, total
	}
	whole := ports.Page{Limit: 10}
	ids, all, total := list(ports.PaymentFilter{}, whole)
	same(s.t, "newest first", ids, []id.Checkout{second.ID(), first.ID()})
	same(s.t, "total", total, 2)
	same(s.t, "ages", []time.Duration{all[0].Age, all[1].Age}, []time.Duration{59 * time.Minute, time.Hour})
	newest := all[0].Checkout.Snapshot()
	same(s.t, "asked", newest.Unresolved, 2)
	same(s.t, "problem", newest.Problem, "No answer.")
	same(s.t, "alerted", all[0].AlertedAt, time.Time{})
	ids, _, total = list(ports.PaymentFilter{}, ports.Page{Limit: 1, Offset: 1})
	same(s.t, "second page", ids, []id.Checkout{first.ID()})
	same(s.t, "total of the second page", total, 2)
	for name, f := range map[string]ports.PaymentFilter{
		"by another method": {Method: "wallet_ba"},
		"of an order":       {Order: random[id.Order]()},
		"too late":          {To: noon},
		"too early":         {From: noon.Add(2 * time.Minute)},
	} {
		_, _, total = list(f, whole)
		same(s.t, name, total, 0)
	}
	ids, _, _ = list(ports.PaymentFilter{Method: "psp_spt", To: noon.Add(time.Second)}, whole)
	same(s.t, "by method and time", ids, []id.Checkout{first.ID()})
	s.must(s.settle(first.ID(), s.paid))
	ids, _, _ = list(ports.PaymentFilter{}, whole)
	same(s.t, "after one was decided", ids, []id.Checkout{second.ID()})
}

func unresolvedRefunds(s *shop) {
	s.route = project.PaymentRoute{Provider: "stripe", Integration: random[id.Integration]()}
	s.gaveBack(s.order(1), 100)
	first, second, third := s.unresolvedRefund(noon), s.unresolvedRefund(noon.Add(time.Minute)), s.unresolvedRefund(noon.Add(2*time.Minute))
	openShop(s.t, s.Stores).unresolvedRefund(noon)
	s.SetClock(noon.Add(time.Hour))
	list := func(f ports.RefundFilter, p ports.Page) (ids []id.Refund, all []ports.UnresolvedRefund, total int) {
		s.t.Helper()
		all, total, err := s.Unresolved.UnresolvedRefunds(s.ctx, s.project.ID, f, p)
		s.must(err)
		for _, u := range all {
			ids = append(ids, u.ID)
		}
		return ids, all, total
	}
	whole := ports.Page{Limit: 10}
	// The provider has taken the third one on, and decides it by itself.
	s.carryOn(third.Order, func(c *order.Case) error {
		return c.SettleRefund(third.ID, order.RefundPending{Provider: "re_1"}, random[id.Event](), noon.Add(time.Hour))
	})
	ids, all, total := list(ports.RefundFilter{}, whole)
	same(s.t, "newest first", ids, []id.Refund{second.ID, first.ID})
	same(s.t, "total", total, 2)
	same(s.t, "age", all[0].Age, 59*time.Minute)
	same(s.t, "asked", all[0].Attempts, 1)
	same(s.t, "problem", all[0].Problem, "No answer.")
	same(s.t, "route", all[0].Route, s.route)
	ids, _, total = list(ports.RefundFilter{}, ports.Page{Limit: 1, Offset: 1})
	same(s.t, "second page", ids, []id.Refund{first.ID})
	same(s.t, "total of the second page", total, 2)
	ids, _, _ = list(ports.RefundFilter{Order: first.Order}, whole)
	same(s.t, "of an order", ids, []id.Refund{first.ID})
	ids, _, _ = list(ports.RefundFilter{From: noon.Add(time.Second)}, whole)
	same(s.t, "from a time", ids, []id.Refund{second.ID})
	s.carryOn(first.Order, func(c *order.Case) error {
		return c.SettleRefund(first.ID, order.Refunded{Provider: "re_2"}, random[id.Event](), noon.Add(time.Hour))
	})
	ids, _, _ = list(ports.RefundFilter{}, whole)
	same(s.t, "after one was decided", ids, []id.Refund{second.ID})
}

func unresolvedAges(s *shop) {
	ages := func() (found []ports.UnresolvedAge) {
		s.t.Helper()
		found, err := s.Unresolved.UnresolvedAges(s.ctx)
		s.must(err)
		slices.SortFunc(found, func(a, b ports.UnresolvedAge) int { return int(b.Age - a.Age) })
		return found
	}
	same(s.t, "without any", len(ages()), 0)
	s.attempted(noon) // which is not unresolved
	s.unresolved(noon.Add(4 * time.Minute))
	oldest := s.unresolved(noon.Add(3 * time.Minute))
	for i, account := range []string{"int_1", "int_2", "int_3"} {
		s.route = project.PaymentRoute{Provider: "stripe", Integration: id.Stored[id.Integration](account)}
		s.unresolved(noon.Add([]time.Duration{2 * time.Minute, time.Minute, 3 * time.Minute}[i]))
	}
	s.route = project.PaymentRoute{}
	s.unresolvedRefund(noon.Add(6 * time.Minute))
	s.unresolvedRefund(noon.Add(5 * time.Minute))
	s.SetClock(noon.Add(time.Hour))
	same(s.t, "oldest of each provider", ages(), []ports.UnresolvedAge{
		{Provider: "stripe", Age: 59 * time.Minute},
		{Provider: "sandbox", Age: 57 * time.Minute},
		{Refund: true, Provider: "sandbox", Age: 55 * time.Minute},
	})
	s.must(s.settle(oldest.ID(), s.paid))
	same(s.t, "once it is decided", ages()[1], ports.UnresolvedAge{Provider: "sandbox", Age: 56 * time.Minute})
}

func alertPayments(s *shop) (bool, error) { return s.Late.UnresolvedPayments(s.ctx, 2, announce) }
func alertRefunds(s *shop) (bool, error)  { return s.Late.UnresolvedRefunds(s.ctx, 2, announce) }

// alerts expects so many events in all at times since noon, each a millisecond before and at the time.
func (s *shop) alerts(work announcing, of event.Type, at time.Duration, want int) {
	s.t.Helper()
	for _, step := range []struct {
		at   time.Duration
		want int
	}{{at - time.Millisecond, want - 1}, {at, want}, {at, want}} {
		s.SetClock(noon.Add(step.at))
		same(s.t, "announced after "+step.at.String(), len(s.announced(work, of)), step.want)
	}
}

func announceUnresolvedPayment(s *shop) {
	s.attempted(noon) // whose provider was not asked yet
	c := s.unresolved(noon)
	s.alerts(alertPayments, event.PaymentUnresolvedType, checkout.AlertAfter, 1)
	first := s.announced(alertPayments, event.PaymentUnresolvedType)[0]
	same(s.t, "data", first, map[string]any{
		"checkout_id": c.ID().String(), "attempt": 1.0, "amount": first["amount"], "currency": "USD", "method": "psp_spt", "provider": "sandbox",
		"since": noon.Format(time.RFC3339), "times_asked": 1.0, "problem": "No answer.",
	})
	listed, _, err := s.Unresolved.UnresolvedPayments(s.ctx, s.project.ID, ports.PaymentFilter{}, ports.Page{Limit: 1})
	s.must(err)
	same(s.t, "alerted", listed[0].AlertedAt, noon.Add(checkout.AlertAfter))
	s.alerts(alertPayments, event.PaymentUnresolvedType, checkout.AlertAfter+checkout.AlertEvery, 2)
	s.alerts(alertPayments, event.PaymentUnresolvedType, checkout.AlertAfter+2*checkout.AlertEvery, 3)

	// The alerts of an attempt that is over do not delay those of the next one.
	next := checkout.AlertAfter + 2*checkout.AlertEvery + time.Minute
	s.must(s.settle(c.ID(), notCharged))
	same(s.t, "announced once it is decided", len(s.announced(alertPayments, event.PaymentUnresolvedType)), 3)
	s.reopen(c, noon.Add(next))
	listed, _, err = s.Unresolved.UnresolvedPayments(s.ctx, s.project.ID, ports.PaymentFilter{}, ports.Page{Limit: 1})
	s.must(err)
	same(s.t, "alerted to the next attempt", listed[0].AlertedAt, time.Time{})
	s.alerts(alertPayments, event.PaymentUnresolvedType, next+checkout.AlertAfter, 4)
}

// reopen begins another attempt at a time when the checkout has expired, which it has not.
func (s *shop) reopen(c *checkout.Checkout, at time.Time) {
	s.t.Helper()
	s.must(s.Checkouts.InTx(s.ctx, s.project.ID, func(tx ports.Purchase) error {
		locked, _, err := tx.Lock(s.ctx, c.ID())
		if err != nil {
			return err
		}
		snapshot := locked.Snapshot()
		snapshot.Status, snapshot.Attempt, snapshot.ClaimedAt, snapshot.RetryAt, snapshot.LeaseUntil = checkout.Processing, 2, at, at, at
		return tx.Save(s.ctx, checkout.Rehydrate(snapshot), nil)
	}))
}

func announceUnresolvedRefund(s *shop) {
	r := s.unresolvedRefund(noon)
	s.alerts(alertRefunds, event.RefundUnresolvedType, checkout.AlertAfter, 1)
	same(s.t, "data", s.announced(alertRefunds, event.RefundUnresolvedType)[0], map[string]any{
		"refund_id": r.ID.String(), "order_id": r.Order.String(), "payment_id": r.Payment.String(), "amount": 1.0, "currency": "USD",
		"provider": "sandbox", "since": noon.Format(time.RFC3339), "times_asked": 1.0, "problem": "No answer.",
	})
	listed, _, err := s.Unresolved.UnresolvedRefunds(s.ctx, s.project.ID, ports.RefundFilter{}, ports.Page{Limit: 1})
	s.must(err)
	same(s.t, "alerted", listed[0].AlertedAt, noon.Add(checkout.AlertAfter))
	s.alerts(alertRefunds, event.RefundUnresolvedType, checkout.AlertAfter+checkout.AlertEvery, 2)
	s.carryOn(r.Order, func(c *order.Case) error {
		return c.SettleRefund(r.ID, order.Refunded{Provider: "re_1"}, random[id.Event](), noon.Add(time.Hour))
	})
	s.SetClock(noon.Add(checkout.AlertAfter + 2*checkout.AlertEvery))
	same(s.t, "announced once it is decided", len(s.announced(alertRefunds, event.RefundUnresolvedType)), 2)
}
