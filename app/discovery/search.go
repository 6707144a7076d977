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

// recommended is how many complements a search shows.
const recommended = 3

// SearchRequest is a query in a session, or in none yet.
type SearchRequest struct {
	Session id.Session
	Claims  *session.Claims // nil: nothing said
	Agent   agentid.Agent
	Query   catalog.Query
	Cursor  string // where an earlier answer ended, as it said; empty: begin
	// Passing is a search that nobody goes on from: its session is not stored.
	Passing bool
	// Repeatable says that the answer is kept for whoever sends the request again.
	Repeatable bool
}

// SearchAnswer is what was found. Stock is that of the hits and of what is recommended.
type SearchAnswer struct {
	Session         *session.Session
	Found           catalog.Found
	Stock           Stock
	Recommendations []Recommendation
	Next            string // the cursor of the next answer; empty: there is none
}

// Recommendation is a product that goes with what was found. BundleDiscount is what it would cost less
// in a bundle.
type Recommendation struct {
	Product        *catalog.Product
	Price          money.Amount
	BundleDiscount money.Percent
}

// PreparedSearch is an answer to a search whose session is not stored yet.
type PreparedSearch struct {
	Answer SearchAnswer

	opened  bool
	passing bool
	touched session.Touched
	shown   []id.Product
}

// PrepareSearch finds products and has the agent choose from them. It writes nothing.
func (s *Service) PrepareSearch(ctx ports.Outbound, p *project.Project, r SearchRequest) (*PreparedSearch, error) {
	if err := s.checkSearch(p, &r); err != nil {
		return nil, err
	}
	if _, err := s.Mandates.Mandate(ctx, p, r.Session); err != nil {
		return nil, err
	}
	visit, touched, err := s.visit(ctx, p, r)
	if err != nil {
		return nil, err
	}
	if err := s.Fresh(ctx, p); err != nil {
		return nil, err
	}
	prepared := &PreparedSearch{
		Answer:  SearchAnswer{Session: visit},
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

// Commit opens the session, or keeps the one named, with the products that were shown in it. After a search in passing there is
// nothing to write.
func (q *PreparedSearch) Commit(ctx context.Context, stores *ports.Stores) error {
	if q.passing {
		return nil
	}
	if q.opened {
		return stores.Sessions.Create(ctx, q.Answer.Session, q.shown...)
	}
	return stores.Sessions.Keep(ctx, q.Answer.Session, q.touched, q.shown...)
}

// find searches, and once more if the stock of what was found is not as the index thought: it ranks by stock, and
// somebody may just have bought the last piece.
func (s *Service) find(ctx ports.Outbound, p *project.Project, q catalog.Query, a *SearchAnswer) (err error) {
	mandate, err := s.Mandates.Mandate(ctx, p, a.Session.ID)
	if err != nil {
		return err
	}
	for again := range 2 {
		if a.Found, err = s.ask(ctx, p, mandate, q, a.Session); err != nil {
			return err
		}
		var complements []ports.Complement
		var variants []catalog.Variant
		for _, hit := range a.Found.Hits {
			variants = append(variants, hit.Variants()...)
		}
		if len(a.Found.Hits) > 0 {
			complements = s.Index.Complements(p.ID, []id.Product{a.Found.Hits[0].Product.ID}, recommended)
		}
		for _, c := range complements {
			variants = append(variants, c.Variant)
		}
		if a.Stock, err = s.stockOf(ctx, p.ID, variants); err != nil {
			return err
		}
		a.Recommendations = recommendations(p, mandate.Policy, complements, a.Stock)
		if again == 1 || len(a.Recommendations) == len(complements) && asThought(a.Found.Hits, a.Stock) {
			break
		}
	}
	if q.Filter.InStock { // the last piece may have been sold again
		a.Found.Hits = slices.DeleteFunc(slices.Clone(a.Found.Hits), func(hit catalog.Hit) bool { return !a.Stock.Sells(hit) })
	}
	return nil
}

// ask has the agent choose from what the index found. Where the search goes on does not depend on the choice: what the agent leaves out
// was a candidate, and is none again.
func (s *Service) ask(ctx ports.Outbound, p *project.Project, m agent.Mandate, q catalog.Query, visit *session.Session) (catalog.Found, error) {
	candidates, err := s.Index.Search(ctx, p.ID, q)
	if err != nil {
		return catalog.Found{}, err
	}
	answer, err := s.Agent.Search(ctx, agent.SearchInput{
		Scene: agent.Scene{
			Project: p,
			Session: visit,
			Mandate: m,
		},
		Query:      q,
		Candidates: candidates,
	})
	answer.Found.Next, answer.Found.Nothing = candidates.Next, candidates.Nothing
	return answer.Found, err
}

// asThought reports whether hits are in stock where the index thought so.
func asThought(hits []catalog.Hit, stock Stock) bool {
	for _, hit := range hits {
		if hit.InStock != stock.Sells(hit) {
			return false
		}
	}
	return true
}

// visit is the session named, touched, or a new one. Nothing is stored yet: an agent that is far away must not be
// waited for with a transaction begun.
func (s *Service) visit(ctx context.Context, p *project.Project, r SearchRequest) (*session.Session, session.Touched, error) {
	now, timeout := s.Clock.Now(), p.Settings.SessionTimeout()
	if r.Session.IsZero() {
		claims := session.Claims{}
		if r.Claims != nil {
			claims = *r.Claims
		}
		visit := session.Open(id.New[id.Session](s.Entropy.IDBits()), p.ID, claims, timeout, now)
		visit.Agent = r.Agent
		if r.Repeatable {
			visit.AwaitUse()
		}
		return visit, session.Touched{}, nil
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

// recommendations are the complements that are in stock, at what they would cost less in a bundle.
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
