package analytics

import (
	"reflect"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/domain/agentid"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/negotiation"
)

func TestQuantile(t *testing.T) {
	counts := map[int]int64{0: 1, 50: 8, 300: 1}
	for per, want := range map[int64]int{1: 0, 10: 0, 11: 50, 50: 50, 90: 50, 91: 300, 100: 300} {
		if got, some := Quantile(counts, per); got != want || !some {
			t.Errorf("p%d is %d, want %d", per, got, want)
		}
	}
	if _, some := Quantile(nil, 50); some {
		t.Error("nothing has a median")
	}
}

func TestCoarser(t *testing.T) {
	if got := Coarser(map[int]int64{0: 1, 9: 2, 10: 3, 999: 4, 1000: 5}, 10); !reflect.DeepEqual(got, map[int]int64{0: 3, 1: 3, 99: 4, 100: 5}) {
		t.Error(got)
	}
}

// haggled returns a session with a deal that was paid and a negotiation that was lost.
func haggled() Session {
	noon := time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)
	number := func(n int64) *int64 { return &n }
	tent := negotiation.Item{Product: id.Stored[id.Product]("tent"), Quantity: 2}
	stove := negotiation.Item{Product: id.Stored[id.Product]("stove"), Quantity: 1}
	first, second := id.Stored[id.Quote]("q1"), id.Stored[id.Quote]("q2")
	return Session{
		Began:    noon,
		Protocol: agentid.MCP,
		Decisions: []Decision{
			{ID: "1", Quote: first, Item: tent, At: noon.Add(1), Outcome: negotiation.OutcomeQuoted, Price: number(100_00), Rule: negotiation.NoOffer, List: 100_00, Floor: 80_00},
			{ID: "2", Quote: first, Item: tent, At: noon.Add(2), Offer: number(70_00), Outcome: negotiation.OutcomeRejected, Rule: negotiation.BelowFloor, List: 100_00, Floor: 80_00},
			{ID: "3", Quote: second, Item: stove, At: noon.Add(3), Offer: number(39_00), Outcome: negotiation.OutcomeCountered, Price: number(45_00), Rule: negotiation.Concession, List: 50_00, Floor: 40_00},
			{ID: "4", Quote: first, Item: tent, At: noon.Add(4), Offer: number(92_50), Outcome: negotiation.OutcomeAccepted, Price: number(92_50), Rule: negotiation.AtAsk, List: 100_00, Floor: 80_00, Cost: number(60_00)},
		},
		Checkouts: []Checkout{{ID: "5", Quotes: []id.Quote{first}}},
		Orders: []Order{{ID: "6", At: noon.Add(time.Hour), Gross: 200_00, Protocol: agentid.UCP, Lines: []Line{
			{Product: tent.Product, Quantity: 2, Unit: 92_50, List: 100_00, Quote: first},
			{Product: stove.Product, Quantity: 1, Unit: 10_00, List: 10_00},
		}}},
	}
}

func sum(s Session) Figures {
	var all Figures
	facts, _ := s.Facts()
	for _, f := range facts {
		all.Add(f.Figures, 1)
	}
	return all
}

func TestSession_figures(t *testing.T) {
	got := sum(haggled())
	want := Figures{
		Negotiations:  2,
		Offered:       2,
		Countered:     1,
		Rejected:      1,
		Deals:         1,
		Opened:        1,
		Paid:          1,
		Offers:        3,
		DealDiscount:  75_000,
		DealKnown:     185_00,
		DealCost:      120_00,
		DealDiscounts: map[int]int64{75: 1},
		Rules:         map[string]int64{"no_offer": 1, "below_floor": 1, "concession": 1, "at_ask": 1},
		Policies:      map[string]Outcomes{"/0": {2, 2, 1}},
		Handlers:      map[string]Outcomes{"": {2, 2, 1}},
		Buyers:        1,
		Orders:        1,
		Units:         3,
		List:          210_00,
		Goods:         195_00,
		Gross:         200_00,
		Known:         185_00,
		Cost:          120_00,
		PaidDiscount:  71_428,
		PaidDiscounts: map[int]int64{71: 1},
		Products:      map[string]Sold{"tent": {2, 200_00, 185_00, 185_00, 120_00}, "stove": {1, 10_00, 10_00, 0, 0}},
		Protocols:     map[agentid.Protocol]Traffic{agentid.MCP: {Deals: 1}, agentid.UCP: {Orders: 1, Gross: 200_00}},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v\nwant %+v", got, want)
	}
	_, lost := haggled().Facts()
	if len(lost) != 1 || lost[0].Best != 39_00 || lost[0].Standing != 45_00 || !lost[0].Near(25) || lost[0].Near(24) {
		t.Errorf("lost %+v", lost)
	}
}

// A negotiation is not lost if it ended in a deal, if its best offer is far below the floor, or if it had no offer.
func TestSession_notLost(t *testing.T) {
	for name, change := range map[string]func(*Session){
		"a deal":   func(s *Session) { s.Decisions[2].Outcome = negotiation.OutcomeAccepted },
		"far away": func(s *Session) { *s.Decisions[2].Offer = 19_99 },
		"no offer": func(s *Session) { s.Decisions[2].Offer = nil },
	} {
		s := haggled()
		change(&s)
		if _, lost := s.Facts(); len(lost) != 0 {
			t.Errorf("%s: %+v", name, lost)
		}
	}
}

// A fold subtracts the previous figures of a session and adds the current ones, so that nothing else is left in the
// end.
func TestFigures_Add(t *testing.T) {
	for cut := range 1 << 6 {
		s := haggled()
		for i := range s.Decisions {
			s.Decisions[i].Fresh = cut>>i&1 == 1
		}
		s.Checkouts[0].Fresh, s.Orders[0].Fresh = cut>>4&1 == 1, cut>>5&1 == 1
		got := sum(s.Counted())
		got.Add(sum(s), 1)
		got.Add(sum(s.Counted()), -1)
		want := sum(s)
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("%06b: got %+v, want %+v", cut, got, want)
		}
		got.Add(want, -1)
		if got.Negotiations+got.Orders+int64(len(got.Rules)+len(got.Products)+len(got.Policies)+len(got.DealDiscounts)+len(got.Protocols)) != 0 {
			t.Fatalf("%06b: %+v is left", cut, got)
		}
	}
}

// Unsold has the buyer's reason for declining: that of the last quote of the product that has one.
func TestUnsold_declined(t *testing.T) {
	for name, c := range map[string]struct {
		declined map[id.Quote]negotiation.Reason
		want     negotiation.Reason
	}{
		"nothing said":      {nil, negotiation.Reason{}},
		"the stove's quote": {map[id.Quote]negotiation.Reason{id.Stored[id.Quote]("q2"): negotiation.ShippingCost}, negotiation.ShippingCost},
		"another's quote":   {map[id.Quote]negotiation.Reason{id.Stored[id.Quote]("q1"): negotiation.ShippingCost}, negotiation.Reason{}},
	} {
		s := haggled()
		s.Orders, s.Declined = nil, c.declined
		if got := s.Unsold(); len(got) != 1 || got[0].Item.Product.String() != "stove" || got[0].Reason != c.want {
			t.Errorf("%s: %+v", name, got)
		}
	}
}
