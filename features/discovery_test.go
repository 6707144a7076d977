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

func (w *world) searched(query, claims string) error {
	if err := w.arrive(); err != nil {
		return err
	}
	said, err := claimsIn(claims)
	if err != nil {
		return err
	}
	return w.must(func(b *shopper) {
		b.Claims = said
		b.Search(query)
	})
}

func claimsIn(text string) (*acp.BuyerContext, error) {
	if text == "" {
		return nil, nil
	}
	said := &acp.BuyerContext{}
	return said, json.Unmarshal([]byte(text), said)
}

func (w *world) searchedInVain(query string) error {
	if err := w.searched(query, ""); err != nil {
		return err
	}
	return w.findsExactly("nothing")
}

func (w *world) readsManifest() error {
	if err := w.act(func(b *shopper) { b.Discover() }); err != nil {
		return err
	}
	w.remembered = map[string]string{"etag": w.tape.last().header.Get("ETag")}
	return nil
}

func (w *world) asksForChanges() error {
	known := http.Header{"If-None-Match": {w.remembered["etag"]}}
	_, err := w.shopper.client.Do(w.ctx, "GET", "/.well-known/acp/manifest.json", known, nil)
	return err
}

func (w *world) goesNowhere() error {
	return w.attempt(func() error {
		_, err := w.visitor(freshSlug()).Manifest(w.ctx)
		return err
	})
}

func (w *world) searches(query, limit string) error {
	if err := w.arrive(); err != nil {
		return err
	}
	n, _ := strconv.Atoi(limit) // no limit is 0
	return w.asks(acp.SearchRequest{Query: query, Limit: n})
}

// asks searches, and remembers for what.
func (w *world) asks(request acp.SearchRequest) error {
	w.asked = request
	return w.act(func(b *shopper) { b.SearchFor(request) })
}

func (w *world) searchesWithin(query, filters string) error {
	request := acp.SearchRequest{Query: query, Filters: &acp.Filters{}}
	if err := json.Unmarshal([]byte(filters), request.Filters); err != nil {
		return err
	}
	return w.asks(request)
}

func (w *world) searchesAgain(query string) error {
	if err := w.remember("session"); err != nil {
		return err
	}
	return w.buyerSends("POST", "/acp/search", `{"session_id": "$session", "query": "`+query+`"}`)
}

func (w *world) sameSession() error {
	return judge(w.tape.last().value(), "session_id", strconv.Quote(w.remembered["session"]))
}

func (w *world) looksAtProductAs(claims string) error {
	said, err := claimsIn(claims)
	if err != nil {
		return err
	}
	return w.act(func(b *shopper) {
		b.Claims = said
		b.View(w.product.ID)
	})
}

func (w *world) asksFor(quantity int, name string) error {
	if err := w.view(name, "", quantity); err != nil {
		return err
	}
	return w.act(func(b *shopper) { b.CheckAvailability(b.address) })
}

func (w *world) asksForAny(quantity int, name string) error {
	item := fmt.Sprintf(`{"product_id": %q, "quantity": %d}`, w.products[name].ID, quantity)
	return w.buyerSends("POST", "/acp/availability", `{"items": [`+item+`], "shipping_address": {"postal_code": "97205", "country": "US"}}`)
}

func (w *world) findsFirst(name string) error {
	return judge(w.tape.last().value(), "results.0.name", strconv.Quote(name))
}

// found are the names of the results, sorted.
func (w *world) found() []string {
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
	if got := w.found(); !slices.Equal(got, want) {
		return fmt.Errorf("it finds %q", got)
	}
	return nil
}

func (w *world) wouldFind(query, what string) error {
	if err := w.searched(query, ""); err != nil {
		return err
	}
	return w.findsExactly(what)
}

func (w *world) wouldShowStock(query string, quantity int) error {
	if err := w.searched(query, ""); err != nil {
		return err
	}
	return judge(w.tape.last().value(), "results.0.availability.quantity", strconv.Itoa(quantity))
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

func (w *world) rangesAddUp() error {
	sum := 0
	for _, r := range w.shopper.Found.Facets.PriceRanges {
		sum += r.Count
	}
	if sum != w.shopper.Found.TotalCount {
		return fmt.Errorf("they count %d of %d", sum, w.shopper.Found.TotalCount)
	}
	return nil
}

func (w *world) wouldSee(name string, table *godog.Table) error {
	_, err := w.visitor(w.shop.Slug).Product(w.ctx, acp.ProductRequest{ProductID: w.products[name].ID})
	if err != nil {
		return err
	}
	return w.judgeTable(w.tape.last().value(), table)
}

func (w *world) rangeIsCoarse() error {
	from := w.shopper.Product.NegotiationHints.LikelyAcceptanceRange[0]
	if !from.MultipleOf(decimal.FromInt(5)) {
		return fmt.Errorf("it begins at %s", from)
	}
	return nil
}

func (w *world) cheaperThanForStrangers() error {
	mine := w.shopper.Product.PersonalizedPrice.Price
	theirs, err := w.visitor(w.shop.Slug).Product(w.ctx, acp.ProductRequest{ProductID: w.product.ID})
	if err == nil && !mine.Less(theirs.PersonalizedPrice.Price) {
		err = fmt.Errorf("it is %s, a stranger's %s", mine, theirs.PersonalizedPrice.Price)
	}
	return err
}
