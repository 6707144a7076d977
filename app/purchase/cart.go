package purchase

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/haggle-commerce/haggle/app/pricing"
	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/negotiation"
	"github.com/haggle-commerce/haggle/domain/personalization"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/domain/session"
	"github.com/haggle-commerce/haggle/ports"
)

// initFromCart opens the checkout of a session's cart, or updates its open checkout to the cart. A cart has at most one open
// checkout, as a Shopify cart has one checkout URL.
func (s *Service) initFromCart(ctx ports.Outbound, p *project.Project, r InitRequest) (*PreparedInit, error) {
	if err := r.checkFromCart(); err != nil {
		return nil, err
	}
	known, err := s.Carts.Cart(ctx, p.ID, ports.CartAsk{Session: r.Session})
	if err != nil {
		return nil, err
	}
	sess, touched, err := s.sessionFor(p, r, known.Basket)
	if err != nil {
		return nil, err
	}
	if sess.Buyer != (checkout.Buyer{}) {
		r.Buyer = sess.Buyer // the cart's buyer overrides the request's and the checkout's
	}
	if r.Lenient != nil {
		r.Lenient = lenientOf(known)
	} else if r.Items, err = itemsOf(known); err != nil {
		return nil, err
	}
	made, err := s.checkoutOfCart(ctx, p, r, known, sess)
	if err != nil {
		return nil, err
	}
	lines := made.Checkout.Snapshot().Lines
	made.touched, made.Unused, made.Short = touched, checkout.Unused(lines, known.Agreed), checkout.Short(lines, known.Stock)
	if made.revision != nil {
		made.revision.touched = touched
	}
	return made, nil
}

// checkoutOfCart opens, returns or revises the checkout of a request whose items are those of the cart.
func (s *Service) checkoutOfCart(ctx ports.Outbound, p *project.Project, r InitRequest, known ports.Cart, sess *session.Session) (*PreparedInit, error) {
	c, before := known.Checkout, []checkout.Line(nil)
	var lapsed *checkout.Checkout
	if c != nil && errors.Is(c.Revisable(known.Now), checkout.ErrExpired) {
		c, lapsed = nil, c
	}
	held := checkout.Address{}
	if c != nil {
		held = c.Snapshot().Address
	}
	r.selectAddressOrReport(held)
	if c != nil {
		if !r.Agent.FindsWhatWasMadeBy(c.Snapshot().Agent) {
			return nil, fault.Missing("session")
		}
		before = c.Snapshot().Lines
		r.inherit(c.Snapshot())
		if r.Lenient == nil {
			keepLines(r.Items, known.Items, before)
		}
	}
	lines, findings, err := r.price(known.Basket, before)
	if err != nil {
		return nil, err
	}
	switch {
	case c == nil:
		made, err := s.openCheckout(ctx, p, r, sess, lines, known.Now)
		if err != nil {
			return nil, err
		}
		made.lapsed, made.Findings = lapsed, findings
		return made, nil
	case r.matches(c.Snapshot(), lines, p.Storefront.Personalization):
		return &PreparedInit{
			Checkout:  c,
			Findings:  findings,
			session:   sess,
			unchanged: true,
		}, nil
	}
	if err := c.Revisable(known.Now); err != nil {
		return nil, err
	}
	revision, err := s.prepareRevision(ctx, p, c, ReviseRequest{InitRequest: r}, sess, lines, known.Now)
	return &PreparedInit{
		Checkout: c,
		Findings: findings,
		session:  sess,
		revision: revision,
	}, err
}

func (r InitRequest) checkFromCart() error {
	check := fault.NewCheck()
	check.That(!r.Session.IsZero(), "session_id", "is required with from_cart")
	check.That(len(r.Items) == 0, "items", "must be omitted with from_cart, which buys the lines of the cart")
	check.That(r.TokenHash == "", "checkout_token", "must be omitted with from_cart: put it into the cart with its item")
	return check.Err()
}

// inherit sets the address, buyer and hook that the request lacks to those of the checkout.
func (r *InitRequest) inherit(c checkout.Snapshot) {
	if r.Address.IsZero() {
		r.Address = c.Address
	}
	if r.Buyer == (checkout.Buyer{}) {
		r.Buyer = c.Buyer
	}
	if r.Hook == (checkout.Hook{}) {
		r.Hook = c.Hook
	}
}

// matches reports whether the request would change nothing of the checkout.
func (r InitRequest) matches(c checkout.Snapshot, lines []checkout.Line, rules personalization.Rules) bool {
	address := r.Address.For(r.Buyer)
	if r.Strict {
		address.Country = checkout.Country(address.Country)
	}
	address.State = checkout.Region(address.Country, address.State)
	address.ID = cmp.Or(address.ID, c.Address.ID)
	lines, held := checkout.Disclose(lines, rules, address), c.Lines
	if c.Status == checkout.Processing { // no new text can be shown during a payment
		held = checkout.Disclose(held, rules, address)
	}
	whole := r.Partial || len(address.Missing()) == 0 || checkout.AllDigital(lines)
	wanted := r.Option == "" || r.Option == c.Selected
	problems := len(r.Problems) + len(r.problems) + len(c.CartProblems)
	return whole && wanted && problems == 0 && slices.Equal(held, lines) && c.Address == address && c.Buyer == r.Buyer && c.Hook == r.Hook && c.Strict == r.Strict
}

// lenientOf converts the lines of a cart, with their deals.
func lenientOf(known ports.Cart) *pricing.LenientItems {
	items := &pricing.LenientItems{}
	for _, line := range known.Items {
		items.Items = append(items.Items, pricing.Wanted{Ref: line.Variant.String(), Quantity: line.Quantity})
		if q := quoteOf(line.Quote, known.Quotes); q != nil && !slices.Contains(items.Tokens, q.Snapshot().TokenHash) {
			items.Tokens = append(items.Tokens, q.Snapshot().TokenHash)
		}
	}
	return items
}

// itemsOf converts the lines of a cart to items, with the tokens of their agreements.
func itemsOf(known ports.Cart) ([]InitItem, error) {
	switch n := len(known.Items); {
	case n == 0:
		return nil, fault.Field("from_cart", "requires a cart that is not empty")
	case n > checkout.MaxLines:
		return nil, fault.Field("from_cart", "requires a cart of 1 to 50 lines")
	}
	check, items := fault.NewCheck(), make([]InitItem, len(known.Items))
	for i, line := range known.Items {
		items[i] = InitItem{
			Product:  line.Product,
			Variant:  line.Variant,
			Quantity: line.Quantity,
		}
		if q := quoteOf(line.Quote, known.Quotes); q != nil {
			items[i].TokenHash = q.Snapshot().TokenHash
		}
		sold := slices.ContainsFunc(known.Products, func(p *catalog.Product) bool {
			_, ok := p.Variant(line.Variant)
			return p.ID == line.Product && ok
		})
		check.In("items").At(i).That(sold, "product_id", "is no longer sold: remove it from the cart")
	}
	return items, check.Err()
}

func quoteOf(of id.Quote, quotes []*negotiation.Quote) *negotiation.Quote {
	at := slices.IndexFunc(quotes, func(q *negotiation.Quote) bool { return q.Snapshot().ID == of })
	if at < 0 {
		return nil
	}
	return quotes[at]
}

// keepLines sets the numbers of the checkout's existing lines on the items of its cart. An item keeps its agreed price so, even
// if its token has expired.
func keepLines(items []InitItem, cart []session.CartItem, before []checkout.Line) {
	kept := map[int]bool{}
	for i := range items {
		at := slices.IndexFunc(before, func(l checkout.Line) bool {
			return !kept[l.ID] && l.Product == cart[i].Product && l.Variant == cart[i].Variant && l.Quote == cart[i].Quote &&
				(cart[i].AtList() || l.Quantity == cart[i].Quantity)
		})
		if at >= 0 {
			items[i].Line, items[i].TokenHash = before[at].ID, ""
			kept[before[at].ID] = true
		}
	}
}

// expire ends a checkout whose validity is over, unless that is stored already.
func expire(ctx context.Context, stores *ports.Stores, lapsed *checkout.Checkout) error {
	return stores.Checkouts.InTx(ctx, lapsed.Snapshot().Project, func(tx ports.Purchase) error {
		c, now, err := tx.Lock(ctx, lapsed.ID())
		if err != nil || c.Expire(now) != nil {
			return err
		}
		return tx.Save(ctx, c, nil)
	})
}
