package porttest

import (
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/ledger"
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
		return c.ReverseRefund(reversed, order.RefundFailed{Code: "expired_card"}, random[id.Event](), random[id.Transaction](), noon.Add(time.Hour))
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
