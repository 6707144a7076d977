package negotiation_test

import (
	"math/rand/v2"
	"slices"
	"time"

	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/negotiation"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/domain/session"
)

// draw generates histories, a thousand times faster than generators that can shrink.
type draw struct{ *rand.Rand }

func (r draw) chance(of, in int) bool { return r.IntN(in) < of }

// between includes both ends.
func (r draw) between(low, high int64) int64 { return low + r.Int64N(max(high-low, 0)+1) }

// share is within limits or, for an invalid policy, nearly anything.
func (r draw) share(sane bool, low, high int64) money.Percent {
	switch {
	case sane:
		return money.Percent(r.between(low, high))
	case r.chance(1, 20):
		return money.Percent(r.between(-1<<40, 1<<40))
	}
	return money.Percent(r.between(-3000, 4000))
}

func (r draw) policy() negotiation.Policy {
	settings := project.DefaultSettings()
	settings.MaxDiscount = money.Percent(r.between(0, 900))
	settings.NegotiationEnabled = r.chance(39, 40)
	switch r.IntN(5) {
	case 0:
		return r.anyPolicy(false)
	case 1, 2:
		return r.anyPolicy(true).Under(settings)
	}
	return negotiation.Builtin().Under(settings)
}

func (r draw) anyPolicy(sane bool) negotiation.Policy {
	p := negotiation.Policy{
		Version:         r.IntN(100),
		Enabled:         true,
		RoundCap:        int(r.between(1, 5)),
		MaxDiscount:     r.share(sane, 0, 900),
		MinMargin:       r.share(sane, 0, 200),
		UnverifiedShare: r.share(sane, 0, 1000),
		Depth:           r.share(sane, 0, 1000),
		Anchor:          r.share(sane, 0, 500),
		Curve:           r.curve(sane),
	}
	if !sane && r.chance(1, 4) {
		p.RoundCap = int(r.Int64())
	}
	l := &p.Leanings
	for i := range l.Tiers {
		l.Tiers[i] = r.share(sane, -100, 300)
	}
	for from := range r.IntN(4) {
		l.Purchases = append(l.Purchases, negotiation.Break{From: 1 + from*3, Lean: r.share(sane, -100, 300)})
		l.Volume = append(l.Volume, negotiation.Break{From: 2 + from*3, Lean: r.share(sane, -100, 300)})
	}
	l.Flexible, l.Scarce, l.Plenty = r.share(sane, 0, 200), r.share(sane, -500, 0), r.share(sane, 0, 300)
	l.ScarceBelow, l.PlentyFrom, l.Cart, l.CartTimes = r.IntN(5), r.IntN(100), r.share(sane, 0, 200), r.IntN(4)-1
	l.Competitor, l.MatchCompetitor = r.share(sane, -200, 300), r.chance(1, 2)
	l.HighMargin, l.HighMarginFrom = r.share(sane, -200, 500), r.share(sane, 0, 1000)
	p.Probing = negotiation.Probing{
		Session: r.IntN(100),
		Client:  r.IntN(100),
		Product: r.IntN(100),
	}
	if r.chance(1, 4) {
		p.Segments = []negotiation.Segment{
			{Category: "outdoor/tents", Curve: r.curve(sane)}, {CostFrom: r.share(sane, 0, 500), CostTo: r.share(sane, 500, 900), Curve: r.curve(sane)},
		}
	}
	return p
}

func (r draw) curve(sane bool) (c negotiation.Curve) {
	c.Reach, c.Markup = r.share(sane, 1000, 1500), r.share(sane, 1000, 1500)
	for i := range c.Give {
		c.Give[i], c.Take[i] = r.share(sane, 0, 1000), r.share(sane, 0, 700)
	}
	if sane {
		slices.Sort(c.Give[:])
		slices.Sort(c.Take[:])
	}
	return c
}

// price is low, usual, high or near the limit.
func (r draw) price(c money.Currency) money.Amount {
	switch r.IntN(8) {
	case 0:
		return money.Of(r.between(1, 100), c)
	case 1:
		return money.Of(r.between(1, money.Limit-1), c)
	case 2:
		return money.Of(r.between(money.Limit-100, money.Limit-1), c)
	}
	return money.Of(r.between(100, 1_000_000), c)
}

func (r draw) signals(c money.Currency) negotiation.Signals {
	s := negotiation.Signals{
		List:       r.price(c),
		CartValue:  r.price(c),
		Negotiable: r.chance(39, 40),
		Category:   []string{"", "outdoor/tents", "outdoor/tents/small", "outdoor"}[r.IntN(4)],
	}
	list := s.List.Minor()
	if r.chance(1, 2) {
		s.Cost = offer(money.Of(r.between(0, list*2/3), c))
	}
	if r.chance(1, 4) {
		s.Competitor = offer(money.Of(r.between(-1, list*5/4), c))
	}
	if r.chance(1, 10) {
		s.Probed = negotiation.Probed{
			Session: r.IntN(100),
			Client:  r.IntN(400),
			Product: r.IntN(100),
		}
	}
	r.reconsider(&s)
	return s
}

// reconsider changes signals that may change during a negotiation without a change of the shop's rules.
func (r draw) reconsider(s *negotiation.Signals) {
	tier := []string{"", "bronze", "silver", "gold", "platinum"}
	s.Quantity, s.Stock = r.IntN(12)+1, r.IntN(120)
	s.Claims = negotiation.ClaimsOf(session.Claims{
		LoyaltyTier:     tier[r.IntN(5)],
		PurchaseHistory: r.IntN(15) - 2,
		Urgency:         []string{"", "flexible", "urgent"}[r.IntN(3)],
	})
	s.Member = negotiation.Loyalty{}
	if r.chance(1, 4) {
		s.Member = negotiation.MemberOf(session.Member{Tier: tier[r.IntN(5)], Purchases: r.IntN(15)})
	}
}

// change makes a change that a merchant may make while a buyer haggles.
func (r draw) change(p *negotiation.Policy, s *negotiation.Signals) {
	c := s.List.Currency()
	s.Negotiable = true
	switch r.IntN(6) {
	case 0:
		*p = r.policy()
	case 1:
		*s = r.signals(c)
	case 2:
		s.Negotiable = false
	case 3:
		s.List = money.Of(min(max(s.List.Minor()*r.between(70, 130)/100, 1), money.Limit-1), c)
	default:
		s.Cost = offer(money.Of(r.between(s.List.Minor()/4, s.List.Minor()*9/10), c))
	}
}

// offer is sometimes nil, mostly a step from the best offer towards the current price, and otherwise near a price at
// which answers change, or anything.
func (r draw) offer(t negotiation.Table) *money.Amount {
	b, c := t.Bounds, t.Bounds.List().Currency()
	stands, best := b.Opening().Minor(), t.Progress.BestOffer.Minor()
	if t.Progress.Counter.IsPositive() {
		stands = t.Progress.Counter.Minor()
	}
	n := int64(0)
	switch r.IntN(20) {
	case 0, 1:
		return nil
	case 2:
		n = r.between(-1<<62, 1<<62)
	case 3, 4:
		n = []int64{b.Floor().Minor(), b.Target().Minor(), b.Opening().Minor(), b.List().Minor(), stands, best}[r.IntN(6)] + r.between(-1, 1)
	case 5, 6, 7:
		n = best
	case 8:
		n = r.between(b.Floor().Minor(), b.List().Minor())
	default:
		if n = best + 1 + (stands-best)*r.between(0, 30)/100; best == 0 {
			n = b.List().Minor() * r.between(50, 98) / 100
		}
	}
	return offer(money.Of(n, c))
}

// proposal returns anything that an agent may propose.
func (r draw) proposal(t negotiation.Table) negotiation.Decision {
	price := money.Of(r.between(-10, t.Bounds.List().Minor()*2), t.Bounds.List().Currency())
	if near := r.offer(t); near != nil {
		price = *near
	}
	if r.chance(1, 10) {
		price = money.Of(price.Minor(), bhd)
	}
	switch by := negotiation.AgentAnswer; r.IntN(5) {
	case 0:
		return negotiation.Quoted{Price: price, By: by}
	case 1:
		return negotiation.Accepted{Price: price, By: by}
	case 2:
		return negotiation.Rejected{
			Price: price,
			Hint:  price,
			By:    by,
		}
	case 3:
		return nil
	}
	return negotiation.Countered{
		Price: price,
		Final: r.chance(1, 2),
		By:    negotiation.AgentAnswer,
	}
}

// bundle is a second product that a shop suggests at now.
func (r draw) bundle(c money.Currency, now time.Time) *negotiation.Bundle {
	price := money.Of(r.between(1, 1_000_000), c)
	return &negotiation.Bundle{
		Product:    stakes,
		Variant:    steel,
		Regular:    price,
		Price:      price,
		ValidUntil: now.Add(negotiation.Validity),
	}
}

// pause is mostly short, and sometimes as long as a quote is valid, or longer.
func (r draw) pause() time.Duration {
	return []time.Duration{0, 0, time.Second, time.Minute, 5 * time.Minute, negotiation.Validity - 1, negotiation.Validity, time.Hour}[r.IntN(8)]
}
