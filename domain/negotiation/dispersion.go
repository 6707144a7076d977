package negotiation

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"slices"

	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/money"
)

// MostDispersed is the largest number of groups in a report.
const MostDispersed = 100

// Dispersion compares the prices of negotiations in which buyers did the same: the same offers, in the same order,
// about the same quantity of the same variant, answered under the same versions of the policy.
type Dispersion struct {
	currency money.Currency
	groups   map[behavior]*Dispersed
	answers  map[[sha256.Size]byte]answered
	bounds   map[[sha256.Size]byte][]Bounds // of the first answer, the latest last
	report   Dispersions
}

// Dispersions is the report of a Dispersion.
type Dispersions struct {
	Negotiations int
	Skipped      int         // negotiations in another currency
	Compared     int         // negotiations in groups of at least two
	Groups       int         // of at least two negotiations
	Unexplained  int         // decisions that differ although all recorded inputs are equal
	Dispersed    []Dispersed // groups of at least two, those with the widest range of prices first, MostDispersed at most
}

// Dispersed is a group of negotiations in which buyers did the same. Prices are per unit.
type Dispersed struct {
	Item         Item // without its session
	Agent        id.Agent
	Versions     []int           // of the policy, by answer
	Offers       []*money.Amount // nil: a question for the price
	Negotiations int
	Deals        int
	Lowest       PricedDeal
	Highest      PricedDeal
	Unexplained  int

	sum money.Amount
}

// PricedDeal is a deal of a group, with the recorded inputs of its first answer, which made the bounds, and of its last one.
type PricedDeal struct {
	Price   money.Amount
	opened  Signals
	signals Signals
	bounds  Bounds
	agent   bool
}

// behavior is what the negotiations of a group have in common.
type behavior struct {
	item  Item
	agent id.Agent
	steps [sha256.Size]byte
}

// NewDispersion returns an empty report on negotiations in a currency.
func NewDispersion(c money.Currency) *Dispersion {
	return &Dispersion{
		currency: c,
		groups:   map[behavior]*Dispersed{},
		answers:  map[[sha256.Size]byte]answered{},
		bounds:   map[[sha256.Size]byte][]Bounds{},
	}
}

// Add adds the negotiation of one item in one session, up to its first deal. Negotiations must be added in the order in
// which they began, or in the opposite order.
func (d *Dispersion) Add(entries []Entry) {
	if len(entries) == 0 {
		return
	}
	if entries[0].Bounds.list.Currency() != d.currency {
		d.report.Skipped++
		return
	}
	d.report.Negotiations++
	if deal := slices.IndexFunc(entries, func(e Entry) bool { return e.Outcome == OutcomeAccepted }); deal >= 0 {
		entries = entries[:deal+1]
	}
	steps, inputs, unexplained := canonical{}, canonical{}, 0
	of := Dispersed{Agent: entries[0].Agent, Item: entries[0].Item}
	of.Item.Session = id.Session{}
	for i := range entries {
		e := &entries[i]
		steps = steps.optional(e.Offer).number(e.PolicyVersion)
		of.Offers, of.Versions = append(of.Offers, e.Offer), append(of.Versions, e.PolicyVersion)
		inputs = e.appendInputs(inputs, entries[:i])
		key := sha256.Sum256(canonical{}.text(of.Item.Variant.String()).text(of.Agent.String()).number(of.Item.Quantity).raw(steps).raw(inputs))
		unexplained += d.compare(key, e, i == 0)
		inputs = inputs.raw(e.Bounds.canonical())
	}
	d.group(behavior{of.Item, of.Agent, sha256.Sum256(steps)}, of, entries, unexplained)
}

// compare returns the number of differences from an earlier decision with the same inputs, 0 or 1. The first bounds of a
// negotiation also follow from the shop's settings, which are not recorded: they change at some time, and stay. So bounds
// that come back after others are a difference.
func (d *Dispersion) compare(key [sha256.Size]byte, e *Entry, first bool) int {
	if first {
		seen := d.bounds[key]
		at := slices.Index(seen, e.Bounds)
		if at >= 0 && at < len(seen)-1 {
			return 1
		}
		if at < 0 {
			d.bounds[key] = append(seen, e.Bounds)
		}
	}
	key = sha256.Sum256(append(key[:], e.Bounds.canonical()...))
	got := answered{outcome: e.Outcome}
	if e.Price != nil {
		got.price = *e.Price
	}
	if before, known := d.answers[key]; known && before != got {
		return 1
	}
	d.answers[key] = got
	return 0
}

// group adds a negotiation to its group.
func (d *Dispersion) group(key behavior, of Dispersed, entries []Entry, unexplained int) {
	last := &entries[len(entries)-1]
	g := d.groups[key]
	if g == nil {
		g = &of
		g.sum = money.Zero(d.currency)
		d.groups[key] = g
	}
	g.Negotiations++
	g.Unexplained += unexplained
	if last.Outcome != OutcomeAccepted || last.Price == nil {
		return
	}
	sum, err := g.sum.Add(*last.Price)
	if err != nil {
		return
	}
	deal := PricedDeal{
		Price:   *last.Price,
		opened:  entries[0].Signals,
		signals: last.Signals,
		bounds:  last.Bounds,
		agent:   last.Proposal != nil,
	}
	if g.Deals == 0 || deal.Price.Minor() < g.Lowest.Price.Minor() {
		g.Lowest = deal
	}
	if g.Deals == 0 || deal.Price.Minor() > g.Highest.Price.Minor() {
		g.Highest = deal
	}
	g.sum = sum
	g.Deals++
}

// Report returns the report on what was added.
func (d *Dispersion) Report() Dispersions {
	r := d.report
	for _, g := range d.groups {
		if g.Negotiations > 1 {
			r.Groups, r.Compared, r.Unexplained = r.Groups+1, r.Compared+g.Negotiations, r.Unexplained+g.Unexplained
			r.Dispersed = append(r.Dispersed, *g)
		}
	}
	slices.SortFunc(r.Dispersed, func(a, b Dispersed) int {
		return cmp.Or(cmp.Compare(b.Unexplained, a.Unexplained), cmp.Compare(b.spread(), a.spread()), cmp.Compare(b.Negotiations, a.Negotiations),
			cmp.Compare(a.Item.Variant.String(), b.Item.Variant.String()), bytes.Compare(a.steps(), b.steps()))
	})
	r.Dispersed = r.Dispersed[:min(len(r.Dispersed), MostDispersed)]
	return r
}

func (g *Dispersed) spread() int64 { return g.Highest.Price.Minor() - g.Lowest.Price.Minor() }

func (g *Dispersed) steps() []byte {
	steps := canonical{}.number(g.Item.Quantity)
	for i, offer := range g.Offers {
		steps = steps.optional(offer).number(g.Versions[i])
	}
	return steps
}

// Mean returns the mean of the agreed prices, rounded half up, or false without a deal.
func (g *Dispersed) Mean() (money.Amount, bool) {
	if g.Deals == 0 {
		return money.Amount{}, false
	}
	mean, err := g.sum.Share(1, int64(g.Deals), money.HalfUp)
	return mean, err == nil
}

// ExplainedBy returns the recorded inputs in which the lowest and the highest deal differ, or nothing if their prices are
// equal: stock, cost, list_price, competitor_price, cart, loyalty, purchases, urgency, probing, agent (an agent's
// proposal) and limits (the bounds differ while the others are equal: the shop's settings changed).
func (g *Dispersed) ExplainedBy() (names []string) {
	if g.spread() == 0 {
		return nil
	}
	first, last := differences(g.Lowest.opened, g.Highest.opened), differences(g.Lowest.signals, g.Highest.signals)
	for i, name := range inputNames {
		if first[i] || last[i] {
			names = append(names, name)
		}
	}
	if g.Lowest.agent || g.Highest.agent {
		names = append(names, "agent")
	}
	if len(names) == 0 && g.Lowest.bounds != g.Highest.bounds {
		names = append(names, "limits")
	}
	return names
}

var inputNames = [...]string{"stock", "cost", "list_price", "competitor_price", "cart", "loyalty", "purchases", "urgency", "probing"}

// differences reports which inputs, in the order of inputNames, differ.
func differences(a, b Signals) [len(inputNames)]bool {
	return [...]bool{
		a.Stock != b.Stock,
		!same(a.Cost, b.Cost),
		a.List != b.List,
		!same(a.Competitor, b.Competitor),
		a.CartValue != b.CartValue || a.CartAtList != b.CartAtList,
		a.Claims.Tier != b.Claims.Tier || a.Member.Tier != b.Member.Tier,
		a.Claims.Purchases != b.Claims.Purchases || a.Member.Purchases != b.Member.Purchases,
		a.Claims.Urgency != b.Claims.Urgency,
		a.Probed != b.Probed,
	}
}

func same(a, b *money.Amount) bool {
	if a == nil || b == nil {
		return a == b
	}
	return *a == *b
}

// appendInputs appends the recorded inputs of a decision besides the buyer's offers and the policy. One is whether the
// promise of the answer before was still valid.
func (e *Entry) appendInputs(to canonical, earlier []Entry) canonical {
	valid, resumed := false, false
	if n := len(earlier); n > 0 {
		valid, resumed = e.At.Sub(earlier[n-1].At) < Validity, e.Quote == earlier[n-1].Quote
	}
	s := e.Signals
	return to.amount(s.List).optional(s.Cost).optional(s.Competitor).truth(s.Negotiable).number(s.Quantity).
		amount(s.CartValue).amount(s.CartAtList).number(s.Stock).text(s.Category).
		text(s.Claims.Tier.String()).number(s.Claims.Purchases).text(s.Claims.Urgency.String()).
		text(s.Member.Tier.String()).number(s.Member.Purchases).
		number(s.Probed.Session).number(s.Probed.Client).number(s.Probed.Product).
		optional(e.Proposal).truth(valid).truth(resumed)
}

func (b Bounds) canonical() canonical {
	return canonical{}.amount(b.list).amount(b.opening).amount(b.target).amount(b.floor)
}
