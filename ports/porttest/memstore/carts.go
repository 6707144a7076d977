package memstore

import (
	"cmp"
	"context"
	"slices"

	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/negotiation"
	"github.com/haggle-commerce/haggle/domain/session"
	"github.com/haggle-commerce/haggle/ports"
)

// Carts is the store's view of the carts that buyers write.
type Carts struct{ *Store }

var _ ports.Carts = Carts{}

// agree puts an agreement in the place of the variant's line, or adds a line.
func (s *state) agree(k key[id.Session], item session.CartItem) {
	lines, last := slices.Clone(s.carts.rows[k]), s.sessions.rows[k].LineSeq
	at := -1
	for i, l := range lines {
		last = max(last, l.Line)
		if l.Variant != item.Variant || !s.inCart(k.project, l) {
			continue
		}
		if at < 0 || lines[at].AtList() && !l.AtList() {
			at = i
		}
	}
	item.Line = last + 1
	if at >= 0 {
		item.Line = lines[at].Line
		lines = slices.Delete(lines, at, at+1)
	}
	s.carts.put(s, k, append(lines, item))
}

// inCart reports whether a line is not bought yet.
func (s *state) inCart(p id.Project, item session.CartItem) bool {
	return s.quotes.rows[key[id.Quote]{p, item.Quote}].RedeemedBy.IsZero()
}

// referred are the products that references name.
func (s *state) referred(p id.Project, refs []string) (list []id.Product) {
	for k, row := range s.products.rows {
		names := []string{row.ID.String(), row.SKU}
		for _, v := range row.Variants {
			names = append(names, v.ID.String(), v.SKU)
		}
		if k.project == p && slices.ContainsFunc(names, func(name string) bool { return slices.Contains(refs, name) }) {
			list = append(list, row.ID)
		}
	}
	return list
}

func (v Carts) Cart(ctx context.Context, p id.Project, ask ports.CartAsk) (found ports.Cart, err error) {
	s, err := v.read(ctx)
	if err != nil {
		return found, err
	}
	k := key[id.Session]{p, ask.Session}
	visit, known := s.sessions.rows[k]
	if known {
		found.Session, found.Items = &visit, s.cart(k)
	}
	for _, l := range s.carts.rows[k] {
		found.LastLine = max(found.LastLine, l.Line)
	}
	if known || ask.Session.IsZero() {
		found.Now = v.Now()
	}
	wanted := append(slices.Clone(ask.Products), s.referred(p, ask.Refs)...)
	for _, item := range found.Items {
		wanted = append(wanted, item.Product)
	}
	for at, q := range s.quotes.rows {
		ofLine := slices.ContainsFunc(found.Items, func(i session.CartItem) bool { return i.Quote == q.ID })
		if at.project == p && (ofLine || q.TokenHash != "" && slices.Contains(ask.Tokens, q.TokenHash)) {
			found.Quotes = append(found.Quotes, negotiation.Rehydrate(q.Snapshot))
		}
	}
	if c, open := s.checkoutOfCart(k); open {
		found.Checkout = c
	}
	slices.SortFunc(wanted, func(a, b id.Product) int { return cmp.Compare(a.String(), b.String()) })
	found.Products, err = Products{Store: v.Store}.Active(ctx, p, slices.Compact(wanted))
	found.Stock = s.stockOf(p, found.Products)
	return found, err
}

func (s *state) checkoutOfCart(k key[id.Session]) (*checkout.Checkout, bool) {
	for at, c := range s.checkouts.rows {
		if at.project == k.project && c.Session == k.id && c.FromCart && (c.Status.Open() || c.Status == checkout.Processing) {
			return open(c), true
		}
	}
	return nil, false
}

func (v Carts) Replace(ctx context.Context, r ports.CartResult) error {
	return v.inTx(ctx, func(s *state) error {
		k := key[id.Session]{r.Session.Project, r.Session.ID}
		visit, known := s.sessions.rows[k]
		switch {
		case r.NewSession:
			visit = *r.Session
		case !known:
			return fault.Missing("session")
		}
		if r.Touched.Any() {
			s.touch(r.Session, r.Touched)
			visit = s.sessions.rows[k]
		}
		lines := slices.Clone(s.carts.rows[k])
		if !r.NewSession && visit.LineSeq != r.Session.LineSeq {
			return ports.Stale
		}
		for _, before := range r.Before {
			at := slices.IndexFunc(lines, func(l session.CartItem) bool { return sameLine(l, before) })
			if at < 0 {
				return ports.Stale
			}
			lines = slices.Delete(lines, at, at+1)
		}
		for _, after := range r.After.Items {
			if slices.ContainsFunc(lines, func(l session.CartItem) bool { return l.Line == after.Line }) {
				return ports.Stale
			}
			lines = append(lines, after)
		}
		visit.Buyer = r.Session.Buyer
		visit.LineSeq = max(visit.LineSeq, r.After.LineSeq)
		s.sessions.put(s, k, visit)
		s.carts.put(s, k, lines)
		return nil
	})
}

func sameLine(a, b session.CartItem) bool {
	return a.Line == b.Line && a.Variant == b.Variant && a.Quantity == b.Quantity && a.Quote == b.Quote
}

// takeOutBought removes from a cart the items that its checkout sold at list price.
func (s *state) takeOutBought(c checkout.Snapshot) {
	if !c.FromCart {
		return
	}
	k := key[id.Session]{c.Project, c.Session}
	s.carts.put(s, k, slices.DeleteFunc(slices.Clone(s.carts.rows[k]), func(item session.CartItem) bool {
		return item.AtList() && slices.ContainsFunc(c.Lines, func(l checkout.Line) bool { return l.Quote.IsZero() && l.Variant == item.Variant })
	}))
}
