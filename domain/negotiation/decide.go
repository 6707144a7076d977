package negotiation

import "github.com/haggle-commerce/haggle/domain/money"

// Progress is how far the haggling over one item has come. Zero amounts mean none yet.
type Progress struct {
	Rounds    int          // counters given
	Moves     int          // counters given to a buyer who had moved
	BestOffer money.Amount // the buyer's highest so far
	Counter   money.Amount // our lowest so far; it binds us
}

// Table is everything that a decision depends on. Offer is nil for a plain question of the price.
type Table struct {
	Policy   Policy
	Bounds   Bounds
	Progress Progress
	Offer    *money.Amount
}

// Decide answers an offer. It is total, and monotone in the offer: a better offer never gets a worse
// answer. It accepts nothing below the floor that is not committed to, and counters above the offer
// and never above an earlier counter.
func Decide(t Table) Decision {
	switch {
	case t.Offer == nil && t.Bounds.Fixed():
		return Quoted{t.standing(), ListOnly}
	case t.Offer == nil:
		return Quoted{t.standing(), NoOffer}
	case t.committed():
		return Accepted{t.atMostList(), Commitment}
	case t.Bounds.Fixed() && t.offer() < t.Bounds.list.Minor():
		return Rejected{t.Bounds.Hint(), ListOnly}
	case t.offer() >= t.ask():
		return Accepted{t.atMostList(), AtAsk}
	case t.offer() < t.Bounds.floor.Minor():
		return Rejected{t.Bounds.Hint(), BelowFloor}
	}
	return t.counter()
}

// counter concedes a third of the way to the present ask, or as much as the buyer moved if that is
// more; nothing to a buyer who does not move, and nothing after the last round.
func (t Table) counter() Decision {
	standing := t.standing()
	switch {
	case t.exhausted():
		return Countered{standing, true, FinalRound}
	case !t.moved():
		return Countered{standing, t.lastRound(), NoMovement}
	}
	gap := max(standing.Minor()-t.ask(), 0)
	movement := int64(0)
	if t.Progress.BestOffer.IsPositive() {
		movement = t.offer() - t.Progress.BestOffer.Minor()
	}
	price := standing.Minor() - max(gap/3, min(movement, gap))
	return Countered{t.amount(price), t.lastRound(), Concession}
}

// maxSteps keeps what ask multiplies within 64 bits, for amounts below money.Limit.
const maxSteps = 1000

// ask is the least that would be accepted now. It falls with the square of the buyer's moves from
// the target towards the floor, of which it keeps the policy's end share away.
func (t Table) ask() int64 {
	target, floor := t.Bounds.target.Minor(), t.Bounds.floor.Minor()
	steps := int64(min(max(t.Policy.RoundCap-1, 1), maxSteps))
	moves := min(int64(t.Progress.Moves), steps)
	band := target - floor
	band -= band * int64(part(t.Policy.EndShare)) / int64(money.Whole)
	return target - band*moves*moves/(steps*steps)
}

// standing is the price we stand by: our lowest counter, else the opening.
func (t Table) standing() money.Amount {
	if t.Progress.Counter.IsPositive() {
		return t.Progress.Counter
	}
	return t.Bounds.opening
}

func (t Table) committed() bool {
	return t.Progress.Counter.IsPositive() && t.offer() >= t.Progress.Counter.Minor()
}

func (t Table) moved() bool     { return t.offer() > t.Progress.BestOffer.Minor() }
func (t Table) exhausted() bool { return t.Progress.Rounds >= t.Policy.RoundCap }
func (t Table) lastRound() bool { return t.Progress.Rounds+1 >= t.Policy.RoundCap }
func (t Table) offer() int64    { return t.Offer.Minor() }

func (t Table) atMostList() money.Amount { return t.amount(min(t.offer(), t.Bounds.list.Minor())) }

func (t Table) amount(minor int64) money.Amount {
	return money.Of(minor, t.Bounds.list.Currency())
}
