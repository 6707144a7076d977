// Package discovery answers what a buyer asks before it negotiates: the manifest, searches, product pages, lookups and stock.
// It keeps the search index up to date; the index itself is an adapter.
package discovery

import (
	"context"
	"slices"
	"sync"

	lru "github.com/hashicorp/golang-lru/v2"

	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/ports"
)

// Service answers buyers' questions about a shop.
type Service struct {
	*ports.Stores

	Agent    ports.Agent
	Mandates ports.Mandates
	Index    ports.Index
	Cursors  ports.Vault // seals places in search results
	Clock    ports.Clock
	Entropy  ports.Entropy

	// Learner is the index that LearnSales and HearStock update from Sales and AvailabilityChanges. Nil: they do nothing.
	Learner             ports.Learner
	Sales               ports.SalesReader
	AvailabilityChanges ports.AvailabilityChanges
	// Model is the embedding model whose vectors Vectors stores; empty: there is none.
	Model string

	*shared
}

// shared is the state that a service shares with those that In returns.
type shared struct {
	// committed reads the catalogue that indexes are built from. It is never bound to a request's transaction.
	committed ports.CatalogReader

	loads      loads
	categories *lru.Cache[id.Project, counted]
	samples    *lru.Cache[id.Project, sampled]
	learned    sync.Map // id.Project -> time.Time of the last LearnSales
	stockRead  sync.Map // id.Project -> stockCursor
}

// New returns a service with the fields of parts, whose Stores must not be bound to a transaction. Close stops its work.
func New(parts Service) *Service {
	categories, _ := lru.New[id.Project, counted](maxCounted) // fails only for sizes below one
	samples, _ := lru.New[id.Project, sampled](maxSamples)
	parts.shared = &shared{
		committed:  parts.Catalog,
		categories: categories,
		samples:    samples,
	}
	return &parts
}

// In returns the service on stores, such as those of a request's transaction.
func (s *Service) In(stores *ports.Stores) *Service {
	bound := *s
	bound.Stores = stores
	return &bound
}

// stockOf reads the current stock of variants and passes it on to the index.
func (s *Service) stockOf(ctx context.Context, project id.Project, variants []catalog.Variant) (Stock, error) {
	if len(variants) == 0 {
		return Stock{}, nil
	}
	ids := make([]id.Variant, len(variants))
	for i, v := range variants {
		ids[i] = v.ID
	}
	stock, err := s.Inventory.TotalsOf(ctx, project, ids)
	if err != nil {
		return nil, err
	}
	s.Index.Restock(project, stock)
	return stock, nil
}

// Stock is the total number of pieces of each variant.
type Stock map[id.Variant]int

// Sells reports whether one of the variants that a hit shows can be bought.
func (s Stock) Sells(hit catalog.Hit) bool {
	return slices.ContainsFunc(hit.Variants(), func(v catalog.Variant) bool { return v.Available(s[v.ID]) })
}

// Of returns the total stock of a product's variants.
func (s Stock) Of(p *catalog.Product) int {
	total := 0
	for _, v := range p.Variants {
		total += s[v.ID]
	}
	return total
}
