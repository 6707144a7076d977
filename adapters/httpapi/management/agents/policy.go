package agents

import (
	"strconv"

	"github.com/haggle-commerce/haggle/adapters/httpapi/management/internal/operation"
	"github.com/haggle-commerce/haggle/adapters/httpapi/wire"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/negotiation"
	"github.com/haggle-commerce/haggle/domain/patch"
)

// policyPatch is a policy as merchants write it. A field that is left out or null has the value of the built-in policy.
type policyPatch struct {
	Enabled     wire.Optional[bool]           `json:"enabled,omitzero" doc:"False: everything is sold at list price."`
	MaxDiscount wire.Optional[wire.Decimal]   `json:"max_discount_percent,omitzero" doc:"0 to 90, of the list price. The project's setting limits it further."`
	MinMargin   wire.Optional[wire.Decimal]   `json:"min_margin_percent,omitzero" doc:"0 to 1,000. The minimum margin over cost, in percent of the cost, if the cost is known."`
	Unverified  wire.Optional[wire.Decimal]   `json:"unverified_share_percent,omitzero" doc:"0 to 100. The largest effect of a buyer's own claims, in either direction."`
	RoundCap    wire.Optional[int]            `json:"round_cap,omitzero" doc:"1 to 20. The number of the last counteroffer: later ones are not lower."`
	Depth       wire.Optional[wire.Decimal]   `json:"depth_percent,omitzero" doc:"0 to 100. The position of the floor between the list price (0) and the lowest price that the limits above allow (100)."`
	Anchor      wire.Optional[wire.Decimal]   `json:"anchor_percent,omitzero" doc:"0 to 100. The position of the first price between the list price (0) and the floor (100)."`
	Curve       wire.Optional[curvePatch]     `json:"curve,omitzero"`
	Segments    wire.Optional[[]segmentPatch] `json:"segments,omitzero" doc:"At most 20. The curve of the first matching segment replaces the policy's curve."`
	Leanings    wire.Optional[leaningsPatch]  `json:"leanings,omitzero" doc:"The effect of each signal on prices, in percent of the distance between list price and floor. Effects add up."`
	Bundles     wire.Optional[bundlesPatch]   `json:"bundles,omitzero"`
	Probing     wire.Optional[probingPatch]   `json:"probing,omitzero" doc:"Limits on probing, after which the current price is final. 0: no limit. A client is a network address."`
}

type curvePatch struct {
	Reach  wire.Optional[wire.Decimal]   `json:"reach_percent,omitzero" doc:"100 to 200. If a first offer times this reaches the floor, it is countered at the offer times markup_percent."`
	Markup wire.Optional[wire.Decimal]   `json:"markup_percent,omitzero" doc:"100 to 200."`
	Give   wire.Optional[[]wire.Decimal] `json:"give_percent,omitzero" doc:"1 to 8 numbers, in ascending order: the position of the counteroffer to each of the buyer's moves between the list price (0) and the floor (100). The last number applies to all later moves."`
	Take   wire.Optional[[]wire.Decimal] `json:"take_percent,omitzero" doc:"As give_percent: how far below the counteroffer, towards the floor, an offer is still accepted."`
}

type segmentPatch struct {
	Name        string                      `json:"name"`
	Category    string                      `json:"category,omitempty" doc:"A path; products of its subcategories match too. Default: all."`
	CostFrom    wire.Optional[wire.Decimal] `json:"cost_from_percent,omitzero" doc:"The cost as a share of the list price. Matches only products with a known cost."`
	CostTo      wire.Optional[wire.Decimal] `json:"cost_to_percent,omitzero" doc:"Exclusive."`
	PriceMin    wire.Optional[wire.Decimal] `json:"price_min,omitzero" doc:"The list price, inclusive."`
	PriceMax    wire.Optional[wire.Decimal] `json:"price_max,omitzero" doc:"Exclusive."`
	QuantityMin wire.Optional[int]          `json:"quantity_min,omitzero" doc:"In pieces, inclusive."`
	QuantityMax wire.Optional[int]          `json:"quantity_max,omitzero" doc:"Exclusive."`
	Curve       wire.Optional[curvePatch]   `json:"curve,omitzero" doc:"Omitted fields take the value of the policy's own curve."`
}

type leaningsPatch struct {
	Tiers           wire.Optional[tiersPatch]   `json:"tiers,omitzero"`
	Purchases       wire.Optional[[]breakPatch] `json:"purchases,omitzero" doc:"By the number of earlier purchases, in ascending order, at most 10."`
	Volume          wire.Optional[[]breakPatch] `json:"volume,omitzero" doc:"By the number of pieces, in ascending order, at most 10."`
	Flexible        wire.Optional[wire.Decimal] `json:"flexible_percent,omitzero" doc:"The discount of a buyer without urgency, and the markup of one with high urgency."`
	Scarce          wire.Optional[wire.Decimal] `json:"scarce_percent,omitzero"`
	ScarceBelow     wire.Optional[int]          `json:"scarce_below,omitzero" doc:"Stock is scarce if fewer pieces are left in addition to those requested."`
	Plenty          wire.Optional[wire.Decimal] `json:"plenty_percent,omitzero"`
	PlentyFrom      wire.Optional[int]          `json:"plenty_from,omitzero" doc:"In pieces. 0: never."`
	Cart            wire.Optional[wire.Decimal] `json:"cart_percent,omitzero"`
	CartTimes       wire.Optional[int]          `json:"cart_times,omitzero" doc:"Applies to a cart worth at least this many times the list price. 0: never."`
	Competitor      wire.Optional[wire.Decimal] `json:"competitor_percent,omitzero" doc:"Applies if a competitor is known to be cheaper."`
	MatchCompetitor wire.Optional[bool]         `json:"match_competitor,omitzero" doc:"Lowers the first price to the competitor's, but not below the floor."`
	HighMargin      wire.Optional[wire.Decimal] `json:"high_margin_percent,omitzero" doc:"Applies to the steps of the curve if the lowest price that the limits allow keeps high_margin_from_percent of the margin at the list price."`
	HighMarginFrom  wire.Optional[wire.Decimal] `json:"high_margin_from_percent,omitzero" doc:"0 to 100. 0: never."`
}

type tiersPatch struct {
	Bronze   wire.Optional[wire.Decimal] `json:"bronze,omitzero"`
	Silver   wire.Optional[wire.Decimal] `json:"silver,omitzero"`
	Gold     wire.Optional[wire.Decimal] `json:"gold,omitzero"`
	Platinum wire.Optional[wire.Decimal] `json:"platinum,omitzero"`
}

type breakPatch struct {
	From int          `json:"from"`
	Lean wire.Decimal `json:"lean_percent"`
}

type bundlesPatch struct {
	Enabled wire.Optional[bool]         `json:"enabled,omitzero"`
	Share   wire.Optional[wire.Decimal] `json:"share_percent,omitzero" doc:"0 to 100. The position of a bundled product's price between its first price (0) and its floor (100)."`
}

type probingPatch struct {
	Session wire.Optional[int] `json:"session,omitzero" doc:"Offers below the floor in one session."`
	Client  wire.Optional[int] `json:"client,omitzero" doc:"Sessions of one client within a day."`
	Product wire.Optional[int] `json:"product,omitzero" doc:"Sessions of one client about one product within an hour that led to no order of it."`
}

// fromAPIPolicy returns a function that applies a change to the policy in force, or nil if the change leaves the policy out.
func fromAPIPolicy(o wire.Optional[policyPatch], c money.Currency, check fault.Check) func(negotiation.Policy) negotiation.Policy {
	if !o.Given() {
		return nil
	}
	doc, given := o.Value()
	doc.over(negotiation.Builtin(), c, check) // reports values that cannot be read
	return func(current negotiation.Policy) negotiation.Policy {
		if !given {
			return negotiation.Builtin()
		}
		return doc.over(current, c, fault.NewCheck())
	}
}

// over returns a policy with the given fields replaced.
func (in policyPatch) over(p negotiation.Policy, c money.Currency, check fault.Check) negotiation.Policy {
	house, read := negotiation.Builtin(), reader{check}
	in.Enabled.Field().Apply(&p.Enabled, house.Enabled)
	read.percent(in.MaxDiscount, "max_discount_percent", &p.MaxDiscount, house.MaxDiscount)
	read.percent(in.MinMargin, "min_margin_percent", &p.MinMargin, house.MinMargin)
	read.percent(in.Unverified, "unverified_share_percent", &p.UnverifiedShare, house.UnverifiedShare)
	in.RoundCap.Field().Apply(&p.RoundCap, house.RoundCap)
	read.percent(in.Depth, "depth_percent", &p.Depth, house.Depth)
	read.percent(in.Anchor, "anchor_percent", &p.Anchor, house.Anchor)
	reader{check.In("curve")}.curve(in.Curve, &p.Curve, house.Curve)
	in.segments(&p, c, check.In("segments"))
	reader{check.In("leanings")}.leanings(in.Leanings, &p.Leanings, house.Leanings)
	bundles, probing := in.Bundles.Group(), in.Probing.Group()
	on := !p.Bundles.Off
	bundles.Enabled.Field().Apply(&on, !house.Bundles.Off)
	p.Bundles.Off = !on
	reader{check.In("bundles")}.percent(bundles.Share, "share_percent", &p.Bundles.Share, house.Bundles.Share)
	probing.Session.Field().Apply(&p.Probing.Session, house.Probing.Session)
	probing.Client.Field().Apply(&p.Probing.Client, house.Probing.Client)
	probing.Product.Field().Apply(&p.Probing.Product, house.Probing.Product)
	return p
}

// segments are replaced as a whole.
func (in policyPatch) segments(p *negotiation.Policy, c money.Currency, check fault.Check) {
	if !in.Segments.Given() {
		return
	}
	given, _ := in.Segments.Value()
	p.Segments = nil
	for i, one := range given {
		at := check.At(i)
		s, read := negotiation.Segment{
			Name:     one.Name,
			Category: one.Category,
			Curve:    p.Curve,
		}, reader{at}
		read.percent(one.CostFrom, "cost_from_percent", &s.CostFrom, 0)
		read.percent(one.CostTo, "cost_to_percent", &s.CostTo, 0)
		read.price(one.PriceMin, "price_min", &s.PriceMin, c)
		read.price(one.PriceMax, "price_max", &s.PriceMax, c)
		one.QuantityMin.Field().Apply(&s.QuantityMin, 0)
		one.QuantityMax.Field().Apply(&s.QuantityMax, 0)
		reader{at.In("curve")}.curve(one.Curve, &s.Curve, p.Curve)
		p.Segments = append(p.Segments, s)
	}
}

// reader reads numbers, and notes those that it cannot read. It returns the fallback for null.
type reader struct{ check fault.Check }

func (r reader) percent(o wire.Optional[wire.Decimal], field string, to *money.Percent, fallback money.Percent) {
	operation.FromAPIPercent(o, field, r.check).Apply(to, fallback)
}

func (r reader) price(o wire.Optional[wire.Decimal], field string, to *int64, c money.Currency) {
	wire.MapField(o, func(d wire.Decimal) int64 { return d.Amount(c, field, r.check).Minor() }).Apply(to, 0)
}

func (r reader) curve(o wire.Optional[curvePatch], to *negotiation.Curve, fallback negotiation.Curve) {
	in := o.Group()
	r.percent(in.Reach, "reach_percent", &to.Reach, fallback.Reach)
	r.percent(in.Markup, "markup_percent", &to.Markup, fallback.Markup)
	r.steps(in.Give, "give_percent").Apply(&to.Give, fallback.Give)
	r.steps(in.Take, "take_percent").Apply(&to.Take, fallback.Take)
}

// steps reads the steps of a curve. The last given step applies to all later ones.
func (r reader) steps(o wire.Optional[[]wire.Decimal], field string) patch.Field[[negotiation.Steps]money.Percent] {
	return wire.MapField(o, func(given []wire.Decimal) (steps [negotiation.Steps]money.Percent) {
		if !r.check.That(len(given) >= 1 && len(given) <= len(steps), field, "must have 1 to 8 numbers") {
			return steps
		}
		for i := range steps {
			at := min(i, len(given)-1)
			steps[i] = given[at].Percent(strconv.Itoa(at), r.check.In(field))
		}
		return steps
	})
}

func (r reader) leanings(o wire.Optional[leaningsPatch], to *negotiation.Leanings, house negotiation.Leanings) {
	in := o.Group()
	tiers := in.Tiers.Group()
	for i, tier := range []wire.Optional[wire.Decimal]{tiers.Bronze, tiers.Silver, tiers.Gold, tiers.Platinum} {
		reader{r.check.In("tiers")}.percent(tier, tierNames[i], &to.Tiers[i], house.Tiers[i])
	}
	r.breaks(in.Purchases, "purchases").Apply(&to.Purchases, house.Purchases)
	r.breaks(in.Volume, "volume").Apply(&to.Volume, house.Volume)
	r.percent(in.Flexible, "flexible_percent", &to.Flexible, house.Flexible)
	r.percent(in.Scarce, "scarce_percent", &to.Scarce, house.Scarce)
	in.ScarceBelow.Field().Apply(&to.ScarceBelow, house.ScarceBelow)
	r.percent(in.Plenty, "plenty_percent", &to.Plenty, house.Plenty)
	in.PlentyFrom.Field().Apply(&to.PlentyFrom, house.PlentyFrom)
	r.percent(in.Cart, "cart_percent", &to.Cart, house.Cart)
	in.CartTimes.Field().Apply(&to.CartTimes, house.CartTimes)
	r.percent(in.Competitor, "competitor_percent", &to.Competitor, house.Competitor)
	in.MatchCompetitor.Field().Apply(&to.MatchCompetitor, house.MatchCompetitor)
	r.percent(in.HighMargin, "high_margin_percent", &to.HighMargin, house.HighMargin)
	r.percent(in.HighMarginFrom, "high_margin_from_percent", &to.HighMarginFrom, house.HighMarginFrom)
}

var tierNames = [...]string{"bronze", "silver", "gold", "platinum"}

func (r reader) breaks(o wire.Optional[[]breakPatch], field string) patch.Field[[]negotiation.Break] {
	return wire.MapField(o, func(given []breakPatch) []negotiation.Break {
		var breaks []negotiation.Break
		for i, b := range given {
			breaks = append(breaks, negotiation.Break{From: b.From, Lean: b.Lean.Percent("lean_percent", r.check.In(field).At(i))})
		}
		return breaks
	})
}

// policyDocument is a whole policy. Its fields have the same form as those of policyPatch.
type policyDocument struct {
	Enabled     bool          `json:"enabled"`
	MaxDiscount wire.Decimal  `json:"max_discount_percent"`
	MinMargin   wire.Decimal  `json:"min_margin_percent"`
	Unverified  wire.Decimal  `json:"unverified_share_percent"`
	RoundCap    int           `json:"round_cap"`
	Depth       wire.Decimal  `json:"depth_percent"`
	Anchor      wire.Decimal  `json:"anchor_percent"`
	Curve       curveView     `json:"curve"`
	Segments    []segmentView `json:"segments"`
	Leanings    leaningsView  `json:"leanings"`
	Bundles     bundlesView   `json:"bundles"`
	Probing     probingView   `json:"probing"`
}

type curveView struct {
	Reach  wire.Decimal   `json:"reach_percent"`
	Markup wire.Decimal   `json:"markup_percent"`
	Give   []wire.Decimal `json:"give_percent"`
	Take   []wire.Decimal `json:"take_percent"`
}

type segmentView struct {
	Name        string        `json:"name"`
	Category    string        `json:"category,omitempty"`
	CostFrom    *wire.Decimal `json:"cost_from_percent,omitempty"`
	CostTo      *wire.Decimal `json:"cost_to_percent,omitempty"`
	PriceMin    *wire.Money   `json:"price_min,omitempty"`
	PriceMax    *wire.Money   `json:"price_max,omitempty"`
	QuantityMin int           `json:"quantity_min,omitempty"`
	QuantityMax int           `json:"quantity_max,omitempty"`
	Curve       curveView     `json:"curve"`
}

type leaningsView struct {
	Tiers           tiersView    `json:"tiers"`
	Purchases       []breakView  `json:"purchases"`
	Volume          []breakView  `json:"volume"`
	Flexible        wire.Decimal `json:"flexible_percent"`
	Scarce          wire.Decimal `json:"scarce_percent"`
	ScarceBelow     int          `json:"scarce_below"`
	Plenty          wire.Decimal `json:"plenty_percent"`
	PlentyFrom      int          `json:"plenty_from"`
	Cart            wire.Decimal `json:"cart_percent"`
	CartTimes       int          `json:"cart_times"`
	Competitor      wire.Decimal `json:"competitor_percent"`
	MatchCompetitor bool         `json:"match_competitor"`
	HighMargin      wire.Decimal `json:"high_margin_percent"`
	HighMarginFrom  wire.Decimal `json:"high_margin_from_percent"`
}

type tiersView struct {
	Bronze   wire.Decimal `json:"bronze"`
	Silver   wire.Decimal `json:"silver"`
	Gold     wire.Decimal `json:"gold"`
	Platinum wire.Decimal `json:"platinum"`
}

type breakView struct {
	From int          `json:"from"`
	Lean wire.Decimal `json:"lean_percent"`
}

type bundlesView struct {
	Enabled bool         `json:"enabled"`
	Share   wire.Decimal `json:"share_percent"`
}

type probingView struct {
	Session int `json:"session"`
	Client  int `json:"client"`
	Product int `json:"product"`
}

func toAPIPolicy(p negotiation.Policy, c money.Currency) policyDocument {
	return policyDocument{
		Enabled:     p.Enabled,
		MaxDiscount: wire.ToPercent(p.MaxDiscount),
		MinMargin:   wire.ToPercent(p.MinMargin),
		Unverified:  wire.ToPercent(p.UnverifiedShare),
		RoundCap:    p.RoundCap,
		Depth:       wire.ToPercent(p.Depth),
		Anchor:      wire.ToPercent(p.Anchor),
		Curve:       toAPICurve(p.Curve),
		Leanings:    toAPILeanings(p.Leanings),
		Segments:    wire.Each(p.Segments, func(s negotiation.Segment) segmentView { return toAPISegment(s, c) }),
		Bundles:     bundlesView{!p.Bundles.Off, wire.ToPercent(p.Bundles.Share)},
		Probing:     probingView(p.Probing),
	}
}

// toAPICurve leaves out the last steps if they are the same as the step before them.
func toAPICurve(c negotiation.Curve) curveView {
	steps := func(all [negotiation.Steps]money.Percent) []wire.Decimal {
		last := len(all)
		for last > 1 && all[last-1] == all[last-2] {
			last--
		}
		return wire.Each(all[:last], wire.ToPercent)
	}
	return curveView{wire.ToPercent(c.Reach), wire.ToPercent(c.Markup), steps(c.Give), steps(c.Take)}
}

func toAPISegment(s negotiation.Segment, c money.Currency) segmentView {
	share := func(p money.Percent) *wire.Decimal {
		if p == 0 {
			return nil
		}
		return new(wire.ToPercent(p))
	}
	price := func(minor int64) *wire.Money {
		if minor == 0 {
			return nil
		}
		return new(wire.ToMoney(money.Of(minor, c)))
	}
	return segmentView{
		Name:     s.Name,
		Category: s.Category,
		Curve:    toAPICurve(s.Curve),
		CostFrom: share(s.CostFrom),
		CostTo:   share(s.CostTo),
		PriceMin: price(s.PriceMin),
		PriceMax: price(s.PriceMax),

		QuantityMin: s.QuantityMin,
		QuantityMax: s.QuantityMax,
	}
}

func toAPILeanings(l negotiation.Leanings) leaningsView {
	breaks := func(all []negotiation.Break) []breakView {
		return wire.Each(all, func(b negotiation.Break) breakView { return breakView{b.From, wire.ToPercent(b.Lean)} })
	}
	tier := func(i int) wire.Decimal { return wire.ToPercent(l.Tiers[i]) }
	return leaningsView{
		Tiers:           tiersView{tier(0), tier(1), tier(2), tier(3)},
		Purchases:       breaks(l.Purchases),
		Volume:          breaks(l.Volume),
		Flexible:        wire.ToPercent(l.Flexible),
		Scarce:          wire.ToPercent(l.Scarce),
		ScarceBelow:     l.ScarceBelow,
		Plenty:          wire.ToPercent(l.Plenty),
		PlentyFrom:      l.PlentyFrom,
		Cart:            wire.ToPercent(l.Cart),
		CartTimes:       l.CartTimes,
		Competitor:      wire.ToPercent(l.Competitor),
		MatchCompetitor: l.MatchCompetitor,
		HighMargin:      wire.ToPercent(l.HighMargin),
		HighMarginFrom:  wire.ToPercent(l.HighMarginFrom),
	}
}
