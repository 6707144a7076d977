package discovery

import (
	"context"
	"slices"

	"github.com/haggle-commerce/haggle/domain/agent"
	"github.com/haggle-commerce/haggle/domain/agentid"
	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/negotiation"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/domain/session"
	"github.com/haggle-commerce/haggle/ports"
)

// maxRecommendations is how many complements a search shows.
const maxRecommendations = 3

// SearchRequest is a query. A zero Session opens a new one.
type SearchRequest struct {
	Session id.Session
	Claims  *session.Claims // nil: none
	Agent   agentid.Agent
	Query   catalog.Query
	Cursor  string // SearchAnswer.Next of an earlier answer; empty: start
	// Passing means that no other request will use the session, so that it is not stored.
	Passing bool
	// Repeatable means that the response is stored and replayed if the request is sent again.
	Repeatable bool
}

// SearchAnswer is the result of a search. Stock has the variants of the hits and recommendations.
type SearchAnswer struct {
	Session         *session.Session
	Found           catalog.Found
	Stock           Stock
	Recommendations []Recommendation
	Next            string // the cursor of the next answer; empty: there is none
}

// Recommendation is a complement of the first hit. BundleDiscount is the discount that it would have in a bundle.
type Recommendation struct {
	Product        *catalog.Product
	Price          money.Amount
	BundleDiscount money.Percent
}

// PreparedSearch is the answer to a search before its session is stored.
type PreparedSearch struct {
	Answer SearchAnswer

	opened  bool
	passing bool
	touched session.Touched
	shown   []id.Product
}

// PrepareSearch searches the index and lets the agent choose from the hits. It writes nothing.
func (s *Service) PrepareSearch(ctx ports.Outbound, p *project.Project, r SearchRequest) (*PreparedSearch, error) {
	if err := s.checkSearch(p, &r); err != nil {
		return nil, err
	}
	if _, err := s.Mandates.Mandate(ctx, p, r.Session); err != nil {
		return nil, err
	}
	current, touched, err := s.sessionOf(ctx, p, r)
	if err != nil {
		return nil, err
	}
	if err := s.Fresh(ctx, p); err != nil {
		return nil, err
	}
	prepared := &PreparedSearch{
		Answer:  SearchAnswer{Session: current},
		opened:  r.Session.IsZero(),
		passing: r.Passing,
		touched: touched,
	}
	if err := s.find(ctx, p, r.Query, &prepared.Answer); err != nil {
		return nil, err
	}
	prepared.Answer.Next = s.cursor(p, r.Query, prepared.Answer.Found.Next)
	for _, r := range prepared.Answer.Recommendations {
		prepared.shown = append(prepared.shown, r.Product.ID)
	}
	return prepared, nil
}

// Commit stores the session, with the products that were recommended in it. It does nothing for a passing search.
func (q *PreparedSearch) Commit(ctx context.Context, stores *ports.Stores) error {
	if q.passing {
		return nil
	}
	if q.opened {
		return stores.Sessions.Create(ctx, q.Answer.Session, q.shown...)
	}
	return stores.Sessions.Keep(ctx, q.Answer.Session, q.touched, q.shown...)
}

// find searches, and searches once more if the current stock of the hits differs from the index's, because the index ranks by
// stock and the last piece may just have been sold.
func (s *Service) find(ctx ports.Outbound, p *project.Project, q catalog.Query, a *SearchAnswer) (err error) {
	mandate, err := s.Mandates.Mandate(ctx, p, a.Session.ID)
	if err != nil {
		return err
	}
	for again := range 2 {
		if a.Found, err = s.selectHits(ctx, p, mandate, q, a.Session); err != nil {
			return err
		}
		var complements []ports.Complement
		var variants []catalog.Variant
		for _, hit := range a.Found.Hits {
			variants = append(variants, hit.Variants()...)
		}
		if len(a.Found.Hits) > 0 {
			complements = s.Index.Complements(p.ID, []id.Product{a.Found.Hits[0].Product.ID}, maxRecommendations)
		}
		for _, c := range complements {
			variants = append(variants, c.Variant)
		}
		if a.Stock, err = s.stockOf(ctx, p.ID, variants); err != nil {
			return err
		}
		a.Recommendations = recommendations(p, mandate.Policy, complements, a.Stock)
		if again == 1 || len(a.Recommendations) == len(complements) && stockAsIndexed(a.Found.Hits, a.Stock) {
			break
		}
	}
	if q.Filter.InStock { // the last piece may have been sold again
		a.Found.Hits = slices.DeleteFunc(slices.Clone(a.Found.Hits), func(hit catalog.Hit) bool { return !a.Stock.Sells(hit) })
	}
	return nil
}

// selectHits searches the index and lets the agent choose from the hits. The next page does not depend on the choice: hits that
// the agent leaves out do not come again.
func (s *Service) selectHits(ctx ports.Outbound, p *project.Project, m agent.Mandate, q catalog.Query, current *session.Session) (catalog.Found, error) {
	candidates, err := s.Index.Search(ctx, p.ID, q)
	if err != nil {
		return catalog.Found{}, err
	}
	answer, err := s.Agent.Search(ctx, agent.SearchInput{
		Scene: agent.Scene{
			Project: p,
			Session: negotiation.Given(current, p.Storefront.Personalization, p.Storefront.Home()),
			Mandate: m,
		},
		Query:      q,
		Candidates: candidates,
	})
	answer.Found.Next, answer.Found.Nothing = candidates.Next, candidates.Nothing
	return answer.Found, err
}

// stockAsIndexed reports whether the current stock of all hits agrees with the index.
func stockAsIndexed(hits []catalog.Hit, stock Stock) bool {
	for _, hit := range hits {
		if hit.InStock != stock.Sells(hit) {
			return false
		}
	}
	return true
}

// sessionOf returns the session that the request names, touched, or a new one. It stores nothing, because no transaction may be
// open while a remote agent is called.
func (s *Service) sessionOf(ctx context.Context, p *project.Project, r SearchRequest) (*session.Session, session.Touched, error) {
	now, timeout := s.Clock.Now(), p.Settings.SessionTimeout()
	if r.Session.IsZero() {
		claims := session.Claims{}
		if r.Claims != nil {
			claims = *r.Claims
		}
		current := session.Open(id.New[id.Session](s.Entropy.IDBits()), p.ID, claims, timeout, now)
		current.Agent = r.Agent
		if r.Repeatable {
			current.AwaitUse()
		}
		return current, session.Touched{}, nil
	}
	h, err := s.Haggling.Load(ctx, p.ID, ports.HaggleAsk{Session: r.Session})
	switch {
	case err != nil:
		return nil, session.Touched{}, err
	case h.Session == nil || !r.Agent.FindsWhatWasMadeBy(h.Session.Agent):
		return nil, session.Touched{}, fault.Missing("session")
	}
	touched, err := h.Session.Touch(r.Claims, timeout, now)
	return h.Session, touched, err
}

// recommendations returns the complements in stock, with their discounts in a bundle.
func recommendations(p *project.Project, policy negotiation.Policy, complements []ports.Complement, stock Stock) (all []Recommendation) {
	for _, c := range complements {
		if !c.Variant.Available(stock[c.Variant.ID]) {
			continue
		}
		price := c.Product.PriceOf(c.Variant)
		r := Recommendation{Product: c.Product, Price: price}
		if p.Settings.BundleSuggestions && !policy.Bundles.Off {
			r.BundleDiscount = money.Off(price, policy.BundlePrice(price, c.Product.Cost, c.Product.Negotiable, c.Product.Category))
		}
		all = append(all, r)
	}
	return all
}
