package job

import (
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/market"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/negotiation"
)

// The limits of a market run keep it below about 20 seconds of one processor.
const (
	FewestBuyers  = 50
	MostBuyers    = 5_000
	DefaultBuyers = 1_000
	MostProducts  = 10
	// MostSeed is the largest integer that every JSON reader reads exactly.
	MostSeed = 1<<53 - 1
)

// MarketRequest has the parameters of a market run: what would a policy earn from simulated buyers who also meet
// another policy?
type MarketRequest struct {
	Policy   *negotiation.Policy // nil: Version
	Version  int                 // of the policy to try; zero: Policy
	Against  int                 // the version to compare with
	Buyers   int                 // of each population and product
	Products []id.Product        // none: those with the most negotiations
	Seed     uint64
}

// Check reports invalid fields by their names in the API.
func (r *MarketRequest) Check(c fault.Check) {
	c.That(r.Buyers >= FewestBuyers && r.Buyers <= MostBuyers, "buyers", "must be between 50 and 5,000")
	c.That(len(r.Products) <= MostProducts, "product_ids", "must name at most 10 products")
	c.That(r.Seed <= MostSeed, "seed", "must be between 0 and 9,007,199,254,740,991")
	seen := map[id.Product]bool{}
	for _, p := range r.Products[:min(len(r.Products), MostProducts)] {
		c.That(!seen[p], "product_ids", "must name each product once")
		seen[p] = true
	}
}

// MarketResult is the result of a market run. Amounts are in the job's currency.
type MarketResult struct {
	Comparison  market.Comparison // Populations and Lots in the order of those below
	Populations []MarketPopulation
	Products    []MarketProduct
}

// MarketPopulation is a population of buyers.
type MarketPopulation struct {
	Name  string
	Title string // for merchants
}

// MarketProduct is a product that was for sale.
type MarketProduct struct {
	ID      id.Product
	Name    string
	List    money.Amount
	Cost    *money.Amount // nil: not known
	Monthly int           // negotiations about it in the last 30 days
}
