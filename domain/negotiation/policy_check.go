package negotiation

import (
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/money"
)

const (
	MostSegments = 20 // of a policy
	maxBreaks    = 10
	maxQuantity  = 1_000_000
)

var categoryForm = regexp.MustCompile(`^[^/\x00-\x1f]+(/[^/\x00-\x1f]+)*$`)

// Check reports everything that is wrong with a merchant's policy, by the fields of the API. Bounds holds prices to the
// limits whatever a policy contains; these checks reject a policy that a merchant cannot have intended.
func (p Policy) Check(c fault.Check) {
	percent(c, "max_discount_percent", p.MaxDiscount, 0, 90)
	percent(c, "min_margin_percent", p.MinMargin, 0, 1000)
	percent(c, "unverified_share_percent", p.UnverifiedShare, 0, 100)
	whole(c, "round_cap", p.RoundCap, 1, 20)
	percent(c, "depth_percent", p.Depth, 0, 100)
	percent(c, "anchor_percent", p.Anchor, 0, 100)
	p.Curve.check(c.In("curve"))
	p.checkSegments(c)
	p.Leanings.check(c.In("leanings"))
	percent(c.In("bundles"), "share_percent", p.Bundles.Share, 0, 100)
	probing := c.In("probing")
	whole(probing, "session", p.Probing.Session, 0, 100_000)
	whole(probing, "client", p.Probing.Client, 0, 100_000)
	whole(probing, "product", p.Probing.Product, 0, 100_000)
}

func (g *Curve) check(c fault.Check) {
	percent(c, "reach_percent", g.Reach, 100, 200)
	percent(c, "markup_percent", g.Markup, 100, 200)
	rising(c.In("give_percent"), g.Give)
	rising(c.In("take_percent"), g.Take)
}

// rising checks that the steps of a curve do not fall. The last value may be repeated for all later steps, so a step
// that equals the previous one is not reported again.
func rising(c fault.Check, steps [Steps]money.Percent) {
	for i, share := range steps {
		if i > 0 && share == steps[i-1] {
			continue
		}
		percent(c, fmt.Sprint(i), share, 0, 100)
		c.That(i == 0 || share > steps[i-1], fmt.Sprint(i), "must not be less than the previous one")
	}
}

func (p Policy) checkSegments(c fault.Check) {
	c.That(len(p.Segments) <= MostSegments, "segments", fmt.Sprintf("must have at most %d entries", MostSegments))
	named := make(map[string]bool, len(p.Segments))
	for i := range p.Segments {
		s, at := &p.Segments[i], c.In("segments").At(i)
		at.That(!named[s.Name], "name", "must differ from those of other segments")
		named[s.Name] = true
		s.check(at)
	}
}

func (g *Segment) check(c fault.Check) {
	length := utf8.RuneCountInString(g.Name)
	c.That(length >= 1 && length <= 100 && utf8.ValidString(g.Name) && strings.TrimSpace(g.Name) != "", "name",
		"must have 1 to 100 characters")
	c.That(g.Category == "" || utf8.RuneCountInString(g.Category) <= 200 && categoryForm.MatchString(g.Category), "category",
		"must be a path such as outdoor/tents")
	from, to := percent(c, "cost_from_percent", g.CostFrom, 0, 1000), percent(c, "cost_to_percent", g.CostTo, 0, 1000)
	if from && to {
		c.That(g.CostTo == 0 || g.CostTo > g.CostFrom, "cost_to_percent", "must be more than cost_from_percent")
	}
	from = c.That(g.PriceMin >= 0 && g.PriceMin < money.Limit, "price_min", "must be a price")
	to = c.That(g.PriceMax >= 0 && g.PriceMax < money.Limit, "price_max", "must be a price")
	if from && to {
		c.That(g.PriceMax == 0 || g.PriceMax > g.PriceMin, "price_max", "must be more than price_min")
	}
	whole(c, "quantity_min", g.QuantityMin, 0, maxQuantity)
	whole(c, "quantity_max", g.QuantityMax, 0, maxQuantity)
	c.That(g.QuantityMax <= 0 || g.QuantityMax > g.QuantityMin, "quantity_max", "must be more than quantity_min")
	g.Curve.check(c.In("curve"))
}

func (l *Leanings) check(c fault.Check) {
	tiers := c.In("tiers")
	for i, name := range []string{"bronze", "silver", "gold", "platinum"} {
		percent(tiers, name, l.Tiers[i], -100, 100)
		tiers.That(i == 0 || l.Tiers[i] >= l.Tiers[i-1], name, "must not be less than that of the previous tier")
	}
	checkBreaks(c, "purchases", l.Purchases)
	checkBreaks(c, "volume", l.Volume)
	percent(c, "flexible_percent", l.Flexible, -100, 100)
	percent(c, "scarce_percent", l.Scarce, -100, 100)
	percent(c, "plenty_percent", l.Plenty, -100, 100)
	whole(c, "scarce_below", l.ScarceBelow, 0, 1_000_000)
	whole(c, "plenty_from", l.PlentyFrom, 0, 1_000_000)
	percent(c, "cart_percent", l.Cart, -100, 100)
	whole(c, "cart_times", l.CartTimes, 0, 1000)
	percent(c, "competitor_percent", l.Competitor, -100, 100)
	percent(c, "high_margin_percent", l.HighMargin, -100, 100)
	percent(c, "high_margin_from_percent", l.HighMarginFrom, 0, 100)
}

func checkBreaks(c fault.Check, field string, breaks []Break) {
	c.That(len(breaks) <= maxBreaks, field, fmt.Sprintf("must have at most %d entries", maxBreaks))
	for i, b := range breaks {
		at := c.In(field).At(i)
		whole(at, "from", b.From, 1, 1_000_000)
		at.That(i == 0 || b.From > breaks[i-1].From, "from", "must be more than the previous one")
		percent(at, "lean_percent", b.Lean, -100, 100)
	}
}

// percent checks a share against limits in whole percent.
func percent(c fault.Check, field string, share money.Percent, low, high int64) bool {
	ok := share >= money.Percent(low*10) && share <= money.Percent(high*10)
	return c.That(ok, field, between(low, high))
}

func whole(c fault.Check, field string, n, low, high int) {
	c.That(n >= low && n <= high, field, between(int64(low), int64(high)))
}

func between(low, high int64) string {
	return fmt.Sprintf("must be between %s and %s", thousands(low), thousands(high))
}

// thousands formats a number with separators: 1,000.
func thousands(n int64) string {
	text := fmt.Sprint(n)
	for at := len(text) - 3; at > 0 && text[at-1] != '-'; at -= 3 {
		text = text[:at] + "," + text[at:]
	}
	return text
}
