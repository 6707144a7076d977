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

// Cases is the contract of returns, refunds and disputes: ports.Orders, its lists, and ports.Refunds.
func Cases(t *testing.T, open Open) {
	stores := open(t)
	for name, test := range map[string]func(*Shop){
		"a case comes back as it was changed":     caseRoundTrip,
		"a cancellation puts stock back":          caseCanceled,
		"stock of a dropped variant stays away":   caseDropped,
		"stock goes back no further than full":    caseFull,
		"a refund is written into the ledger":     caseLedger,
		"racing refunds give back no more":        caseRaceRefunds,
		"what a provider takes back is kept":      caseTakenBack,
		"racing reports book a dispute once":      caseRaceDispute,
		"disputes are listed":                     caseDisputes,
		"racing cancellations put back once":      caseRaceCancel,
		"one racer decides a refund":              caseRaceSettle,
		"a confirmation number belongs to one":    caseConfirmation,
		"orders and returns are listed":           caseLists,
		"orders are paged by key":                 ordersKeyset,
		"refunds are paged by key":                refundsKeyset,
		"returns are paged by key":                returnsKeyset,
		"transactions are paged by key":           transactionsKeyset,
		"a project with a pending refund is kept": caseProjectKept,
		"the ledger goes with its project":        caseProjectGone,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(OpenShop(t, stores))
		})
	}
	t.Run("due refunds are claimed once", func(t *testing.T) { refundsDue(OpenShop(t, open(t))) })
}

// Sold is an order of pieces of a product, without agreed prices.
func (s *Shop) Sold(p *catalog.Product, pieces int) *order.Order {
	s.T.Helper()
	return s.Pay(s.Checkout(s.Session(), Line(p, pieces)))
}

// GaveBack refunds an amount of the order.
func (s *Shop) GaveBack(o *order.Order, amount int64) *order.Case {
	s.T.Helper()
	refund := Random[id.Refund]()
	return s.CarryOn(o.ID, func(c *order.Case) error {
		s.Must(c.Refund(refund, Pointer(USD(amount)), "Broken", Noon))
		return c.SettleRefund(refund, order.Refunded{Provider: "re_" + refund.String()}, Random[id.Event](), Noon.Add(time.Minute))
	})
}

// sameCase compares the stored parts of a case.
func sameCase(t testing.TB, got, want *order.Case) {
	t.Helper()
	SameOrder(t, got.Order, want.Order)
	Same(t, "returns", got.Returns, want.Returns)
	Same(t, "refunds", got.Refunds, want.Refunds)
	Same(t, "disputes", got.Disputes, want.Disputes)
	Same(t, "taken", got.Taken, want.Taken)
}

func caseRoundTrip(s *Shop) {
	p := s.Product(9)
	o := s.Sold(p, 3)
	worn, ret := s.requestReturn(o.ID, 2), s.requestReturn(o.ID, 1)
	s.GaveBack(o, 5_00)
	pending, failing := Random[id.Refund](), Random[id.Refund]()
	want := s.CarryOn(o.ID, func(c *order.Case) error {
		s.Must(c.Ship("DHL", "0815", "https://dhl.example/0815", Random[id.Event](), Noon.Add(time.Hour)))
		s.Must(c.Deliver(Random[id.Event](), Noon.Add(2*time.Hour)))
		s.Must(c.ApproveReturn(ret.ID, pending, nil, true, Random[id.Event](), Noon.Add(3*time.Hour)))
		s.Must(c.RejectReturn(worn.ID, "Worn", Random[id.Event](), Noon.Add(4*time.Hour)))
		s.Must(c.Refund(failing, Pointer(USD(1)), "", Noon.Add(5*time.Hour)))
		s.Must(c.SettleRefund(failing, order.RefundFailed{Code: "expired"}, Random[id.Event](), Noon.Add(6*time.Hour)))
		return c.SettleRefund(pending, order.RefundPending{Provider: "re_1"}, Random[id.Event](), Noon.Add(7*time.Hour))
	})
	got := s.OrderCase(o.ID)
	sameCase(s.T, got, want)
	Same(s.T, "payment", got.Order.Payment.Status(), order.PartiallyRefunded)
	Same(s.T, "stock", s.Stock(p), map[string]int{"main": 7})
	Same(s.T, "taken", got.Taken, []catalog.Reservation{{
		Variant:  p.Variants[0].ID,
		Location: "main",
		Quantity: 3,
	}})
	r, err := s.Refunds.RefundByID(s.Ctx, s.Project.ID, pending)
	s.Must(err)
	Same(s.T, "refund", r, want.FindRefund(pending))
	_, err = s.Refunds.RefundByID(s.Ctx, OpenShop(s.T, s.Stores).Project.ID, pending)
	WantFault(s.T, err, fault.NotFound, "refund_not_found")
}

func caseCanceled(s *Shop) {
	p := s.Product(3)
	s.Keep(p, "north", 4)
	o := s.Sold(p, 5)
	before := s.Stock(p)
	c := s.CarryOn(o.ID, func(c *order.Case) error { return c.Cancel(Random[id.Refund](), "", Random[id.Event](), Noon) })
	Same(s.T, "stock", s.Stock(p), map[string]int{"main": 3, "north": 4})
	if before["main"]+before["north"] != 2 {
		s.T.Errorf("the sale left %v", before)
	}
	sameCase(s.T, s.OrderCase(o.ID), c)
}

func caseDropped(s *Shop) {
	p := s.Product(5, 5)
	o := s.Sold(p, 2)
	_, err := s.Products.Update(s.Ctx, s.Project.ID, p.ID, func(p *catalog.Product) (ports.ProductWrite, error) {
		p.Variants = p.Variants[1:]
		return ports.ProductWrite{Product: p}, nil
	})
	s.Must(err)
	c := s.CarryOn(o.ID, func(c *order.Case) error { return c.Cancel(Random[id.Refund](), "", Random[id.Event](), Noon) })
	Same(s.T, "status", c.Order.Status, order.Canceled)
	Same(s.T, "stock", s.Stock(p), map[string]int{})
}

func caseFull(s *Shop) {
	p := s.Product(3)
	o := s.Sold(p, 2)
	s.Keep(p, "main", catalog.MaxStock)
	s.CarryOn(o.ID, func(c *order.Case) error { return c.Cancel(Random[id.Refund](), "", Random[id.Event](), Noon) })
	Same(s.T, "stock", s.Stock(p), map[string]int{"main": catalog.MaxStock})
}

func caseLedger(s *Shop) {
	o := s.Sold(s.Product(5), 2)
	c := s.GaveBack(o, 7_00)
	written, n, err := s.Ledger.Transactions(s.Ctx, s.Project.ID, ports.TransactionFilter{}, ports.Page{Limit: 10})
	s.Must(err)
	Same(s.T, "transactions", written, []ledger.Transaction{c.Ledger[0], o.Sale()})
	Same(s.T, "number", n, 2)
	wallets, err := s.Ledger.Wallets(s.Ctx, s.Project.ID)
	s.Must(err)
	total := o.Total.Minor()
	Same(s.T, "wallets", wallets, []ports.Wallet{{
		Provider: "sandbox",
		Balance:  USD(total - 7_00),
		Received: USD(total),
		Refunded: USD(7_00),
		Disputed: USD(0),
		Fees:     USD(0),
		PaidOut:  USD(0),
		Orphaned: USD(0),
		Adjusted: USD(0),
	}})
}

func disputed(o *order.Order, status order.DisputeStatus, withdrawn, fee int64) order.DisputeReport {
	return order.DisputeReport{
		Charge:    o.Payment.Provider,
		Provider:  "du_" + o.ID.String(),
		Status:    status,
		Reason:    "fraudulent",
		Amount:    USD(9_00),
		Withdrawn: USD(withdrawn),
		Fee:       USD(fee),
		At:        Noon,
	}
}

func newDisputeIDs() order.DisputeIDs {
	return order.DisputeIDs{
		Dispute:    Random[id.Dispute](),
		Opened:     Random[id.Event](),
		Closed:     Random[id.Event](),
		Withdrawal: Random[id.Transaction](),
		Fee:        Random[id.Transaction](),
	}
}

// A refund that failed after it had succeeded, one that was made elsewhere, and a dispute that was lost.
func caseTakenBack(s *Shop) {
	o := s.Sold(s.Product(5), 2)
	c := s.GaveBack(o, 7_00)
	reversed := c.Refunds[0].ID
	of, err := s.Payments.PaymentByCharge(s.Ctx, s.Project.ID, o.Payment.Provider)
	s.Must(err)
	Same(s.T, "order of the charge", of.Order, o.ID)
	_, err = s.Payments.PaymentByCharge(s.Ctx, s.Project.ID, "ch_other")
	WantFault(s.T, err, fault.NotFound, "payment_not_found")
	s.CarryOn(o.ID, func(c *order.Case) error {
		return c.ReverseRefund(reversed, order.RefundFailed{Code: "expired_card"}, Random[id.Event](), Random[id.Transaction](), Noon.Add(time.Hour))
	})
	s.CarryOn(o.ID, func(c *order.Case) error {
		return c.ReportRefund(order.ExternalRefund{
			Charge:   o.Payment.Provider,
			Provider: "re_x",
			Amount:   USD(2_00),
			Outcome:  order.Refunded{},
			At:       Noon,
		}, order.RefundIDs{
			Refund:   Random[id.Refund](),
			Announce: Random[id.Event](),
			Reversal: Random[id.Transaction](),
		}, Noon)
	})
	s.CarryOn(o.ID, func(c *order.Case) error {
		return c.ReportDispute(disputed(o, order.DisputeOpen, 9_00, 1_00), newDisputeIDs(), Noon)
	})
	c = s.CarryOn(o.ID, func(c *order.Case) error {
		return c.ReportDispute(disputed(o, order.DisputeLost, 9_00, 1_50), newDisputeIDs(), Noon)
	})
	sameCase(s.T, s.OrderCase(o.ID), c)
	Same(s.T, "sequence", c.Order.Sequence, 6)
	failed, n, err := s.OrderLists.Refunds(s.Ctx, s.Project.ID, ports.RefundFilter{Status: order.RefundIsFailed, Order: o.ID}, ports.Page{Limit: 10})
	s.Must(err)
	Same(s.T, "failed refunds", n, 1)
	Same(s.T, "the failed refund", failed[0].ID, reversed)
	disputes, err := s.Payments.DisputesOf(s.Ctx, s.Project.ID, o.Payment.ID)
	s.Must(err)
	Same(s.T, "disputes", disputes, c.Disputes)
	wallets, err := s.Ledger.Wallets(s.Ctx, s.Project.ID)
	s.Must(err)
	total := o.Total.Minor()
	Same(s.T, "wallets", wallets, []ports.Wallet{{
		Provider: "sandbox",
		Balance:  USD(total - 2_00 - 9_00 - 1_50),
		Received: USD(total),
		Refunded: USD(2_00),
		Disputed: USD(9_00),
		Fees:     USD(1_50),
		PaidOut:  USD(0),
		Orphaned: USD(0),
		Adjusted: USD(0),
	}})
	for kind, want := range map[ledger.Kind]int{ledger.RefundKind: 2, ledger.ReversalKind: 1, ledger.DisputeKind: 2} {
		_, n, err := s.Ledger.Transactions(s.Ctx, s.Project.ID, ports.TransactionFilter{Kind: kind}, ports.Page{Limit: 10})
		s.Must(err)
		Same(s.T, kind.String()+" transactions", n, want)
	}
}
