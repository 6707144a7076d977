// Package baskets reads, replaces and empties a buyer's cart. Agreed prices come only from quotes; all others are list prices.
// Package purchase checks the cart out.
package baskets

import (
	"slices"
	"time"

	"github.com/haggle-commerce/haggle/domain/agentid"
	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/negotiation"
	"github.com/haggle-commerce/haggle/domain/personalization"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/domain/session"
	"github.com/haggle-commerce/haggle/ports"
)

// Service reads and writes carts.
type Service struct {
	*ports.Stores

	Entropy ports.Entropy
}

// In returns the service on stores, such as those of a request's transaction.
func (s *Service) In(stores *ports.Stores) *Service {
	bound := *s
	bound.Stores = stores
	return &bound
}

// Basket is a session's cart as shown to a buyer.
type Basket struct {
	Session  *session.Session
	Currency money.Currency
	Lines    []Line
	Checkout id.Checkout // the open checkout of the cart; zero: none
	Warnings []Warning
	Short    []checkout.Shortage // lines with too little stock
}

// Line is a line of the cart at the price that a checkout would charge now.
type Line struct {
	session.CartItem

	Label    string       // the variant in words
	Unit     money.Amount // per unit
	Original money.Amount // the list price that savings are measured against
	Until    time.Time    // when an agreed price expires
	Token    checkout.Token
	Digital  bool // not shipped
	Personal personalization.Use
}

// Subtotal returns the sum of the lines and the savings against their list prices. Neither overflows, because the amounts of a
// cart are bounded.
func (b *Basket) Subtotal() (subtotal, savings money.Amount) {
	sum, saved := int64(0), int64(0)
	for _, l := range b.Lines {
		sum += l.Unit.Minor() * int64(l.Quantity)
		saved += (l.Original.Minor() - l.Unit.Minor()) * int64(l.Quantity)
	}
	return money.Of(sum, b.Currency), money.Of(saved, b.Currency)
}

// Problem is what a warning is about.
type Problem struct{ name string }

var (
	AgreementNotUsed = Problem{"agreement_not_used"} // the line differs or differed from the agreement, or its token was not sent: the agreed price does not apply
	AgreementExpired = Problem{"agreement_expired"}  // the agreed price has expired
	ItemUnavailable  = Problem{"item_unavailable"}   // the product is not sold any more
)

func (p Problem) String() string { return p.name }

// Warning describes a line whose price or availability may differ from what the buyer expects.
type Warning struct {
	Problem Problem
	Line    int          // index in Lines
	Quote   id.Quote     // of an agreement
	Price   money.Amount // that was agreed
}

// Blocked reports whether a checkout of the cart would be refused because of one of its lines.
func (b *Basket) Blocked() bool {
	for i, l := range b.Lines {
		for _, w := range b.Warnings {
			if w.Line == i && (w.Problem == ItemUnavailable || !l.AtList()) {
				return true
			}
		}
	}
	return false
}

// Named identifies a cart by its session, and the agent that requests it. Only a verified agent itself finds the sessions that it
// opened.
type Named struct {
	Session id.Session
	Agent   agentid.Agent // that sends the request
}

// sessionFor returns the session of a request: the one that it names, or a new one.
func (s *Service) sessionFor(p *project.Project, named Named, known ports.Cart, repeatable bool) (*session.Session, session.Touched, error) {
	switch {
	case !named.Session.IsZero() && (known.Session == nil || !named.Agent.FindsWhatWasMadeBy(known.Session.Agent)):
		return nil, session.Touched{}, fault.Missing("session")
	case known.Session != nil:
		touched, err := known.Session.Touch(nil, p.Settings.SessionTimeout(), known.Now)
		return known.Session, touched, err
	}
	opened := session.Open(id.New[id.Session](s.Entropy.IDBits()), p.ID, session.Claims{}, p.Settings.SessionTimeout(), known.Now)
	opened.Agent = named.Agent
	if repeatable {
		opened.AwaitUse()
	}
	return opened, session.Touched{}, nil
}

// basketOf returns the cart with current prices and warnings.
func basketOf(p *project.Project, known ports.Cart, sess *session.Session, items []session.CartItem) Basket {
	b := Basket{
		Session:  sess,
		Currency: p.Settings.Currency,
		Lines:    make([]Line, len(items)),
	}
	for i, item := range items {
		b.Lines[i] = Line{
			CartItem: item,
			Unit:     item.Price,
			Original: item.Price,
		}
		if product, v, sold := find(known.Products, item.Product, item.Variant); sold {
			b.Lines[i].Name, b.Lines[i].Label, b.Lines[i].Original, b.Lines[i].Digital = product.Name, v.Label(), product.PriceOf(v), v.Digital
		} else {
			b.Warnings = append(b.Warnings, Warning{Problem: ItemUnavailable, Line: i})
		}
		q := quoteOf(item.Quote, known.Quotes)
		if q == nil {
			b.Lines[i].Unit = b.Lines[i].Original
			continue
		}
		b.Lines[i].Unit, b.Lines[i].Original = q.Charged(item.Variant, item.Price, b.Lines[i].Original)
		b.Lines[i].Personal = q.Personalized(item.Variant, b.Lines[i].Unit)
		b.Lines[i].Until = q.Snapshot().ValidUntil
		b.Lines[i].Token = checkout.Token{Salt: q.Snapshot().TokenSalt, Hash: q.Snapshot().TokenHash}
		if w, ok := checkAgreement(q, item, items, known.Now); !ok {
			w.Line = i
			b.Warnings = append(b.Warnings, w)
		}
	}
	b.Warnings = append(b.Warnings, b.unused(known.Agreed)...)
	b.Short = checkout.Short(b.checkoutLines(), known.Stock)
	if c := known.Checkout; c != nil && isOpen(c, known.Now) {
		b.Checkout = c.ID()
	}
	return b
}

// unused returns warnings for lines at list price that a redeemable agreement covers.
func (b *Basket) unused(agreed []checkout.Agreement) (list []Warning) {
	lines := b.checkoutLines()
	for _, a := range checkout.Unused(lines, agreed) {
		at := slices.IndexFunc(lines, func(l checkout.Line) bool { return l.Variant == a.Variant && l.Quote.IsZero() })
		list = append(list, Warning{
			Problem: AgreementNotUsed,
			Line:    at,
			Quote:   a.Quote,
			Price:   a.Price,
		})
	}
	return list
}

// checkoutLines converts the lines to those of a checkout, with the fields that comparisons need.
func (b *Basket) checkoutLines() []checkout.Line {
	lines := make([]checkout.Line, len(b.Lines))
	for i, l := range b.Lines {
		lines[i] = checkout.Line{
			Variant:  l.Variant,
			Quantity: l.Quantity,
			Quote:    l.Quote,
			Unit:     l.Unit,
		}
	}
	return lines
}

// checkAgreement reports whether an agreed line can be bought at its price now, in a cart with these items. If not, the warning
// says why.
func checkAgreement(q *negotiation.Quote, item session.CartItem, with []session.CartItem, now time.Time) (Warning, bool) {
	w := Warning{Quote: item.Quote, Price: item.Price}
	s := q.Snapshot()
	switch {
	case !now.Before(s.ValidUntil):
		w.Problem = AgreementExpired
	case s.Item.Variant != item.Variant && !slices.ContainsFunc(with, func(other session.CartItem) bool { return other.Quote == s.ID && other.Variant == s.Item.Variant }):
		w.Problem = AgreementNotUsed // a bundle's price is due to the item that it was offered with
	default:
		return w, true
	}
	return w, false
}

// isOpen reports whether a checkout can still be revised, or is being paid.
func isOpen(c *checkout.Checkout, now time.Time) bool {
	return c.Status() == checkout.Processing || c.Revisable(now) == nil
}

func find(products []*catalog.Product, product id.Product, variant id.Variant) (*catalog.Product, catalog.Variant, bool) {
	at := slices.IndexFunc(products, func(p *catalog.Product) bool { return p.ID == product })
	if at < 0 {
		return nil, catalog.Variant{}, false
	}
	v, ok := products[at].Variant(variant)
	return products[at], v, ok
}

func quoteOf(of id.Quote, quotes []*negotiation.Quote) *negotiation.Quote {
	at := slices.IndexFunc(quotes, func(q *negotiation.Quote) bool { return q.Snapshot().ID == of })
	if at < 0 {
		return nil
	}
	return quotes[at]
}
