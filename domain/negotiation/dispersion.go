package negotiation

import (
	"cmp"
	"crypto/sha256"
	"slices"

	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/money"
)

const (
	// MostDispersed is the largest number of groups in a report.
	MostDispersed = 100
	// MostSteps is the largest number of steps of a negotiation that are compared.
	MostSteps = 20
)

// Dispersion compares the prices that buyers got who had done the same so far: the same offers, in the same order, about
// the same quantity of the same variant, answered by the same agents under the same versions of their policies.
//
// A step is an offer, or a question for the price, and its answer. There is a group for each sequence of first steps that
// occurs, so a negotiation of three steps is in three groups: buyers who made the same two offers are compared after
// the second one, whether it was accepted, countered or rejected, and whatever they did next. Memory and time are
// proportional to the number of steps.
type Dispersion struct {
	currency money.Currency
	groups   []*Dispersed // in the order of their first negotiations, shorter sequences first
	next     map[behavior]*Dispersed
	answers  map[[sha256.Size]byte]answered
	bounds   map[[sha256.Size]byte][]Bounds // of the first answer, the latest last
	report   Dispersions
}

// Dispersions is the report of a Dispersion.
type Dispersions struct {
	Negotiations int
	Skipped      int         // negotiations in another currency
	Compared     int         // negotiations that share at least their first step with another one
	Groups       int         // of at least two negotiations
	Unexplained  int         // answers that differ although all recorded inputs are equal
	Dispersed    []Dispersed // groups of at least two, those with the widest range of prices first, MostDispersed at most
}

// Dispersed is a group of negotiations in which buyers did the same up to some step. Prices are per unit: see
// Entry.priceAfter.
type Dispersed struct {
	Item         Item            // without its session
	Agent        id.Agent        // that answered the last step
	Versions     []int           // of the policy, by step
	Offers       []*money.Amount // by step; nil: a question for the price
	Negotiations int             // that got this far
	Deals        int             // made at the last step
	Lowest       *PricedAnswer
	Highest      *PricedAnswer
	Unexplained  int // answers to the last step that differ although all recorded inputs are equal

	last   behavior
	before *Dispersed // the group without the last step; nil: there is only one
	sum    money.Amount
}

// PricedAnswer is an answer to the last step of a group, with the recorded inputs of this answer and of those before.
type PricedAnswer struct {
	Price    money.Amount
	before   *PricedAnswer // nil: this is the first
	signals  Signals
	bounds   Bounds
	proposal *money.Amount
	valid    bool // the price before was still valid
	limited  bool // a limit of Probing decided
}

// behavior is the last step of a group. With the group of the steps before, it identifies the group.
type behavior struct {
	before  *Dispersed
	item    Item
	agent   id.Agent
	version int
	asks    bool
	offer   money.Amount // unless the buyer asks for the price
}

// NewDispersion returns an empty report on negotiations in a currency.
func NewDispersion(c money.Currency) *Dispersion {
	return &Dispersion{
		currency: c,
		next:     map[behavior]*Dispersed{},
		answers:  map[[sha256.Size]byte]answered{},
		bounds:   map[[sha256.Size]byte][]Bounds{},
	}
}

// Add adds the negotiation of one item in one session, up to its first deal and its first MostSteps steps. Negotiations
// must be added in the order in which they began, or in the opposite order.
func (d *Dispersion) Add(entries []Entry) {
	if len(entries) == 0 {
		return
	}
	if entries[0].Bounds.list.Currency() != d.currency {
		d.report.Skipped++
		return
	}
	d.report.Negotiations++
	var group *Dispersed
	var answer *PricedAnswer
	var inputs canonical // a hash of all inputs so far
	for i := range entries[:min(len(entries), MostSteps)] {
		e := &entries[i]
		if e.Bounds.list.Currency() != d.currency {
			return // the shop changed its currency
		}
		group = d.group(group, e)
		before := sha256.Sum256(e.appendInputs(inputs, entries[:i]))
		after := sha256.Sum256(e.Bounds.canonical().raw(before[:]))
		group.Unexplained += d.compare(before, after, e, i == 0)
		answer = &PricedAnswer{
			Price:    e.priceAfter(),
			before:   answer,
			signals:  e.Signals,
			bounds:   e.Bounds,
			proposal: e.Proposal,
			valid:    e.valid(entries[:i]),
			limited:  e.Rule == ProbingLimit,
		}
		group.add(answer)
		if e.Outcome == OutcomeAccepted {
			group.Deals++
			return
		}
		inputs = after[:]
	}
}

// group returns the group of the negotiations that continue like those of the group before with the entry's step.
func (d *Dispersion) group(before *Dispersed, e *Entry) *Dispersed {
	b := behavior{
		before:  before,
		item:    e.Item,
		agent:   e.Agent,
		version: e.PolicyVersion,
		asks:    e.Offer == nil,
	}
	b.item.Session = id.Session{}
	if e.Offer != nil {
		b.offer = *e.Offer
	}
	g := d.next[b]
	if g == nil {
		g = &Dispersed{
			Item:   b.item,
			Agent:  e.Agent,
			last:   b,
			before: before,
			sum:    money.Zero(d.currency),
		}
		d.next[b] = g
		d.groups = append(d.groups, g)
	}
	return g
}

// compare returns the number of differences from an earlier answer with the same inputs, 0 or 1. Before is the hash of the
// inputs without the bounds, after with them. The first bounds of a negotiation also follow from the shop's settings,
// which are not recorded: they change at some time, and stay. So bounds that come back after others are a difference.
func (d *Dispersion) compare(before, after [sha256.Size]byte, e *Entry, first bool) int {
	if first {
		seen := d.bounds[before]
		at := slices.Index(seen, e.Bounds)
		if at >= 0 && at < len(seen)-1 {
			return 1
		}
		if at < 0 {
			d.bounds[before] = append(seen, e.Bounds)
		}
	}
	got := answered{outcome: e.Outcome}
	if e.Price != nil {
		got.price = *e.Price
	}
	if earlier, known := d.answers[after]; known && earlier != got {
		return 1
	}
	d.answers[after] = got
	return 0
}

// add adds the answer of a negotiation to its group.
func (g *Dispersed) add(a *PricedAnswer) {
	if g.Negotiations == 0 || a.Price.Minor() < g.Lowest.Price.Minor() {
		g.Lowest = a
	}
	if g.Negotiations == 0 || a.Price.Minor() > g.Highest.Price.Minor() {
		g.Highest = a
	}
	g.Negotiations++
	if sum, err := g.sum.Add(a.Price); err == nil { // amounts are below money.Limit, so nine million of them fit
		g.sum = sum
	}
}

// Report returns the report on what was added.
func (d *Dispersion) Report() Dispersions {
	r := d.report
	var found []*Dispersed
	for _, g := range d.groups {
		if g.Negotiations < 2 {
			continue
		}
		found = append(found, g)
		r.Groups, r.Unexplained = r.Groups+1, r.Unexplained+g.Unexplained
		if g.before == nil {
			r.Compared += g.Negotiations
		}
	}
	slices.SortStableFunc(found, func(a, b *Dispersed) int {
		return cmp.Or(cmp.Compare(b.Unexplained, a.Unexplained), cmp.Compare(b.spread(), a.spread()), cmp.Compare(b.Negotiations, a.Negotiations))
	})
	for _, g := range found[:min(len(found), MostDispersed)] {
		r.Dispersed = append(r.Dispersed, g.withSteps())
	}
	return r
}

// withSteps returns the group with its steps.
func (g *Dispersed) withSteps() Dispersed {
	all := *g
	for at := g; at != nil; at = at.before {
		var offer *money.Amount
		if !at.last.asks {
			offer = &at.last.offer
		}
		all.Offers, all.Versions = append(all.Offers, offer), append(all.Versions, at.last.version)
	}
	slices.Reverse(all.Offers)
	slices.Reverse(all.Versions)
	return all
}

func (g *Dispersed) spread() int64 { return g.Highest.Price.Minor() - g.Lowest.Price.Minor() }

// Mean returns the mean of the prices, rounded half up.
func (g *Dispersed) Mean() money.Amount {
	// It cannot fail: a mean is not above the sum, and a group has a negotiation.
	mean, _ := g.sum.Share(1, int64(max(g.Negotiations, 1)), money.HalfUp)
	return mean
}

// ExplainedBy returns the recorded inputs in which the negotiations with the lowest and the highest price differ, at the
// last step or an earlier one, or nothing if these prices are equal: stock, cost, list_price, competitor_price, cart,
// loyalty, purchases, urgency, probing (a limit of Probing decided), agent (an agent's proposal), expiry (whether the
// price before was still valid) and limits (the bounds or the product's category differ while the others are equal: the
// shop's settings changed).
func (g *Dispersed) ExplainedBy() (names []string) {
	if g.spread() == 0 {
		return nil
	}
	var found [len(inputNames)]bool
	limits, probed := false, false
	for a, b := g.Lowest, g.Highest; a != nil && b != nil; a, b = a.before, b.before {
		for i, differs := range differences(a, b) {
			found[i] = found[i] || differs
		}
		limits = limits || a.bounds != b.bounds || a.signals.Category != b.signals.Category
		probed = probed || a.signals.Probed != b.signals.Probed
	}
	for i, name := range inputNames {
		if found[i] {
			names = append(names, name)
		}
	}
	switch {
	case len(names) > 0:
		return names
	case limits:
		return []string{"limits"}
	case probed: // the guardrails refused an agent's proposal because of it
		return []string{"probing"}
	}
	return nil
}

var inputNames = [...]string{
	"stock", "cost", "list_price", "competitor_price", "cart", "loyalty", "purchases", "urgency", "probing", "agent", "expiry",
}

// differences reports which inputs of one answer, in the order of inputNames, differ.
func differences(one, other *PricedAnswer) [len(inputNames)]bool {
	a, b := &one.signals, &other.signals
	return [...]bool{
		a.Stock != b.Stock,
		!same(a.Cost, b.Cost),
		a.List != b.List,
		!same(a.Competitor, b.Competitor),
		a.CartValue != b.CartValue || a.CartAtList != b.CartAtList,
		a.Claims.Tier != b.Claims.Tier || a.Member.Tier != b.Member.Tier,
		a.Claims.Purchases != b.Claims.Purchases || a.Member.Purchases != b.Member.Purchases,
		a.Claims.Urgency != b.Claims.Urgency,
		one.limited != other.limited,
		!same(one.proposal, other.proposal),
		one.valid != other.valid,
	}
}

func same(a, b *money.Amount) bool {
	if a == nil || b == nil {
		return a == b
	}
	return *a == *b
}

// priceAfter returns the price that the buyer has after the entry: the one that it was quoted, the counter, the agreed
// price, or the current price of a rejection.
func (e *Entry) priceAfter() money.Amount {
	if e.Price != nil {
		return *e.Price
	}
	return Table{Bounds: e.Bounds, Progress: e.Before}.current() // old rejections have no price
}

// valid reports whether the promise of the answer before was still valid. It may end before Validity, if the floor rises above it:
// then the negotiation has begun again, without a counter.
func (e *Entry) valid(earlier []Entry) bool {
	n := len(earlier)
	return n > 0 && e.At.Sub(earlier[n-1].At) < Validity && e.Before.Counter.IsPositive()
}

// appendInputs appends the buyer's step, the policy that answered it, and the other recorded inputs of a decision besides
// the bounds.
func (e *Entry) appendInputs(to canonical, earlier []Entry) canonical {
	resumed := len(earlier) > 0 && e.Quote == earlier[len(earlier)-1].Quote
	s := &e.Signals
	return to.text(e.Item.Variant.String()).number(e.Item.Quantity).optional(e.Offer).text(e.Agent.String()).number(e.PolicyVersion).
		amount(s.List).optional(s.Cost).optional(s.Competitor).truth(s.Negotiable).number(s.Quantity).
		amount(s.CartValue).amount(s.CartAtList).number(s.Stock).text(s.Category).
		text(s.Claims.Tier.String()).number(s.Claims.Purchases).text(s.Claims.Urgency.String()).
		text(s.Member.Tier.String()).number(s.Member.Purchases).
		number(s.Probed.Session).number(s.Probed.Client).number(s.Probed.Product).
		optional(e.Proposal).truth(e.valid(earlier)).truth(resumed)
}

func (b Bounds) canonical() canonical {
	return canonical{}.amount(b.list).amount(b.opening).amount(b.target).amount(b.floor)
}
