package agents

import (
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/negotiation"
)

// policyJSON is a policy but its number, which is a column. Shares are in tenths of a percent.
type policyJSON struct {
	Enabled         bool          `json:"enabled"`
	MaxDiscount     int64         `json:"max_discount"`
	MinMargin       int64         `json:"min_margin"`
	UnverifiedShare int64         `json:"unverified_share"`
	RoundCap        int           `json:"round_cap"`
	Depth           int64         `json:"depth"`
	Anchor          int64         `json:"anchor"`
	Curve           curveJSON     `json:"curve"`
	Segments        []segmentJSON `json:"segments,omitempty"`
	Leanings        leaningsJSON  `json:"leanings"`
	Bundles         bundlesJSON   `json:"bundles"`
	Probing         probingJSON   `json:"probing"`
}

type curveJSON struct {
	Reach  int64   `json:"reach"`
	Markup int64   `json:"markup"`
	Give   []int64 `json:"give"`
	Take   []int64 `json:"take"`
}

type segmentJSON struct {
	Name     string    `json:"name"`
	Category string    `json:"category,omitempty"`
	CostFrom int64     `json:"cost_from,omitempty"`
	CostTo   int64     `json:"cost_to,omitempty"`
	PriceMin int64     `json:"price_min,omitempty"`
	PriceMax int64     `json:"price_max,omitempty"`
	Curve    curveJSON `json:"curve"`
}

type leaningsJSON struct {
	Tiers           []int64     `json:"tiers"`
	Purchases       []breakJSON `json:"purchases,omitempty"`
	Volume          []breakJSON `json:"volume,omitempty"`
	Flexible        int64       `json:"flexible"`
	Scarce          int64       `json:"scarce"`
	Plenty          int64       `json:"plenty"`
	ScarceBelow     int         `json:"scarce_below"`
	PlentyFrom      int         `json:"plenty_from"`
	Cart            int64       `json:"cart"`
	CartTimes       int         `json:"cart_times"`
	Competitor      int64       `json:"competitor"`
	MatchCompetitor bool        `json:"match_competitor"`
}

type breakJSON struct {
	From int   `json:"from"`
	Lean int64 `json:"lean"`
}

type bundlesJSON struct {
	Off   bool  `json:"off"`
	Share int64 `json:"share"`
}

type probingJSON struct {
	Session int `json:"session"`
	Client  int `json:"client"`
	Product int `json:"product"`
}

func toPolicyJSON(p negotiation.Policy) policyJSON {
	j := policyJSON{
		Enabled: p.Enabled, MaxDiscount: int64(p.MaxDiscount), MinMargin: int64(p.MinMargin),
		UnverifiedShare: int64(p.UnverifiedShare), RoundCap: p.RoundCap, Depth: int64(p.Depth), Anchor: int64(p.Anchor),
		Curve: toCurveJSON(p.Curve), Leanings: toLeaningsJSON(p.Leanings),
		Bundles: bundlesJSON{p.Bundles.Off, int64(p.Bundles.Share)}, Probing: probingJSON(p.Probing),
	}
	for _, g := range p.Segments {
		j.Segments = append(j.Segments, segmentJSON{
			Name: g.Name, Category: g.Category, CostFrom: int64(g.CostFrom), CostTo: int64(g.CostTo),
			PriceMin: g.PriceMin, PriceMax: g.PriceMax, Curve: toCurveJSON(g.Curve),
		})
	}
	return j
}

func (j policyJSON) policy(version int) negotiation.Policy {
	p := negotiation.Policy{
		Version: version, Enabled: j.Enabled, MaxDiscount: money.Percent(j.MaxDiscount), MinMargin: money.Percent(j.MinMargin),
		UnverifiedShare: money.Percent(j.UnverifiedShare), RoundCap: j.RoundCap,
		Depth: money.Percent(j.Depth), Anchor: money.Percent(j.Anchor),
		Curve: j.Curve.curve(), Leanings: j.Leanings.leanings(),
		Bundles: negotiation.Bundles{Off: j.Bundles.Off, Share: money.Percent(j.Bundles.Share)}, Probing: negotiation.Probing(j.Probing),
	}
	for _, g := range j.Segments {
		p.Segments = append(p.Segments, negotiation.Segment{
			Name: g.Name, Category: g.Category, CostFrom: money.Percent(g.CostFrom), CostTo: money.Percent(g.CostTo),
			PriceMin: g.PriceMin, PriceMax: g.PriceMax, Curve: g.Curve.curve(),
		})
	}
	return p
}

func toCurveJSON(c negotiation.Curve) curveJSON {
	return curveJSON{int64(c.Reach), int64(c.Markup), toShares(c.Give[:]), toShares(c.Take[:])}
}

func (j curveJSON) curve() negotiation.Curve {
	c := negotiation.Curve{Reach: money.Percent(j.Reach), Markup: money.Percent(j.Markup)}
	fromShares(c.Give[:], j.Give)
	fromShares(c.Take[:], j.Take)
	return c
}

func toLeaningsJSON(l negotiation.Leanings) leaningsJSON {
	return leaningsJSON{
		Tiers: toShares(l.Tiers[:]), Purchases: toBreaksJSON(l.Purchases), Volume: toBreaksJSON(l.Volume),
		Flexible: int64(l.Flexible), Scarce: int64(l.Scarce), Plenty: int64(l.Plenty),
		ScarceBelow: l.ScarceBelow, PlentyFrom: l.PlentyFrom, Cart: int64(l.Cart), CartTimes: l.CartTimes,
		Competitor: int64(l.Competitor), MatchCompetitor: l.MatchCompetitor,
	}
}

func (j leaningsJSON) leanings() negotiation.Leanings {
	l := negotiation.Leanings{
		Purchases: fromBreaksJSON(j.Purchases), Volume: fromBreaksJSON(j.Volume),
		Flexible: money.Percent(j.Flexible), Scarce: money.Percent(j.Scarce), Plenty: money.Percent(j.Plenty),
		ScarceBelow: j.ScarceBelow, PlentyFrom: j.PlentyFrom, Cart: money.Percent(j.Cart), CartTimes: j.CartTimes,
		Competitor: money.Percent(j.Competitor), MatchCompetitor: j.MatchCompetitor,
	}
	fromShares(l.Tiers[:], j.Tiers)
	return l
}

func toBreaksJSON(breaks []negotiation.Break) (list []breakJSON) {
	for _, b := range breaks {
		list = append(list, breakJSON{b.From, int64(b.Lean)})
	}
	return list
}

func fromBreaksJSON(list []breakJSON) (breaks []negotiation.Break) {
	for _, b := range list {
		breaks = append(breaks, negotiation.Break{From: b.From, Lean: money.Percent(b.Lean)})
	}
	return breaks
}

func toShares(shares []money.Percent) []int64 {
	list := make([]int64, len(shares))
	for i, s := range shares {
		list[i] = int64(s)
	}
	return list
}

func fromShares(shares []money.Percent, list []int64) {
	for i := range min(len(shares), len(list)) {
		shares[i] = money.Percent(list[i])
	}
}
