package porttest

import (
	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/negotiation"
	"github.com/haggle-commerce/haggle/domain/session"
	"github.com/haggle-commerce/haggle/ports"
)

// Ask is a first offer on a product's first variant.
func Ask(sess id.Session, p *catalog.Product, quantity int) ports.HaggleAsk {
	return ports.HaggleAsk{
		Session:  sess,
		Product:  p.ID,
		Variant:  p.Variants[0].ID,
		Quantity: quantity,
	}
}

func (s *Shop) Load(a ports.HaggleAsk) ports.Haggle {
	s.T.Helper()
	h, err := s.Haggling.Load(s.Ctx, s.Project.ID, a)
	s.Must(err)
	return h
}

// Answer returns the answer to an offer on the product as the application would, nil for a request for the price. It
// stores nothing.
func (s *Shop) Answer(sess *session.Session, p *catalog.Product, quantity int, offer *money.Amount) ports.HaggleResult {
	s.T.Helper()
	h := s.Load(Ask(sess.ID, p, quantity))
	policy := negotiation.Builtin().Under(s.Project.Settings)
	v := p.Variants[0]
	signals := negotiation.Signals{
		List:       p.PriceOf(v),
		Cost:       Pointer(USD(60_00)),
		Negotiable: p.Negotiable,
		Quantity:   quantity,
		CartValue:  USD(0),
		Stock:      h.Stock[v.ID],
		Claims:     negotiation.ClaimsOf(sess.Claims),
		Member:     negotiation.MemberOf(sess.Claims.Member),
		Category:   p.Category,
		Probed:     h.Probed,
	}
	item := negotiation.Item{
		Session:  sess.ID,
		Product:  p.ID,
		Variant:  v.ID,
		Quantity: quantity,
	}
	q := negotiation.Start(Random[id.Quote](), s.Project.ID, item, policy, signals, h.Prior, Noon)
	table := q.Table(policy.Terms(signals), offer)
	decision := negotiation.Decide(table)
	q.Record(table, decision, Noon)
	r := ports.HaggleResult{
		Session:    sess,
		NewSession: h.Session == nil,
		Quote:      q,
		NewQuote:   true,
		Version:    s.Project.Version,
	}
	if h.Prior != nil {
		h.Prior.Supersede()
		r.Superseded = h.Prior
	}
	if _, accepted := decision.(negotiation.Accepted); accepted {
		q.Seal(Hash(q.Snapshot().ID.String()), "salt", false)
		r.Cart = []session.CartItem{CartItem(q, p)}
	}
	r.Entry = negotiation.NewEntry(Random[id.Decision](), h.LastSeq+1, q, table, signals, decision, "please", Noon)
	return r
}

// CartItem is the item that an agreed quote adds to the cart.
func CartItem(q *negotiation.Quote, p *catalog.Product) session.CartItem {
	snapshot := q.Snapshot()
	return session.CartItem{
		Product:  p.ID,
		Variant:  snapshot.Item.Variant,
		Name:     p.Name,
		Quantity: snapshot.Item.Quantity,
		Price:    snapshot.FinalPrice,
		Quote:    snapshot.ID,
	}
}

// Agree stores a deal over the product at 95.00 a piece.
func (s *Shop) Agree(sess *session.Session, p *catalog.Product, quantity int) *negotiation.Quote {
	s.T.Helper()
	r := s.Answer(sess, p, quantity, Pointer(USD(95_00)))
	if r.Quote.Snapshot().State != negotiation.Agreed {
		s.T.Fatalf("95.00 of 100.00 was not agreed: %+v", r.Entry)
	}
	s.Must(s.Haggling.Save(s.Ctx, r))
	return r.Quote
}

// token reads an agreed quote again.
func (s *Shop) token(q *negotiation.Quote) negotiation.Snapshot {
	s.T.Helper()
	found, err := s.Haggling.Basket(s.Ctx, s.Project.ID, ports.BasketAsk{Tokens: []string{q.Snapshot().TokenHash}})
	s.Must(err)
	if len(found.Quotes) != 1 {
		s.T.Fatalf("%d quotes have the token", len(found.Quotes))
	}
	if found.Session == nil || found.Session.ID != q.Snapshot().Item.Session || found.Now.IsZero() {
		s.T.Errorf("the token's session is %+v, at %s", found.Session, found.Now)
	}
	return found.Quotes[0].Snapshot()
}
