package negotiation

import (
	"strings"
	"time"

	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/session"
)

// Signals are the inputs of bounds. Prices are per unit.
type Signals struct {
	List       money.Amount
	Cost       *money.Amount // nil: unknown
	Competitor *money.Amount // nil: unknown
	Negotiable bool
	Quantity   int
	CartValue  money.Amount // of the other items in the cart at agreed prices
	CartAtList money.Amount // of the other items in the cart at list prices; without currency: there are none
	Stock      int
	Claims     Claims
	Member     Loyalty
	Category   string // the product's path
	Probed     Probed
}

// Uncounted is the stock of a variant that is sold regardless of its stock. It is neither scarce nor plenty.
const Uncounted = -1

// SignalsOf returns the signals of some pieces of a variant, for a buyer about whom nothing is known.
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

// InCart sets the value of a cart that the variant is to be added to. It separates items at agreed prices from those at
// list price, because anybody can put items into a cart and remove them again.
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

// Probed counts earlier attempts to find the lowest price: Session is the session's offers below the floor, Client the
// client's sessions in a day, and Product its other sessions about the product in ProbingWindow that have not led to an
// order of it.
type Probed struct{ Session, Client, Product int }

// ProbingWindow is how far back sessions about one product are counted.
const ProbingWindow = time.Hour

// Loyalty is the loyalty of a buyer. If the shop's systems know it, it counts twice as much as a claim of it, so that
// a known customer does better than a buyer who only claims to be one.
type Loyalty struct {
	Tier      Tier
	Purchases int
}

// Claims are the claims of an unverified buyer about itself, as far as a policy can use them.
type Claims struct {
	Tier      Tier
	Purchases int
	Urgency   Urgency
}

// Tier is the tier of a buyer's loyalty. The zero Tier is none.
type Tier struct{ rank int8 }

// String returns the name of the tier, or "" for none.
func (t Tier) String() string {
	return [...]string{"", "bronze", "silver", "gold", "platinum"}[min(max(t.rank, 0), 4)]
}

// Urgency is the urgency of a buyer's need. The zero Urgency is unknown.
type Urgency struct{ degree int8 }

// String returns the name of the degree, or "" if it is unknown.
func (u Urgency) String() string {
	switch u.degree {
	case 1:
		return "flexible"
	case -1:
		return "urgent"
	}
	return ""
}

// ClaimsOf reads a session's claims. It ignores unknown words and invalid numbers.
func ClaimsOf(c session.Claims) Claims {
	return Claims{
		Tier:      Tier{tiers[fold(c.LoyaltyTier)]},
		Purchases: min(max(c.PurchaseHistory, 0), 1000),
		Urgency:   Urgency{urgencies[fold(c.Urgency)]},
	}
}

// MemberOf returns the loyalty of a session's buyer as the merchant's systems know it.
func MemberOf(m session.Member) Loyalty {
	return Loyalty{Tier{tiers[fold(m.Tier)]}, min(max(m.Purchases, 0), 1000)}
}

var (
	tiers     = map[string]int8{"bronze": 1, "silver": 2, "gold": 3, "platinum": 4}
	urgencies = map[string]int8{"flexible": 1, "normal": 0, "high": -1, "urgent": -1, "immediate": -1}
)

func fold(word string) string { return strings.ToLower(strings.TrimSpace(word)) }

// Leanings are the effects of signals on opening, target, curve and, above the hard floor, the floor. They are shares
// of the way from list to the floor, and they add up.
type Leanings struct {
	Tiers     [4]money.Percent // bronze, silver, gold, platinum
	Purchases []Break          // earlier purchases, ascending
	Volume    []Break          // requested pieces, ascending
	Flexible  money.Percent    // gained by a flexible buyer and lost by an urgent one; 0 in the built-in policy

	// Scarce and Plenty depend on the stock: fewer than ScarceBelow pieces are left besides the requested ones, or at
	// least PlentyFrom are in stock.
	Scarce, Plenty          money.Percent
	ScarceBelow, PlentyFrom int

	// Cart applies if the cart already holds CartTimes the list price. If it does so only together with its items at
	// list price, Cart counts as a claim.
	Cart      money.Percent
	CartTimes int

	Competitor      money.Percent // applies if a competitor sells for less
	MatchCompetitor bool          // lowers the target to its price, not below the floor

	// HighMargin applies, to target and curve only, if the lowest price that the limits allow keeps at least HighMarginFrom of the
	// margin at the list price: then a lost buyer costs more than a higher price earns.
	HighMargin     money.Percent
	HighMarginFrom money.Percent // 0: never
}

// Break is the lean of a quantity of at least From.
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
		HighMargin:      200,
		HighMarginFrom:  550,
	}
}

// lean adds up the signals. Loyalty that the shop's systems know counts twice. Claims, and a cart's items at list
// price, are limited to UnverifiedShare.
func (p Policy) lean(s Signals) money.Percent {
	l := &p.Leanings
	lean := highest(l.Volume, s.Quantity) + l.stock(s.Stock, s.Quantity) + 2*l.loyalty(s.Member)
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
	claimed = min(max(claimed, -clampShare(p.UnverifiedShare)), clampShare(p.UnverifiedShare))
	return min(max(lean+claimed, -money.Whole), money.Whole)
}

// marginLean is the lean of HighMargin. It is 0 if the cost is unknown. It uses the cost only as exactly as the hint may tell it,
// so that prices tell no more.
func (p Policy) marginLean(s Signals) money.Percent {
	from := p.Leanings.HighMarginFrom
	if from <= 0 || p.Leanings.HighMargin == 0 || s.Cost == nil || s.Cost.Minor() >= s.List.Minor() {
		return 0
	}
	hard, ok := p.hardFloor(s)
	if !ok {
		return 0
	}
	list, cost := s.List.Minor(), roundUp(s.Cost.Minor(), grid(s.List.Minor(), secretParts))
	if hard.byCost {
		highest, err := money.MulDiv(hard.raised, int64(money.Whole), int64(money.Whole+max(p.MinMargin, 0)), money.Down)
		if err != nil {
			return 0
		}
		cost = highest // that has this floor
	}
	wanted, err := money.MulDiv(max(list-cost, 0), int64(from), int64(money.Whole), money.Up)
	if err != nil || hard.raised-cost < wanted {
		return 0
	}
	return p.Leanings.HighMargin
}

// filled reports whether value is at least CartTimes the list price.
func (l *Leanings) filled(value int64, list money.Amount) bool {
	return l.CartTimes > 0 && value/int64(l.CartTimes) >= list.Minor()
}

// claimed returns the lean of claims beyond what is known.
func (l *Leanings) claimed(c Claims, known Loyalty) money.Percent {
	said := Loyalty{Tier{max(c.Tier.rank, known.Tier.rank)}, max(c.Purchases, known.Purchases)}
	return l.loyalty(said) - l.loyalty(known) + money.Percent(c.Urgency.degree)*l.Flexible
}

func (l *Leanings) loyalty(s Loyalty) money.Percent {
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

// highest returns the lean of the last break that n reaches.
func highest(breaks []Break, n int) (lean money.Percent) {
	for _, b := range breaks {
		if n >= b.From {
			lean = b.Lean
		}
	}
	return lean
}

// Bundles sets the price of a second product: Share is where it lies between its list price and its floor. Off turns
// bundles off.
type Bundles struct {
	Off   bool
	Share money.Percent
}

// Probing limits attempts to find the lowest price; zero is no limit. Beyond a limit, the current price is final. A
// client is a network address. Buyer agents of one operator share an address, so Client is off by default.
type Probing struct {
	Session int // offers below the floor in one session
	Client  int // sessions of one client in a day
	Product int // sessions of one client about one product in ProbingWindow that have not led to an order of it
}

func (p Probing) over(n Probed) bool {
	return p.Session > 0 && n.Session >= p.Session || p.Client > 0 && n.Client >= p.Client || p.Product > 0 && n.Product >= p.Product
}
