package finance_test

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
	"github.com/haggle-commerce/haggle/ports/porttest"
)

// Finance is the contract of ports.Payments and ports.Ledger.
func Finance(t *testing.T, open porttest.Open) {
	stores := open(t)
	for name, test := range map[string]func(*porttest.Shop){
		"payments are listed":                  paymentLists,
		"each payment is told once":            paymentsEach,
		"payments are paged by key":            paymentsKeyset,
		"transactions are listed":              transactionLists,
		"what moved":                           financeMoved,
		"what a provider names is found":       financeFound,
		"orphaned charges are found":           financeOrphans,
		"nothing of another project is shown":  financeForeign,
		"an export ends with its reader's own": financeEachEnds,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(porttest.OpenShop(t, stores))
		})
	}
}

func paymentsKeyset(s *porttest.Shop) {
	p := s.Product(99)
	for range 4 {
		s.Sold(p, 1)
	}
	porttest.Keyset[ports.OrderPayment]{
		List: func(page ports.Page) ([]ports.OrderPayment, int, error) {
			return s.Payments.Payments(s.Ctx, s.Project.ID, ports.PaymentFilter{Status: order.Succeeded}, page)
		},
		Place: func(p ports.OrderPayment) ports.Place { return ports.Place{At: p.CreatedAt, ID: p.ID.String()} },
		Add:   func() { s.Sold(p, 1) },
	}.Test(s.T)
	next := 0
	ask := func() {
		next++
		s.UnresolvedCheckout(porttest.Noon.Add(time.Duration(next*7%5) * time.Minute))
	}
	for range 4 {
		ask()
	}
	porttest.Keyset[ports.UnresolvedPayment]{
		List: func(page ports.Page) ([]ports.UnresolvedPayment, int, error) {
			return s.Unresolved.UnresolvedPayments(s.Ctx, s.Project.ID, ports.PaymentFilter{}, page)
		},
		Place: func(u ports.UnresolvedPayment) ports.Place {
			return ports.Place{At: u.Checkout.Charge().Since, ID: u.Checkout.ID().String()}
		},
		Add: ask,
	}.Test(s.T)
}

// payments are those of orders, newest first: all are paid at noon, so by id.
func payments(orders ...*order.Order) []ports.OrderPayment {
	list := make([]ports.OrderPayment, len(orders))
	for i, o := range orders {
		list[i] = ports.OrderPayment{
			Payment:  o.Payment,
			Project:  o.Project,
			Order:    o.ID,
			Checkout: o.Checkout,
		}
	}
	slices.SortFunc(list, func(a, b ports.OrderPayment) int {
		if a.ID.String() > b.ID.String() {
			return -1
		}
		return 1
	})
	return list
}

func paymentLists(s *porttest.Shop) {
	p := s.Product(9)
	plain, partly := s.Sold(p, 1), s.Sold(p, 1)
	partly = s.GaveBack(partly, 1).Order
	all := payments(plain, partly)
	for name, c := range map[string]struct {
		f    ports.PaymentFilter
		want []ports.OrderPayment
	}{
		"all":       {ports.PaymentFilter{}, all},
		"succeeded": {ports.PaymentFilter{Status: order.Succeeded}, payments(plain)},
		"refunded":  {ports.PaymentFilter{Status: order.PartiallyRefunded}, payments(partly)},
		"method":    {ports.PaymentFilter{Method: project.BillingAgreement}, payments()},
		"order":     {ports.PaymentFilter{Order: plain.ID, Method: project.SharedPaymentToken}, payments(plain)},
		"too early": {ports.PaymentFilter{To: porttest.Noon}, payments()},
		"in time":   {ports.PaymentFilter{From: porttest.Noon, To: porttest.Noon.Add(time.Millisecond)}, all},
	} {
		got, n, err := s.Payments.Payments(s.Ctx, s.Project.ID, c.f, ports.Page{Limit: 10})
		s.Must(err)
		porttest.Same(s.T, name, got, c.want)
		porttest.Same(s.T, name+", number", n, len(c.want))
	}
	second, n, err := s.Payments.Payments(s.Ctx, s.Project.ID, ports.PaymentFilter{}, ports.Page{Limit: 1, Offset: 1})
	s.Must(err)
	porttest.Same(s.T, "a page", second, all[1:])
	porttest.Same(s.T, "number", n, 2)
	got, err := s.Payments.PaymentByID(s.Ctx, s.Project.ID, partly.Payment.ID)
	s.Must(err)
	porttest.Same(s.T, "payment", *got, payments(partly)[0])
	refunds, err := s.Payments.RefundsOf(s.Ctx, s.Project.ID, partly.Payment.ID)
	s.Must(err)
	porttest.Same(s.T, "refunds", refunds, s.OrderCase(partly.ID).Refunds)
}

func paymentsEach(s *porttest.Shop) {
	p := s.Product(99)
	var orders []*order.Order
	for range 7 {
		orders = append(orders, s.Sold(p, 1))
	}
	var got []ports.OrderPayment
	s.Must(s.Payments.EachPayment(s.Ctx, s.Project.ID, ports.PaymentFilter{}, func(p ports.OrderPayment) error {
		got = append(got, p)
		return nil
	}))
	porttest.Same(s.T, "payments", got, payments(orders...))
}

func transactionLists(s *porttest.Shop) {
	p := s.Product(9)
	first, second := s.Sold(p, 1), s.Sold(p, 2)
	given := s.GaveBack(first, 3).Ledger[0]
	for name, c := range map[string]struct {
		f    ports.TransactionFilter
		want int
	}{
		"all":      {ports.TransactionFilter{}, 3},
		"sales":    {ports.TransactionFilter{Kind: ledger.SaleKind}, 2},
		"refunds":  {ports.TransactionFilter{Kind: ledger.RefundKind}, 1},
		"an order": {ports.TransactionFilter{Order: first.ID}, 2},
		"later":    {ports.TransactionFilter{From: porttest.Noon.Add(time.Second)}, 1},
		"before":   {ports.TransactionFilter{To: porttest.Noon.Add(time.Second)}, 2},
	} {
		got, n, err := s.Ledger.Transactions(s.Ctx, s.Project.ID, c.f, ports.Page{Limit: 10})
		s.Must(err)
		porttest.Same(s.T, name, []int{len(got), n}, []int{c.want, c.want})
		var each []ledger.Transaction
		s.Must(s.Ledger.EachTransaction(s.Ctx, s.Project.ID, c.f, func(t ledger.Transaction) error {
			each = append(each, t)
			return nil
		}))
		porttest.Same(s.T, name+", each", each, got)
	}
	for _, want := range []ledger.Transaction{given, second.Sale()} {
		got, err := s.Ledger.TransactionByID(s.Ctx, s.Project.ID, want.ID)
		s.Must(err)
		porttest.Same(s.T, "transaction", *got, want)
	}
}

func financeMoved(s *porttest.Shop) {
	o := s.Sold(s.Product(9), 1)
	c := s.GaveBack(o, 3)
	s.CarryOn(o.ID, func(c *order.Case) error { return c.Refund(porttest.Random[id.Refund](), nil, "", porttest.Noon) })
	taken := ports.Moved{
		Route:    porttest.SandboxRoute,
		Order:    o.ID,
		Payment:  o.Payment.ID,
		Provider: o.Payment.Provider,
		Amount:   o.Total,
		Began:    porttest.Noon,
		At:       porttest.Noon,
	}
	given := ports.Moved{
		Route:    porttest.SandboxRoute,
		Order:    o.ID,
		Payment:  o.Payment.ID,
		Refund:   c.Refunds[0].ID,
		Provider: c.Refunds[0].Provider,
		Amount:   porttest.USD(3),
		Began:    porttest.Noon,
		At:       porttest.Noon.Add(time.Minute),
	}
	for _, span := range []struct {
		from, to time.Time
		want     []ports.Moved
	}{
		{porttest.Noon, porttest.Noon.Add(time.Hour), []ports.Moved{taken, given}},
		{porttest.Noon, porttest.Noon.Add(time.Minute), []ports.Moved{taken}},
		{porttest.Noon.Add(1), porttest.Noon.Add(time.Hour), []ports.Moved{taken, given}}, // whole milliseconds
		{porttest.Noon.Add(time.Millisecond), porttest.Noon.Add(time.Hour), []ports.Moved{given}},
	} {
		got, err := s.Payments.Moved(s.Ctx, s.Project.ID, span.from, span.to, 10)
		s.Must(err)
		slices.SortFunc(got, func(a, b ports.Moved) int { return a.At.Compare(b.At) })
		porttest.Same(s.T, "moved", got, span.want)
	}
	one, err := s.Payments.Moved(s.Ctx, s.Project.ID, porttest.Noon, porttest.Noon.Add(time.Hour), 1)
	s.Must(err)
	porttest.Same(s.T, "at most", len(one), 1)
}

func financeFound(s *porttest.Shop) {
	p := s.Product(9)
	o := s.Sold(p, 1)
	given := s.GaveBack(o, 3).Refunds[0]
	s.CarryOn(o.ID, func(c *order.Case) error {
		return c.ReportRefund(order.ExternalRefund{
			Charge:   o.Payment.Provider,
			Provider: "re_elsewhere",
			Amount:   porttest.USD(1),
			Outcome:  order.RefundPending{Provider: "re_elsewhere"},
			At:       porttest.Noon,
		}, order.RefundIDs{
			Refund:   porttest.Random[id.Refund](),
			Announce: porttest.Random[id.Event](),
			Reversal: porttest.Random[id.Transaction](),
		}, porttest.Noon)
	})
	pending := porttest.Random[id.Refund]()
	s.CarryOn(o.ID, func(c *order.Case) error { return c.Refund(pending, nil, "", porttest.Noon) })
	found := func(route project.PaymentRoute, of id.Project, named ...ports.Movement) map[string]ports.MovementState {
		known, err := s.Payments.FindMovements(s.Ctx, of, route, named)
		s.Must(err)
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
		{Refund: true, Provider: "re_nobody's", Key: porttest.Random[id.Refund]().String()},
	}
	porttest.Same(s.T, "found", found(porttest.SandboxRoute, s.Project.ID, named...), map[string]ports.MovementState{
		o.Payment.Provider: ports.MovementRecorded,
		given.ID.String():  ports.MovementRecorded,
		pending.String():   ports.MovementInFlight,
	})
	other := project.PaymentRoute{Provider: "stripe", Integration: porttest.Random[id.Integration]()}
	porttest.Same(s.T, "found of another route", len(found(other, s.Project.ID, named...)), 0)
	foreign := porttest.OpenShop(s.T, s.Stores)
	porttest.Same(s.T, "found of another project", len(found(porttest.SandboxRoute, foreign.Project.ID, named...)), 0)
	c := s.MustClaim(s.Checkout(s.Session(), porttest.Line(p, 1)))
	key := checkout.AttemptKey(c.ID(), 1)
	porttest.Same(s.T, "an attempt in flight", found(porttest.SandboxRoute, s.Project.ID, ports.Movement{Provider: "ch_new", Key: key}),
		map[string]ports.MovementState{key: ports.MovementInFlight})
}

// financeOrphans looks up an orphaned charge and its refund, by the provider's ids and by our key.
func financeOrphans(s *porttest.Shop) {
	c, err := s.Checkouts.Get(s.Ctx, s.Project.ID, s.Sold(s.Product(9), 1).Checkout)
	s.Must(err)
	given, failed := c.Orphaned(1, "ch_given_"+s.Project.ID.String(), porttest.Noon), c.Orphaned(1, "ch_failed_"+s.Project.ID.String(), porttest.Noon)
	failed.RefundFailed("", "no", porttest.Noon)
	for _, o := range []*checkout.Orphan{given, failed} {
		s.Must(s.Checkouts.InTx(s.Ctx, s.Project.ID, func(tx ports.Purchase) error {
			_, err := tx.Orphan(s.Ctx, o, &event.Event{
				ID:      porttest.Random[id.Event](),
				Project: s.Project.ID,
				At:      porttest.Noon,
				Data:    event.PaymentOrphaned{Checkout: o.Checkout, Amount: o.Amount},
			})
			return err
		}))
	}
	states := func(named ports.Movement) (list []ports.MovementState) {
		known, err := s.Payments.FindMovements(s.Ctx, s.Project.ID, given.Route, []ports.Movement{named})
		s.Must(err)
		for _, k := range known {
			if k.Provider == named.Provider || k.Key != "" && k.Key == named.Key {
				list = append(list, k.State)
			}
		}
		return list
	}
	orphan := []ports.MovementState{ports.MovementOrphan}
	porttest.Same(s.T, "the charge", states(ports.Movement{Provider: given.Charge}), orphan)
	porttest.Same(s.T, "its refund, before its answer came", states(ports.Movement{
		Refund:   true,
		Provider: "re_new",
		Key:      given.ID,
	}), orphan)
	porttest.Same(s.T, "a charge that could not be refunded", states(ports.Movement{Provider: failed.Charge}), []ports.MovementState{ports.MovementOwed})
	s.Must(s.Orphans.ChangeOrphan(s.Ctx, s.Project.ID, given.ID, func(o *checkout.Orphan, _ time.Time) (*event.Event, error) {
		o.Refunded("re_given", porttest.Noon)
		return nil, nil
	}))
	porttest.Same(s.T, "its refund, by the provider's id", states(ports.Movement{Refund: true, Provider: "re_given"}), orphan)
}

func financeForeign(s *porttest.Shop) {
	foreign := porttest.OpenShop(s.T, s.Stores)
	o := foreign.Sold(foreign.Product(9), 1)
	foreign.GaveBack(o, 1)
	_, err := s.Payments.PaymentByID(s.Ctx, s.Project.ID, o.Payment.ID)
	porttest.WantFault(s.T, err, fault.NotFound, "payment_not_found")
	_, err = s.Ledger.TransactionByID(s.Ctx, s.Project.ID, o.Sale().ID)
	porttest.WantFault(s.T, err, fault.NotFound, "transaction_not_found")
	list, n, err := s.Payments.Payments(s.Ctx, s.Project.ID, ports.PaymentFilter{}, ports.Page{Limit: 10})
	s.Must(err)
	written, m, err := s.Ledger.Transactions(s.Ctx, s.Project.ID, ports.TransactionFilter{}, ports.Page{Limit: 10})
	s.Must(err)
	wallets, err := s.Ledger.Wallets(s.Ctx, s.Project.ID)
	s.Must(err)
	refunds, err := s.Payments.RefundsOf(s.Ctx, s.Project.ID, o.Payment.ID)
	s.Must(err)
	moved, err := s.Payments.Moved(s.Ctx, s.Project.ID, porttest.Noon, porttest.Noon.Add(time.Hour), 10)
	s.Must(err)
	porttest.Same(s.T, "seen of another project", len(list)+n+len(written)+m+len(wallets)+len(refunds)+len(moved), 0)
}

func financeEachEnds(s *porttest.Shop) {
	s.Sold(s.Product(9), 1)
	err := s.Payments.EachPayment(s.Ctx, s.Project.ID, ports.PaymentFilter{}, func(ports.OrderPayment) error { return porttest.ErrPlain })
	porttest.Same(s.T, "error", err, porttest.ErrPlain)
	err = s.Ledger.EachTransaction(s.Ctx, s.Project.ID, ports.TransactionFilter{}, func(ledger.Transaction) error { return porttest.ErrPlain })
	porttest.Same(s.T, "error", err, porttest.ErrPlain)
}
