package discovery

import (
	"context"
	"strings"
	"time"

	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/negotiation"
	"github.com/haggle-commerce/haggle/domain/personalization"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/domain/session"
	"github.com/haggle-commerce/haggle/ports"
)

// ProductView is a product as one buyer sees it. Prices are for one piece.
type ProductView struct {
	Product      *catalog.Product
	Stock        Stock
	Personalized Personalized
	// SuggestedOffer and AcceptanceFrom are safe to show: the target rounded up to a multiple of five, but never above the
	// current price, because a buyer should not be asked for more than that.
	SuggestedOffer money.Amount
	AcceptanceFrom money.Amount
}

// Personalized is the first price that this buyer would be quoted.
type Personalized struct {
	Price    money.Amount
	Discount money.Percent
	Reason   string
	Notice   *personalization.Notice // nil: no personal signal moved the price
}

// View returns a product. In a session its prices are those of the session's quotes.
func (s *Service) View(ctx context.Context, p *project.Project, product id.Product, named id.Session, claims *session.Claims) (ProductView, error) {
	mandate, err := s.Mandates.Mandate(ctx, p, named)
	if err != nil {
		return ProductView{}, err
	}
	h, err := s.Haggling.Load(ctx, p.ID, ports.HaggleAsk{
		Session:  named,
		Product:  product,
		Quantity: 1,
	})
	if err != nil {
		return ProductView{}, err
	}
	if !named.IsZero() {
		if err := s.keep(ctx, p, h.Session, claims); err != nil {
			return ProductView{}, err
		}
	}
	if h.Product == nil {
		return ProductView{}, fault.Missing("product")
	}
	said := session.Claims{}
	if h.Session != nil {
		said = h.Session.Claims
	}
	if claims != nil && h.Session == nil {
		said = *claims // a stored session has them already
	}
	table, moved := openingTable(p, mandate.Policy, h, said, s.Clock.Now())
	current := negotiation.Decide(table).(negotiation.Quoted).Price
	from := negotiation.RoundUpToFive(table.Bounds.Target(), current)
	return ProductView{
		Product: h.Product, Stock: h.Stock,
		Personalized: Personalized{
			Price: current, Discount: money.Off(table.Bounds.List(), current),
			Reason: reason(table.Bounds, moved.signals, said),
			Notice: p.Storefront.Personalization.Notice(moved.use.Signals, moved.use.Region),
		},
		SuggestedOffer: from, AcceptanceFrom: from,
	}, nil
}

// keep stores the use of a session. A nil session is unknown: NotFound.
func (s *Service) keep(ctx context.Context, p *project.Project, current *session.Session, claims *session.Claims) error {
	if current == nil {
		return fault.Missing("session")
	}
	touched, err := current.Touch(claims, p.Settings.SessionTimeout(), s.Clock.Now())
	if err != nil {
		return err
	}
	return s.Sessions.Keep(ctx, current, touched)
}

// opening is how a price without an offer came about.
type opening struct {
	signals negotiation.Signals
	use     personalization.Use
}

// openingTable returns the inputs of a decision on one piece of the product's first variant, without an offer.
func openingTable(
	p *project.Project, policy negotiation.Policy, h ports.Haggle, said session.Claims, now time.Time,
) (negotiation.Table, opening) {
	v := h.Product.Variants[0]
	signals := negotiation.SignalsOf(h.Product, v, 1, h.Stock[v.ID])
	signals.InCart(h.Cart, v.ID)
	region := signals.Identify(said, p.Storefront.Personalization, p.Storefront.Home())
	// Probed stays zero: it decides concessions to offers, and a page has no offer.
	item := negotiation.Item{
		Product:  h.Product.ID,
		Variant:  v.ID,
		Quantity: 1,
	}
	quote := negotiation.Start(id.Quote{}, p.ID, item, policy, signals, h.Prior, now)
	table := quote.Table(policy.Terms(signals), nil)
	quote.Personalize(negotiation.MovedAnswer(policy, signals, table), region)
	return table, opening{signals, quote.Snapshot().Personal}
}

func reason(b negotiation.Bounds, counted negotiation.Signals, said session.Claims) string {
	tier := said.LoyaltyTier
	if (counted.Member.Tier != negotiation.Tier{}) {
		tier = said.Member.Tier
	}
	tier = strings.ToLower(strings.TrimSpace(tier))
	switch {
	case b.Fixed():
		return "Sold at its list price."
	case counted.Claims.Tier != negotiation.Tier{} || counted.Member.Tier != negotiation.Tier{}:
		return "Opening price for a " + tier + " member. Offers are welcome."
	case counted.Claims.Purchases > 0 || counted.Member.Purchases > 0:
		return "Opening price for a returning customer. Offers are welcome."
	}
	return "Opening price. Offers are welcome."
}
