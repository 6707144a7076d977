package negotiation_test

import (
	"slices"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/negotiation"
	"github.com/haggle-commerce/haggle/domain/session"
)

// negotiated returns a negotiation as it is recorded: offers of a buyer, and the answers of the built-in policy.
func negotiated(n byte, s negotiation.Signals, offers ...string) []negotiation.Entry {
	item := negotiation.Item{
		Session:  id.New[id.Session]([16]byte{n}),
		Variant:  id.New[id.Variant]([16]byte{1}),
		Quantity: 1,
	}
	now := time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)
	q := negotiation.Start(id.New[id.Quote]([16]byte{n}), id.Project{}, item, patient, s, nil, now)
	var entries []negotiation.Entry
	for i, price := range offers {
		var made *money.Amount
		if price != "" {
			made = offer(usd(price))
		}
		table := q.Table(patient.Terms(s), made)
		d := negotiation.Decide(table)
		entries = append(entries, negotiation.NewEntry(id.New[id.Decision]([16]byte{n, byte(i)}), i+1, q, table, s, d, "", now))
		q.Record(table, d, now)
	}
	return entries
}

func stocked(pieces int, claims session.Claims) negotiation.Signals {
	s := personalCase(claims, negotiation.Probed{})
	s.Stock = pieces
	return s
}

func TestDispersion(t *testing.T) {
	t.Parallel()
	plain, gold, scarce := stocked(20, session.Claims{}), stocked(20, session.Claims{Member: session.Member{Tier: "gold"}}), stocked(1, session.Claims{})
	steps := []string{"", "75", "84"}
	other := negotiated(9, plain, steps...)
	for name, c := range map[string]struct {
		add         [][]negotiation.Entry
		groups      int
		compared    int
		unexplained int
		lowest      string
		highest     string
		explained   []string
	}{
		"nobody did the same": {
			add: [][]negotiation.Entry{negotiated(1, plain, "75"), negotiated(2, plain, "76"), nil},
		},
		"the same, equal prices": {
			add:      [][]negotiation.Entry{negotiated(1, plain, steps...), negotiated(2, plain, steps...)},
			groups:   1,
			compared: 2,
			lowest:   "84.00",
			highest:  "84.00",
		},
		"what follows a deal is not compared": {
			add:      [][]negotiation.Entry{negotiated(1, plain, steps...), append(negotiated(2, plain, steps...), negotiated(2, plain, "90")...)},
			groups:   1,
			compared: 2,
			lowest:   "84.00",
			highest:  "84.00",
		},
		"no deal": {
			add:      [][]negotiation.Entry{negotiated(1, plain, "75"), negotiated(2, plain, "75")},
			groups:   1,
			compared: 2,
		},
		"loyalty moves the price": {
			add:       [][]negotiation.Entry{settledAt(negotiated(1, plain, ""), "100"), settledAt(negotiated(2, gold, ""), "94")},
			groups:    1,
			compared:  2,
			lowest:    "94.00",
			highest:   "100.00",
			explained: []string{"loyalty"},
		},
		"so do loyalty and stock": {
			add:       [][]negotiation.Entry{settledAt(negotiated(1, scarce, ""), "100"), settledAt(negotiated(2, gold, ""), "94")},
			groups:    1,
			compared:  2,
			lowest:    "94.00",
			highest:   "100.00",
			explained: []string{"stock", "loyalty"},
		},
		"nothing recorded explains it": {
			add:         [][]negotiation.Entry{settledAt(negotiated(1, plain, ""), "100"), settledAt(negotiated(2, plain, ""), "99")},
			groups:      1,
			compared:    2,
			unexplained: 1,
			lowest:      "99.00",
			highest:     "100.00",
		},
		"the settings changed once": {
			add:       [][]negotiation.Entry{settledAt(negotiated(1, plain, ""), "100"), settledAt(limited(negotiated(2, plain, "")), "99")},
			groups:    1,
			compared:  2,
			lowest:    "99.00",
			highest:   "100.00",
			explained: []string{"limits"},
		},
		"limits that come and go": {
			add:         [][]negotiation.Entry{negotiated(1, plain, "75"), limited(negotiated(2, plain, "75")), negotiated(3, plain, "75")},
			groups:      1,
			compared:    3,
			unexplained: 1,
		},
		"another quantity": {
			add: [][]negotiation.Entry{negotiated(1, plain, steps...), pieces(other, 2)},
		},
	} {
		d := negotiation.NewDispersion(money.USD)
		for _, entries := range c.add {
			d.Add(entries)
		}
		got := d.Report()
		if got.Groups != c.groups || got.Compared != c.compared || got.Unexplained != c.unexplained || len(got.Dispersed) != c.groups {
			t.Errorf("%s: %+v", name, got)
			continue
		}
		for _, g := range got.Dispersed {
			if c.lowest == "" && g.Deals == 0 {
				continue
			}
			if g.Lowest.Price.String() != c.lowest || g.Highest.Price.String() != c.highest || !slices.Equal(g.ExplainedBy(), c.explained) {
				t.Errorf("%s: %v to %v, explained by %v", name, g.Lowest.Price, g.Highest.Price, g.ExplainedBy())
			}
		}
	}
}

// settledAt turns the last answer into a deal.
func settledAt(entries []negotiation.Entry, price string) []negotiation.Entry {
	last := &entries[len(entries)-1]
	last.Outcome, last.Price = negotiation.OutcomeAccepted, offer(usd(price))
	return entries
}

// limited is the negotiation as it is after the shop lowered its highest discount.
func limited(entries []negotiation.Entry) []negotiation.Entry {
	for i := range entries {
		b := entries[i].Bounds
		entries[i].Bounds = negotiation.RehydrateBounds(b.List(), b.List(), b.List(), usd("90"))
	}
	return entries
}

func pieces(entries []negotiation.Entry, quantity int) []negotiation.Entry {
	for i := range entries {
		entries[i].Item.Quantity = quantity
	}
	return entries
}

func TestDispersion_otherCurrency(t *testing.T) {
	t.Parallel()
	d := negotiation.NewDispersion(jpy)
	d.Add(negotiated(1, stocked(20, session.Claims{}), "75"))
	if got := d.Report(); got.Skipped != 1 || got.Negotiations != 0 {
		t.Errorf("%+v", got)
	}
}

func TestDispersed_Mean(t *testing.T) {
	t.Parallel()
	d, plain := negotiation.NewDispersion(money.USD), stocked(20, session.Claims{})
	for n, price := range []string{"90", "91", "91"} {
		d.Add(settledAt(negotiated(byte(n), plain, ""), price))
	}
	got := d.Report().Dispersed[0]
	if mean, ok := got.Mean(); !ok || mean != usd("90.67") || got.Deals != 3 {
		t.Errorf("mean %v, %v of %d", mean, ok, got.Deals)
	}
	none := negotiation.Dispersed{}
	if _, ok := none.Mean(); ok {
		t.Error("a mean without a deal")
	}
}

// The bounds come from the first answer, so its inputs explain a difference too.
func TestDispersed_ExplainedBy_first(t *testing.T) {
	t.Parallel()
	plain, gold := stocked(20, session.Claims{}), stocked(20, session.Claims{Member: session.Member{Tier: "gold"}})
	one, other := negotiated(1, plain, "", "99"), negotiated(2, gold, "", "97")
	two := slices.Clone(other)
	two[1].Signals, two[1].Offer = plain, one[1].Offer // the second request does not name the member
	d := negotiation.NewDispersion(money.USD)
	d.Add(one)
	d.Add(two)
	r := d.Report()
	if len(r.Dispersed) != 1 || !slices.Equal(r.Dispersed[0].ExplainedBy(), []string{"loyalty"}) {
		t.Errorf("%+v", r.Dispersed)
	}
}
