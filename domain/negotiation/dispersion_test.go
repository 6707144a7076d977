package negotiation_test

import (
	"encoding/binary"
	"fmt"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/negotiation"
	"github.com/haggle-commerce/haggle/domain/session"
)

// buyerStep is a request of a buyer, in minor units of USD.
type buyerStep struct {
	offer   int64 // 0: a question for the price
	signals negotiation.Signals
	later   time.Duration // after the request before
}

// negotiate returns the record of a negotiation under a policy, up to its first deal.
func negotiate(n int, p negotiation.Policy, steps ...buyerStep) []negotiation.Entry {
	var of [16]byte
	binary.BigEndian.PutUint32(of[:], uint32(n))
	item := negotiation.Item{
		Session:  id.New[id.Session](of),
		Variant:  id.New[id.Variant]([16]byte{1}),
		Quantity: steps[0].signals.Quantity,
	}
	now := time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)
	q := negotiation.Start(id.New[id.Quote](of), id.Project{}, item, p, steps[0].signals, nil, now)
	var entries []negotiation.Entry
	for i, s := range steps {
		now = now.Add(s.later)
		if q.Resume(p, s.signals, now) != nil {
			break // it is accepted
		}
		var made *money.Amount
		if s.offer > 0 {
			made = offer(money.Of(s.offer, money.USD))
		}
		table := q.Table(p.Terms(s.signals), made)
		d := negotiation.Guard(table, negotiation.Decide(table))
		entries = append(entries, negotiation.NewEntry(id.Decision{}, i+1, q, table, s.signals, d, "", now))
		q.Record(table, d, now)
	}
	return entries
}

// negotiated returns the record of a buyer's offers, in US dollars.
func negotiated(n int, s negotiation.Signals, offers ...int64) []negotiation.Entry {
	return negotiatedUnder(patient, n, s, offers...)
}

func negotiatedUnder(p negotiation.Policy, n int, s negotiation.Signals, offers ...int64) []negotiation.Entry {
	steps := make([]buyerStep, len(offers))
	for i, dollars := range offers {
		steps[i] = buyerStep{
			offer:   dollars * 100,
			signals: s,
		}
	}
	return negotiate(n, p, steps...)
}

func stocked(pieces int, claims session.Claims) negotiation.Signals {
	s := personalCase(claims, negotiation.Probed{})
	s.Stock = pieces
	return s
}

// The buyers of these tests, who negotiate about an item with a list price of 100.00.
var (
	plainBuyer  = stocked(20, session.Claims{})
	goldBuyer   = stocked(20, session.Claims{Member: session.Member{Tier: "gold"}})
	scarceBuyer = stocked(1, session.Claims{})
	costlyItem  = func() negotiation.Signals {
		s, cost := plainBuyer, money.Of(8700, money.USD)
		s.Cost = &cost
		return s
	}()
)

// dispersion returns the report on negotiations.
func dispersion(all ...[]negotiation.Entry) negotiation.Dispersions {
	d := negotiation.NewDispersion(money.USD)
	for _, entries := range all {
		d.Add(entries)
	}
	return d.Report()
}

// inWords returns a group in words, such as "[0 80]: 2, 1 deals, 80.00 to 92.00 by [loyalty]".
func inWords(g negotiation.Dispersed) string {
	offers := []int64{}
	for _, o := range g.Offers {
		if o == nil {
			offers = append(offers, 0)
		} else {
			offers = append(offers, o.Minor()/100)
		}
	}
	text := fmt.Sprintf("%v: %d, %d deals, %v to %v by %v", offers, g.Negotiations, g.Deals, g.Lowest.Price, g.Highest.Price, g.ExplainedBy())
	if g.Unexplained > 0 {
		text += fmt.Sprintf(", %d unexplained", g.Unexplained)
	}
	return text
}

func TestDispersion(t *testing.T) {
	t.Parallel()
	quantity := plainBuyer
	quantity.Quantity = 2
	limited := patient
	limited.MaxDiscount = 100
	known, probing := plainBuyer, plainBuyer
	known.Probed, probing.Probed = negotiation.Probed{Session: 1, Client: 1}, negotiation.Probed{Session: 99}
	for name, c := range map[string]struct {
		add      [][]negotiation.Entry
		compared int
		groups   []string
	}{
		"other offers": {
			add: [][]negotiation.Entry{negotiated(1, plainBuyer, 75), negotiated(2, plainBuyer, 76), nil},
		},
		"another quantity": {
			add: [][]negotiation.Entry{negotiated(1, plainBuyer, 75), negotiated(2, quantity, 75)},
		},
		"equal buyers": {
			add:      [][]negotiation.Entry{negotiated(1, plainBuyer, 0, 75, 84), negotiated(2, plainBuyer, 0, 75, 84)},
			compared: 2,
			groups: []string{
				"[0]: 2, 0 deals, 100.00 to 100.00 by []",
				"[0 75]: 2, 0 deals, 83.25 to 83.25 by []",
				"[0 75 84]: 2, 2 deals, 84.00 to 84.00 by []",
			},
		},
		"one of two equal buyers leaves": {
			add:      [][]negotiation.Entry{negotiated(1, plainBuyer, 0, 75, 84), negotiated(2, plainBuyer, 0)},
			compared: 2,
			groups:   []string{"[0]: 2, 0 deals, 100.00 to 100.00 by []"},
		},
		"a gold buyer gets a deal for the same offers": {
			add:      [][]negotiation.Entry{negotiated(1, plainBuyer, 80, 82), negotiated(2, goldBuyer, 80, 82)},
			compared: 2,
			groups: []string{
				"[80 82]: 2, 1 deals, 82.00 to 86.60 by [loyalty]",
				"[80]: 2, 0 deals, 88.80 to 88.80 by []",
			},
		},
		"a gold buyer gets a deal earlier": {
			add:      [][]negotiation.Entry{negotiated(1, plainBuyer, 0, 87, 90), negotiated(2, goldBuyer, 0, 87, 90), negotiated(3, plainBuyer, 0, 87, 90)},
			compared: 3,
			groups: []string{
				"[0 87]: 3, 1 deals, 87.00 to 96.57 by [loyalty]",
				"[0]: 3, 0 deals, 94.00 to 100.00 by [loyalty]",
				"[0 87 90]: 2, 2 deals, 90.00 to 90.00 by []",
			},
		},
		"a gold buyer, and a scarce item": {
			add:      [][]negotiation.Entry{negotiated(1, scarceBuyer, 87), negotiated(2, goldBuyer, 87)},
			compared: 2,
			groups:   []string{"[87]: 2, 1 deals, 87.00 to 96.57 by [stock loyalty]"},
		},
		"only an earlier request names the member": {
			add: [][]negotiation.Entry{negotiated(1, plainBuyer, 0, 90), negotiate(2, patient,
				buyerStep{signals: goldBuyer},
				buyerStep{9000, plainBuyer, 0},
			)},
			compared: 2,
			groups: []string{
				"[0 90]: 2, 1 deals, 90.00 to 99.90 by [loyalty]",
				"[0]: 2, 0 deals, 94.00 to 100.00 by [loyalty]",
			},
		},
		"only a request between names the member": {
			add: [][]negotiation.Entry{negotiated(1, plainBuyer, 0, 75, 79, 80), negotiate(2, patient,
				buyerStep{signals: plainBuyer},
				buyerStep{7500, plainBuyer, 0},
				buyerStep{7900, goldBuyer, 0},
				buyerStep{8000, plainBuyer, 0},
			)},
			compared: 2,
			groups: []string{
				"[0 75 79]: 2, 0 deals, 80.60 to 83.25 by [loyalty]",
				"[0 75 79 80]: 2, 0 deals, 80.60 to 83.25 by [loyalty]",
				"[0]: 2, 0 deals, 100.00 to 100.00 by []",
				"[0 75]: 2, 0 deals, 83.25 to 83.25 by []",
			},
		},
		"a price expires": {
			add: [][]negotiation.Entry{
				negotiate(1, patient, buyerStep{7000, plainBuyer, 0}, buyerStep{7600, scarceBuyer, time.Minute}),
				negotiate(2, patient, buyerStep{7000, plainBuyer, 0}, buyerStep{7600, scarceBuyer, negotiation.Validity}),
			},
			compared: 2,
			groups: []string{
				"[70 76]: 2, 0 deals, 91.60 to 93.80 by [expiry]",
				"[70]: 2, 0 deals, 93.80 to 93.80 by []",
			},
		},
		"only one buyer exceeds a limit of probing": {
			add:      [][]negotiation.Entry{negotiated(1, plainBuyer, 87), negotiated(2, known, 87), negotiated(3, probing, 87), negotiated(4, goldBuyer, 87)},
			compared: 4,
			groups:   []string{"[87]: 4, 1 deals, 87.00 to 100.00 by [loyalty probing]"},
		},
		"the settings changed": {
			add:      [][]negotiation.Entry{negotiated(1, plainBuyer, 75), negotiatedUnder(limited, 2, plainBuyer, 75)},
			compared: 2,
			groups:   []string{"[75]: 2, 0 deals, 83.25 to 96.90 by [limits]"},
		},
	} {
		got := dispersion(c.add...)
		words := []string{}
		for _, g := range got.Dispersed {
			words = append(words, inWords(g))
		}
		if got.Compared != c.compared || got.Groups != len(c.groups) || got.Unexplained != 0 || !slices.Equal(words, c.groups) {
			t.Errorf("%s: %d compared, %d groups, %d unexplained:\n%q", name, got.Compared, got.Groups, got.Unexplained, words)
		}
	}
}

// A record with another answer than its inputs lead to counts as unexplained, once for each such answer.
func TestDispersion_unexplained(t *testing.T) {
	t.Parallel()
	limited := patient
	limited.MaxDiscount = 100
	cheaper, refused := negotiated(3, plainBuyer, 0, 75, 84), negotiated(3, plainBuyer, 0, 75, 84)
	cheaper[1].Price = offer(usd("83"))
	refused[2].Outcome = negotiation.OutcomeCountered
	for name, c := range map[string]struct {
		last  [][]negotiation.Entry
		first string
	}{
		"a lower price": {
			last:  [][]negotiation.Entry{cheaper},
			first: "[0 75]: 3, 0 deals, 83.00 to 83.25 by [], 1 unexplained",
		},
		"another outcome at the same price": {
			last:  [][]negotiation.Entry{refused},
			first: "[0 75 84]: 3, 2 deals, 84.00 to 84.00 by [], 1 unexplained",
		},
		"limits that come and go": {
			last:  [][]negotiation.Entry{negotiatedUnder(limited, 3, plainBuyer, 0), negotiated(4, plainBuyer, 0)},
			first: "[0]: 4, 0 deals, 100.00 to 100.00 by [], 1 unexplained",
		},
	} {
		got := dispersion(append([][]negotiation.Entry{negotiated(1, plainBuyer, 0, 75, 84), negotiated(2, plainBuyer, 0, 75, 84)}, c.last...)...)
		if got.Unexplained != 1 || inWords(got.Dispersed[0]) != c.first {
			t.Errorf("%s: %d unexplained, first %s", name, got.Unexplained, inWords(got.Dispersed[0]))
		}
	}
}

// Nobody's price is unexplained, and nobody who did the same got another price without an input that differs, whatever
// buyers do under the policies that a shop can have.
func TestDispersion_explainsAll(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		p := shopPolicies().Draw(t, "policy")
		probing := plainBuyer
		probing.Probed = negotiation.Probed{
			Session: 99,
			Client:  99,
			Product: 99,
		}
		signals := []negotiation.Signals{
			plainBuyer, goldBuyer, scarceBuyer, costlyItem, probing, stocked(60, session.Claims{Urgency: "flexible", PurchaseHistory: 5}),
		}
		step := rapid.Custom(func(t *rapid.T) buyerStep {
			return buyerStep{
				offer:   rapid.SampledFrom([]int64{0, 3000, 8000, 9000}).Draw(t, "offer"),
				signals: rapid.SampledFrom(signals).Draw(t, "signals"),
				later:   rapid.SampledFrom([]time.Duration{0, negotiation.Validity / 2, negotiation.Validity}).Draw(t, "later"),
			}
		})
		d := negotiation.NewDispersion(money.USD)
		for n := range 30 {
			d.Add(negotiate(n, p, rapid.SliceOfN(step, 1, 4).Draw(t, "steps")...))
		}
		got := d.Report()
		mustHold(t, got.Unexplained == 0, "%d answers are unexplained", got.Unexplained)
		for _, g := range got.Dispersed {
			differs := g.Lowest.Price != g.Highest.Price
			mustHold(t, differs == (len(g.ExplainedBy()) > 0), "%s", inWords(g))
		}
	})
}

// A promise below a floor that has risen is not extended by later answers, so it ends within Validity of the last one.
func TestDispersion_floorRises(t *testing.T) {
	t.Parallel()
	of := func(n int, last time.Duration) []negotiation.Entry {
		return negotiate(n, patient, buyerStep{7500, plainBuyer, 0}, buyerStep{7600, costlyItem, negotiation.Validity / 2}, buyerStep{7700, costlyItem, last})
	}
	got := dispersion(of(1, negotiation.Validity/3), of(2, negotiation.Validity*2/3))
	if got.Unexplained != 0 || len(got.Dispersed) != 3 {
		t.Fatalf("%d unexplained in %d groups", got.Unexplained, len(got.Dispersed))
	}
	if third := got.Dispersed[0]; third.Lowest.Price == third.Highest.Price || !slices.Contains(third.ExplainedBy(), "expiry") {
		t.Errorf("%s", inWords(third))
	}
}

// Steps after the first deal are not compared, nor are those after MostSteps.
func TestDispersion_bounded(t *testing.T) {
	t.Parallel()
	deal := negotiated(1, plainBuyer, 95)
	again := append(slices.Clone(deal), negotiated(1, plainBuyer, 0)...)
	if got := dispersion(again, again); got.Groups != 1 {
		t.Errorf("%d groups with a deal", got.Groups)
	}
	long := negotiated(2, plainBuyer, slices.Repeat([]int64{0}, negotiation.MostSteps+1)...)
	if got := dispersion(long, long); got.Groups != negotiation.MostSteps || got.Compared != 2 {
		t.Errorf("%d groups of %d negotiations", got.Groups, got.Compared)
	}
	var many [][]negotiation.Entry
	for cents := range int64(negotiation.MostDispersed + 1) {
		one := negotiate(3, patient, buyerStep{8000 + cents, plainBuyer, 0})
		many = append(many, one, one)
	}
	if got := dispersion(many...); got.Groups != negotiation.MostDispersed+1 || len(got.Dispersed) != negotiation.MostDispersed {
		t.Errorf("%d groups, %d listed", got.Groups, len(got.Dispersed))
	}
}

func TestDispersion_otherCurrency(t *testing.T) {
	t.Parallel()
	d := negotiation.NewDispersion(jpy)
	d.Add(negotiated(1, plainBuyer, 75))
	if got := d.Report(); got.Skipped != 1 || got.Negotiations != 0 {
		t.Errorf("%+v", got)
	}
}

// Old rejections have no price: the current price stands.
func TestDispersion_oldRejection(t *testing.T) {
	t.Parallel()
	old := negotiated(1, plainBuyer, 0, 30)
	old[1].Price = nil
	got := dispersion(old, old)
	if words := inWords(got.Dispersed[1]); words != "[0 30]: 2, 0 deals, 100.00 to 100.00 by []" {
		t.Error(words)
	}
}

// An agent proposes the same price to both, but only one of them is below the limits of probing.
func TestDispersed_ExplainedBy_agent(t *testing.T) {
	t.Parallel()
	probing := plainBuyer
	probing.Probed.Session = 99
	proposed := func(n int, s negotiation.Signals, to string) []negotiation.Entry {
		entries := negotiated(n, s, 0)
		proposal := negotiation.Quoted{
			Price: usd(to),
			By:    negotiation.AgentAnswer,
		}
		table := negotiation.Table{
			Terms:  patient.Terms(s),
			Bounds: entries[0].Bounds,
		}
		d := negotiation.Guard(table, proposal)
		entries[0].Price, entries[0].Rule, entries[0].Proposal = negotiation.PriceIn(d), d.Rule(), negotiation.Proposed(table, proposal)
		return entries
	}
	for want, other := range map[string][]negotiation.Entry{
		"[0]: 2, 0 deals, 90.00 to 100.00 by [probing]": proposed(2, probing, "90"),
		"[0]: 2, 0 deals, 90.00 to 95.00 by [agent]":    proposed(2, plainBuyer, "95"),
	} {
		if got := inWords(dispersion(proposed(1, plainBuyer, "90"), other).Dispersed[0]); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

func TestDispersed_Mean(t *testing.T) {
	t.Parallel()
	got := dispersion(negotiated(1, plainBuyer, 87), negotiated(2, plainBuyer, 87), negotiated(3, goldBuyer, 87)).Dispersed[0]
	if mean := got.Mean(); mean != usd("93.38") { // (96.57 + 96.57 + 87.00) / 3
		t.Errorf("mean %v of %s", mean, inWords(got))
	}
}
