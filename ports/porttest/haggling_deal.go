package porttest

import (
	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/negotiation"
	"github.com/haggle-commerce/haggle/domain/session"
	"github.com/haggle-commerce/haggle/ports"
)

// ask is a first offer on a product's first variant.
func ask(sess id.Session, p *catalog.Product, quantity int) ports.HaggleAsk {
	return ports.HaggleAsk{Session: sess, Product: p.ID, Variant: p.Variants[0].ID, Quantity: quantity}
}

func (s *shop) load(a ports.HaggleAsk) ports.Haggle {
	s.t.Helper()
	h, err := s.Haggling.Load(s.ctx, s.project.ID, a)
	s.must(err)
	return h
}

// answer makes the answer to an offer on the product as an application would, nil for a question of
// the price. It stores nothing.
func (s *shop) answer(sess *session.Session, p *catalog.Product, quantity int, offer *money.Amount) ports.HaggleResult {
	s.t.Helper()
	h := s.load(ask(sess.ID, p, quantity))
	policy := negotiation.Builtin().Under(s.project.Settings)
	v := p.Variants[0]
	signals := negotiation.Signals{
		List: p.PriceOf(v), Cost: pointer(usd(60_00)), Negotiable: p.Negotiable, Quantity: quantity,
		CartValue: usd(0), Stock: h.Stock[v.ID], Claims: negotiation.ClaimsOf(sess.Claims),
		Member: negotiation.MemberOf(sess.Claims.Member), Category: p.Category, Probed: h.Probed,
	}
	item := negotiation.Item{Session: sess.ID, Product: p.ID, Variant: v.ID, Quantity: quantity}
	q := negotiation.Start(random[id.Quote](), s.project.ID, item, policy, signals, h.Prior, noon)
	table := q.Table(policy.Terms(signals), offer)
	decision := negotiation.Decide(table)
	q.Record(table, decision, noon)
	r := ports.HaggleResult{Session: sess, NewSession: h.Session == nil, Quote: q, NewQuote: true}
	if h.Prior != nil {
		h.Prior.Supersede()
		r.Superseded = h.Prior
	}
	if _, accepted := decision.(negotiation.Accepted); accepted {
		q.Seal(hash(q.Snapshot().ID.String()), false)
		r.Cart = []session.CartItem{cartItem(q, p)}
	}
	r.Entry = negotiation.NewEntry(random[id.Decision](), h.LastSeq+1, q, table, signals, decision, "please", noon)
	return r
}

// cartItem is what an agreed quote puts into the cart.
func cartItem(q *negotiation.Quote, p *catalog.Product) session.CartItem {
	snapshot := q.Snapshot()
	return session.CartItem{
		Product: p.ID, Variant: snapshot.Item.Variant, Name: p.Name, Quantity: snapshot.Item.Quantity,
		Price: snapshot.FinalPrice, Quote: snapshot.ID,
	}
}

// agree stores a deal over the product at 95.00 a piece.
func (s *shop) agree(sess *session.Session, p *catalog.Product, quantity int) *negotiation.Quote {
	s.t.Helper()
	r := s.answer(sess, p, quantity, pointer(usd(95_00)))
	if r.Quote.Snapshot().State != negotiation.Agreed {
		s.t.Fatalf("95.00 of 100.00 was not agreed: %+v", r.Entry)
	}
	s.must(s.Haggling.Save(s.ctx, r))
	return r.Quote
}

// token reads an agreed quote again.
func (s *shop) token(q *negotiation.Quote) negotiation.Snapshot {
	s.t.Helper()
	found, err := s.Haggling.ByToken(s.ctx, s.project.ID, []string{q.Snapshot().TokenHash})
	s.must(err)
	if len(found) != 1 {
		s.t.Fatalf("%d quotes have the token", len(found))
	}
	return found[0].Snapshot()
}
