package agents

import (
	"github.com/haggle-commerce/haggle/adapters/httpapi/wire"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/negotiation"
)

// policyDocument is a whole policy. What is written of it (see policyPatch) reads the same.
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
	Name     string        `json:"name"`
	Category string        `json:"category,omitempty"`
	CostFrom *wire.Decimal `json:"cost_from_percent,omitempty"`
	CostTo   *wire.Decimal `json:"cost_to_percent,omitempty"`
	PriceMin *wire.Money   `json:"price_min,omitempty"`
	PriceMax *wire.Money   `json:"price_max,omitempty"`
	Curve    curveView     `json:"curve"`
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
		Enabled: p.Enabled, MaxDiscount: wire.ToPercent(p.MaxDiscount), MinMargin: wire.ToPercent(p.MinMargin),
		Unverified: wire.ToPercent(p.UnverifiedShare), RoundCap: p.RoundCap, Depth: wire.ToPercent(p.Depth), Anchor: wire.ToPercent(p.Anchor),
		Curve: toAPICurve(p.Curve), Leanings: toAPILeanings(p.Leanings),
		Segments: wire.Each(p.Segments, func(s negotiation.Segment) segmentView { return toAPISegment(s, c) }),
		Bundles:  bundlesView{!p.Bundles.Off, wire.ToPercent(p.Bundles.Share)}, Probing: probingView(p.Probing),
	}
}

// toAPICurve leaves steps out that repeat the one before to the end.
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
		Name: s.Name, Category: s.Category, Curve: toAPICurve(s.Curve),
		CostFrom: share(s.CostFrom), CostTo: share(s.CostTo), PriceMin: price(s.PriceMin), PriceMax: price(s.PriceMax),
	}
}

func toAPILeanings(l negotiation.Leanings) leaningsView {
	breaks := func(all []negotiation.Break) []breakView {
		return wire.Each(all, func(b negotiation.Break) breakView { return breakView{b.From, wire.ToPercent(b.Lean)} })
	}
	tier := func(i int) wire.Decimal { return wire.ToPercent(l.Tiers[i]) }
	return leaningsView{
		Tiers: tiersView{tier(0), tier(1), tier(2), tier(3)}, Purchases: breaks(l.Purchases), Volume: breaks(l.Volume),
		Flexible: wire.ToPercent(l.Flexible), Scarce: wire.ToPercent(l.Scarce), ScarceBelow: l.ScarceBelow,
		Plenty: wire.ToPercent(l.Plenty), PlentyFrom: l.PlentyFrom, Cart: wire.ToPercent(l.Cart), CartTimes: l.CartTimes,
		Competitor: wire.ToPercent(l.Competitor), MatchCompetitor: l.MatchCompetitor,
	}
}
