package negotiation

import (
	"strings"

	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/session"
)

// Signals are what bounds are computed from. Prices are per unit.
type Signals struct {
	List       money.Amount
	Cost       *money.Amount // nil: unknown
	Competitor *money.Amount // nil: unknown
	Negotiable bool
	Quantity   int
	CartValue  money.Amount // of what else lies in the cart
	Stock      int
	Claims     Claims
	Member     Standing
}

// Standing is how good a customer a buyer is. Known, it counts twice what a claim of it could: who is vouched
// for does better than whoever only says so.
type Standing struct {
	Tier      Tier
	Purchases int
}

// Claims is what an unverified buyer says of itself, as far as a policy knows the words.
type Claims struct {
	Tier      Tier
	Purchases int
	Urgency   Urgency
}

// Tier of a buyer's loyalty. The zero Tier is none.
type Tier struct{ rank int8 }

// Urgency of a buyer's need. The zero Urgency is unknown.
type Urgency struct{ degree int8 }

// ClaimsOf reads a session's claims. Nonsense in them means nothing (decisions 9).
func ClaimsOf(c session.Claims) Claims {
	return Claims{
		Tier:      Tier{tiers[fold(c.LoyaltyTier)]},
		Purchases: min(max(c.PurchaseHistory, 0), 1000),
		Urgency:   Urgency{urgencies[fold(c.Urgency)]},
	}
}

// MemberOf reads what the merchant's systems know of a session's buyer.
func MemberOf(m session.Member) Standing {
	return Standing{Tier{tiers[fold(m.Tier)]}, min(max(m.Purchases, 0), 1000)}
}

var (
	tiers     = map[string]int8{"bronze": 1, "silver": 2, "gold": 3, "platinum": 4}
	urgencies = map[string]int8{"flexible": 1, "normal": 0, "high": -1, "urgent": -1, "immediate": -1}
)

func fold(word string) string { return strings.ToLower(strings.TrimSpace(word)) }

// depth is how far towards the hard floor the floor lies, in tenths of a percent of the range.
func (p Policy) depth(s Signals) money.Percent {
	known := p.BaseDepth + volumeDepth(s.Quantity) + stockDepth(s.Stock, s.Quantity) + cartDepth(s) + 2*s.Member.depth()
	if s.Competitor != nil && s.Competitor.Minor() < s.List.Minor() {
		known += 100
	}
	claimed := min(max(s.Claims.depth(s.Member), -part(p.UnverifiedShare)), part(p.UnverifiedShare))
	return part(known + claimed)
}

// depth is what claims say beyond what is known.
func (c Claims) depth(known Standing) money.Percent {
	claimed := Standing{Tier{max(c.Tier.rank, known.Tier.rank)}, max(c.Purchases, known.Purchases)}
	return claimed.depth() - known.depth() + money.Percent(c.Urgency.degree)*50
}

func (s Standing) depth() money.Percent {
	depth := money.Percent(s.Tier.rank) * 50
	switch {
	case s.Purchases >= 10:
		depth += 75
	case s.Purchases >= 5:
		depth += 50
	case s.Purchases >= 1:
		depth += 25
	}
	return depth
}

func volumeDepth(quantity int) money.Percent {
	switch {
	case quantity >= 10:
		return 150
	case quantity >= 5:
		return 100
	case quantity >= 2:
		return 50
	}
	return 0
}

// stockDepth gives less for the last pieces and more where a lot lies unsold.
func stockDepth(stock, quantity int) money.Percent {
	switch {
	case stock < quantity+3:
		return -250
	case stock >= 50:
		return 100
	}
	return 0
}

func cartDepth(s Signals) money.Percent {
	if s.CartValue.Minor() >= 2*s.List.Minor() {
		return 50
	}
	return 0
}
