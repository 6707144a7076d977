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
	visit, err := s.visit(ctx, p, r)
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
	recommendations, shown := s.recommend(p, products)
	if r.Session.IsZero() {
		err = s.Sessions.Create(ctx, visit, shown...) // the session and what it saw, in one writing
	} else {
		err = s.Sessions.Show(ctx, p.ID, visit.ID, shown)
	}
	return SearchAnswer{visit, found, stock, recommendations}, err
}

// visit is the session named, touched, or a new one that is yet to be stored.
func (s *Service) visit(ctx context.Context, p *project.Project, r SearchRequest) (*session.Session, error) {
	if !r.Session.IsZero() {
		return s.touch(ctx, p, r.Session, r.Claims)
	}
	claims := session.Claims{}
	if r.Claims != nil {
		claims = *r.Claims
	}
	return session.Open(id.New[id.Session](s.Entropy.Bits128()), p.ID, claims, p.Settings.SessionTimeout(), s.Clock.Now()), nil
}

func (s *Service) touch(ctx context.Context, p *project.Project, named id.Session, claims *session.Claims) (*session.Session, error) {
	now := s.Clock.Now()
	return s.Sessions.Update(ctx, p.ID, named, func(visit *session.Session) error {
		return visit.Touch(claims, p.Settings.SessionTimeout(), now)
	})
}

// recommend finds what goes with the best hit.
func (s *Service) recommend(p *project.Project, hits []id.Product) (recommendations []Recommendation, shown []id.Product) {
	if len(hits) == 0 {
		return nil, nil
	}
	for _, c := range s.Index.Complements(p.ID, hits[:1], recommended) {
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
	return recommendations, shown
}
