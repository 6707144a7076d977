package negotiation

import (
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/money"
)

// Account has the facts behind a recorded decision that follow from its fields.
type Account struct {
	// Current is the price before the answer: the lowest that the shop had named, or else the opening price.
	Current money.Amount
	// Down is by how much the answer lowered it; zero if it did not.
	Down money.Amount
	// LeastMove is the lowest offer that could have counted as a move: see Bounds.Moves.
	LeastMove money.Amount
	// Stated is what the policy says; nil if it is not known, or does not give the recorded answer again.
	Stated *Stated
}

// Stated is what a policy says about a recorded decision.
type Stated struct {
	// Lean is what the signals add to each step of the curve.
	Lean money.Percent
	// Moved reports whether the offer counted as a move, and Last whether no move was left.
	Moved, Last bool
	// Met reports whether the offer was a first one that is high enough to meet: see Curve.Reach.
	Met bool
	// Markup is the price over the offer, if Met. Otherwise Give is how far from the list price to the floor the price of
	// this move lies, with Lean, and Step is that price.
	Markup, Give money.Percent
	Step         money.Amount
	// LeastAccepted is the lowest offer that would have been accepted.
	LeastAccepted money.Amount
}

// Account returns the facts behind the entry. The policy is the recorded version, or nil if that is not known.
func (e *Entry) Account(p *Policy) Account {
	t := Table{
		Bounds:   e.Bounds,
		Progress: e.Before,
		Offer:    e.Offer,
	}
	current, list := t.current(), e.Bounds.list
	a := Account{
		Current:   current,
		Down:      money.Zero(list.Currency()),
		LeastMove: money.Of(1, list.Currency()),
	}
	if e.Before.BestOffer.IsPositive() {
		a.LeastMove = t.amount(max(e.Before.BestOffer.Minor()+max(list.Minor()/leastMove, 1), e.Bounds.floor.Minor()-e.Bounds.floor.Minor()/4))
	}
	if e.Price != nil && e.Price.Minor() < current.Minor() {
		a.Down = t.amount(current.Minor() - e.Price.Minor())
	}
	if p != nil && p.Version == e.PolicyVersion && e.same(e.redecide(*p)) {
		t.Terms = p.Terms(e.Signals)
		a.Stated = t.stated()
	}
	return a
}

func (t Table) stated() *Stated {
	s := &Stated{
		Lean: t.Terms.Lean,
		Give: clampShare(t.Terms.Curve.Give[t.step()] + t.Terms.Lean),
		Last: t.exhausted(),
	}
	floor := t.Bounds.floor.Minor()
	s.Step = t.amount(max(floor, down(t.Bounds.list.Minor(), floor, s.Give)))
	if t.Offer == nil {
		return s
	}
	s.Moved = t.moved()
	if _, s.Met = t.meet(floor); s.Met && t.first() && s.Moved {
		s.Markup = clampFactor(t.Terms.Curve.Markup)
	} else {
		s.Met = false
	}
	s.LeastAccepted = t.leastAccepted()
	return s
}

// leastAccepted searches for the lowest offer that is accepted. A better offer never gets a worse kind of answer, and the
// list price is accepted.
func (t Table) leastAccepted() money.Amount {
	low, high := int64(1), t.Bounds.list.Minor()
	for low < high {
		middle := low + (high-low)/2
		offer := t.amount(middle)
		t.Offer = &offer
		if _, accepted := Decide(t).(Accepted); accepted {
			high = middle
		} else {
			low = middle + 1
		}
	}
	return t.amount(high)
}

// Answers returns what a policy of an agent would have answered in a negotiation, as a Replayer does: one answer for each
// entry, nil if the buyer's deal came earlier.
func Answers(of id.Agent, p Policy, entries []Entry) []Decision {
	r := Replayer{agent: of, policy: p}
	return r.replay(entries).answers
}
