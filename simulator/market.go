package simulator

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/haggle-commerce/haggle/simulator/acp"
)

// shelvesRead is how many categories are searched for words before the first buyer starts.
const shelvesRead = 24

// market is what buyers know before they shop: the merchant's manifest and words from its catalog.
type market struct {
	manifest acp.Manifest
	shelves  []shelf
}

// shelf is a category and the products that a search for its name found.
type shelf struct {
	name     string
	products []acp.Result
}

// readMarket reads the manifest and searches its categories. It fails if it finds no product, because then there is
// nothing to simulate.
func readMarket(ctx context.Context, client *acp.Client) (market, error) {
	manifest, err := client.Manifest(ctx)
	if err != nil {
		return market{}, fmt.Errorf("reading the manifest: %w", err)
	}
	m := market{manifest: manifest}
	for _, category := range manifest.Categories[:min(len(manifest.Categories), shelvesRead)] {
		name := plainName(category.Name)
		found, err := client.Search(ctx, acp.SearchRequest{Query: name, Limit: 20})
		if err != nil {
			return market{}, fmt.Errorf("searching for %q: %w", name, err)
		}
		if len(found.Results) > 0 {
			m.shelves = append(m.shelves, shelf{name, found.Results})
		}
	}
	if len(m.shelves) == 0 {
		return market{}, fmt.Errorf("no category of %s has a product to buy", manifest.Merchant.Name)
	}
	return m, nil
}

// plainName returns the last part of a category's path, as a buyer would say it.
func plainName(name string) string {
	last := name[strings.LastIndexByte(name, '/')+1:]
	return strings.NewReplacer("-", " ", "_", " ").Replace(last)
}

// wish picks a search at random.
func (m market) wish(random *rand.Rand) acp.SearchRequest {
	from := m.shelves[random.IntN(len(m.shelves))]
	product := from.products[random.IntN(len(from.products))]
	request := acp.SearchRequest{Limit: 5 + random.IntN(16)}
	switch random.IntN(5) {
	case 0:
		request.Query = from.name
	case 1:
		request.Query = strings.TrimSpace(product.Brand + " " + from.name)
	case 2:
		words := strings.Fields(product.Name)
		request.Query = strings.Join(words[:min(len(words), 1+random.IntN(3))], " ")
	case 3:
		limit := product.ListPrice
		request.Query = fmt.Sprintf("%s under %s", from.name, limit)
		request.Filters = &acp.Filters{PriceMax: &limit}
	default:
		request.Query = product.Name
		if len(product.Variants) > 0 {
			request.Query = strings.TrimSpace(product.Variants[0].Color + " " + product.Name)
		}
	}
	if request.Query == "" {
		request.Query = from.name
	}
	return request
}
