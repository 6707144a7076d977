package sqlstore_test

import (
	"time"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/db"
	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/domain/event"
	"github.com/haggle-commerce/haggle/domain/fieldtest"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/ledger"
	"github.com/haggle-commerce/haggle/domain/negotiation"
	"github.com/haggle-commerce/haggle/domain/order"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/domain/session"
	"github.com/haggle-commerce/haggle/ports"
)

const (
	openedBy   = "it is whose request it was opened by"
	writesCart = "writing the cart changes it"
)

func sessionFields(s *fieldShop) {
	created, changed := fill[session.Session](), fill[session.Session](another)
	created.Project = s.project.ID
	p := s.product()
	s.must(s.Sessions().Create(s.Context(), &created, p.ID))
	visit := read(s.Sessions().Visit(s.Context(), s.project.ID, created.ID))(s)
	loaded := read(s.Haggling().Load(s.Context(), s.project.ID, ports.HaggleAsk{
		Session:  created.ID,
		Product:  p.ID,
		Quantity: 1,
	}))(s)
	s.survives(nil, &created, visit.Session, loaded.Session)
	s.survives(fieldtest.Reasons{"session.Shown.Accepted": "an order of the product makes it so"}, session.Shown{Product: p.ID}, only(visit.Shown, 0, nil)(s))
	s.survives(nil, p, loaded.Product)

	changed.ID, changed.Project, changed.CreatedAt = created.ID, s.project.ID, created.CreatedAt
	read(s.Sessions().Update(s.Context(), s.project.ID, created.ID, func(v *session.Session) error { *v = changed; return nil }))(s)
	s.survives(fieldtest.Reasons{"session.Session.Agent": openedBy, "session.Session.LineSeq": writesCart, "session.Session.Buyer": writesCart}, &changed, read(s.Sessions().Visit(s.Context(), s.project.ID, created.ID))(s).Session)
}

// answered stores an answer in a session, with a quote and a decision full of values.
func (s *fieldShop) answered() ports.HaggleResult {
	s.Helper()
	visit, p := s.session(), s.product()
	item := negotiation.Item{
		Session:  visit.ID,
		Product:  p.ID,
		Variant:  p.Variants[0].ID,
		Quantity: 3,
	}
	q, e := fill[negotiation.Snapshot](), fill[negotiation.Entry]()
	q.Project, q.Item, q.RedeemedBy = s.project.ID, item, id.Order{}
	e.Project, e.Session, e.Item, e.Quote = s.project.ID, visit.ID, item, q.ID
	cart := fill[session.CartItem]()
	cart.Line, cart.Product, cart.Variant, cart.Quote = 1, p.ID, p.Variants[0].ID, q.ID
	answer := ports.HaggleResult{
		Session:  visit,
		Quote:    negotiation.Rehydrate(q),
		NewQuote: true,
		Entry:    e,
		Cart:     []session.CartItem{cart},
	}
	s.must(s.Haggling().Save(s.Context(), answer))
	return answer
}

func quoteFields(s *fieldShop) {
	answer := s.answered()
	created := answer.Quote.Snapshot()
	readings := func(token string) []any {
		loaded := read(s.Haggling().Load(s.Context(), s.project.ID, ports.HaggleAsk{Session: created.Item.Session, Quote: created.ID}))(s)
		basket := read(s.Haggling().Basket(s.Context(), s.project.ID, ports.BasketAsk{Tokens: []string{token}}))(s)
		return []any{loaded.Quote.Snapshot(), only(basket.Quotes, 0, nil)(s).Snapshot()}
	}
	except := fieldtest.Reasons{"negotiation.Snapshot.RedeemedBy": "an order redeems the token"}
	s.survives(except, created, readings(created.TokenHash)...)
	visit := read(s.Sessions().Visit(s.Context(), s.project.ID, created.Item.Session))(s)
	s.survives(nil, answer.Cart[0], only(visit.Cart, 0, nil)(s))

	changed := fill[negotiation.Snapshot](another, negotiation.RehydrateBounds(usd(900), usd(870), usd(850), usd(840)))
	changed.Bounds = negotiation.RehydrateBounds(usd(9900), usd(9870), usd(9850), usd(9840))
	changed.ID, changed.Project, changed.Item, changed.CreatedAt, changed.RedeemedBy = created.ID, s.project.ID, created.Item, created.CreatedAt, id.Order{}
	answer.Quote, answer.NewQuote = negotiation.Rehydrate(changed), false
	answer.Entry.ID, answer.Entry.Seq = newID[id.Decision](), answer.Entry.Seq+1
	s.must(s.Haggling().Save(s.Context(), answer))
	s.survives(except, changed, readings(changed.TokenHash)...)
}

func decisionFields(s *fieldShop) {
	want := s.answered().Entry
	visit := read(s.Sessions().Visit(s.Context(), s.project.ID, want.Session))(s)
	decided := only(s.Decisions().Decisions(s.Context(), s.project.ID, ports.DecisionFilter{}, firstPage))(s)
	var talks []ports.Negotiation
	s.must(s.Decisions().Negotiations(s.Context(), s.project.ID, ports.NegotiationFilter{To: fieldtest.Start.AddDate(9, 0, 0)}, 10, func(n ports.Negotiation) error {
		talks = append(talks, n)
		return nil
	}))
	s.survives(nil, want, only(visit.History, 0, nil)(s), decided.Entry, only(only(talks, 0, nil)(s).Entries, 0, nil)(s))

	read(s.Decisions().Seal(s.Context(), 100))(s)
	sealed := only(read(s.Decisions().Sealed(s.Context(), s.project.ID, 1, 10))(s), 0, nil)(s)
	s.survives(nil, want, sealed.Entry)
}

// newCheckout is a checkout full of values.
func (s *fieldShop) newCheckout(known ...any) checkout.Snapshot {
	c := fill[checkout.Snapshot](known...)
	c.Project, c.Session, c.Declines = s.project.ID, s.session().ID, 1
	return c
}

func checkoutFields(s *fieldShop) {
	created := s.newCheckout(checkout.Pending)
	s.must(s.Checkouts().Create(s.Context(), checkout.Rehydrate(created), nil, session.Touched{}, s.project.Version))
	reading := func() checkout.Snapshot {
		return read(s.Checkouts().Get(s.Context(), s.project.ID, created.ID))(s).Snapshot()
	}
	payAttempts := read(s.Checkouts().PayAttempts(s.Context(), s.project.ID, created.ID, "client", time.Hour))(s)
	s.survives(nil, created, reading(), payAttempts.Checkout.Snapshot())

	revised := s.newCheckout(another, checkout.Ready)
	revised.ID, revised.Session = created.ID, created.Session
	s.must(s.Checkouts().InTx(s.Context(), s.project.ID, func(tx ports.Purchase) error {
		return tx.Revise(s.Context(), checkout.Rehydrate(revised), s.project.Version)
	}))
	attempts := fieldtest.Reasons{}
	for _, path := range []string{"Attempt", "LeaseUntil", "ClaimedAt", "RetryAt", "Taken", "CreatedAt"} {
		attempts["checkout.Snapshot."+path] = "a new cart changes no attempt"
	}
	attempts["checkout.Snapshot.Agent"] = openedBy
	s.survives(attempts, revised, reading())

	changed := s.newCheckout(2*another, checkout.Canceled)
	changed.ID, changed.Session = created.ID, created.Session
	s.must(s.Checkouts().InTx(s.Context(), s.project.ID, func(tx ports.Purchase) error {
		return tx.Save(s.Context(), checkout.Rehydrate(changed), nil)
	}))
	except := fieldtest.Reasons{}
	for _, path := range []string{"Lines", "LineSeq", "Address", "Buyer", "Agent", "Hook", "Options", "Subtotal", "Tax", "Savings", "CreatedAt", "ValidUntil"} {
		except["checkout.Snapshot."+path] = "the cart and its totals change by Revise alone"
	}
	s.survives(except, changed, reading())
}

// order stores an order full of values, with its payment.
func (s *fieldShop) order() *order.Order {
	s.Helper()
	c := s.newCheckout()
	s.must(s.Checkouts().Create(s.Context(), checkout.Rehydrate(c), nil, session.Touched{}, s.project.Version))
	o := fill[order.Order]()
	o.Project, o.Checkout, o.Session, o.Confirmation = s.project.ID, c.ID, c.Session, newID[id.Order]().String()
	o.Subtotal, o.Shipping, o.Tax, o.Total = usd(50_000), usd(4_000), usd(300), usd(54_300)
	o.Payment.Amount, o.Payment.Refunded, o.Payment.Refunding, o.Payment.Disputed = o.Total, o.Total, usd(700), usd(900)
	token := s.answered().Quote.Snapshot().ID
	for i := range o.Lines {
		o.Lines[i].Quote = token
	}
	s.must(s.DB.InTx(s.Context(), s.project.ID, func(tx *db.Tx) error {
		_, err := tx.Exec(s.Context(), "UPDATE quotes SET claimed_by = $2 WHERE project_id = $1", s.project.ID.String(), c.ID.String())
		return err
	}))
	s.must(s.Checkouts().InTx(s.Context(), s.project.ID, func(tx ports.Purchase) error {
		return tx.Settle(s.Context(), ports.Settlement{
			Checkout: checkout.Rehydrate(c),
			Order:    &o,
			Event: &event.Event{
				ID:      newID[id.Event](),
				Project: s.project.ID,
				At:      fieldtest.Start,
				Data:    o.Completed(),
			},
		})
	}))
	return &o
}

func orderFields(s *fieldShop) {
	placed := s.order()
	s.survives(nil, placed,
		read(s.Orders().ByID(s.Context(), s.project.ID, placed.ID))(s),
		read(s.Orders().ByCheckout(s.Context(), s.project.ID, placed.Checkout))(s),
		read(s.Orders().Case(s.Context(), s.project.ID, placed.ID))(s).Order,
		only(s.Orders().Orders(s.Context(), s.project.ID, ports.OrderFilter{}, firstPage))(s))
	paid := ports.OrderPayment{
		Payment:  placed.Payment,
		Project:  s.project.ID,
		Order:    placed.ID,
		Checkout: placed.Checkout,
	}
	s.survives(nil, paid,
		only(s.Payments().Payments(s.Context(), s.project.ID, ports.PaymentFilter{}, firstPage))(s),
		*read(s.Payments().PaymentByID(s.Context(), s.project.ID, placed.Payment.ID))(s),
		*read(s.Payments().PaymentByCharge(s.Context(), s.project.ID, placed.Payment.Provider))(s))

	changed := fill[order.Order](another, project.SharedPaymentToken)
	changed.Payment.Refunded, changed.Payment.Amount = usd(54_300), usd(54_300)
	read(s.Orders().Change(s.Context(), s.project.ID, placed.ID, func(c *order.Case) error {
		*c.Order = changed
		c.Order.ID, c.Order.Project, c.Order.Payment.ID = placed.ID, placed.Project, placed.Payment.ID
		return nil
	}))(s)
	except := fieldtest.Reasons{}
	for _, path := range []string{
		"ID", "Project", "Checkout", "Session", "Confirmation", "Lines", "Address", "Email", "Notes", "Agent", "Hook", "HookEndedAt", "Subtotal", "Shipping", "Tax", "Savings", "Total",
		"CreatedAt", "TokenSalt", "TokenHash", "Payment.ID", "Payment.Method", "Payment.Label", "Payment.Route", "Payment.Provider", "Payment.CreatedAt",
	} {
		except["order.Order."+path] = "it is fixed when the order is placed"
	}
	s.survives(except, &changed, read(s.Orders().ByID(s.Context(), s.project.ID, placed.ID))(s))
}

func caseFields(s *fieldShop) {
	placed := s.order()
	returned, decided := fill[order.Return](), fill[order.Return](another)
	refund, pending := fill[order.Refund](), fill[order.Refund](another, order.RefundIsPending, order.RequestedHere)
	dispute, closed := fill[order.Dispute](), fill[order.Dispute](another, order.DisputeWon)
	refund.DueAt, pending.ReversedAt = time.Time{}, time.Time{}
	closed.ID, closed.Provider, closed.Gateway, closed.CreatedAt = dispute.ID, dispute.Provider, dispute.Gateway, dispute.CreatedAt
	for _, r := range []*order.Return{&returned, &decided} {
		r.Project, r.Order = s.project.ID, placed.ID
	}
	for _, r := range []*order.Refund{&refund, &pending} {
		r.Project, r.Order, r.Payment = s.project.ID, placed.ID, placed.Payment.ID
	}
	for _, d := range []*order.Dispute{&dispute, &closed} {
		d.Project, d.Order, d.Payment = s.project.ID, placed.ID, placed.Payment.ID
	}
	write := func(d order.Dispute) *order.Case {
		read(s.Orders().Change(s.Context(), s.project.ID, placed.ID, func(c *order.Case) error {
			c.Returns, c.Refunds, c.Disputes = []order.Return{returned, decided}, []order.Refund{refund, pending}, []order.Dispute{d}
			return nil
		}))(s)
		return read(s.Orders().Case(s.Context(), s.project.ID, placed.ID))(s)
	}
	c := write(dispute)
	type pair = fieldtest.Pair
	fieldtest.Survive(s, nil, pair{Sent: returned, Got: c.Returns[0]}, pair{Sent: decided, Got: c.Returns[1]},
		pair{Sent: returned, Got: *read(s.Orders().ReturnByID(s.Context(), s.project.ID, returned.ID))(s)})
	fieldtest.Survive(s, nil, pair{Sent: refund, Got: c.Refunds[0]}, pair{Sent: pending, Got: c.Refunds[1]},
		pair{Sent: refund, Got: *read(s.Orders().RefundByID(s.Context(), s.project.ID, refund.ID))(s)},
		pair{Sent: pending, Got: read(s.Payments().RefundsOf(s.Context(), s.project.ID, placed.Payment.ID))(s)[1]})
	s.survives(nil, dispute, c.Disputes[0], only(read(s.Payments().DisputesOf(s.Context(), s.project.ID, placed.Payment.ID))(s), 0, nil)(s))
	s.survives(nil, closed, write(closed).Disputes[0])
}

func noteFields(s *fieldShop) {
	placed := s.order()
	n := fill[order.Note]()
	n.Project, n.Order = s.project.ID, placed.ID
	s.must(s.OrderNotes().Add(s.Context(), n))
	s.survives(nil, n, read(s.OrderNotes().Notes(s.Context(), s.project.ID, placed.ID))(s)[0])
}

func labelFields(s *fieldShop) {
	placed := s.order()
	inHand, bought := fill[order.Label](), fill[order.Label](another)
	inHand.Project, inHand.Order, inHand.BoughtAt, inHand.Price = s.project.ID, placed.ID, time.Time{}, bought.Price
	bought.ID, bought.Project, bought.Order, bought.DueAt, bought.CreatedAt = inHand.ID, s.project.ID, placed.ID, time.Time{}, inHand.CreatedAt
	var pairs []fieldtest.Pair
	for _, l := range []order.Label{inHand, bought} {
		read(s.Labels().Change(s.Context(), s.project.ID, placed.ID, true, func(*order.Order, *order.Label) (*order.Label, error) { return &l, nil }))(s)
		pairs = append(pairs, fieldtest.Pair{Sent: l, Got: *read(s.Labels().Find(s.Context(), s.project.ID, placed.ID, true))(s)})
	}
	fieldtest.Survive(s, nil, pairs...)
}

func ledgerFields(s *fieldShop) {
	placed := s.order()
	refund, dispute := fill[order.Refund](order.RefundSucceeded), fill[order.Dispute]()
	refund.Project, refund.Order, refund.Payment, refund.DueAt, refund.ReversedAt = s.project.ID, placed.ID, placed.Payment.ID, time.Time{}, time.Time{}
	dispute.Project, dispute.Order, dispute.Payment = s.project.ID, placed.ID, placed.Payment.ID
	fee, back, taken := fill[ledger.Transaction](ledger.FeeKind, ledger.Fees), fill[ledger.Transaction](ledger.RefundKind, ledger.Refunds), fill[ledger.Transaction](ledger.DisputeKind, ledger.Disputes)
	fee.Refund, fee.Dispute = id.Refund{}, id.Dispute{}
	back.Refund, back.Dispute, back.Reference = refund.ID, id.Dispute{}, ""
	taken.Refund, taken.Dispute, taken.Postings[1].Debit = id.Refund{}, dispute.ID, ledger.Fees
	booked := []ledger.Transaction{fee, back, taken}
	for n := range booked {
		t := &booked[n]
		t.Project, t.Order, t.Payment = s.project.ID, placed.ID, placed.Payment.ID
		for i := range t.Postings {
			t.Postings[i].Credit = ledger.Funds(t.Provider)
		}
	}
	// The schema compares the postings with the refund and the dispute.
	refund.Amount = usd(back.Postings[0].Amount.Minor() + back.Postings[1].Amount.Minor())
	dispute.Gateway, dispute.Steps, dispute.Withdrawn, dispute.Fee = taken.Provider, 1, taken.Postings[0].Amount, taken.Postings[1].Amount
	read(s.Orders().Change(s.Context(), s.project.ID, placed.ID, func(c *order.Case) error {
		c.Refunds, c.Disputes, c.Ledger = []order.Refund{refund}, []order.Dispute{dispute}, booked
		return nil
	}))(s)
	var pairs []fieldtest.Pair
	for _, t := range booked {
		pairs = append(pairs, fieldtest.Pair{Sent: t, Got: read(s.Ledger().TransactionByID(s.Context(), s.project.ID, t.ID))(s)})
	}
	s.must(s.Ledger().EachTransaction(s.Context(), s.project.ID, ports.TransactionFilter{Kind: ledger.FeeKind}, func(t ledger.Transaction) error {
		pairs = append(pairs, fieldtest.Pair{Sent: booked[0], Got: t})
		return nil
	}))
	fieldtest.Survive(s, nil, pairs...)
}

func orphanFields(s *fieldShop) {
	c := s.newCheckout()
	s.must(s.Checkouts().Create(s.Context(), checkout.Rehydrate(c), nil, session.Touched{}, s.project.Version))
	stored := fill[checkout.Orphan]()
	stored.Project, stored.Checkout, stored.ID = s.project.ID, c.ID, "orphan-1"
	s.must(s.Checkouts().InTx(s.Context(), s.project.ID, func(tx ports.Purchase) error {
		_, err := tx.Orphan(s.Context(), &stored, nil)
		return err
	}))
	s.survives(nil, stored, only(s.Orphans().Orphans(s.Context(), s.project.ID, ports.OrphanFilter{}, firstPage))(s))

	changed := fill[checkout.Orphan](another)
	s.must(s.Orphans().ChangeOrphan(s.Context(), s.project.ID, stored.ID, func(o *checkout.Orphan, _ time.Time) (*event.Event, error) {
		*o, o.ID, o.Project, o.Checkout = changed, stored.ID, s.project.ID, c.ID
		return nil, nil
	}))
	except := fieldtest.Reasons{}
	for _, path := range []string{"ID", "Project", "Checkout", "Attempt", "Route", "Charge", "Amount", "DetectedAt"} {
		except["checkout.Orphan."+path] = lasting
	}
	s.survives(except, changed, only(s.Orphans().Orphans(s.Context(), s.project.ID, ports.OrphanFilter{}, firstPage))(s))
}
