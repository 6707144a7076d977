package negotiation

import (
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/money"
)

// MostExamples is the largest number of examples in a report.
const MostExamples = 20

// Replayer computes what a policy would have answered in recorded negotiations.
//
// Decisions under the same version of the policy are decided again from their recorded inputs: bounds, progress,
// signals, offer and an agent's proposal. The result must be the same, or the record differs from the decision.
//
// Under another policy a negotiation is simulated with the recorded signals, at the recorded times and with the
// buyer's recorded offers in their order, up to the first that is accepted. The rules decide, because another agent's
// proposals are not known. Neither are the buyer's answers to prices that it never saw, so deals have a lower and an
// upper bound:
//
//	certain   an offer of the buyer's is accepted, or is at least a price named earlier. The buyer pays what it
//	          offered, or the lower price named before.
//	possible  the certain ones, and those that the record does not exclude: the buyer once agreed to a
//	          price below the final price of the new policy, or it left at a higher one. A buyer who
//	          left does not come back for the same price or more.
type Replayer struct {
	agent  id.Agent
	policy Policy
	report Replayed
}

// Replayed is the result of a replay. Amounts are in the currency that it was made for.
type Replayed struct {
	Negotiations int
	Skipped      int // negotiations in another currency, or in sums too large to add up
	Decisions    int
	Identical    int // the same response, price and, if the rules decided, rule
	Bought       int // recorded deals that were paid
	Before       Revenue
	Certain      Revenue
	Possible     Revenue // includes the certain ones; the others are at the policy's final price
	Examples     []Difference
}

// Changed returns the number of decisions that differ, including those that would no longer have been asked for.
func (r Replayed) Changed() int { return r.Decisions - r.Identical }

// Revenue are the totals of deals: at list prices, at agreed prices, and the margin if the cost is known.
type Revenue struct {
	Deals         int
	List, Revenue money.Amount
	Costed        int // deals in Margin
	Margin        money.Amount
}

// Discount returns the average discount by value.
func (t Revenue) Discount() money.Percent { return money.Off(t.List, t.Revenue) }

// Difference is the first recorded decision of its negotiation that comes out differently. Answer is nil if the
// decision would not have been asked for, because the buyer had its deal before.
type Difference struct {
	Entry  Entry
	Answer Decision
}

// NewReplayer returns a replayer under a policy of an agent, limited by the shop's settings. Version 0 is a policy that
// the agent does not have yet.
func NewReplayer(of id.Agent, p Policy, c money.Currency) *Replayer {
	zero := money.Zero(c)
	none := Revenue{
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

// Report returns the result so far.
func (r *Replayer) Report() Replayed { return r.report }

// Add replays the negotiation of one item in one session.
func (r *Replayer) Add(entries []Entry, bought bool) {
	if len(entries) == 0 {
		return
	}
	was, is := recorded(entries), r.replay(entries)
	before, certain, possible := r.report.Before, r.report.Certain, r.report.Possible
	if entries[0].Bounds.list.Currency() != before.List.Currency() || !before.add(entries, was) || !certain.add(entries, is) ||
		!possible.add(entries, withPossibleDeal(entries, was, is)) {
		r.report.Skipped++
		return
	}
	r.report.Before, r.report.Certain, r.report.Possible = before, certain, possible
	r.report.Negotiations++
	r.compare(entries, is.answers)
	if was.deal >= 0 && bought {
		r.report.Bought++
	}
}

// withPossibleDeal returns a replayed course with the deal that is possible if none is certain: at the final price of the policy.
func withPossibleDeal(entries []Entry, was, is course) course {
	if is.deal < 0 && (was.deal >= 0 || is.final < was.final) {
		last := len(entries) - 1
		is.setDeal(last, money.Of(is.final, entries[last].Bounds.list.Currency()))
	}
	return is
}

// course is the course of a negotiation.
type course struct {
	answers []Decision // nil: not asked for
	deal    int        // the entry of the first deal; negative: none
	price   money.Amount
	final   int64 // the shop's last price
}

// setDeal records a deal, unless there is one already.
func (c *course) setDeal(at int, price money.Amount) {
	if c.deal < 0 {
		c.deal, c.price = at, price
	}
}

// recorded returns the recorded course of a negotiation.
func recorded(entries []Entry) course {
	c := course{deal: -1}
	for i := range entries {
		e := &entries[i]
		if e.Price != nil {
			c.final = e.Price.Minor()
		} else {
			c.final = Table{Bounds: e.Bounds, Progress: e.Before}.current().Minor()
		}
		if e.Outcome == OutcomeAccepted && e.Price != nil {
			c.setDeal(i, *e.Price)
		}
	}
	return c
}

func (r *Replayer) replay(entries []Entry) course {
	for i := range entries {
		if entries[i].Agent != r.agent || entries[i].PolicyVersion != r.policy.Version {
			return r.simulate(entries)
		}
	}
	return r.redecideAll(entries)
}

// redecideAll decides each entry again from its recorded inputs.
func (r *Replayer) redecideAll(entries []Entry) course {
	c := course{
		answers: make([]Decision, len(entries)),
		deal:    -1,
		final:   recorded(entries).final,
	}
	for i := range entries {
		d := entries[i].redecide(r.policy)
		c.answers[i] = d
		if a, ok := d.(Accepted); ok {
			c.setDeal(i, a.Price)
		}
	}
	return c
}

// redecide decides the entry once more under its policy. The price of an agent's proposal is recorded but not its kind, so
// it may have been of any kind.
func (e *Entry) redecide(p Policy) Decision {
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

// simulate plays the buyer's offers under another policy.
func (r *Replayer) simulate(entries []Entry) course {
	c := course{answers: make([]Decision, len(entries)), deal: -1}
	var q *Quote
	for i := range entries {
		e := &entries[i]
		if q == nil || q.s.ID != e.Quote || q.Resume(r.policy, e.Signals, e.At) != nil {
			q = Start(e.Quote, e.Project, e.Item, r.policy, e.Signals, q, e.At)
		}
		t := q.Table(r.policy.Terms(e.Signals), e.Offer)
		d := Decide(t)
		q.Record(t, d, e.At)
		c.answers[i], c.final = d, q.Table(t.Terms, nil).current().Minor()
		if a, ok := d.(Accepted); ok {
			c.setDeal(i, t.atMostCounter(a))
			if e.Outcome != d.Outcome() {
				break
			}
		}
	}
	return c
}

// atMostCounter returns the price that a buyer pays: the earlier counter, if it is lower than the accepted price.
func (t Table) atMostCounter(a Accepted) money.Amount {
	if t.committed() && t.Progress.Counter.Minor() < a.Price.Minor() {
		return t.Progress.Counter
	}
	return a.Price
}

func (r *Replayer) compare(entries []Entry, answers []Decision) {
	shown := len(r.report.Examples) == MostExamples
	for i := range entries {
		r.report.Decisions++
		if answers[i] != nil && entries[i].same(answers[i]) {
			r.report.Identical++
		} else if !shown {
			shown = true
			r.report.Examples = append(r.report.Examples, Difference{entries[i], answers[i]})
		}
	}
}

// same reports whether a decision equals the recorded one.
func (e *Entry) same(d Decision) bool {
	price := PriceIn(d)
	return e.Outcome == d.Outcome() && e.Rule == d.Rule() && (price == nil) == (e.Price == nil) && (price == nil || *price == *e.Price)
}

// add adds the deal of a negotiation, if there is one. It changes nothing and returns false if the sums overflow.
func (t *Revenue) add(entries []Entry, c course) bool {
	if c.deal < 0 {
		return true
	}
	e, next := &entries[c.deal], *t
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
