package negotiation

import (
	"strings"
	"time"

	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/id"
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
	CartValue  money.Amount // of what else lies in the cart at agreed prices
	CartAtList money.Amount // of what else lies in the cart at list prices; without currency: nothing does
	Stock      int
	Claims     Claims
	Member     Standing
	Category   string // the product's path
	Probed     Probed
}

// Uncounted is the stock of a variant that is sold whatever there is of it: it is neither scarce nor plenty.
const Uncounted = -1

// SignalsOf returns what is known of some pieces of a variant, for a buyer of whom nothing is known.
func SignalsOf(p *catalog.Product, v catalog.Variant, quantity, stock int) Signals {
	list := p.PriceOf(v)
	if v.InventoryPolicy != catalog.Tracked {
		stock = Uncounted
	}
	return Signals{
		List:       list,
		Cost:       p.Cost,
		Competitor: p.CompetitorPrice,
		Negotiable: p.Negotiable,
		Quantity:   quantity,
		CartValue:  money.Zero(list.Currency()),
		Stock:      stock,
		Category:   p.Category,
	}
}

// InCart notes the value of a cart that the variant is to be added to. What is agreed and what is at list price are told
// apart, because anybody can put things into a cart, and out again.
func (s *Signals) InCart(cart []session.CartItem, of id.Variant) {
	var agreed, atList []session.CartItem
	for _, item := range cart {
		if item.AtList() {
			atList = append(atList, item)
		} else {
			agreed = append(agreed, item)
		}
	}
	s.CartValue, s.CartAtList = session.Value(agreed, of, s.List.Currency()), money.Amount{}
	if value := session.Value(atList, of, s.List.Currency()); value.IsPositive() {
		s.CartAtList = value
	}
}

// Probed counts what was tried out before: Session the session's offers below the floor, Client the client's sessions in
// a day, and Product its other sessions about the product in ProbingWindow that have not led to an order of it.
type Probed struct{ Session, Client, Product int }

// ProbingWindow is how far back sessions about one product are counted.
const ProbingWindow = time.Hour

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

// String is the word for the tier, "" for none.
func (t Tier) String() string {
	return [...]string{"", "bronze", "silver", "gold", "platinum"}[min(max(t.rank, 0), 4)]
}

// Urgency of a buyer's need. The zero Urgency is unknown.
type Urgency struct{ degree int8 }

// String is a word for the degree, "" where it is unknown.
func (u Urgency) String() string {
	switch u.degree {
	case 1:
		return "flexible"
	case -1:
		return "urgent"
	}
	return ""
}

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

// Leanings are how signals move opening, target and curve, and the floor too as far as the hard floor lets them:
// shares of the way from list to the floor, which add up.
type Leanings struct {
	Tiers     [4]money.Percent // bronze, silver, gold, platinum
	Purchases []Break          // earlier purchases, ascending
	Volume    []Break          // pieces asked for, ascending
	Flexible  money.Percent    // what a buyer without haste gains, and one in a hurry loses; nothing in the built-in policy

	// Scarce and Plenty are for stock: fewer than ScarceBelow pieces are left besides those asked for, or at
	// least PlentyFrom are there.
	Scarce, Plenty          money.Percent
	ScarceBelow, PlentyFrom int

	// Cart is for a cart that already holds CartTimes the list price. Where it does so only with what is in it at list
	// price, Cart is a claim.
	Cart      money.Percent
	CartTimes int

	Competitor      money.Percent // a competitor is known to sell for less
	MatchCompetitor bool          // the target comes down to its price, not below the floor
}

// Break is what a quantity of at least From is worth.
type Break struct {
	From int
	Lean money.Percent
}

func builtinLeanings() Leanings {
	return Leanings{
		Tiers:           [4]money.Percent{50, 100, 150, 200},
		Purchases:       []Break{{1, 25}, {5, 50}, {10, 75}},
		Volume:          []Break{{2, 50}, {5, 100}, {10, 150}},
		Scarce:          -250,
		ScarceBelow:     3,
		Plenty:          100,
		PlentyFrom:      50,
		Cart:            50,
		CartTimes:       2,
		Competitor:      100,
		MatchCompetitor: true,
	}
}

// lean sums up the signals. Who is vouched for counts twice what a claim could; claims, and what a cart holds at list
// price, count within the share of claims.
func (p Policy) lean(s Signals) money.Percent {
	l := &p.Leanings
	lean := highest(l.Volume, s.Quantity) + l.stock(s.Stock, s.Quantity) + 2*l.standing(s.Member)
	claimed := l.claimed(s.Claims, s.Member)
	switch {
	case l.filled(s.CartValue.Minor(), s.List):
		lean += l.Cart
	case l.filled(s.CartValue.Minor()+s.CartAtList.Minor(), s.List):
		claimed += l.Cart
	}
	if s.Competitor != nil && s.Competitor.Minor() < s.List.Minor() {
		lean += l.Competitor
	}
	claimed = min(max(claimed, -part(p.UnverifiedShare)), part(p.UnverifiedShare))
	return min(max(lean+claimed, -money.Whole), money.Whole)
}

// filled reports whether a cart of a value holds CartTimes the list price.
func (l *Leanings) filled(value int64, list money.Amount) bool {
	return l.CartTimes > 0 && value/int64(l.CartTimes) >= list.Minor()
}

// claimed is what claims say beyond what is known.
func (l *Leanings) claimed(c Claims, known Standing) money.Percent {
	said := Standing{Tier{max(c.Tier.rank, known.Tier.rank)}, max(c.Purchases, known.Purchases)}
	return l.standing(said) - l.standing(known) + money.Percent(c.Urgency.degree)*l.Flexible
}

func (l *Leanings) standing(s Standing) money.Percent {
	lean := highest(l.Purchases, s.Purchases)
	if s.Tier.rank > 0 {
		lean += l.Tiers[s.Tier.rank-1]
	}
	return lean
}

func (l *Leanings) stock(stock, quantity int) money.Percent {
	switch {
	case stock == Uncounted:
		return 0
	case stock < quantity+l.ScarceBelow:
		return l.Scarce
	case l.PlentyFrom > 0 && stock >= l.PlentyFrom:
		return l.Plenty
	}
	return 0
}

// highest is the lean of the last break that n comes up to.
func highest(breaks []Break, n int) (lean money.Percent) {
	for _, b := range breaks {
		if n >= b.From {
			lean = b.Lean
		}
	}
	return lean
}

// Bundles is how a second product is priced: Share of the way from its list price to its floor, no bundle at all
// where Off.
type Bundles struct {
	Off   bool
	Share money.Percent
}

// Probing bounds how often prices are tried out; zero is no bound. Beyond it the standing price is the last word. A
// client is a network address. Buyer agents of one operator share theirs, so Client is off by default.
type Probing struct {
	Session int // offers below the floor in one session
	Client  int // sessions of one client in a day
	Product int // sessions of one client about one product in ProbingWindow that have not led to an order of it
}

func (p Probing) over(n Probed) bool {
	return p.Session > 0 && n.Session >= p.Session || p.Client > 0 && n.Client >= p.Client || p.Product > 0 && n.Product >= p.Product
}
