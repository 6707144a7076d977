package porttest

import (
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/ledger"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/order"
	"github.com/haggle-commerce/haggle/ports"
)

// Cases is the contract of what follows a sale: ports.Orders, its lists, and ports.Refunds.
func Cases(t *testing.T, open Open) {
	stores := open(t)
	for name, test := range map[string]func(*shop){
		"a case comes back as it was changed":     caseRoundTrip,
		"a cancellation puts stock back":          caseCanceled,
		"stock of a dropped variant stays away":   caseDropped,
		"stock goes back no further than full":    caseFull,
		"a refund is written into the ledger":     caseLedger,
		"racing refunds give back no more":        caseRaceRefunds,
		"what a provider takes back is kept":      caseTakenBack,
		"racing reports book a dispute once":      caseRaceDispute,
		"racing cancellations put back once":      caseRaceCancel,
		"one racer decides a refund":              caseRaceSettle,
		"a confirmation number belongs to one":    caseConfirmation,
		"orders and returns are listed":           caseLists,
		"a project with a pending refund is kept": caseProjectKept,
		"the ledger goes with its project":        caseProjectGone,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(openShop(t, stores))
		})
	}
	t.Run("due refunds are claimed once", func(t *testing.T) { refundsDue(openShop(t, open(t))) })
}

// sold is an order of pieces of a product, without agreed prices.
func (s *shop) sold(p *catalog.Product, pieces int) *order.Order {
	s.t.Helper()
	return s.pay(s.checkout(s.session(), line(p, pieces)))
}

// gaveBack gives money of the order back.
func (s *shop) gaveBack(o *order.Order, amount int64) *order.Case {
	s.t.Helper()
	refund := random[id.Refund]()
	return s.carryOn(o.ID, func(c *order.Case) error {
		s.must(c.Refund(refund, pointer(usd(amount)), "Broken", noon))
		return c.SettleRefund(refund, order.Refunded{Provider: "re_" + refund.String()}, random[id.Event](), noon.Add(time.Minute))
	})
}

// sameCase compares what is stored of a case.
func sameCase(t testing.TB, got, want *order.Case) {
	t.Helper()
	sameOrder(t, got.Order, want.Order)
	same(t, "returns", got.Returns, want.Returns)
	same(t, "refunds", got.Refunds, want.Refunds)
	same(t, "disputes", got.Disputes, want.Disputes)
	same(t, "taken", got.Taken, want.Taken)
}

func caseRoundTrip(s *shop) {
	p := s.product(9)
	o := s.sold(p, 3)
	worn, ret := s.requestReturn(o.ID, 2), s.requestReturn(o.ID, 1)
	s.gaveBack(o, 5_00)
	pending, failing := random[id.Refund](), random[id.Refund]()
	want := s.carryOn(o.ID, func(c *order.Case) error {
		s.must(c.Ship("DHL", "0815", "https://dhl.example/0815", random[id.Event](), noon.Add(time.Hour)))
		s.must(c.Deliver(random[id.Event](), noon.Add(2*time.Hour)))
		s.must(c.ApproveReturn(ret.ID, pending, nil, true, random[id.Event](), noon.Add(3*time.Hour)))
		s.must(c.RejectReturn(worn.ID, "Worn", random[id.Event](), noon.Add(4*time.Hour)))
		s.must(c.Refund(failing, pointer(usd(1)), "", noon.Add(5*time.Hour)))
		s.must(c.SettleRefund(failing, order.RefundFailed{Code: "expired"}, random[id.Event](), noon.Add(6*time.Hour)))
		return c.SettleRefund(pending, order.RefundPending{Provider: "re_1"}, random[id.Event](), noon.Add(7*time.Hour))
	})
	got := s.orderCase(o.ID)
	sameCase(s.t, got, want)
	same(s.t, "payment", got.Order.Payment.Status(), order.PartiallyRefunded)
	same(s.t, "stock", s.stock(p), map[string]int{"main": 7})
	same(s.t, "taken", got.Taken, []catalog.Take{{Variant: p.Variants[0].ID, Location: "main", Quantity: 3}})
	r, err := s.Refunds.RefundByID(s.ctx, s.project.ID, pending)
	s.must(err)
	same(s.t, "refund", r, want.FindRefund(pending))
	_, err = s.Refunds.RefundByID(s.ctx, openShop(s.t, s.Stores).project.ID, pending)
	wantFault(s.t, err, fault.NotFound, "refund_not_found")
}

func caseCanceled(s *shop) {
	p := s.product(3)
	s.keep(p, "north", 4)
	o := s.sold(p, 5)
	before := s.stock(p)
	c := s.carryOn(o.ID, func(c *order.Case) error { return c.Cancel(random[id.Refund](), "", random[id.Event](), noon) })
	same(s.t, "stock", s.stock(p), map[string]int{"main": 3, "north": 4})
	if before["main"]+before["north"] != 2 {
		s.t.Errorf("the sale left %v", before)
	}
	sameCase(s.t, s.orderCase(o.ID), c)
}

func caseDropped(s *shop) {
	p := s.product(5, 5)
	o := s.sold(p, 2)
	_, err := s.Products.Update(s.ctx, s.project.ID, p.ID, func(p *catalog.Product) (ports.ProductWrite, error) {
		p.Variants = p.Variants[1:]
		return ports.ProductWrite{Product: p}, nil
	})
	s.must(err)
	c := s.carryOn(o.ID, func(c *order.Case) error { return c.Cancel(random[id.Refund](), "", random[id.Event](), noon) })
	same(s.t, "status", c.Order.Status, order.Canceled)
	same(s.t, "stock", s.stock(p), map[string]int{})
}

func caseFull(s *shop) {
	p := s.product(3)
	o := s.sold(p, 2)
	s.keep(p, "main", catalog.MaxStock)
	s.carryOn(o.ID, func(c *order.Case) error { return c.Cancel(random[id.Refund](), "", random[id.Event](), noon) })
	same(s.t, "stock", s.stock(p), map[string]int{"main": catalog.MaxStock})
}

func caseLedger(s *shop) {
	o := s.sold(s.product(5), 2)
	c := s.gaveBack(o, 7_00)
	written, n, err := s.Ledger.Transactions(s.ctx, s.project.ID, ports.TransactionFilter{}, ports.Page{Limit: 10})
	s.must(err)
	same(s.t, "transactions", written, []ledger.Transaction{c.Ledger[0], o.Sale()})
	same(s.t, "number", n, 2)
	wallets, err := s.Ledger.Wallets(s.ctx, s.project.ID)
	s.must(err)
	total := o.Total.Minor()
	same(s.t, "wallets", wallets, []ports.Wallet{{
		Provider: "sandbox", Balance: usd(total - 7_00), Received: usd(total), Refunded: usd(7_00), Disputed: usd(0), Fees: usd(0),
		PaidOut: usd(0), Orphaned: usd(0), Adjusted: usd(0),
	}})
}

func disputed(o *order.Order, status order.DisputeStatus, withdrawn, fee int64) order.DisputeReport {
	return order.DisputeReport{
		Charge: o.Payment.Provider, Provider: "du_" + o.ID.String(), Status: status, Reason: "fraudulent", Amount: usd(9_00),
		Withdrawn: usd(withdrawn), Fee: usd(fee), At: noon,
	}
}

func newDisputeIDs() order.DisputeIDs {
	return order.DisputeIDs{
		Dispute: random[id.Dispute](), Opened: random[id.Event](), Closed: random[id.Event](),
		Withdrawal: random[id.Transaction](), Fee: random[id.Transaction](),
	}
}

// A refund that failed after it had succeeded, one that was made elsewhere, and a dispute that was lost.
func caseTakenBack(s *shop) {
	o := s.sold(s.product(5), 2)
	c := s.gaveBack(o, 7_00)
	reversed := c.Refunds[0].ID
	of, err := s.Payments.PaymentByCharge(s.ctx, s.project.ID, o.Payment.Provider)
	s.must(err)
	same(s.t, "order of the charge", of.Order, o.ID)
	_, err = s.Payments.PaymentByCharge(s.ctx, s.project.ID, "ch_other")
	wantFault(s.t, err, fault.NotFound, "payment_not_found")
	s.carryOn(o.ID, func(c *order.Case) error {
		return c.ReverseRefund(reversed, "expired_card", random[id.Event](), random[id.Transaction](), noon.Add(time.Hour))
	})
	s.carryOn(o.ID, func(c *order.Case) error {
		return c.ReportRefund(order.ExternalRefund{
			Charge: o.Payment.Provider, Provider: "re_x", Amount: usd(2_00), Outcome: order.Refunded{}, At: noon,
		}, order.RefundIDs{Refund: random[id.Refund](), Announce: random[id.Event](), Reversal: random[id.Transaction]()}, noon)
	})
	s.carryOn(o.ID, func(c *order.Case) error {
		return c.ReportDispute(disputed(o, order.DisputeOpen, 9_00, 1_00), newDisputeIDs(), noon)
	})
	c = s.carryOn(o.ID, func(c *order.Case) error {
		return c.ReportDispute(disputed(o, order.DisputeLost, 9_00, 1_50), newDisputeIDs(), noon)
	})
	sameCase(s.t, s.orderCase(o.ID), c)
	same(s.t, "sequence", c.Order.Sequence, 6)
	failed, n, err := s.OrderLists.Refunds(s.ctx, s.project.ID, ports.RefundFilter{Status: order.RefundIsFailed, Order: o.ID}, ports.Page{Limit: 10})
	s.must(err)
	same(s.t, "failed refunds", n, 1)
	same(s.t, "the failed refund", failed[0].ID, reversed)
	disputes, err := s.Payments.DisputesOf(s.ctx, s.project.ID, o.Payment.ID)
	s.must(err)
	same(s.t, "disputes", disputes, c.Disputes)
	wallets, err := s.Ledger.Wallets(s.ctx, s.project.ID)
	s.must(err)
	total := o.Total.Minor()
	same(s.t, "wallets", wallets, []ports.Wallet{{
		Provider: "sandbox", Balance: usd(total - 2_00 - 9_00 - 1_50), Received: usd(total), Refunded: usd(2_00), Disputed: usd(9_00),
		Fees: usd(1_50), PaidOut: usd(0), Orphaned: usd(0), Adjusted: usd(0),
	}})
	for kind, want := range map[ledger.Kind]int{ledger.RefundKind: 2, ledger.ReversalKind: 1, ledger.DisputeKind: 2} {
		_, n, err := s.Ledger.Transactions(s.ctx, s.project.ID, ports.TransactionFilter{Kind: kind}, ports.Page{Limit: 10})
		s.must(err)
		same(s.t, kind.String()+" transactions", n, want)
	}
}

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
