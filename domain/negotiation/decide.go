package negotiation

import (
	"math"

	"github.com/haggle-commerce/haggle/domain/money"
)

// Progress is the state of the haggling over one item. Zero amounts mean none yet.
type Progress struct {
	Rounds    int          // counters given, and absurd offers: see Table.Absurd
	Moves     int          // of the buyer: see Bounds.Moves
	BestOffer money.Amount // the offer of its last move
	Counter   money.Amount // our lowest so far, which commits us
}

// Table has all inputs of a decision. Offer is nil for a price inquiry.
type Table struct {
	Terms    Terms
	Bounds   Bounds
	Progress Progress
	Offer    *money.Amount
}

// Decide answers an offer. It is total. A better offer never gets a worse kind of answer: below the floor offers
// are rejected, above it countered, and from the ask on accepted. It accepts an offer below the floor only if it
// committed to that price. It names no price above an earlier one, nor at or below an offer that it does not accept.
//
// With o the offer, S the current price and m the number of earlier moves of the buyer:
//
//	counter  for the first offer, if o·Reach ≥ floor and no absurd one came before:  o·Markup
//	         else: list − (list − floor)·(Give of step m + lean)
//	         never below the floor nor above S, which may be a promise from before the floor rose
//	ask      counter − (counter − floor)·(Take of step m + lean)
//
// For example with the bounds 100.00, 80.00 and the built-in policy: a first offer of 75.00 is below the floor but
// reaches it with Reach, 75.00·1.075 = 80.63, so it is rejected with the price 75.00·1.11 = 83.25. A second of 79.00 is
// a move: Give of step 1 leads to 89.50, which is above 83.25, so that stays. Then 82.00 is accepted: the ask of step 2
// is 83.25 − 3.25·0.89 = 80.36.
func Decide(t Table) Decision {
	switch {
	case t.Offer == nil && t.Bounds.Fixed():
		return Quoted{t.current(), ListOnly}
	case t.Offer == nil:
		return Quoted{t.current(), NoOffer}
	case t.committed():
		return Accepted{t.atMostList(), Commitment}
	case t.Bounds.Fixed() && t.offer() < t.Bounds.list.Minor():
		return Rejected{t.current(), t.Bounds.Hint(), ListOnly}
	case t.offer() >= t.Bounds.target.Minor():
		return Accepted{t.atMostList(), AtAsk}
	}
	price, rule := t.concede()
	switch {
	case t.offer() < t.Bounds.floor.Minor():
		if rule != ProbingLimit {
			rule = BelowFloor
		}
		return Rejected{t.amount(price), t.Bounds.Hint(), rule}
	case t.offer() > t.Progress.BestOffer.Minor() && !t.exhausted() && t.offer() >= t.ask(price):
		return Accepted{t.atMostList(), AtAsk}
	}
	return Countered{t.amount(max(price, t.offer()+1)), t.exhausted() || t.lastRound(), rule}
}

// concede returns the current price after the offer. It is not lowered for a buyer who does not move, nor after the
// last round.
func (t Table) concede() (int64, Rule) {
	current := t.current().Minor()
	switch {
	case t.Terms.Firm:
		return current, ProbingLimit
	case t.exhausted():
		return current, FinalRound
	case !t.moved():
		return current, NoMovement
	}
	list, floor, curve := t.Bounds.list.Minor(), t.Bounds.floor.Minor(), &t.Terms.Curve
	price, met := int64(0), false
	if t.first() {
		price, met = t.meet(floor)
	}
	if !met {
		price = down(list, floor, curve.Give[t.step()]+t.Terms.Lean)
	}
	return min(current, max(floor, price)), Concession
}

// meet returns the counter to a first offer that is high enough to meet, and reports whether it is.
func (t Table) meet(floor int64) (price int64, met bool) {
	reach, err := money.MulDiv(t.offer(), int64(clampFactor(t.Terms.Curve.Reach)), int64(money.Whole), money.Up)
	if err != nil || reach < floor {
		return 0, false
	}
	price, err = money.MulDiv(t.offer(), int64(clampFactor(t.Terms.Curve.Markup)), int64(money.Whole), money.Up)
	return price, err == nil
}

// ask returns the lowest offer that is accepted if the counter would be price.
func (t Table) ask(price int64) int64 {
	take, floor := clampShare(t.Terms.Curve.Take[t.step()]+t.Terms.Lean), t.Bounds.floor.Minor()
	if !t.first() {
		return down(price, min(price, floor), take)
	}
	current := t.current().Minor()
	return min(down(current, min(current, floor), take), t.nearest(floor, take))
}

// nearest returns the lowest first offer o, from the floor up, that is near enough to the counter that it would get: o
// = o·Markup − (o·Markup − floor)·Take, solved for o so that rounding rejects no better offer.
func (t Table) nearest(floor int64, take money.Percent) int64 {
	markup := int64(clampFactor(t.Terms.Curve.Markup))
	if markup == int64(money.Whole) {
		return floor
	}
	rest := int64(money.Whole*money.Whole) - markup*int64(money.Whole-take)
	o, err := money.MulDiv(floor, int64(money.Whole*take), rest, money.Up)
	if err != nil {
		return math.MaxInt64 // no offer is: the counter grows faster than the offer
	}
	return o
}

// clampFactor limits a factor of an offer to between 1 and 2.
func clampFactor(f money.Percent) money.Percent {
	return min(max(f, money.Whole), 2*money.Whole)
}

func (t Table) step() int { return min(max(t.Progress.Moves, 0), Steps-1) }

// Settled reports whether an agent has no choice of an answer: the offer is committed to, the price is fixed or final,
// or the offer is below the floor.
func (t Table) Settled() bool {
	return t.Bounds.Fixed() || t.Terms.Firm || t.Offer != nil && (t.committed() || t.offer() < t.Bounds.floor.Minor())
}

// current returns the current price: our lowest counter, or else the opening price.
func (t Table) current() money.Amount {
	if t.Progress.Counter.IsPositive() {
		return t.Progress.Counter
	}
	return t.Bounds.opening
}

func (t Table) committed() bool {
	return t.Progress.Counter.IsPositive() && t.offer() >= t.Progress.Counter.Minor()
}

// Absurd reports whether the offer is below half of the lowest price that the discount limit allows, list × (1 − max
// discount). Such an offer is not a move, so it earns no concession, and it uses up a round.
func (t Table) Absurd() bool {
	if t.Offer == nil || t.offer() >= t.Bounds.floor.Minor() {
		return false
	}
	half, err := money.MulDiv(t.Bounds.list.Minor(), int64(money.Whole-clampShare(t.Terms.MaxDiscount)), int64(2*money.Whole), money.Up)
	return err == nil && t.offer() < half
}

// first reports whether the buyer has made no offer yet, not even an absurd one.
func (t Table) first() bool { return t.Progress.Moves == 0 && t.Progress.Rounds == 0 }

func (t Table) moved() bool {
	return !t.Absurd() && t.Bounds.Moves(t.Progress.BestOffer, t.offer())
}

func (t Table) exhausted() bool { return t.Terms.Firm || t.Progress.Rounds >= t.Terms.RoundCap }
func (t Table) lastRound() bool { return t.Progress.Rounds+1 >= t.Terms.RoundCap }
func (t Table) offer() int64    { return t.Offer.Minor() }

func (t Table) atMostList() money.Amount { return t.amount(min(t.offer(), t.Bounds.list.Minor())) }

func (t Table) amount(minor int64) money.Amount {
	return money.Of(minor, t.Bounds.list.Currency())
}
