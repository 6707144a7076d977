package memstore

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/negotiation"
	"github.com/haggle-commerce/haggle/domain/session"
	"github.com/haggle-commerce/haggle/ports"
)

// Sessions is the store's view of sessions.
type Sessions struct{ *Store }

var _ ports.Sessions = Sessions{}

func (v Sessions) Create(ctx context.Context, visit *session.Session, shown ...id.Product) error {
	return v.inTx(ctx, func(s *state) error {
		k := key[id.Session]{visit.Project, visit.ID}
		s.sessions.put(s, k, *visit)
		s.shown.put(s, k, slices.Clone(shown))
		return nil
	})
}

func (v Sessions) Update(ctx context.Context, p id.Project, of id.Session, change func(*session.Session) error) (*session.Session, error) {
	var changed session.Session
	err := v.inTx(ctx, func(s *state) (err error) {
		k := key[id.Session]{p, of}
		visit, known := s.sessions.rows[k]
		if !known {
			return fault.Missing("session")
		}
		if err := change(&visit); err != nil {
			return err
		}
		changed = visit
		s.sessions.put(s, k, visit)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return &changed, nil
}

func (v Sessions) Visit(ctx context.Context, p id.Project, of id.Session) (ports.Visit, error) {
	s, err := v.read(ctx)
	if err != nil {
		return ports.Visit{}, err
	}
	k := key[id.Session]{p, of}
	visit, known := s.sessions.rows[k]
	if !known {
		return ports.Visit{}, fault.Missing("session")
	}
	result := ports.Visit{
		Session: &visit,
		Now:     v.Now(),
		Cart:    s.cart(k),
	}
	for _, e := range s.entries.rows[k] {
		result.History = append(result.History, e.Entry)
	}
	for _, product := range s.shown.rows[k] {
		result.Shown = append(result.Shown, session.Shown{Product: product, Accepted: s.bought(k, product)})
	}
	return result, nil
}

// cart returns the items of a session's cart that were not bought.
func (s *state) cart(k key[id.Session]) (items []session.CartItem) {
	for _, item := range s.carts.rows[k] {
		if !s.inCart(k.project, item) {
			continue
		}
		if product, known := s.products.rows[key[id.Product]{k.project, item.Product}]; known && item.AtList() {
			if v, known := product.Variant(item.Variant); known {
				item.Price = product.PriceOf(v)
			}
		}
		items = append(items, item)
	}
	return items
}

func (s *state) bought(k key[id.Session], product id.Product) bool {
	for at, row := range s.orders.rows {
		if at.project != k.project || row.order.Session != k.id {
			continue
		}
		for _, l := range row.order.Lines {
			if l.Product == product {
				return true
			}
		}
	}
	return false
}

func (v Sessions) Keep(ctx context.Context, visit *session.Session, t session.Touched, products ...id.Product) error {
	if !t.Any() && len(products) == 0 {
		return nil
	}
	return v.inTx(ctx, func(s *state) error {
		k := key[id.Session]{visit.Project, visit.ID}
		if _, known := s.sessions.rows[k]; !known {
			return fault.Missing("session")
		}
		s.touch(visit, t)
		shown := slices.Clone(s.shown.rows[k])
		for _, one := range products {
			if !slices.Contains(shown, one) {
				shown = append(shown, one)
			}
		}
		s.shown.put(s, k, shown)
		return nil
	})
}

// touch stores the changes of an existing session.
func (s *state) touch(visit *session.Session, t session.Touched) {
	k := key[id.Session]{visit.Project, visit.ID}
	stored := s.sessions.rows[k]
	if t.Claims {
		member := stored.Claims.Member
		if stored.Claims = visit.Claims; visit.Claims.Member == (session.Member{}) {
			stored.Claims.Member = member
		}
	}
	if t.Any() {
		stored.LastActivity = later(stored.LastActivity, visit.LastActivity)
		stored.ExpiresAt = later(stored.ExpiresAt, visit.ExpiresAt)
	}
	s.sessions.put(s, k, stored)
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// quote is a quote with the checkout that has its token in use.
type quote struct {
	negotiation.Snapshot
	claimedBy id.Checkout
}

// entry is an answer of a session's history.
type entry struct{ negotiation.Entry }

// Haggling is the store's view of quotes.
type Haggling struct{ *Store }

var _ ports.Haggling = Haggling{}

// Load finds what an offer on a product needs. It does not count a client's earlier probes.
func (v Haggling) Load(ctx context.Context, p id.Project, ask ports.HaggleAsk) (h ports.Haggle, err error) {
	s, err := v.read(ctx)
	if err != nil {
		return h, err
	}
	if q, known := s.quotes.rows[key[id.Quote]{p, ask.Quote}]; known && (ask.Session.IsZero() || ask.Session == q.Item.Session) {
		h.Quote = negotiation.Rehydrate(q.Snapshot)
		ask.Session, ask.Product, ask.Variant, ask.Quantity = q.Item.Session, q.Item.Product, q.Item.Variant, q.Item.Quantity
	}
	if ask.Ref != "" {
		ask.Product, ask.Variant = s.named(p, ask.Ref)
	}
	k := key[id.Session]{p, ask.Session}
	if visit, known := s.sessions.rows[k]; known {
		h.Session, h.Cart, h.LastSeq = &visit, s.cart(k), len(s.entries.rows[k])
	}
	for _, e := range s.entries.rows[k] {
		q := s.quotes.rows[key[id.Quote]{p, e.Quote}]
		if q.Item.Product == ask.Product && q.Item.Variant == ask.Variant && q.Item.Quantity == ask.Quantity {
			h.Prior = negotiation.Rehydrate(q.Snapshot)
		}
	}
	if product, known := s.products.rows[key[id.Product]{p, ask.Product}]; known && product.Status == catalog.Active {
		h.Product, h.Stock = copied(product), map[id.Variant]int{}
		for _, l := range s.levels(p, func(one catalog.Product, _ catalog.Variant) bool { return one.ID == ask.Product }) {
			h.Stock[l.Variant] += l.Quantity
		}
	}
	return h, nil
}

// named is the product that a reference names, with the variant where it has one of its own.
func (s *state) named(p id.Project, ref string) (product id.Product, variant id.Variant) {
	for k, row := range s.products.rows {
		if k.project != p || row.Status != catalog.Active {
			continue
		}
		for _, v := range row.Variants {
			only := len(row.Variants) == 1 && (row.ID.String() == ref || row.SKU == ref)
			if v.ID.String() == ref || v.SKU == ref || only {
				return row.ID, v.ID
			}
		}
	}
	return product, variant
}

func (v Haggling) Decline(ctx context.Context, q *negotiation.Quote) error {
	return v.inTx(ctx, func(s *state) error {
		at := key[id.Quote]{q.Snapshot().Project, q.Snapshot().ID}
		stored, known := s.quotes.rows[at]
		if !known || stored.State != negotiation.Open {
			return ports.Stale
		}
		stored.Snapshot = q.Snapshot()
		s.quotes.put(s, at, stored)
		return nil
	})
}

func (v Haggling) Save(ctx context.Context, r ports.HaggleResult) error {
	return v.inTx(ctx, func(s *state) error {
		k := key[id.Session]{r.Session.Project, r.Session.ID}
		if _, known := s.sessions.rows[k]; !known && !r.NewSession {
			return fault.Missing("session")
		}
		if err := s.unchanged(k.project, r.Version); err != nil {
			return err
		}
		if r.Entry.Seq != len(s.entries.rows[k])+1 {
			return ports.Stale
		}
		if r.NewSession {
			s.sessions.put(s, k, *r.Session)
		} else {
			s.touch(r.Session, r.Touched)
		}
		s.entries.put(s, k, append(slices.Clone(s.entries.rows[k]), entry{r.Entry}))
		for _, q := range []*negotiation.Quote{r.Superseded, r.Quote} {
			if q != nil {
				at := key[id.Quote]{k.project, q.Snapshot().ID}
				s.quotes.put(s, at, quote{q.Snapshot(), s.quotes.rows[at].claimedBy})
			}
		}
		for _, item := range r.Cart {
			s.agree(k, item)
		}
		if r.Event != nil {
			s.announce(r.Event, v.Now())
		}
		return nil
	})
}

func (v Haggling) Basket(ctx context.Context, p id.Project, ask ports.BasketAsk) (basket ports.Basket, err error) {
	s, err := v.read(ctx)
	if err != nil {
		return basket, err
	}
	if ask.Session.IsZero() {
		basket.Now = v.Now()
		for k, q := range s.quotes.rows {
			if k.project == p && q.TokenHash != "" && slices.Contains(ask.Tokens, q.TokenHash) && (ask.Session.IsZero() || q.Item.Session.String() < ask.Session.String()) {
				ask.Session = q.Item.Session
			}
		}
	}
	if visit, known := s.sessions.rows[key[id.Session]{p, ask.Session}]; known {
		basket.Session, basket.Now = &visit, v.Now()
	}
	wanted := append(slices.Clone(ask.Products), s.referred(p, ask.Refs)...)
	for k, q := range s.quotes.rows {
		if k.project != p || q.TokenHash == "" || !slices.Contains(ask.Tokens, q.TokenHash) {
			continue
		}
		basket.Quotes = append(basket.Quotes, negotiation.Rehydrate(q.Snapshot))
		if len(ask.Products)+len(ask.Refs) == 0 {
			wanted = append(wanted, q.Item.Product)
			if q.Bundle != nil {
				wanted = append(wanted, q.Bundle.Product)
			}
		}
	}
	slices.SortFunc(wanted, func(a, b id.Product) int { return cmp.Compare(a.String(), b.String()) })
	basket.Products, err = Products{Store: v.Store}.Active(ctx, p, slices.Compact(wanted))
	basket.Stock = s.stockOf(p, basket.Products)
	return basket, err
}
