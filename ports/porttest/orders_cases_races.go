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

func caseRaceDispute(s *Shop) {
	o := s.Sold(s.Product(5), 1)
	for _, err := range Together(Racers, func(int) error {
		ids := newDisputeIDs()
		_, err := s.Orders.Change(s.Ctx, s.Project.ID, o.ID, func(c *order.Case) error {
			return c.ReportDispute(disputed(o, order.DisputeOpen, 9_00, 1_00), ids, Noon)
		})
		return err
	}) {
		s.Must(err)
	}
	c := s.OrderCase(o.ID)
	Same(s.T, "disputes", len(c.Disputes), 1)
	_, n, err := s.Ledger.Transactions(s.Ctx, s.Project.ID, ports.TransactionFilter{Kind: ledger.DisputeKind}, ports.Page{Limit: 10})
	s.Must(err)
	Same(s.T, "dispute transactions", n, 1)
}

func caseRaceRefunds(s *Shop) {
	o := s.Sold(s.Product(5), 1)
	third := money.Of(o.Total.Minor()/3-1, o.Total.Currency())
	refused := 0
	for _, err := range Together(Racers, func(int) error {
		_, err := s.Orders.Change(s.Ctx, s.Project.ID, o.ID, func(c *order.Case) error { return c.Refund(Random[id.Refund](), &third, "", Noon) })
		return err
	}) {
		if err != nil {
			refused++
			WantFault(s.T, err, fault.Invalid, "validation_error")
		}
	}
	Same(s.T, "refused", refused, Racers-3)
	Same(s.T, "refunding", s.orderByID(o.ID).Payment.Refunding, USD(3*third.Minor()))
}

func caseRaceCancel(s *Shop) {
	p := s.Product(5)
	o := s.Sold(p, 2)
	winners := s.Race("order_canceled", func(int) error {
		_, err := s.Orders.Change(s.Ctx, s.Project.ID, o.ID, func(c *order.Case) error { return c.Cancel(Random[id.Refund](), "", Random[id.Event](), Noon) })
		return err
	})
	Same(s.T, "winners", winners, 1)
	Same(s.T, "stock", s.Stock(p), map[string]int{"main": 5})
	Same(s.T, "refunds", len(s.OrderCase(o.ID).Refunds), 1)
}

func caseRaceSettle(s *Shop) {
	o, refund := s.Sold(s.Product(5), 1), Random[id.Refund]()
	s.CarryOn(o.ID, func(c *order.Case) error { return c.Refund(refund, nil, "", Noon) })
	s.Race("refund_decided", func(i int) error {
		var outcome order.RefundOutcome = order.Refunded{Provider: "re_1"}
		if i%2 == 0 {
			outcome = order.RefundFailed{Code: "no"}
		}
		_, err := s.Orders.Change(s.Ctx, s.Project.ID, o.ID, func(c *order.Case) error {
			return c.SettleRefund(refund, outcome, Random[id.Event](), Noon)
		})
		return err
	})
	p := s.orderByID(o.ID).Payment
	Same(s.T, "refunding", p.Refunding, USD(0))
	_, n, err := s.Ledger.Transactions(s.Ctx, s.Project.ID, ports.TransactionFilter{Kind: ledger.RefundKind}, ports.Page{Limit: 10})
	s.Must(err)
	want := 0
	if s.OrderCase(o.ID).Refunds[0].Status == order.RefundSucceeded {
		want = 1
	}
	Same(s.T, "refunds in the ledger", n, want)
}

func caseConfirmation(s *Shop) {
	p := s.Product(5)
	first := s.Sold(p, 1)
	c := s.MustClaim(s.Checkout(s.Session(), Line(p, 1)))
	err := s.Settle(c.ID(), func(c *checkout.Checkout) (ports.Settlement, error) {
		settlement, err := s.Paid(c)
		settlement.Order.Confirmation = first.Confirmation
		return settlement, err
	})
	WantFault(s.T, err, fault.Conflict, "confirmation_taken")
	Same(s.T, "attempt", s.Stored(c).Snapshot(), c.Snapshot())
	_, n, err := s.Ledger.Transactions(s.Ctx, s.Project.ID, ports.TransactionFilter{}, ports.Page{Limit: 1})
	s.Must(err)
	Same(s.T, "transactions", n, 1)
}

func caseLists(s *Shop) {
	p := s.Product(99)
	first, second, third := s.Sold(p, 1), s.Sold(p, 2), s.Sold(p, 3)
	s.CarryOn(second.ID, func(c *order.Case) error { return c.Cancel(Random[id.Refund](), "", Random[id.Event](), Noon) })
	s.CarryOn(third.ID, func(c *order.Case) error { return c.Ship("", "", "", Random[id.Event](), Noon) })
	s.GaveBack(first, 1)
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
		"two of them":  {ports.OrderFilter{IDs: []id.Order{first.ID, third.ID, Random[id.Order]()}}, []id.Order{first.ID, third.ID}},
		"one canceled": {ports.OrderFilter{IDs: []id.Order{first.ID, second.ID}, Status: order.Canceled}, []id.Order{second.ID}},
		"later":        {ports.OrderFilter{From: Noon.Add(time.Minute)}, nil},
		"that day":     {ports.OrderFilter{From: Noon, To: Noon.Add(time.Minute)}, []id.Order{first.ID, second.ID, third.ID}},
	} {
		got, n, err := s.OrderLists.Orders(s.Ctx, s.Project.ID, c.f, ports.Page{Limit: 10})
		s.Must(err)
		found := map[id.Order]bool{}
		for _, o := range got {
			found[o.ID] = true
		}
		for _, o := range c.want {
			if !found[o] {
				s.T.Errorf("%s: an order is missing", name)
			}
		}
		Same(s.T, name, []int{len(got), n}, []int{len(c.want), len(c.want)})
	}
	one, n, err := s.OrderLists.Orders(s.Ctx, s.Project.ID, ports.OrderFilter{}, ports.Page{Limit: 1, Offset: 1})
	s.Must(err)
	Same(s.T, "a page", []int{len(one), n}, []int{1, 3})
	returns, n, err := s.OrderLists.Returns(s.Ctx, s.Project.ID, ports.ReturnFilter{Status: order.Requested, Order: first.ID}, ports.Page{Limit: 10})
	s.Must(err)
	Same(s.T, "returns", returns, []order.Return{*ret})
	Same(s.T, "number of returns", n, 1)
}

func caseProjectKept(s *Shop) {
	p := s.Product(5)
	o, refund := s.Sold(p, 1), Random[id.Refund]()
	s.CarryOn(o.ID, func(c *order.Case) error { return c.Refund(refund, nil, "", Noon) })
	s.Must(s.Projects.Delete(s.Ctx, s.Project.Account, s.Project.ID, Noon))
	settled, err := s.Closings.Settle(s.Ctx, s.Project.ID)
	s.Must(err)
	Same(s.T, "ready to be removed", settled.Ready, false)
	sameCase(s.T, s.OrderCase(o.ID), s.OrderCase(o.ID))
}

func caseProjectGone(s *Shop) {
	o := s.Sold(s.Product(5), 1)
	s.GaveBack(o, 1)
	s.DeleteProject()
	_, n, err := s.Ledger.Transactions(s.Ctx, s.Project.ID, ports.TransactionFilter{}, ports.Page{Limit: 1})
	s.Must(err)
	Same(s.T, "transactions", n, 0)
	wallets, err := s.Ledger.Wallets(s.Ctx, s.Project.ID)
	s.Must(err)
	Same(s.T, "wallets", len(wallets), 0)
}

// refundsDue has a database of its own, because it covers all projects.
func refundsDue(s *Shop) {
	const all = 20
	p := s.Product(99)
	var opened []*order.Order
	for range all {
		o := s.Sold(p, 1)
		s.CarryOn(o.ID, func(c *order.Case) error { return c.Refund(Random[id.Refund](), nil, "", Noon) })
		opened = append(opened, o)
	}
	due, err := ClaimAt(s.Stores, s.DueRefunds, Noon.Add(order.RefundLease-1*time.Millisecond), order.RefundLease, all)
	s.Must(err)
	Same(s.T, "due while their opener asks", len(due), 0)

	later := Noon.Add(order.RefundLease)
	var claims [Racers][]ports.Leased[ports.DueRefund]
	s.SetClock(later)
	s.Must(AtOnce(Racers, func(i int) (err error) {
		claims[i], err = claimUpTo(s.Ctx, s.DueRefunds, order.RefundLease, 2)
		return err
	}))
	seen := map[id.Refund]bool{}
	for _, claim := range claims {
		for _, d := range claim {
			if seen[d.Item.Refund] || d.Item.Project != s.Project.ID {
				s.T.Errorf("%+v was claimed twice, or in another project", d)
			}
			seen[d.Item.Refund] = true
		}
	}
	rest, err := claimUpTo(s.Ctx, s.DueRefunds, order.RefundLease, all)
	s.Must(err)
	for _, d := range rest {
		seen[d.Item.Refund] = true
	}
	Same(s.T, "claimed", len(seen), all)
	again, err := ClaimAt(s.Stores, s.DueRefunds, later.Add(order.RefundLease), order.RefundLease, 3)
	s.Must(err)
	Same(s.T, "claimed after the lease", len(again), 3)

	s.CarryOn(opened[0].ID, func(c *order.Case) error {
		return c.SettleRefund(c.Refunds[0].ID, order.Refunded{Provider: "re_1"}, Random[id.Event](), later)
	})
	left, err := ClaimAt(s.Stores, s.DueRefunds, later.AddDate(1, 0, 0), order.RefundLease, all)
	s.Must(err)
	Same(s.T, "due when one is decided", len(left), all-1)
}
