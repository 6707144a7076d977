package negotiation

import (
	"time"

	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/money"
)

// State of a quote as stored. Expiry follows from the clock.
type State struct{ name string }

var (
	Open       = State{"open"}
	Agreed     = State{"accepted"}
	Superseded = State{"superseded"}
	Declined   = State{"declined"} // the buyer gave up
)

func (s State) String() string { return s.name }

// ErrClosed answers an offer on a quote that was superseded.
var ErrClosed = fault.New(fault.Conflict, "quote_closed", "The quote is closed: a newer one about the same item took its place. Read the session, or ask for a new one.")

// Item is what a quote is about. Bounds and progress belong to it, not to one quote.
type Item struct {
	Session  id.Session
	Product  id.Product
	Variant  id.Variant
	Quantity int
}

// Bundle is a second product offered with the first, one piece, at a price that stands for Validity from
// when it was suggested, however often the buyer asks on.
type Bundle struct {
	Product id.Product
	Variant id.Variant
	Name    string
	Regular money.Amount
	Price   money.Amount
	// ValidUntil ends the suggestion.
	ValidUntil time.Time
	Digital    bool // nothing of it is shipped, so that not every protocol sells it
}

// Snapshot is a quote as stored.
type Snapshot struct {
	ID            id.Quote
	Project       id.Project
	Item          Item
	State         State
	Bounds        Bounds
	Progress      Progress
	PolicyVersion int
	FinalPrice    money.Amount // once agreed
	Bundle        *Bundle      // suggested; part of the deal if WithBundle
	WithBundle    bool
	TokenHash     string   // SHA-256 of the checkout token, hex; "" until agreed
	TokenSalt     string   // by which the token can be made again; "": it cannot
	RedeemedBy    id.Order // zero until bought
	DeclinedFor   Reason   // of a declined quote; zero: the buyer said none
	CreatedAt     time.Time
	ValidUntil    time.Time
}

// Quote is one negotiation over one item.
type Quote struct{ s Snapshot }

// Rehydrate trusts storage.
func Rehydrate(s Snapshot) *Quote { return &Quote{s} }

// Snapshot is the quote as it is to be stored.
func (q *Quote) Snapshot() Snapshot { return q.s }

// Start opens a quote. It takes up the bounds and the progress of prior, the latest quote on the same
// item in the same session, if there is one. A counter below a floor that rose is not taken up from a quote that was
// accepted: the promise is kept, and each further acceptance would renew it.
func Start(quote id.Quote, project id.Project, item Item, p Policy, s Signals, prior *Quote, now time.Time) *Quote {
	q := &Quote{Snapshot{
		ID:            quote,
		Project:       project,
		Item:          item,
		State:         Open,
		PolicyVersion: p.Version,
		Bounds:        Bound(p, s),
		CreatedAt:     now,
		ValidUntil:    now.Add(Validity),
	}}
	if prior != nil {
		q.s.Bounds, q.s.Progress, q.s.Bundle = prior.s.Bounds, prior.s.Progress, prior.s.Bundle
		q.refresh(p, s, now.Before(prior.s.ValidUntil))
		switch {
		case q.overtaken() && prior.s.State == Agreed:
			q.s.Progress = Progress{}
		case q.overtaken():
			q.s.ValidUntil = prior.s.ValidUntil
		}
		q.dropBundle(now)
	}
	return q
}

// Resume checks that the quote can be negotiated on, and takes in what changed in the shop.
func (q *Quote) Resume(p Policy, s Signals, now time.Time) error {
	switch q.s.State {
	case Open:
	case Agreed:
		return q.accepted(now)
	case Declined:
		return ErrDeclined
	default:
		return ErrClosed
	}
	q.refresh(p, s, now.Before(q.s.ValidUntil))
	q.dropBundle(now)
	q.s.PolicyVersion = p.Version
	return nil
}

// dropBundle forgets a suggestion whose time is over.
func (q *Quote) dropBundle(now time.Time) {
	if q.s.Bundle != nil && !now.Before(q.s.Bundle.ValidUntil) {
		q.s.Bundle = nil
	}
}

// Expired reports whether an open quote is past its validity.
func (q *Quote) Expired(now time.Time) bool { return q.s.State == Open && !now.Before(q.s.ValidUntil) }

// refresh replaces bounds that the shop's list price, policy or cost has overtaken, and all bounds once no promise
// stands: a session that is kept for long haggles under the policy and the stock of now, as a new one does. A counter given
// before keeps binding us while it is valid. After that it stays our lowest unless the floor has passed it.
func (q *Quote) refresh(p Policy, s Signals, valid bool) {
	held := q.s.Bounds.hold(p, s)
	if held && valid {
		return
	}
	q.s.Bounds = Bound(p, s)
	if held && !q.overtaken() {
		return
	}
	if !valid || q.s.Progress.Counter.Currency() != s.List.Currency() {
		q.s.Progress = Progress{}
	} else if q.s.Progress.Counter.Minor() > s.List.Minor() {
		q.s.Progress.Counter = s.List
	}
}

// overtaken reports whether our counter lies below the floor, which rose after it was given. It is kept
// for the time it was promised for, and for no longer however often the buyer asks.
func (q *Quote) overtaken() bool {
	counter := q.s.Progress.Counter
	return counter.IsPositive() && counter.Minor() < q.s.Bounds.floor.Minor()
}

// hold reports whether bounds set earlier still keep the shop's rules.
func (b Bounds) hold(p Policy, s Signals) bool {
	hard, ok := p.hardFloor(s)
	negotiable := p.Enabled && s.Negotiable && ok && hard.raised < s.List.Minor()
	return b.list == s.List && b.Fixed() != negotiable && b.floor.Minor() >= min(hard.exact, s.List.Minor())
}

// Table sets out the quote for a decision.
func (q *Quote) Table(t Terms, offer *money.Amount) Table {
	return Table{
		Terms:    t,
		Bounds:   q.s.Bounds,
		Progress: q.s.Progress,
		Offer:    offer,
	}
}

// Suggest puts a bundle beside the item. Once suggested it stays, at its price, for its time.
func (q *Quote) Suggest(b *Bundle) {
	if q.s.Bundle == nil {
		q.s.Bundle = b
	}
}

// Record takes in the decision on a table of this quote, and moves the quote's validity. What is accepted can be bought
// for all of Validity, however late it was. A closed quote stays as it is.
func (q *Quote) Record(t Table, d Decision, now time.Time) {
	if q.s.State != Open {
		return
	}
	if _, agreed := d.(Accepted); agreed || !q.overtaken() {
		q.s.ValidUntil = now.Add(Validity)
	}
	pr := &q.s.Progress
	if t.Absurd() {
		pr.Rounds++
	}
	switch d := d.(type) {
	case Quoted:
		pr.lower(d.Price)
	case Countered:
		pr.Rounds++
		pr.lower(d.Price)
	case Rejected:
		pr.lower(d.Price)
	case Accepted:
		pr.lower(d.Price)
		q.s.State, q.s.FinalPrice = Agreed, d.Price
	}
	if t.Offer != nil && t.moved() {
		pr.Moves++
		pr.BestOffer = *t.Offer
	}
}

// EndBy has what the quote promises end by then: with the session, after which nobody can take it.
func (q *Quote) EndBy(then time.Time) {
	if q.s.ValidUntil.After(then) {
		q.s.ValidUntil = then
	}
}

func (p *Progress) lower(to money.Amount) {
	if p.Counter.IsZero() || to.Minor() < p.Counter.Minor() {
		p.Counter = to
	}
}

// Seal ties an agreed quote to the token that redeems it, with or without the bundle.
func (q *Quote) Seal(tokenHash, tokenSalt string, withBundle bool) {
	if q.s.State != Agreed {
		return
	}
	q.s.TokenHash, q.s.TokenSalt = tokenHash, tokenSalt
	q.s.WithBundle = withBundle && q.s.Bundle != nil
}

// Supersede closes an open quote because a newer one on the same item took its place.
func (q *Quote) Supersede() {
	if q.s.State == Open {
		q.s.State = Superseded
	}
}

// Decline closes an open quote because the buyer gave up, and reports whether it changed anything: a quote that is declined
// stays so, for the reason that was said first. An accepted quote is a promise that nobody needs to give up, so it is refused.
func (q *Quote) Decline(why Reason, now time.Time) (changed bool, err error) {
	switch q.s.State {
	case Open:
		q.s.State, q.s.DeclinedFor = Declined, why
		return true, nil
	case Declined:
		return false, nil
	case Agreed:
		return false, q.accepted(now)
	}
	return false, ErrClosed
}

// PriceFor is the agreed unit price of what the token covers: the item in exactly its quantity, and
// one piece of the bundle.
func (q *Quote) PriceFor(product id.Product, variant id.Variant, quantity int) (money.Amount, bool) {
	i, b := q.s.Item, q.s.Bundle
	switch {
	case q.s.State != Agreed:
		return money.Amount{}, false
	case i.Product == product && i.Variant == variant && i.Quantity == quantity:
		return q.s.FinalPrice, true
	case q.s.WithBundle && b.Product == product && b.Variant == variant && quantity == 1:
		return b.Price, true
	}
	return money.Amount{}, false
}

// Charged is what a piece of a covered variant costs, and the list price that this is measured on: the agreed price and the
// list price that it was agreed under, or else the list price of now where that fell below, which is better still.
func (q *Quote) Charged(variant id.Variant, agreed, list money.Amount) (unit, original money.Amount) {
	switch {
	case agreed.Minor() >= list.Minor():
		return list, list
	case q.s.Item.Variant == variant:
		return agreed, q.s.Bounds.list
	case q.s.Bundle != nil:
		return agreed, q.s.Bundle.Regular
	}
	return agreed, list
}

// Covered is the variant of a product that the token is about, or the zero id.
func (q *Quote) Covered(product id.Product) id.Variant {
	switch {
	case q.s.Item.Product == product:
		return q.s.Item.Variant
	case q.s.WithBundle && q.s.Bundle.Product == product:
		return q.s.Bundle.Variant
	}
	return id.Variant{}
}

// Redeemable checks that a token of this quote may open a checkout in the session now.
func (q *Quote) Redeemable(session id.Session, now time.Time) error {
	switch {
	case q.s.State != Agreed || q.s.Item.Session != session:
		return fault.Field("checkout_token", "is not a token of this session")
	case !q.s.RedeemedBy.IsZero():
		return fault.New(fault.Conflict, "token_redeemed", "The checkout token has been used by an order.")
	case !now.Before(q.s.ValidUntil):
		return fault.New(fault.Conflict, "token_expired", "The checkout token has expired. Ask for a new quote.")
	}
	return nil
}

// BundlePrice is what one piece of a product costs that is sold with another.
func (p Policy) BundlePrice(list money.Amount, cost *money.Amount, negotiable bool, category string) money.Amount {
	b := Bound(p, Signals{
		List:       list,
		Cost:       cost,
		Negotiable: negotiable,
		Category:   category,
		Quantity:   1,
		CartValue:  money.Zero(list.Currency()),
		Stock:      1 + p.Leanings.ScarceBelow, // the least that is not scarce; plenty only where that begins by there
	})
	return money.Of(down(b.opening.Minor(), b.floor.Minor(), p.Bundles.Share), list.Currency())
}
