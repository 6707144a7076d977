package negotiation

import (
	"time"

	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/personalization"
)

// State is the stored state of a quote. Expiry depends on the clock.
type State struct{ name string }

var (
	Open       = State{"open"}
	Agreed     = State{"accepted"}
	Superseded = State{"superseded"}
	Declined   = State{"declined"} // by the buyer
)

func (s State) String() string { return s.name }

// ErrClosed refuses an offer on a superseded quote.
var ErrClosed = fault.New(fault.Conflict, "quote_closed", "The quote is closed because a newer one about the same item replaced it. Read the session, or ask for a new quote.")

// Item is the subject of a quote. Bounds and progress belong to the item, not to one quote.
type Item struct {
	Session  id.Session
	Product  id.Product
	Variant  id.Variant
	Quantity int
}

// Bundle is one piece of a second product, offered together with the first at a price that is valid for Validity from
// the time of the suggestion, however often the buyer asks.
type Bundle struct {
	Product id.Product
	Variant id.Variant
	Name    string
	Regular money.Amount
	Price   money.Amount
	// ValidUntil ends the suggestion.
	ValidUntil time.Time
	Digital    bool // not shipped, so not every protocol sells it
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
	TokenSalt     string   // to make the token again; "": impossible
	RedeemedBy    id.Order // zero until bought
	DeclinedFor   Reason   // of a declined quote; zero: the buyer gave none
	Personal      personalization.Use
	CreatedAt     time.Time
	ValidUntil    time.Time
}

// Quote is one negotiation over one item.
type Quote struct{ s Snapshot }

// Rehydrate returns a stored quote without validating it.
func Rehydrate(s Snapshot) *Quote { return &Quote{s} }

// Snapshot returns the quote for storage.
func (q *Quote) Snapshot() Snapshot { return q.s }

// Start opens a quote. It continues with the bounds and the progress of prior, the latest quote on the same item in the
// same session, if there is one. If the floor has risen above the counter of an accepted quote, that counter is
// dropped: the promise was kept, and each further acceptance would renew it.
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
	if prior == nil {
		q.s.Personal.Signals = movedBounds(p, s)
	} else {
		q.s.Bounds, q.s.Progress, q.s.Bundle, q.s.Personal = prior.s.Bounds, prior.s.Progress, prior.s.Bundle, prior.s.Personal
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

// Resume checks that the quote is open, and updates it with the shop's changes.
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

// dropBundle removes an expired bundle.
func (q *Quote) dropBundle(now time.Time) {
	if q.s.Bundle != nil && !now.Before(q.s.Bundle.ValidUntil) {
		q.s.Bundle = nil
	}
}

// Expired reports whether the quote is open and past its validity.
func (q *Quote) Expired(now time.Time) bool { return q.s.State == Open && !now.Before(q.s.ValidUntil) }

// refresh replaces bounds that contradict the shop's current list price, policy or cost, and all bounds once no promise
// is valid, so that a long session is negotiated under the current policy and stock, as a new one is. An earlier
// counter commits us while it is valid. After that it stays our lowest counter unless the floor is above it.
func (q *Quote) refresh(p Policy, s Signals, valid bool) {
	held := q.s.Bounds.hold(p, s)
	if held && valid {
		return
	}
	q.s.Bounds = Bound(p, s)
	now := movedBounds(p, s)
	q.s.Personal.Signals = q.s.Personal.Signals.And(now)
	if held && !q.overtaken() {
		return
	}
	if !valid || q.s.Progress.Counter.Currency() != s.List.Currency() {
		q.s.Progress, q.s.Personal = Progress{}, personalization.Use{Signals: now}
	} else if q.s.Progress.Counter.Minor() > s.List.Minor() {
		q.s.Progress.Counter = s.List
	}
}

// overtaken reports whether our counter is below the floor, which has risen since. The counter is valid until its
// promised time, however often the buyer asks.
func (q *Quote) overtaken() bool {
	counter := q.s.Progress.Counter
	return counter.IsPositive() && counter.Minor() < q.s.Bounds.floor.Minor()
}

// hold reports whether the bounds still follow the shop's rules.
func (b Bounds) hold(p Policy, s Signals) bool {
	hard, ok := p.hardFloor(s)
	negotiable := p.Enabled && s.Negotiable && ok && hard.raised < s.List.Minor()
	return b.list == s.List && b.Fixed() != negotiable && b.floor.Minor() >= min(hard.exact, s.List.Minor())
}

// Table returns the inputs of a decision on the quote.
func (q *Quote) Table(t Terms, offer *money.Amount) Table {
	return Table{
		Terms:    t,
		Bounds:   q.s.Bounds,
		Progress: q.s.Progress,
		Offer:    offer,
	}
}

// Suggest adds a bundle, unless the quote has one. A bundle keeps its price until it expires.
func (q *Quote) Suggest(b *Bundle) {
	if q.s.Bundle == nil {
		q.s.Bundle = b
	}
}

// Record applies the decision on a table of this quote, and extends the quote's validity. An accepted quote can be
// bought for all of Validity, however late it was accepted. A closed quote does not change.
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

// EndBy limits the quote's validity to then, the end of the session, after which nobody can accept it.
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

// Seal binds an agreed quote to the token that redeems it, with or without the bundle.
func (q *Quote) Seal(tokenHash, tokenSalt string, withBundle bool) {
	if q.s.State != Agreed {
		return
	}
	q.s.TokenHash, q.s.TokenSalt = tokenHash, tokenSalt
	q.s.WithBundle = withBundle && q.s.Bundle != nil
}

// Supersede closes an open quote because a newer one on the same item replaces it.
func (q *Quote) Supersede() {
	if q.s.State == Open {
		q.s.State = Superseded
	}
}

// Decline closes an open quote because the buyer gives up, and reports whether it changed the quote. A declined quote
// keeps its first reason. An accepted quote cannot be declined, because it is only a promise to the buyer.
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

// PriceFor returns the agreed unit price if the token covers the item: the quote's item in exactly its quantity, or one
// piece of the bundle.
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

// Charged returns the unit price of a covered variant and the list price that its discount is measured on: the agreed
// price and its list price, or else the current list price if that is lower than the agreed price.
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

// Covered returns the variant of a product that the token covers, or the zero ID.
func (q *Quote) Covered(product id.Product) id.Variant {
	switch {
	case q.s.Item.Product == product:
		return q.s.Item.Variant
	case q.s.WithBundle && q.s.Bundle.Product == product:
		return q.s.Bundle.Variant
	}
	return id.Variant{}
}

// Redeemable returns an error unless a token of this quote may open a checkout in the session now.
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

// BundlePrice returns the price of one piece of a product that is sold with another.
func (p Policy) BundlePrice(list money.Amount, cost *money.Amount, negotiable bool, category string) money.Amount {
	b := Bound(p, Signals{
		List:       list,
		Cost:       cost,
		Negotiable: negotiable,
		Category:   category,
		Quantity:   1,
		CartValue:  money.Zero(list.Currency()),
		Stock:      1 + p.Leanings.ScarceBelow, // the lowest stock that is not scarce; plenty only if PlentyFrom is that low
	})
	return money.Of(down(b.opening.Minor(), b.floor.Minor(), p.Bundles.Share), list.Currency())
}
