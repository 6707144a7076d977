package porttest

import (
	"time"

	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/ledger"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/order"
	"github.com/haggle-commerce/haggle/ports"
)

func caseRaceDispute(s *shop) {
	o := s.sold(s.product(5), 1)
	for _, err := range together(racers, func(int) error {
		ids := newDisputeIDs()
		_, err := s.Orders.Change(s.ctx, s.project.ID, o.ID, func(c *order.Case) error {
			return c.ReportDispute(disputed(o, order.DisputeOpen, 9_00, 1_00), ids, noon)
		})
		return err
	}) {
		s.must(err)
	}
	c := s.orderCase(o.ID)
	same(s.t, "disputes", len(c.Disputes), 1)
	_, n, err := s.Ledger.Transactions(s.ctx, s.project.ID, ports.TransactionFilter{Kind: ledger.DisputeKind}, ports.Page{Limit: 10})
	s.must(err)
	same(s.t, "dispute transactions", n, 1)
}

func caseRaceRefunds(s *shop) {
	o := s.sold(s.product(5), 1)
	third := money.Of(o.Total.Minor()/3-1, o.Total.Currency())
	refused := 0
	for _, err := range together(racers, func(int) error {
		_, err := s.Orders.Change(s.ctx, s.project.ID, o.ID, func(c *order.Case) error { return c.Refund(random[id.Refund](), &third, "", noon) })
		return err
	}) {
		if err != nil {
			refused++
			wantFault(s.t, err, fault.Invalid, "validation_error")
		}
	}
	same(s.t, "refused", refused, racers-3)
	same(s.t, "refunding", s.orderByID(o.ID).Payment.Refunding, usd(3*third.Minor()))
}

func caseRaceCancel(s *shop) {
	p := s.product(5)
	o := s.sold(p, 2)
	winners := s.race("order_canceled", func(int) error {
		_, err := s.Orders.Change(s.ctx, s.project.ID, o.ID, func(c *order.Case) error { return c.Cancel(random[id.Refund](), "", random[id.Event](), noon) })
		return err
	})
	same(s.t, "winners", winners, 1)
	same(s.t, "stock", s.stock(p), map[string]int{"main": 5})
	same(s.t, "refunds", len(s.orderCase(o.ID).Refunds), 1)
}

func caseRaceSettle(s *shop) {
	o, refund := s.sold(s.product(5), 1), random[id.Refund]()
	s.carryOn(o.ID, func(c *order.Case) error { return c.Refund(refund, nil, "", noon) })
	s.race("refund_decided", func(i int) error {
		var outcome order.RefundOutcome = order.Refunded{Provider: "re_1"}
		if i%2 == 0 {
			outcome = order.RefundFailed{Code: "no"}
		}
		_, err := s.Orders.Change(s.ctx, s.project.ID, o.ID, func(c *order.Case) error {
			return c.SettleRefund(refund, outcome, random[id.Event](), noon)
		})
		return err
	})
	p := s.orderByID(o.ID).Payment
	same(s.t, "refunding", p.Refunding, usd(0))
	_, n, err := s.Ledger.Transactions(s.ctx, s.project.ID, ports.TransactionFilter{Kind: ledger.RefundKind}, ports.Page{Limit: 10})
	s.must(err)
	want := 0
	if s.orderCase(o.ID).Refunds[0].Status == order.RefundSucceeded {
		want = 1
	}
	same(s.t, "refunds in the ledger", n, want)
}

func caseConfirmation(s *shop) {
	p := s.product(5)
	first := s.sold(p, 1)
	c := s.mustClaim(s.checkout(s.session(), line(p, 1)))
	err := s.settle(c.ID(), func(c *checkout.Checkout) (ports.Settlement, error) {
		settlement, err := s.paid(c)
		settlement.Order.Confirmation = first.Confirmation
		return settlement, err
	})
	wantFault(s.t, err, fault.Conflict, "confirmation_taken")
	same(s.t, "attempt", s.stored(c).Snapshot(), c.Snapshot())
	_, n, err := s.Ledger.Transactions(s.ctx, s.project.ID, ports.TransactionFilter{}, ports.Page{Limit: 1})
	s.must(err)
	same(s.t, "transactions", n, 1)
}

func caseLists(s *shop) {
	p := s.product(99)
	first, second, third := s.sold(p, 1), s.sold(p, 2), s.sold(p, 3)
	s.carryOn(second.ID, func(c *order.Case) error { return c.Cancel(random[id.Refund](), "", random[id.Event](), noon) })
	s.carryOn(third.ID, func(c *order.Case) error { return c.Ship("", "", "", random[id.Event](), noon) })
	s.gaveBack(first, 1)
	ret := s.requestReturn(first.ID, 1)
	for name, c := range map[string]struct {
		f    ports.OrderFilter
		want []id.Order
	}{
		"all":          {ports.OrderFilter{}, []id.Order{first.ID, second.ID, third.ID}},
		"canceled":     {ports.OrderFilter{Status: order.Canceled}, []id.Order{second.ID}},
		"shipped":      {ports.OrderFilter{Fulfillment: order.Shipped}, []id.Order{third.ID}},
		"refunded":     {ports.OrderFilter{Payment: order.PartiallyRefunded}, []id.Order{first.ID}},
		"confirmation": {ports.OrderFilter{Confirmation: third.Confirmation}, []id.Order{third.ID}},
		"email":        {ports.OrderFilter{Email: "x"}, nil},
		"later":        {ports.OrderFilter{From: noon.Add(time.Minute)}, nil},
		"that day":     {ports.OrderFilter{From: noon, To: noon.Add(time.Minute)}, []id.Order{first.ID, second.ID, third.ID}},
	} {
		got, n, err := s.OrderLists.Orders(s.ctx, s.project.ID, c.f, ports.Page{Limit: 10})
		s.must(err)
		found := map[id.Order]bool{}
		for _, o := range got {
			found[o.ID] = true
		}
		for _, o := range c.want {
			if !found[o] {
				s.t.Errorf("%s: an order is missing", name)
			}
		}
		same(s.t, name, []int{len(got), n}, []int{len(c.want), len(c.want)})
	}
	one, n, err := s.OrderLists.Orders(s.ctx, s.project.ID, ports.OrderFilter{}, ports.Page{Limit: 1, Offset: 1})
	s.must(err)
	same(s.t, "a page", []int{len(one), n}, []int{1, 3})
	returns, n, err := s.OrderLists.Returns(s.ctx, s.project.ID, ports.ReturnFilter{Status: order.Requested, Order: first.ID}, ports.Page{Limit: 10})
	s.must(err)
	same(s.t, "returns", returns, []order.Return{*ret})
	same(s.t, "number of returns", n, 1)
}

func caseProjectKept(s *shop) {
	p := s.product(5)
	o, refund := s.sold(p, 1), random[id.Refund]()
	s.carryOn(o.ID, func(c *order.Case) error { return c.Refund(refund, nil, "", noon) })
	s.must(s.Projects.Delete(s.ctx, s.project.Account, s.project.ID, noon))
	settled, err := s.Closings.Settle(s.ctx, s.project.ID)
	s.must(err)
	same(s.t, "ready to be removed", settled.Ready, false)
	sameCase(s.t, s.orderCase(o.ID), s.orderCase(o.ID))
}

func caseProjectGone(s *shop) {
	o := s.sold(s.product(5), 1)
	s.gaveBack(o, 1)
	s.deleteProject()
	_, n, err := s.Ledger.Transactions(s.ctx, s.project.ID, ports.TransactionFilter{}, ports.Page{Limit: 1})
	s.must(err)
	same(s.t, "transactions", n, 0)
	wallets, err := s.Ledger.Wallets(s.ctx, s.project.ID)
	s.must(err)
	same(s.t, "wallets", len(wallets), 0)
}

// refundsDue has a database of its own, for it is about all projects.
func refundsDue(s *shop) {
	const all = 20
	p := s.product(99)
	var opened []*order.Order
	for range all {
		o := s.sold(p, 1)
		s.carryOn(o.ID, func(c *order.Case) error { return c.Refund(random[id.Refund](), nil, "", noon) })
		opened = append(opened, o)
	}
	due, err := claimAt(s.Stores, s.DueRefunds, noon.Add(order.RefundLease-1*time.Millisecond), order.RefundLease, all)
	s.must(err)
	same(s.t, "due while their opener asks", len(due), 0)

	later := noon.Add(order.RefundLease)
	var claims [racers][]ports.Leased[ports.DueRefund]
	s.SetClock(later)
	s.must(atOnce(racers, func(i int) (err error) {
		claims[i], err = claimUpTo(s.ctx, s.DueRefunds, order.RefundLease, 2)
		return err
	}))
	seen := map[id.Refund]bool{}
	for _, claim := range claims {
		for _, d := range claim {
			if seen[d.Item.Refund] || d.Item.Project != s.project.ID {
				s.t.Errorf("%+v was claimed twice, or in another project", d)
			}
			seen[d.Item.Refund] = true
		}
	}
	rest, err := claimUpTo(s.ctx, s.DueRefunds, order.RefundLease, all)
	s.must(err)
	for _, d := range rest {
		seen[d.Item.Refund] = true
	}
	same(s.t, "claimed", len(seen), all)
	again, err := claimAt(s.Stores, s.DueRefunds, later.Add(order.RefundLease), order.RefundLease, 3)
	s.must(err)
	same(s.t, "claimed after the lease", len(again), 3)

	s.carryOn(opened[0].ID, func(c *order.Case) error {
		return c.SettleRefund(c.Refunds[0].ID, order.Refunded{Provider: "re_1"}, random[id.Event](), later)
	})
	left, err := claimAt(s.Stores, s.DueRefunds, later.AddDate(1, 0, 0), order.RefundLease, all)
	s.must(err)
	same(s.t, "due when one is decided", len(left), all-1)
}
