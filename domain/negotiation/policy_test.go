package negotiation_test

import (
	"testing"

	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/negotiation"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/domain/session"
)

// Each signal leans by tenths of a percent of the 200.00 between list price and floor. The lean moves the curve, and
// it lowers the opening price if it is positive.
func TestPolicy_Terms_lean(t *testing.T) {
	t.Parallel()
	claim := func(tier string, purchases int, urgency string) func(*negotiation.Signals) {
		return func(s *negotiation.Signals) {
			s.Claims = negotiation.ClaimsOf(session.Claims{
				LoyaltyTier:     tier,
				PurchaseHistory: purchases,
				Urgency:         urgency,
			})
		}
	}
	known := func(tier string, purchases int, claimed ...string) func(*negotiation.Signals) {
		return func(s *negotiation.Signals) {
			s.Member = negotiation.MemberOf(session.Member{Tier: tier, Purchases: purchases})
			for _, tier := range claimed {
				s.Claims = negotiation.ClaimsOf(session.Claims{LoyaltyTier: tier})
			}
		}
	}
	pieces := func(n int) func(*negotiation.Signals) { return func(s *negotiation.Signals) { s.Quantity = n } }
	stock := func(n int) func(*negotiation.Signals) { return func(s *negotiation.Signals) { s.Stock = n } }
	atList := func(agreed, atList string) func(*negotiation.Signals) {
		return func(s *negotiation.Signals) { s.CartValue, s.CartAtList = usd(agreed), usd(atList) }
	}
	full := func(tier string) func(*negotiation.Signals) {
		return func(s *negotiation.Signals) {
			s.CartAtList, s.Claims = usd("2000"), negotiation.ClaimsOf(session.Claims{LoyaltyTier: tier, PurchaseHistory: 1})
		}
	}
	value := func(text string) func(*negotiation.Signals) {
		return func(s *negotiation.Signals) { s.CartValue = usd(text) }
	}
	elsewhere := func(text string) func(*negotiation.Signals) {
		return func(s *negotiation.Signals) { s.Competitor = offer(usd(text)) }
	}
	for i, c := range []struct {
		given func(*negotiation.Signals)
		lean  money.Percent
	}{
		{pieces(1), 0}, {pieces(2), 50}, {pieces(4), 50}, {pieces(5), 100}, {pieces(9), 100}, {pieces(10), 150},
		{stock(3), -250}, {stock(4), 0}, {stock(49), 0}, {stock(50), 100},
		{value("1999.99"), 0}, {value("2000"), 50},
		{atList("0", "1999.99"), 0}, {atList("0", "2000"), 50}, {atList("1000", "1000"), 50}, {atList("2000", "2000"), 50},
		{full(""), 75}, {full("gold"), 225}, {full("platinum"), 250}, // 275, but for the share of claims
		{elsewhere("1000"), 0}, {elsewhere("999.99"), 100},
		{claim("", 0, ""), 0}, {claim("bronze", 0, ""), 50}, {claim("silver", 0, ""), 100}, {claim("gold", 0, ""), 150},
		{claim("platinum", 0, ""), 200}, {claim("", 1, ""), 25}, {claim("", 4, ""), 25}, {claim("", 5, ""), 50}, {claim("", 9, ""), 50},
		{claim("", 10, ""), 75}, {claim("", 0, "flexible"), 0}, {claim("", 0, "normal"), 0}, {claim("", 0, "urgent"), 0},
		{claim("gold", 5, "flexible"), 200}, {claim("platinum", 10, "flexible"), 250}, {known("gold", 0), 300}, {known("", 10), 150},
		{known("gold", 10), 450}, {known("silver", 0, "gold"), 250}, {known("gold", 0, "silver"), 300}, {known("founder", -1), 0},
	} {
		s := negotiation.Signals{
			List:       usd("1000"),
			Negotiable: true,
			Quantity:   1,
			Stock:      20,
		}
		c.given(&s)
		if got := patient.Terms(s).Lean; got != c.lean {
			t.Errorf("signal %d leans by %s, want %s", i, got, c.lean)
		}
		if got, want := negotiation.Bound(patient, s).Opening(), money.Of(1000_00-max(0, int64(c.lean))*20, money.USD); got != want {
			t.Errorf("signal %d: opening price %s, want %s", i, got, want)
		}
	}
}

func TestPolicy_Terms_firstMatchingSegment(t *testing.T) {
	t.Parallel()
	curve := func(mark money.Percent) negotiation.Curve { return negotiation.Curve{Reach: mark} }
	p := patient
	p.Segments = []negotiation.Segment{
		{Name: "tents", Category: "outdoor/tents", Curve: curve(1)},
		{Name: "thin margin", CostFrom: 700, Curve: curve(2)},
		{Name: "middling", CostFrom: 500, CostTo: 700, PriceMin: 50_00, PriceMax: 100_00, Curve: curve(3)},
		{Name: "fat margin", CostTo: 200, Curve: curve(4)},
		{Name: "dear", PriceMin: 500_00, Curve: curve(5)},
	}
	for name, c := range map[string]struct {
		category, list, cost string
		want                 money.Percent
	}{
		"of the category":         {"outdoor/tents", "10", "", 1},
		"below it":                {"outdoor/tents/small", "10", "9", 1},
		"a like name":             {"outdoor/tentsx", "10", "", patient.Curve.Reach},
		"above it":                {"outdoor", "10", "", patient.Curve.Reach},
		"cost from":               {"", "10", "7", 2},
		"cost above list":         {"", "10", "11", 2},
		"cost just below":         {"", "90", "62.99", 3},
		"price from":              {"", "50", "25", 3},
		"cheaper":                 {"", "49.99", "25", patient.Curve.Reach},
		"price to":                {"", "100", "60", patient.Curve.Reach},
		"cost below":              {"", "100", "49.99", patient.Curve.Reach},
		"a low cost":              {"", "100", "19.99", 4},
		"a low cost, not so low":  {"", "100", "20.00", patient.Curve.Reach},
		"nothing":                 {"", "100", "0", 4},
		"dear, its cost unknown":  {"", "500", "", 5},
		"dear, and of low cost":   {"", "500", "10", 4},
		"cheap, its cost unknown": {"", "499.99", "", patient.Curve.Reach},
	} {
		s := negotiation.Signals{
			List:       usd(c.list),
			Category:   c.category,
			Negotiable: true,
			Quantity:   1,
			Stock:      20,
		}
		if c.cost != "" {
			s.Cost = offer(usd(c.cost))
		}
		if got := p.Terms(s); got.Curve.Reach != c.want || got.RoundCap != p.RoundCap || got.Version != p.Version {
			t.Errorf("%s: %+v, want mark %d", name, got, c.want)
		}
	}
}

func TestPolicy_SegmentOf_quantity(t *testing.T) {
	t.Parallel()
	p := patient
	p.Segments = []negotiation.Segment{
		{
			Name:        "a few",
			QuantityMin: 2,
			QuantityMax: 5,
		},
		{Name: "one", QuantityMax: 2},
		{Name: "many", QuantityMin: 10},
	}
	for quantity, want := range map[int]int{1: 1, 2: 0, 4: 0, 5: -1, 9: -1, 10: 2, 1000: 2} {
		if got := p.SegmentOf(negotiation.Signals{List: usd("10"), Quantity: quantity}); got != want {
			t.Errorf("%d pieces are of segment %d, want %d", quantity, got, want)
		}
	}
}

func TestPolicy_Under_negotiationDisabled(t *testing.T) {
	t.Parallel()
	settings := project.DefaultSettings()
	settings.NegotiationEnabled = false
	b := negotiation.Bound(negotiation.Builtin().Under(settings), negotiation.Signals{
		List:       usd("100"),
		Negotiable: true,
		Quantity:   1,
	})
	if !b.Fixed() || b.Opening() != usd("100") || b.Hint() != usd("100") {
		t.Errorf("fixed %v, opening %s, hint %s", b.Fixed(), b.Opening(), b.Hint())
	}
}

// At list 100.00 and 20 % off, the lowest price keeps 30.00 of a margin of 50.00 at list: 60 %.
func TestPolicy_Terms_highMargin(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		cost string
		from money.Percent
		want money.Percent
	}{
		"just enough":      {"50", 600, 400},
		"a little less":    {"50", 601, 0},
		"rounded up to 55": {"50.01", 590, 0}, // on a grid of 5.00, so that no price tells the cost
		"never":            {"50", 0, 0},
		"unknown cost":     {"", 1, 0},
		"sold at a loss":   {"120", 1, 0},
		"no cost at all":   {"0", 800, 400},
		"nothing to give":  {"95", 900, 400}, // the price is fixed at list
	} {
		p := patient
		p.Leanings.HighMargin, p.Leanings.HighMarginFrom = 400, c.from
		s := negotiation.Signals{
			List:       usd("100"),
			Negotiable: true,
			Quantity:   1,
			Stock:      20,
			CartValue:  usd("0"),
		}
		if c.cost != "" {
			s.Cost = offer(usd(c.cost))
		}
		terms, bounds := p.Terms(s), negotiation.Bound(p, s)
		if terms.Lean != c.want {
			t.Errorf("%s: lean %s, want %s", name, terms.Lean, c.want)
		}
		if bounds.Opening() != usd("100") {
			t.Errorf("%s: opening %s, want the list price", name, bounds.Opening())
		}
		if target := map[money.Percent]string{0: "92.50", 400: "84.50"}[c.want]; !bounds.Fixed() && bounds.Target() != usd(target) {
			t.Errorf("%s: target %s, want %s", name, bounds.Target(), target)
		}
	}
}
