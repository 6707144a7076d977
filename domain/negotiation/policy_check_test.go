package negotiation_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/negotiation"
)

// problems returns the fields that a check of the policy reports, under "policy".
func problems(p negotiation.Policy) []string {
	c := fault.NewCheck()
	p.Check(c.In("policy"))
	var e *fault.Error
	if !errors.As(c.Err(), &e) {
		return nil
	}
	var fields []string
	for _, d := range e.Details {
		fields = append(fields, strings.TrimPrefix(d.Field, "policy."))
	}
	return fields
}

func TestPolicy_Check_valid(t *testing.T) {
	t.Parallel()
	if got := problems(patient); got != nil {
		t.Errorf("the built-in policy under a project's settings: %v", got)
	}
	rapid.Check(t, func(t *rapid.T) {
		got := problems(validPolicies().Draw(t, "policy"))
		mustHold(t, got == nil, "%v", got)
	})
}

// Every number is valid at both ends of its range. Beyond them it is reported, and nothing else is.
func TestPolicy_Check_bounds(t *testing.T) {
	t.Parallel()
	type policy = negotiation.Policy
	share := func(of func(*policy) *money.Percent) func(*policy, int) {
		return func(p *policy, n int) { *of(p) = money.Percent(n) }
	}
	count := func(of func(*policy) *int) func(*policy, int) {
		return func(p *policy, n int) { *of(p) = n }
	}
	reportedAt := map[string]string{ // a value that exceeds the next one is reported there
		"curve.give_percent.0": "curve.give_percent.1", "curve.take_percent.0": "curve.take_percent.1",
		"leanings.tiers.bronze": "leanings.tiers.silver", "leanings.purchases.0.from": "leanings.purchases.1.from",
	}
	for field, c := range map[string]struct {
		set       func(*policy, int)
		low, high int // of shares in tenths of a percent
	}{
		"max_discount_percent":           {share(func(p *policy) *money.Percent { return &p.MaxDiscount }), 0, 900},
		"min_margin_percent":             {share(func(p *policy) *money.Percent { return &p.MinMargin }), 0, 10_000},
		"unverified_share_percent":       {share(func(p *policy) *money.Percent { return &p.UnverifiedShare }), 0, 1000},
		"round_cap":                      {count(func(p *policy) *int { return &p.RoundCap }), 1, 20},
		"depth_percent":                  {share(func(p *policy) *money.Percent { return &p.Depth }), 0, 1000},
		"anchor_percent":                 {share(func(p *policy) *money.Percent { return &p.Anchor }), 0, 1000},
		"curve.reach_percent":            {share(func(p *policy) *money.Percent { return &p.Curve.Reach }), 1000, 2000},
		"curve.markup_percent":           {share(func(p *policy) *money.Percent { return &p.Curve.Markup }), 1000, 2000},
		"curve.give_percent.0":           {share(func(p *policy) *money.Percent { return &p.Curve.Give[0] }), 0, 550},
		"curve.give_percent.7":           {share(func(p *policy) *money.Percent { return &p.Curve.Give[7] }), 560, 1000},
		"curve.take_percent.0":           {share(func(p *policy) *money.Percent { return &p.Curve.Take[0] }), 0, 550},
		"curve.take_percent.7":           {share(func(p *policy) *money.Percent { return &p.Curve.Take[7] }), 560, 1000},
		"segments.0.cost_from_percent":   {share(func(p *policy) *money.Percent { return &p.Segments[0].CostFrom }), 0, 10_000},
		"segments.0.cost_to_percent":     {share(func(p *policy) *money.Percent { return &p.Segments[0].CostTo }), 0, 10_000},
		"segments.0.price_min":           {func(p *policy, n int) { p.Segments[0].PriceMin = int64(n) }, 0, money.Limit - 1},
		"segments.0.price_max":           {func(p *policy, n int) { p.Segments[0].PriceMax = int64(n) }, 0, money.Limit - 1},
		"segments.0.quantity_min":        {count(func(p *policy) *int { return &p.Segments[0].QuantityMin }), 0, 1_000_000},
		"segments.0.quantity_max":        {count(func(p *policy) *int { return &p.Segments[0].QuantityMax }), 0, 1_000_000},
		"segments.0.curve.reach_percent": {share(func(p *policy) *money.Percent { return &p.Segments[0].Curve.Reach }), 1000, 2000},
		"leanings.tiers.bronze":          {share(func(p *policy) *money.Percent { return &p.Leanings.Tiers[0] }), -1000, 0},
		"leanings.tiers.platinum":        {share(func(p *policy) *money.Percent { return &p.Leanings.Tiers[3] }), 0, 1000},
		"leanings.purchases.0.from":      {count(func(p *policy) *int { return &p.Leanings.Purchases[0].From }), 1, 49},
		"leanings.purchases.1.from":      {count(func(p *policy) *int { return &p.Leanings.Purchases[1].From }), 2, 1_000_000},
		"leanings.volume.0.lean_percent": {share(func(p *policy) *money.Percent { return &p.Leanings.Volume[0].Lean }), -1000, 1000},
		"leanings.flexible_percent":      {share(func(p *policy) *money.Percent { return &p.Leanings.Flexible }), -1000, 1000},
		"leanings.scarce_percent":        {share(func(p *policy) *money.Percent { return &p.Leanings.Scarce }), -1000, 1000},
		"leanings.plenty_percent":        {share(func(p *policy) *money.Percent { return &p.Leanings.Plenty }), -1000, 1000},
		"leanings.scarce_below":          {count(func(p *policy) *int { return &p.Leanings.ScarceBelow }), 0, 1_000_000},
		"leanings.plenty_from":           {count(func(p *policy) *int { return &p.Leanings.PlentyFrom }), 0, 1_000_000},
		"leanings.cart_percent":          {share(func(p *policy) *money.Percent { return &p.Leanings.Cart }), -1000, 1000},
		"leanings.cart_times":            {count(func(p *policy) *int { return &p.Leanings.CartTimes }), 0, 1000},
		"leanings.competitor_percent":    {share(func(p *policy) *money.Percent { return &p.Leanings.Competitor }), -1000, 1000},
		"bundles.share_percent":          {share(func(p *policy) *money.Percent { return &p.Bundles.Share }), 0, 1000},
		"probing.session":                {count(func(p *policy) *int { return &p.Probing.Session }), 0, 100_000},
		"probing.client":                 {count(func(p *policy) *int { return &p.Probing.Client }), 0, 100_000},
		"probing.product":                {count(func(p *policy) *int { return &p.Probing.Product }), 0, 100_000},
	} {
		for n, want := range map[int][]string{c.low: nil, c.high: nil, c.low - 1: {field}, c.high + 1: {field}} {
			p := middling()
			c.set(&p, n)
			if n > c.high && reportedAt[field] != "" {
				want = []string{reportedAt[field]}
			}
			got := problems(p)
			if !slices.Equal(got, want) {
				t.Errorf("%s at %d: problems with %v, want %v", field, n, got, want)
			}
		}
	}
}

// middling returns a policy in which each number can take every value of its range.
func middling() negotiation.Policy {
	flat := [negotiation.Steps]money.Percent{550, 550, 555, 555, 555, 555, 560, 560}
	curve := negotiation.Curve{
		Reach:  1100,
		Markup: 1100,
		Give:   flat,
		Take:   flat,
	}
	return negotiation.Policy{
		RoundCap: 6,
		Curve:    curve,
		Segments: []negotiation.Segment{{Name: "all", Curve: curve}},
		Leanings: negotiation.Leanings{
			Purchases: []negotiation.Break{{From: 1}, {From: 50}}, Volume: []negotiation.Break{{From: 2}},
		},
	}
}

func TestPolicy_Check_invalid(t *testing.T) {
	t.Parallel()
	type policy = negotiation.Policy
	segment := func(change func(*negotiation.Segment)) func(*policy) {
		return func(p *policy) { change(&p.Segments[0]) }
	}
	breaks := func(n int) (all []negotiation.Break) {
		for i := range n {
			all = append(all, negotiation.Break{From: i + 1})
		}
		return all
	}
	segments := func(n int) (all []negotiation.Segment) {
		for i := range n {
			all = append(all, negotiation.Segment{Name: fmt.Sprint(i), Curve: patient.Curve})
		}
		return all
	}
	for name, c := range map[string]struct {
		change func(*policy)
		want   []string
	}{
		"a curve that falls":       {func(p *policy) { p.Curve.Give[3] = 540 }, []string{"curve.give_percent.3"}},
		"and recovers":             {func(p *policy) { p.Curve.Take[1] = 540 }, []string{"curve.take_percent.1"}},
		"a last value for all":     {func(p *policy) { fill(p.Curve.Give[2:], 1100) }, []string{"curve.give_percent.2"}},
		"tiers that fall":          {func(p *policy) { p.Leanings.Tiers = [4]money.Percent{50, 40, 60, 55} }, []string{"leanings.tiers.silver", "leanings.tiers.platinum"}},
		"breaks that repeat":       {func(p *policy) { p.Leanings.Volume = []negotiation.Break{{From: 2}, {From: 2}} }, []string{"leanings.volume.1.from"}},
		"ten breaks":               {func(p *policy) { p.Leanings.Volume = breaks(10) }, nil},
		"eleven breaks":            {func(p *policy) { p.Leanings.Volume = breaks(11) }, []string{"leanings.volume"}},
		"twenty segments":          {func(p *policy) { p.Segments = segments(20) }, nil},
		"twenty-one segments":      {func(p *policy) { p.Segments = segments(21) }, []string{"segments"}},
		"no segments":              {func(p *policy) { p.Segments = nil }, nil},
		"two of one name":          {func(p *policy) { p.Segments = append(segments(2), segments(1)...) }, []string{"segments.2.name"}},
		"no name":                  {segment(func(s *negotiation.Segment) { s.Name = "" }), []string{"segments.0.name"}},
		"a blank name":             {segment(func(s *negotiation.Segment) { s.Name = " \t" }), []string{"segments.0.name"}},
		"a name of 100":            {segment(func(s *negotiation.Segment) { s.Name = strings.Repeat("é", 100) }), nil},
		"a name of 101":            {segment(func(s *negotiation.Segment) { s.Name = strings.Repeat("é", 101) }), []string{"segments.0.name"}},
		"a name that is no text":   {segment(func(s *negotiation.Segment) { s.Name = "\xff" }), []string{"segments.0.name"}},
		"a category":               {segment(func(s *negotiation.Segment) { s.Category = "outdoor/tents" }), nil},
		"an open path":             {segment(func(s *negotiation.Segment) { s.Category = "outdoor/" }), []string{"segments.0.category"}},
		"a long path":              {segment(func(s *negotiation.Segment) { s.Category = strings.Repeat("a", 201) }), []string{"segments.0.category"}},
		"costs without a range":    {segment(func(s *negotiation.Segment) { s.CostFrom, s.CostTo = 500, 500 }), []string{"segments.0.cost_to_percent"}},
		"costs from, open":         {segment(func(s *negotiation.Segment) { s.CostFrom = 500 }), nil},
		"prices without a range":   {segment(func(s *negotiation.Segment) { s.PriceMin, s.PriceMax = 10, 10 }), []string{"segments.0.price_max"}},
		"no quantity":              {segment(func(s *negotiation.Segment) { s.QuantityMin, s.QuantityMax = 2, 2 }), []string{"segments.0.quantity_max"}},
		"prices from, open":        {segment(func(s *negotiation.Segment) { s.PriceMin = 10 }), nil},
		"a segment's falling take": {segment(func(s *negotiation.Segment) { s.Curve.Take[7] = 10 }), []string{"segments.0.curve.take_percent.7"}},
		"many things": {func(p *policy) {
			p.MaxDiscount, p.RoundCap, p.Curve.Markup, p.Segments[0].Name, p.Probing.Client = 901, 0, 999, "", -1
		}, []string{"max_discount_percent", "round_cap", "curve.markup_percent", "segments.0.name", "probing.client"}},
	} {
		p := middling()
		c.change(&p)
		if got := problems(p); !slices.Equal(got, c.want) {
			t.Errorf("%s: problems with %v, want %v", name, got, c.want)
		}
	}
}

func fill(steps []money.Percent, with money.Percent) {
	for i := range steps {
		steps[i] = with
	}
}

// Messages name bounds in percent, with separators of thousands.
func TestPolicy_Check_messages(t *testing.T) {
	t.Parallel()
	c := fault.NewCheck()
	negotiation.Policy{
		MinMargin: -1,
		Probing:   negotiation.Probing{Session: -1},
		Leanings:  negotiation.Leanings{Flexible: 1001},
	}.Check(c)
	for _, want := range []string{
		"[min_margin_percent must be between 0 and 1,000]", "[probing.session must be between 0 and 100,000]",
		"[leanings.flexible_percent must be between -100 and 100]", "[curve.reach_percent must be between 100 and 200]",
	} {
		if text := c.Err().Error(); !strings.Contains(text, want) {
			t.Errorf("%s is not in %s", want, text)
		}
	}
}
