package discovery

import (
	"context"

	"github.com/haggle-commerce/haggle/domain/agent"
	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/negotiation"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/domain/session"
)

// recommended is how many complements a search shows.
const recommended = 3

// SearchRequest is a query in a session, or in none yet.
type SearchRequest struct {
	Session id.Session
	Claims  *session.Claims // nil: nothing said
	Query   catalog.Query
}

// SearchAnswer is what was found. Stock is that of the hits.
type SearchAnswer struct {
	Session         *session.Session
	Found           catalog.Found
	Stock           Stock
	Recommendations []Recommendation
}

// Recommendation is a product that goes with what was found. BundleDiscount is what it would cost less
// in a bundle.
type Recommendation struct {
	Product        *catalog.Product
	Price          money.Amount
	BundleDiscount money.Percent
}

// Search finds products, opens a session if the buyer has none, and recommends what goes with them.
func (s *Service) Search(ctx context.Context, p *project.Project, r SearchRequest) (SearchAnswer, error) {
	visit, err := s.visit(ctx, p, r.Session, r.Claims)
	if err != nil {
		return SearchAnswer{}, err
	}
	if err := s.Fresh(ctx, p); err != nil {
		return SearchAnswer{}, err
	}
	found, err := s.Agent.Search(ctx, agent.SearchEvent{Project: p, Session: visit, Query: r.Query})
	if err != nil {
		return SearchAnswer{}, err
	}
	products := make([]id.Product, len(found.Hits))
	for i, hit := range found.Hits {
		products[i] = hit.Product.ID
	}
	stock, err := s.stockOf(ctx, p.ID, products)
	if err != nil {
		return SearchAnswer{}, err
	}
	recommendations, err := s.recommend(ctx, p, visit, products)
	return SearchAnswer{visit, found, stock, recommendations}, err
}

// visit opens a session, or touches the one named.
func (s *Service) visit(ctx context.Context, p *project.Project, named id.Session, claims *session.Claims) (*session.Session, error) {
	now, timeout := s.Clock.Now(), p.Settings.SessionTimeout()
	if !named.IsZero() {
		return s.Sessions.Update(ctx, p.ID, named, func(visit *session.Session) error {
			return visit.Touch(claims, timeout, now)
		})
	}
	if claims == nil {
		claims = &session.Claims{}
	}
	visit := session.Open(id.New[id.Session](s.Entropy.Bits128()), p.ID, *claims, timeout, now)
	return visit, s.Sessions.Create(ctx, visit)
}

func (s *Service) recommend(ctx context.Context, p *project.Project, visit *session.Session, to []id.Product) ([]Recommendation, error) {
	if len(to) == 0 {
		return nil, nil
	}
	complements := s.Index.Complements(p.ID, to[:1], recommended)
	recommendations := make([]Recommendation, 0, len(complements))
	shown := make([]id.Product, 0, len(complements))
	for _, c := range complements {
		price := c.Product.PriceOf(c.Variant)
		r := Recommendation{Product: c.Product, Price: price}
		if p.Settings.BundleSuggestions {
			bounds := negotiation.Bound(negotiation.PolicyOf(p.Settings), negotiation.Signals{
				List: price, Cost: c.Product.Cost, Negotiable: c.Product.Negotiable, Quantity: 1,
				CartValue: money.Zero(price.Currency()),
			})
			r.BundleDiscount = money.Off(price, negotiation.BundlePrice(bounds))
		}
		recommendations, shown = append(recommendations, r), append(shown, c.Product.ID)
	}
	if len(shown) == 0 {
		return nil, nil
	}
	return recommendations, s.Sessions.Show(ctx, p.ID, visit.ID, shown)
}
