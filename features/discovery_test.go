package features

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/cucumber/godog"

	"github.com/haggle-commerce/haggle/simulator/acp"
	"github.com/haggle-commerce/haggle/simulator/decimal"
)

func (w *world) hasSearched(query, claims string) error {
	if err := w.startBuyer(); err != nil {
		return err
	}
	parsed, err := parseClaims(claims)
	if err != nil {
		return err
	}
	return w.mustAct(func(b *shopper) {
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

func (w *world) hasSearchedWithoutResult(query string) error {
	if err := w.hasSearched(query, ""); err != nil {
		return err
	}
	return w.findsExactly("nothing")
}

func (w *world) readsManifest() error {
	if err := w.act(func(b *shopper) { b.Discover() }); err != nil {
		return err
	}
	w.remembered = map[string]string{"etag": w.recorder.last().header.Get("ETag")}
	return nil
}

func (w *world) revalidatesManifest() error {
	known := http.Header{"If-None-Match": {w.remembered["etag"]}}
	_, err := w.shopper.client.Do(w.ctx, "GET", "/.well-known/acp/manifest.json", known, nil)
	return err
}

func (w *world) readsMissingShop() error {
	return w.attempt(func() error {
		_, err := w.buyerClient(uniqueSlug()).Manifest(w.ctx)
		return err
	})
}

func (w *world) searches(query, limit string) error {
	if err := w.startBuyer(); err != nil {
		return err
	}
	n, _ := strconv.Atoi(limit) // no limit is 0
	return w.searchesFor(acp.SearchRequest{Query: query, Limit: n})
}

// searchesFor sends a search request and records it.
func (w *world) searchesFor(request acp.SearchRequest) error {
	w.searchRequest = request
	return w.act(func(b *shopper) { b.SearchFor(request) })
}

func (w *world) searchesWithFilters(query, filters string) error {
	request := acp.SearchRequest{Query: query, Filters: &acp.Filters{}}
	if err := json.Unmarshal([]byte(filters), request.Filters); err != nil {
		return err
	}
	return w.searchesFor(request)
}

func (w *world) searchesAgain(query string) error {
	if err := w.remember("session"); err != nil {
		return err
	}
	return w.buyerSends("POST", "/acp/search", `{"session_id": "$session", "query": "`+query+`"}`)
}

func (w *world) sameSession() error {
	return checkValue(w.recorder.last().value(), "session_id", strconv.Quote(w.remembered["session"]))
}

func (w *world) looksAtProductAs(claims string) error {
	parsed, err := parseClaims(claims)
	if err != nil {
		return err
	}
	return w.act(func(b *shopper) {
		b.Claims = parsed
		b.View(w.product.ID)
	})
}

func (w *world) checksAvailability(quantity int, name string) error {
	if err := w.view(name, "", quantity); err != nil {
		return err
	}
	return w.act(func(b *shopper) { b.CheckAvailability(b.address) })
}

func (w *world) checksAvailabilityWithoutVariant(quantity int, name string) error {
	item := fmt.Sprintf(`{"product_id": %q, "quantity": %d}`, w.products[name].ID, quantity)
	return w.buyerSends("POST", "/acp/availability", `{"items": [`+item+`], "shipping_address": {"postal_code": "97205", "country": "US"}}`)
}

func (w *world) firstResultIs(name string) error {
	return checkValue(w.recorder.last().value(), "results.0.name", strconv.Quote(name))
}

// resultNames returns the names of the latest search's results, sorted.
func (w *world) resultNames() []string {
	var names []string
	for _, r := range w.shopper.Found.Results {
		names = append(names, r.Name)
	}
	slices.Sort(names)
	return names
}

func (w *world) findsExactly(list string) error {
	var want []string
	if list != "nothing" {
		for name := range strings.SplitSeq(list, ", ") {
			want = append(want, strings.Trim(name, `"`))
		}
	}
	slices.Sort(want)
	if got := w.resultNames(); !slices.Equal(got, want) {
		return fmt.Errorf("it finds %q", got)
	}
	return nil
}

func (w *world) searchFinds(query, what string) error {
	if err := w.hasSearched(query, ""); err != nil {
		return err
	}
	return w.findsExactly(what)
}

func (w *world) searchShowsStock(query string, quantity int) error {
	if err := w.hasSearched(query, ""); err != nil {
		return err
	}
	return checkValue(w.recorder.last().value(), "results.0.availability.quantity", strconv.Itoa(quantity))
}

func (w *world) scoresFall() error {
	last := "1"
	for _, r := range w.shopper.Found.Results {
		score := r.SemanticMatch.Score
		if ok, known := compare(score, "at most "+last); !ok || !known {
			return fmt.Errorf("%s scores %s after %s", r.Name, score, last)
		}
		last = score.String()
	}
	return nil
}

func (w *world) priceRangesAddUp() error {
	sum := 0
	for _, r := range w.shopper.Found.Facets.PriceRanges {
		sum += r.Count
	}
	if sum != w.shopper.Found.TotalCount {
		return fmt.Errorf("they count %d of %d", sum, w.shopper.Found.TotalCount)
	}
	return nil
}

func (w *world) productShows(name string, table *godog.Table) error {
	_, err := w.buyerClient(w.shop.Slug).Product(w.ctx, acp.ProductRequest{ProductID: w.products[name].ID})
	if err != nil {
		return err
	}
	return w.checkTable(w.recorder.last().value(), table)
}

func (w *world) rangeIsCoarse() error {
	from := w.shopper.Product.NegotiationHints.LikelyAcceptanceRange[0]
	if !from.MultipleOf(decimal.FromInt(5)) {
		return fmt.Errorf("it begins at %s", from)
	}
	return nil
}

func (w *world) personalizedPriceIsLower() error {
	mine := w.shopper.Product.PersonalizedPrice.Price
	theirs, err := w.buyerClient(w.shop.Slug).Product(w.ctx, acp.ProductRequest{ProductID: w.product.ID})
	if err == nil && !mine.Less(theirs.PersonalizedPrice.Price) {
		err = fmt.Errorf("it is %s, a stranger's %s", mine, theirs.PersonalizedPrice.Price)
	}
	return err
}
