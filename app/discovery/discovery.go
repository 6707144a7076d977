// Package discovery is what a buyer does before it talks about money: read the manifest, search, look
// at a product, ask what is in stock.
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

	// Learner is the index as background work teaches it, from Sales and StockNews. Nil: it learns nothing.
	Learner   ports.Learner
	Sales     ports.SalesReader
	StockNews ports.StockNews
	// Model names the embedding model whose vectors Vectors keeps; empty: there is none.
	Model string

	*shared
}

// shared is what a service has in common with those that In returns.
type shared struct {
	// committed is the catalogue that indexes are built from: that of the whole store, never of a transaction.
	committed ports.CatalogReader

	loads      loads
	categories *lru.Cache[id.Project, counted]
	samples    *lru.Cache[id.Project, sampled]
	learned    sync.Map // id.Project -> time.Time: when LearnSales last did
	heard      sync.Map // id.Project -> heard
}

// New returns the service of parts, whose stores are the whole store. Close ends its work.
func New(parts Service) *Service {
	categories, _ := lru.New[id.Project, counted](mostCounted) // fails without a size only
	samples, _ := lru.New[id.Project, sampled](mostSamplers)
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

// stockOf reads the present stock of variants, and tells the index.
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

// Of is the stock of all of a product's variants.
func (s Stock) Of(p *catalog.Product) int {
	total := 0
	for _, v := range p.Variants {
		total += s[v.ID]
	}
	return total
}
