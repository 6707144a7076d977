package finance_test

import (
	"slices"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/order"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/ports"
	"github.com/haggle-commerce/haggle/ports/porttest"
)

// Unresolved is the contract of ports.Unresolved. Each test has a database of its own, for ages are of all projects.
func Unresolved(t *testing.T, open porttest.Open) {
	for name, test := range map[string]func(*porttest.Shop){
		"unresolved payments are listed": unresolvedPayments,
		"unresolved refunds are listed":  unresolvedRefunds,
		"ages are of the oldest":         unresolvedAges,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(porttest.OpenShop(t, open(t)))
		})
	}
}

func unresolvedPayments(s *porttest.Shop) {
	s.Attempted(porttest.Noon)
	s.Sold(s.Product(5), 1)
	first, second := s.UnresolvedCheckout(porttest.Noon), s.UnresolvedCheckout(porttest.Noon.Add(time.Minute))
	s.AskInVain(second.ID(), porttest.Noon.Add(2*time.Minute))
	porttest.OpenShop(s.T, s.Stores).UnresolvedCheckout(porttest.Noon)
	s.SetClock(porttest.Noon.Add(time.Hour))
	list := func(f ports.PaymentFilter, p ports.Page) (ids []id.Checkout, all []ports.UnresolvedPayment, total int) {
		s.T.Helper()
		all, total, err := s.Unresolved.UnresolvedPayments(s.Ctx, s.Project.ID, f, p)
		s.Must(err)
		for _, u := range all {
			ids = append(ids, u.Checkout.ID())
		}
		return ids, all, total
	}
	whole := ports.Page{Limit: 10}
	ids, all, total := list(ports.PaymentFilter{}, whole)
	porttest.Same(s.T, "newest first", ids, []id.Checkout{second.ID(), first.ID()})
	porttest.Same(s.T, "total", total, 2)
	porttest.Same(s.T, "ages", []time.Duration{all[0].Age, all[1].Age}, []time.Duration{59 * time.Minute, time.Hour})
	newest := all[0].Checkout.Snapshot()
	porttest.Same(s.T, "asked", newest.Unresolved, 2)
	porttest.Same(s.T, "problem", newest.Problem, "No answer.")
	porttest.Same(s.T, "alerted", all[0].AlertedAt, time.Time{})
	ids, _, total = list(ports.PaymentFilter{}, ports.Page{Limit: 1, Offset: 1})
	porttest.Same(s.T, "second page", ids, []id.Checkout{first.ID()})
	porttest.Same(s.T, "total of the second page", total, 2)
	for name, f := range map[string]ports.PaymentFilter{
		"by another method": {Method: project.BillingAgreement},
		"of an order":       {Order: porttest.Random[id.Order]()},
		"too late":          {To: porttest.Noon},
		"too early":         {From: porttest.Noon.Add(2 * time.Minute)},
	} {
		_, _, total = list(f, whole)
		porttest.Same(s.T, name, total, 0)
	}
	ids, _, _ = list(ports.PaymentFilter{Method: project.SharedPaymentToken, To: porttest.Noon.Add(time.Second)}, whole)
	porttest.Same(s.T, "by method and time", ids, []id.Checkout{first.ID()})
	s.Must(s.Settle(first.ID(), s.Paid))
	ids, _, _ = list(ports.PaymentFilter{}, whole)
	porttest.Same(s.T, "after one was decided", ids, []id.Checkout{second.ID()})
}

func unresolvedRefunds(s *porttest.Shop) {
	s.Route = project.PaymentRoute{Provider: "stripe", Integration: porttest.Random[id.Integration]()}
	s.GaveBack(s.Order(1), 100)
	first, second, third := s.UnresolvedRefund(porttest.Noon), s.UnresolvedRefund(porttest.Noon.Add(time.Minute)), s.UnresolvedRefund(porttest.Noon.Add(2*time.Minute))
	porttest.OpenShop(s.T, s.Stores).UnresolvedRefund(porttest.Noon)
	s.SetClock(porttest.Noon.Add(time.Hour))
	list := func(f ports.RefundFilter, p ports.Page) (ids []id.Refund, all []ports.UnresolvedRefund, total int) {
		s.T.Helper()
		all, total, err := s.Unresolved.UnresolvedRefunds(s.Ctx, s.Project.ID, f, p)
		s.Must(err)
		for _, u := range all {
			ids = append(ids, u.ID)
		}
		return ids, all, total
	}
	whole := ports.Page{Limit: 10}
	// The provider has taken the third one on, and decides it by itself.
	s.CarryOn(third.Order, func(c *order.Case) error {
		return c.SettleRefund(third.ID, order.RefundPending{Provider: "re_1"}, porttest.Random[id.Event](), porttest.Noon.Add(time.Hour))
	})
	ids, all, total := list(ports.RefundFilter{}, whole)
	porttest.Same(s.T, "newest first", ids, []id.Refund{second.ID, first.ID})
	porttest.Same(s.T, "total", total, 2)
	porttest.Same(s.T, "age", all[0].Age, 59*time.Minute)
	porttest.Same(s.T, "asked", all[0].Attempts, 1)
	porttest.Same(s.T, "problem", all[0].Problem, "No answer.")
	porttest.Same(s.T, "route", all[0].Route, s.Route)
	ids, _, total = list(ports.RefundFilter{}, ports.Page{Limit: 1, Offset: 1})
	porttest.Same(s.T, "second page", ids, []id.Refund{first.ID})
	porttest.Same(s.T, "total of the second page", total, 2)
	ids, _, _ = list(ports.RefundFilter{Order: first.Order}, whole)
	porttest.Same(s.T, "of an order", ids, []id.Refund{first.ID})
	ids, _, _ = list(ports.RefundFilter{From: porttest.Noon.Add(time.Second)}, whole)
	porttest.Same(s.T, "from a time", ids, []id.Refund{second.ID})
	s.CarryOn(first.Order, func(c *order.Case) error {
		return c.SettleRefund(first.ID, order.Refunded{Provider: "re_2"}, porttest.Random[id.Event](), porttest.Noon.Add(time.Hour))
	})
	ids, _, _ = list(ports.RefundFilter{}, whole)
	porttest.Same(s.T, "after one was decided", ids, []id.Refund{second.ID})
}

func unresolvedAges(s *porttest.Shop) {
	ages := func() (found []ports.UnresolvedAge) {
		s.T.Helper()
		found, err := s.Unresolved.UnresolvedAges(s.Ctx)
		s.Must(err)
		slices.SortFunc(found, func(a, b ports.UnresolvedAge) int { return int(b.Age - a.Age) })
		return found
	}
	porttest.Same(s.T, "without any", len(ages()), 0)
	s.Attempted(porttest.Noon) // which is not unresolved
	s.UnresolvedCheckout(porttest.Noon.Add(4 * time.Minute))
	oldest := s.UnresolvedCheckout(porttest.Noon.Add(3 * time.Minute))
	for i, account := range []string{"int_1", "int_2", "int_3"} {
		s.Route = project.PaymentRoute{Provider: "stripe", Integration: id.Stored[id.Integration](account)}
		s.UnresolvedCheckout(porttest.Noon.Add([]time.Duration{2 * time.Minute, time.Minute, 3 * time.Minute}[i]))
	}
	s.Route = project.PaymentRoute{}
	s.UnresolvedRefund(porttest.Noon.Add(6 * time.Minute))
	s.UnresolvedRefund(porttest.Noon.Add(5 * time.Minute))
	s.SetClock(porttest.Noon.Add(time.Hour))
	porttest.Same(s.T, "oldest of each provider", ages(), []ports.UnresolvedAge{
		{Provider: "stripe", Age: 59 * time.Minute},
		{Provider: "sandbox", Age: 57 * time.Minute},
		{Refund: true, Provider: "sandbox", Age: 55 * time.Minute},
	})
	s.Must(s.Settle(oldest.ID(), s.Paid))
	porttest.Same(s.T, "once it is decided", ages()[1], ports.UnresolvedAge{Provider: "sandbox", Age: 56 * time.Minute})
}
