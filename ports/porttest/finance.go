package porttest

import (
	"slices"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/domain/event"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/ledger"
	"github.com/haggle-commerce/haggle/domain/order"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/ports"
)

// Finance is the contract of ports.Payments and ports.Ledger.
func Finance(t *testing.T, open Open) {
	stores := open(t)
	for name, test := range map[string]func(*shop){
		"payments are listed":                  paymentLists,
		"each payment is told once":            paymentsEach,
		"transactions are listed":              transactionLists,
		"what moved":                           financeMoved,
		"what a provider names is found":       financeFound,
		"orphaned charges are found":           financeOrphans,
		"nothing of another project is shown":  financeForeign,
		"an export ends with its reader's own": financeEachEnds,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(openShop(t, stores))
		})
	}
}

// payments are those of orders, newest first: all are paid at noon, so by id.
func payments(orders ...*order.Order) []ports.OrderPayment {
	list := make([]ports.OrderPayment, len(orders))
	for i, o := range orders {
		list[i] = ports.OrderPayment{Payment: o.Payment, Project: o.Project, Order: o.ID, Checkout: o.Checkout}
	}
	slices.SortFunc(list, func(a, b ports.OrderPayment) int {
		if a.ID.String() > b.ID.String() {
			return -1
		}
		return 1
	})
	return list
}

func paymentLists(s *shop) {
	p := s.product(9)
	plain, partly := s.sold(p, 1), s.sold(p, 1)
	partly = s.gaveBack(partly, 1).Order
	all := payments(plain, partly)
	for name, c := range map[string]struct {
		f    ports.PaymentFilter
		want []ports.OrderPayment
	}{
		"all":       {ports.PaymentFilter{}, all},
		"succeeded": {ports.PaymentFilter{Status: order.Succeeded}, payments(plain)},
		"refunded":  {ports.PaymentFilter{Status: order.PartiallyRefunded}, payments(partly)},
		"method":    {ports.PaymentFilter{Method: "wallet_ba"}, payments()},
		"order":     {ports.PaymentFilter{Order: plain.ID, Method: "psp_spt"}, payments(plain)},
		"too early": {ports.PaymentFilter{To: noon}, payments()},
		"in time":   {ports.PaymentFilter{From: noon, To: noon.Add(time.Millisecond)}, all},
	} {
		got, n, err := s.Payments.Payments(s.ctx, s.project.ID, c.f, ports.Page{Limit: 10})
		s.must(err)
		same(s.t, name, got, c.want)
		same(s.t, name+", number", n, len(c.want))
	}
	second, n, err := s.Payments.Payments(s.ctx, s.project.ID, ports.PaymentFilter{}, ports.Page{Limit: 1, Offset: 1})
	s.must(err)
	same(s.t, "a page", second, all[1:])
	same(s.t, "number", n, 2)
	got, err := s.Payments.PaymentByID(s.ctx, s.project.ID, partly.Payment.ID)
	s.must(err)
	same(s.t, "payment", *got, payments(partly)[0])
	refunds, err := s.Payments.RefundsOf(s.ctx, s.project.ID, partly.Payment.ID)
	s.must(err)
	same(s.t, "refunds", refunds, s.orderCase(partly.ID).Refunds)
}

func paymentsEach(s *shop) {
	p := s.product(99)
	var orders []*order.Order
	for range 7 {
		orders = append(orders, s.sold(p, 1))
	}
	var got []ports.OrderPayment
	s.must(s.Payments.EachPayment(s.ctx, s.project.ID, ports.PaymentFilter{}, func(p ports.OrderPayment) error {
		got = append(got, p)
		return nil
	}))
	same(s.t, "payments", got, payments(orders...))
}

func transactionLists(s *shop) {
	p := s.product(9)
	first, second := s.sold(p, 1), s.sold(p, 2)
	given := s.gaveBack(first, 3).Ledger[0]
	for name, c := range map[string]struct {
		f    ports.TransactionFilter
		want int
	}{
		"all":      {ports.TransactionFilter{}, 3},
		"sales":    {ports.TransactionFilter{Kind: ledger.SaleKind}, 2},
		"refunds":  {ports.TransactionFilter{Kind: ledger.RefundKind}, 1},
		"an order": {ports.TransactionFilter{Order: first.ID}, 2},
		"later":    {ports.TransactionFilter{From: noon.Add(time.Second)}, 1},
		"before":   {ports.TransactionFilter{To: noon.Add(time.Second)}, 2},
	} {
		got, n, err := s.Ledger.Transactions(s.ctx, s.project.ID, c.f, ports.Page{Limit: 10})
		s.must(err)
		same(s.t, name, []int{len(got), n}, []int{c.want, c.want})
		var each []ledger.Transaction
		s.must(s.Ledger.EachTransaction(s.ctx, s.project.ID, c.f, func(t ledger.Transaction) error {
			each = append(each, t)
			return nil
		}))
		same(s.t, name+", each", each, got)
	}
	for _, want := range []ledger.Transaction{given, second.Sale()} {
		got, err := s.Ledger.TransactionByID(s.ctx, s.project.ID, want.ID)
		s.must(err)
		same(s.t, "transaction", *got, want)
	}
}

func financeMoved(s *shop) {
	o := s.sold(s.product(9), 1)
	c := s.gaveBack(o, 3)
	s.carryOn(o.ID, func(c *order.Case) error { return c.Refund(random[id.Refund](), nil, "", noon) })
	taken := ports.Moved{Route: sandboxRoute, Order: o.ID, Payment: o.Payment.ID, Provider: o.Payment.Provider, Amount: o.Total, Began: noon, At: noon}
	given := ports.Moved{
		Route: sandboxRoute, Order: o.ID, Payment: o.Payment.ID, Refund: c.Refunds[0].ID, Provider: c.Refunds[0].Provider, Amount: usd(3),
		Began: noon, At: noon.Add(time.Minute),
	}
	for _, span := range []struct {
		from, to time.Time
		want     []ports.Moved
	}{
		{noon, noon.Add(time.Hour), []ports.Moved{taken, given}},
		{noon, noon.Add(time.Minute), []ports.Moved{taken}},
		{noon.Add(1), noon.Add(time.Hour), []ports.Moved{taken, given}}, // whole milliseconds
		{noon.Add(time.Millisecond), noon.Add(time.Hour), []ports.Moved{given}},
	} {
		got, err := s.Payments.Moved(s.ctx, s.project.ID, span.from, span.to, 10)
		s.must(err)
		slices.SortFunc(got, func(a, b ports.Moved) int { return a.At.Compare(b.At) })
		same(s.t, "moved", got, span.want)
	}
	one, err := s.Payments.Moved(s.ctx, s.project.ID, noon, noon.Add(time.Hour), 1)
	s.must(err)
	same(s.t, "at most", len(one), 1)
}

func financeFound(s *shop) {
	p := s.product(9)
	o := s.sold(p, 1)
	given := s.gaveBack(o, 3).Refunds[0]
	s.carryOn(o.ID, func(c *order.Case) error {
		return c.ReportRefund(order.ExternalRefund{
			Charge: o.Payment.Provider, Provider: "re_elsewhere", Amount: usd(1), Outcome: order.RefundPending{Provider: "re_elsewhere"}, At: noon,
		}, order.RefundIDs{Refund: random[id.Refund](), Announce: random[id.Event](), Reversal: random[id.Transaction]()}, noon)
	})
	pending := random[id.Refund]()
	s.carryOn(o.ID, func(c *order.Case) error { return c.Refund(pending, nil, "", noon) })
	found := func(route project.PaymentRoute, of id.Project, named ...ports.Movement) map[string]ports.MovementState {
		known, err := s.Payments.FindMovements(s.ctx, of, route, named)
		s.must(err)
		states := map[string]ports.MovementState{}
		for _, k := range known {
			if k.Key == "" {
				k.Key = k.Provider
			}
			states[k.Key] = k.State
		}
		return states
	}
	named := []ports.Movement{
		{Provider: o.Payment.Provider, Key: checkout.AttemptKey(o.Checkout, 1)},
		{Refund: true, Provider: given.Provider},
		{Refund: true, Provider: "re_other", Key: pending.String()},
		{Refund: true, Provider: "re_elsewhere", Charge: "ch_other"}, // it succeeded, and no report of that came
		{Provider: "ch_other", Key: "another system's"},
		{Refund: true, Provider: "re_nobody's", Key: random[id.Refund]().String()},
	}
	same(s.t, "found", found(sandboxRoute, s.project.ID, named...), map[string]ports.MovementState{
		o.Payment.Provider: ports.MovementRecorded,
		given.ID.String():  ports.MovementRecorded,
		pending.String():   ports.MovementInFlight,
	})
	other := project.PaymentRoute{Provider: "stripe", Integration: random[id.Integration]()}
	same(s.t, "found of another route", len(found(other, s.project.ID, named...)), 0)
	foreign := openShop(s.t, s.Stores)
	same(s.t, "found of another project", len(found(sandboxRoute, foreign.project.ID, named...)), 0)
	c := s.mustClaim(s.checkout(s.session(), line(p, 1)))
	key := checkout.AttemptKey(c.ID(), 1)
	same(s.t, "an attempt in flight", found(sandboxRoute, s.project.ID, ports.Movement{Provider: "ch_new", Key: key}),
		map[string]ports.MovementState{key: ports.MovementInFlight})
}

// financeOrphans looks up an orphaned charge and its refund, by the provider's ids and by our key.
func financeOrphans(s *shop) {
	c, err := s.Checkouts.Get(s.ctx, s.project.ID, s.sold(s.product(9), 1).Checkout)
	s.must(err)
	given, failed := c.Orphaned(1, "ch_given_"+s.project.ID.String(), noon), c.Orphaned(1, "ch_failed_"+s.project.ID.String(), noon)
	failed.RefundFailed("", "no", noon)
	for _, o := range []*checkout.Orphan{given, failed} {
		s.must(s.Checkouts.InTx(s.ctx, s.project.ID, func(tx ports.Purchase) error {
			_, err := tx.Orphan(s.ctx, o, &event.Event{
				ID: random[id.Event](), Project: s.project.ID, At: noon, Data: event.PaymentOrphaned{Checkout: o.Checkout, Amount: o.Amount},
			})
			return err
		}))
	}
	states := func(named ports.Movement) (list []ports.MovementState) {
		known, err := s.Payments.FindMovements(s.ctx, s.project.ID, given.Route, []ports.Movement{named})
		s.must(err)
		for _, k := range known {
			if k.Provider == named.Provider || k.Key != "" && k.Key == named.Key {
				list = append(list, k.State)
			}
		}
		return list
	}
	orphan := []ports.MovementState{ports.MovementOrphan}
	same(s.t, "the charge", states(ports.Movement{Provider: given.Charge}), orphan)
	same(s.t, "its refund, before its answer came", states(ports.Movement{Refund: true, Provider: "re_new", Key: given.ID}), orphan)
	same(s.t, "a charge that could not be refunded", states(ports.Movement{Provider: failed.Charge}), []ports.MovementState{ports.MovementOwed})
	s.must(s.Orphans.ChangeOrphan(s.ctx, s.project.ID, given.ID, func(o *checkout.Orphan, _ time.Time) (*event.Event, error) {
		o.Refunded("re_given", noon)
		return nil, nil
	}))
	same(s.t, "its refund, by the provider's id", states(ports.Movement{Refund: true, Provider: "re_given"}), orphan)
}

func financeForeign(s *shop) {
	foreign := openShop(s.t, s.Stores)
	o := foreign.sold(foreign.product(9), 1)
	foreign.gaveBack(o, 1)
	_, err := s.Payments.PaymentByID(s.ctx, s.project.ID, o.Payment.ID)
	wantFault(s.t, err, fault.NotFound, "payment_not_found")
	_, err = s.Ledger.TransactionByID(s.ctx, s.project.ID, o.Sale().ID)
	wantFault(s.t, err, fault.NotFound, "transaction_not_found")
	list, n, err := s.Payments.Payments(s.ctx, s.project.ID, ports.PaymentFilter{}, ports.Page{Limit: 10})
	s.must(err)
	written, m, err := s.Ledger.Transactions(s.ctx, s.project.ID, ports.TransactionFilter{}, ports.Page{Limit: 10})
	s.must(err)
	wallets, err := s.Ledger.Wallets(s.ctx, s.project.ID)
	s.must(err)
	refunds, err := s.Payments.RefundsOf(s.ctx, s.project.ID, o.Payment.ID)
	s.must(err)
	moved, err := s.Payments.Moved(s.ctx, s.project.ID, noon, noon.Add(time.Hour), 10)
	s.must(err)
	same(s.t, "seen of another project", len(list)+n+len(written)+m+len(wallets)+len(refunds)+len(moved), 0)
}

func financeEachEnds(s *shop) {
	s.sold(s.product(9), 1)
	err := s.Payments.EachPayment(s.ctx, s.project.ID, ports.PaymentFilter{}, func(ports.OrderPayment) error { return errPlain })
	same(s.t, "error", err, errPlain)
	err = s.Ledger.EachTransaction(s.ctx, s.project.ID, ports.TransactionFilter{}, func(ledger.Transaction) error { return errPlain })
	same(s.t, "error", err, errPlain)
}
