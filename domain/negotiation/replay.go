package negotiation

import (
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/money"
)

// MostExamples is how many differences a replay shows.
const MostExamples = 20

// Replayer tells what a policy would have answered in negotiations that are on record.
//
// What was decided under the very version of the policy is decided again from its recorded inputs: bounds, progress,
// signals, offer and an agent's proposal. It must come out the same, or the record is not what was decided.
//
// Under another policy a negotiation is played anew with the recorded signals, at the recorded times and with the
// buyer's recorded offers in their order, up to the first that is accepted. The house decides: what another agent
// would have proposed is not known. Neither is what the buyer would have done about prices that it never saw, so
// deals are counted from both sides:
//
//	certain   an offer of the buyer's is accepted, or comes up to a price named earlier. The buyer pays what it
//	          offered, or the lower price that it had then been named.
//	possible  the certain ones, and those of which the record does not tell otherwise: the buyer once agreed to a
//	          price below the one that the new policy stands by in the end, or it left at a higher one. A buyer who
//	          left does not come back for the same price or more.
type Replayer struct {
	agent  id.Agent
	policy Policy
	report Replayed
}

// Replayed is what a replay found. Amounts are in the currency that it was made for.
type Replayed struct {
	Negotiations int
	Skipped      int // negotiations in another currency, or in sums too large to add up
	Decisions    int
	Identical    int // the same response, price and, where the house decided, rule
	Bought       int // recorded deals that were paid
	Before       Takings
	Certain      Takings
	Possible     Takings // with the certain ones; the others at the price that the policy stands by in the end
	Examples     []Difference
}

// Changed is how many decisions differ, those that would no longer have been asked for included.
func (r Replayed) Changed() int { return r.Decisions - r.Identical }

// Takings are what deals come to: at list prices, at agreed ones, and what is left over cost where that is known.
type Takings struct {
	Deals         int
	List, Revenue money.Amount
	Costed        int // deals in Margin
	Margin        money.Amount
}

// Discount is the average one, by value.
func (t Takings) Discount() money.Percent { return money.Off(t.List, t.Revenue) }

// Difference is a recorded decision that comes out differently, the first one of its negotiation. Without an answer
// it would not have been asked for: the buyer had its deal before.
type Difference struct {
	Entry  Entry
	Answer Decision
}

// NewReplayer replays under a policy of an agent's, held to the shop's settings. Version 0 is none that it has yet.
func NewReplayer(of id.Agent, p Policy, c money.Currency) *Replayer {
	zero := money.Zero(c)
	none := Takings{
		List:    zero,
		Revenue: zero,
		Margin:  zero,
	}
	return &Replayer{
		agent:  of,
		policy: p,
		report: Replayed{
			Before:   none,
			Certain:  none,
			Possible: none,
		},
	}
}

// Report is what was found so far.
func (r *Replayer) Report() Replayed { return r.report }

// Add replays all that was said about one item in one session.
func (r *Replayer) Add(talk []Entry, bought bool) {
	if len(talk) == 0 {
		return
	}
	was, is := recorded(talk), r.replay(talk)
	before, certain, possible := r.report.Before, r.report.Certain, r.report.Possible
	if talk[0].Bounds.list.Currency() != before.List.Currency() || !before.add(talk, was) || !certain.add(talk, is) ||
		!possible.add(talk, atBest(talk, was, is)) {
		r.report.Skipped++
		return
	}
	r.report.Before, r.report.Certain, r.report.Possible = before, certain, possible
	r.report.Negotiations++
	r.compare(talk, is.answers)
	if was.deal >= 0 && bought {
		r.report.Bought++
	}
}

// atBest is a replayed course with the deal that is possible where none is certain: at the price that the policy stands by
// in the end.
func atBest(talk []Entry, was, is course) course {
	if is.deal < 0 && (was.deal >= 0 || is.standing < was.standing) {
		last := len(talk) - 1
		is.ends(last, money.Of(is.standing, talk[last].Bounds.list.Currency()))
	}
	return is
}

// course is how a talk goes.
type course struct {
	answers  []Decision // nil: not asked for
	deal     int        // the entry of the first deal; negative: none
	price    money.Amount
	standing int64 // what the shop stands by in the end
}

// ends is the end of a talk so far as it is known.
func (c *course) ends(at int, price money.Amount) {
	if c.deal < 0 {
		c.deal, c.price = at, price
	}
}

// recorded is how a talk went.
func recorded(talk []Entry) course {
	c := course{deal: -1}
	for i := range talk {
		e := &talk[i]
		if e.Price != nil {
			c.standing = e.Price.Minor()
		} else {
			c.standing = Table{Bounds: e.Bounds, Progress: e.Before}.standing().Minor()
		}
		if e.Outcome == OutcomeAccepted && e.Price != nil {
			c.ends(i, *e.Price)
		}
	}
	return c
}

func (r *Replayer) replay(talk []Entry) course {
	for i := range talk {
		if talk[i].Agent != r.agent || talk[i].PolicyVersion != r.policy.Version {
			return r.play(talk)
		}
	}
	return r.repeat(talk)
}

// repeat decides each entry again from what is recorded of it.
func (r *Replayer) repeat(talk []Entry) course {
	c := course{
		answers:  make([]Decision, len(talk)),
		deal:     -1,
		standing: recorded(talk).standing,
	}
	for i := range talk {
		d := talk[i].again(r.policy)
		c.answers[i] = d
		if a, ok := d.(Accepted); ok {
			c.ends(i, a.Price)
		}
	}
	return c
}

// again decides the entry once more under its policy. Of an agent's proposal the price is on record and the kind of
// answer is not, so it may have been any.
func (e *Entry) again(p Policy) Decision {
	t := Table{
		Terms:    p.Terms(e.Signals),
		Bounds:   e.Bounds,
		Progress: e.Before,
		Offer:    e.Offer,
	}
	house := Decide(t)
	if e.Proposal == nil || e.same(house) {
		return house
	}
	by := e.Rule
	for _, proposal := range [...]Decision{
		Accepted{*e.Proposal, by}, Countered{*e.Proposal, false, by}, Rejected{*e.Proposal, *e.Proposal, by}, Quoted{*e.Proposal, by},
	} {
		if d := Guard(t, proposal); e.same(d) {
			return d
		}
	}
	return house
}

// play has the buyer make its offers again, to another policy.
func (r *Replayer) play(talk []Entry) course {
	c := course{answers: make([]Decision, len(talk)), deal: -1}
	var q *Quote
	for i := range talk {
		e := &talk[i]
		if q == nil || q.s.ID != e.Quote || q.Resume(r.policy, e.Signals, e.At) != nil {
			q = Start(e.Quote, e.Project, e.Item, r.policy, e.Signals, q, e.At)
		}
		t := q.Table(r.policy.Terms(e.Signals), e.Offer)
		d := Decide(t)
		q.Record(t, d, e.At)
		c.answers[i], c.standing = d, q.Table(t.Terms, nil).standing().Minor()
		if a, ok := d.(Accepted); ok {
			c.ends(i, t.atMostStanding(a))
			if e.Outcome != d.Outcome() {
				break
			}
		}
	}
	return c
}

// atMostStanding is what a buyer pays who had been named a price and offers more.
func (t Table) atMostStanding(a Accepted) money.Amount {
	if t.committed() && t.Progress.Counter.Minor() < a.Price.Minor() {
		return t.Progress.Counter
	}
	return a.Price
}

func (r *Replayer) compare(talk []Entry, answers []Decision) {
	told := len(r.report.Examples) == MostExamples
	for i := range talk {
		r.report.Decisions++
		if answers[i] != nil && talk[i].same(answers[i]) {
			r.report.Identical++
		} else if !told {
			told = true
			r.report.Examples = append(r.report.Examples, Difference{talk[i], answers[i]})
		}
	}
}

// same reports whether a decision is the recorded one.
func (e *Entry) same(d Decision) bool {
	price := PriceIn(d)
	return e.Outcome == d.Outcome() && e.Rule == d.Rule() && (price == nil) == (e.Price == nil) && (price == nil || *price == *e.Price)
}

// add takes in a talk's deal, if there is one. It changes nothing and tells so if the sums get too large.
func (t *Takings) add(talk []Entry, c course) bool {
	if c.deal < 0 {
		return true
	}
	e, next := &talk[c.deal], *t
	pieces := int64(e.Item.Quantity)
	if !plus(&next.List, e.Bounds.list, pieces) || !plus(&next.Revenue, c.price, pieces) {
		return false
	}
	if e.Signals.Cost != nil {
		over, err := c.price.Sub(*e.Signals.Cost)
		if err != nil || !plus(&next.Margin, over, pieces) {
			return false
		}
		next.Costed++
	}
	next.Deals++
	*t = next
	return true
}

func plus(sum *money.Amount, price money.Amount, pieces int64) bool {
	all, err := price.Mul(pieces)
	if err != nil {
		return false
	}
	next, err := sum.Add(all)
	if err != nil {
		return false
	}
	*sum = next
	return true
}
