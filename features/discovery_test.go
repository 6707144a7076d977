package features

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/haggle-commerce/haggle/simulator/acp"
	"github.com/haggle-commerce/haggle/simulator/decimal"
)

func (c *discoveryContext) hasSearched(query, claims string) error {
	if err := c.startBuyer(); err != nil {
		return err
	}
	parsed, err := parseClaims(claims)
	if err != nil {
		return err
	}
	return c.mustAct(func(b *shopper) {
		b.Claims = parsed
		b.Search(query)
	})
}

func parseClaims(text string) (*acp.BuyerContext, error) {
	if text == "" {
		return nil, nil
	}
	claims := &acp.BuyerContext{}
	return claims, json.Unmarshal([]byte(text), claims)
}

func (c *discoveryContext) hasSearchedWithoutResult(query string) error {
	if err := c.hasSearched(query, ""); err != nil {
		return err
	}
	return c.findsExactly("nothing")
}

func (c *discoveryContext) readsManifest() error {
	if err := c.act(func(b *shopper) { b.Discover() }); err != nil {
		return err
	}
	c.remembered = map[string]string{"etag": c.recorder.last().header.Get("ETag")}
	return nil
}

func (c *discoveryContext) revalidatesManifest() error {
	known := http.Header{"If-None-Match": {c.remembered["etag"]}}
	_, err := c.shopper.client.Do(c.ctx, "GET", "/.well-known/acp/manifest.json", known, nil)
	return err
}

func (c *discoveryContext) readsMissingShop() error {
	return c.attempt(func() error {
		_, err := c.buyerClient(uniqueSlug()).Manifest(c.ctx)
		return err
	})
}

func (c *discoveryContext) searches(query, limit string) error {
	if err := c.startBuyer(); err != nil {
		return err
	}
	n, _ := strconv.Atoi(limit) // no limit is 0
	return c.searchesFor(acp.SearchRequest{Query: query, Limit: n})
}

// searchesFor sends a search request and records it.
func (c *discoveryContext) searchesFor(request acp.SearchRequest) error {
	c.buyers.searchRequest = request
	return c.act(func(b *shopper) { b.SearchFor(request) })
}

func (c *discoveryContext) searchesWithFilters(query, filters string) error {
	request := acp.SearchRequest{Query: query, Filters: &acp.Filters{}}
	if err := json.Unmarshal([]byte(filters), request.Filters); err != nil {
		return err
	}
	return c.searchesFor(request)
}

func (c *discoveryContext) searchesAgain(query string) error {
	if err := c.remember("session"); err != nil {
		return err
	}
	return c.buyerSends("POST", "/acp/search", `{"session_id": "$session", "query": "`+query+`"}`)
}

func (c *discoveryContext) sameSession() error {
	return checkValue(c.recorder.last().value(), "session_id", strconv.Quote(c.remembered["session"]))
}

func (c *discoveryContext) looksAtProductAs(claims string) error {
	parsed, err := parseClaims(claims)
	if err != nil {
		return err
	}
	return c.act(func(b *shopper) {
		b.Claims = parsed
		b.View(c.product.ID)
	})
}

func (c *discoveryContext) checksAvailability(quantity int, name string) error {
	if err := c.buyers.view(name, "", quantity); err != nil {
		return err
	}
	return c.act(func(b *shopper) { b.CheckAvailability(b.address) })
}

func (c *discoveryContext) firstResultIs(name string) error {
	return checkValue(c.recorder.last().value(), "results.0.name", strconv.Quote(name))
}

// resultNames returns the names of the latest search's results, sorted.
func (c *discoveryContext) resultNames() []string {
	var names []string
	for _, r := range c.shopper.Found.Results {
		names = append(names, r.Name)
	}
	slices.Sort(names)
	return names
}

func (c *discoveryContext) findsExactly(list string) error {
	var want []string
	if list != "nothing" {
		for name := range strings.SplitSeq(list, ", ") {
			want = append(want, strings.Trim(name, `"`))
		}
	}
	slices.Sort(want)
	if got := c.resultNames(); !slices.Equal(got, want) {
		return fmt.Errorf("it finds %q", got)
	}
	return nil
}

func (c *discoveryContext) searchFinds(query, what string) error {
	if err := c.hasSearched(query, ""); err != nil {
		return err
	}
	return c.findsExactly(what)
}

func (c *discoveryContext) searchShowsStock(query string, quantity int) error {
	if err := c.hasSearched(query, ""); err != nil {
		return err
	}
	return checkValue(c.recorder.last().value(), "results.0.availability.quantity", strconv.Itoa(quantity))
}

func (c *discoveryContext) scoresFall() error {
	last := "1"
	for _, r := range c.shopper.Found.Results {
		score := r.SemanticMatch.Score
		if ok, known := compare(score, "at most "+last); !ok || !known {
			return fmt.Errorf("%s scores %s after %s", r.Name, score, last)
		}
		last = score.String()
	}
	return nil
}

func (c *discoveryContext) priceRangesAddUp() error {
	sum := 0
	for _, r := range c.shopper.Found.Facets.PriceRanges {
		sum += r.Count
	}
	if sum != c.shopper.Found.TotalCount {
		return fmt.Errorf("they count %d of %d", sum, c.shopper.Found.TotalCount)
	}
	return nil
}

func (c *discoveryContext) rangeIsCoarse() error {
	from := c.shopper.Product.NegotiationHints.LikelyAcceptanceRange[0]
	if !from.MultipleOf(decimal.FromInt(5)) {
		return fmt.Errorf("it begins at %s", from)
	}
	return nil
}

func (c *discoveryContext) personalizedPriceIsLower() error {
	mine := c.shopper.Product.PersonalizedPrice.Price
	theirs, err := c.buyerClient(c.shop.Slug).Product(c.ctx, acp.ProductRequest{ProductID: c.product.ID})
	if err == nil && !mine.Less(theirs.PersonalizedPrice.Price) {
		err = fmt.Errorf("it is %s, a stranger's %s", mine, theirs.PersonalizedPrice.Price)
	}
	return err
}
