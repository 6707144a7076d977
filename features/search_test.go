package features

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/cucumber/godog"

	"github.com/haggle-commerce/haggle/simulator/acp"
	"github.com/haggle-commerce/haggle/simulator/merchant"
)

func searchSteps(sc stepRegistry, w *world) {
	sc.Given(`^a shop with:$`, w.openShopFromJSON)
	sc.When(`^a buyer searches for "([^"]*)" repeated to (\d+) characters$`, w.searchesForLength)
	sc.Then(`^the reasons for "([^"]*)" include "(.+)"$`, w.reasonsInclude)
	sc.Then(`^every result says why$`, w.everyResultSaysWhy)
	sc.Then(`^the scores lie between 0 and 1, and fall with the rank among what is in stock$`, w.scoresAreSound)
	sc.Then(`^the facets count what was found$`, w.facetsAddUp)
	sc.Then(`^a search for "([^"]*)" shows "([^"]*)" before "([^"]*)"( or without it)?$`, w.searchShowsBefore)
}

// openShopFromJSON opens a shop with products in the API's JSON, because a Gherkin table cannot hold every name.
func (w *world) openShopFromJSON(products *godog.DocString) error {
	var drafts []merchant.Product
	if err := json.Unmarshal([]byte(products.Content), &drafts); err != nil {
		return err
	}
	if err := w.openShop("Test Shop"); err != nil {
		return err
	}
	return w.stockShop(drafts)
}

// searchesForLength searches for a text that is repeated, with spaces between, up to the given number of characters.
func (w *world) searchesForLength(text string, characters int) error {
	long := []rune(strings.Repeat(text+" ", characters))[:characters]
	long[characters-1] = 'x'
	return w.searches(string(long), "")
}

// results returns the results of the latest search.
func (w *world) results() ([]acp.Result, error) {
	answer, err := w.lastSearch()
	return answer.Results, err
}

func (w *world) lastSearch() (answer acp.SearchResponse, err error) {
	if w.refusal != nil {
		return answer, w.refusal
	}
	return answer, json.Unmarshal(w.recorder.last().body, &answer)
}

func (w *world) reasonsInclude(name, part string) error {
	results, err := w.results()
	if err != nil {
		return err
	}
	i := slices.IndexFunc(results, func(r acp.Result) bool { return r.Name == name })
	if i < 0 {
		return fmt.Errorf("%q is not found", name)
	}
	reasons := results[i].SemanticMatch.Reasons
	if !slices.ContainsFunc(reasons, func(reason string) bool { return strings.Contains(reason, part) }) {
		return fmt.Errorf("the reasons are %q", reasons)
	}
	return nil
}

func (w *world) everyResultSaysWhy() error {
	results, err := w.results()
	for _, r := range results {
		if reasons := r.SemanticMatch.Reasons; len(reasons) == 0 || slices.Contains(reasons, "") {
			err = errors.Join(err, fmt.Errorf("%s was found for the reasons %q", r.Name, reasons))
		}
	}
	return err
}

func (w *world) scoresAreSound() error {
	results, err := w.results()
	if err != nil {
		return err
	}
	last := 1.0
	for _, r := range results {
		score, err := r.SemanticMatch.Score.Float64()
		if err != nil || score <= 0 || score >= 1 {
			return fmt.Errorf("%s scores %s", r.Name, r.SemanticMatch.Score)
		}
		if !r.Availability.InStock {
			continue
		}
		if score > last {
			return fmt.Errorf("%s scores %v after %v", r.Name, score, last)
		}
		last = score
	}
	return nil
}

func (w *world) searchShowsBefore(query, first, second, orWithout string) error {
	if err := w.hasSearched(query, ""); err != nil {
		return err
	}
	var names []string
	for _, r := range w.shopper.Found.Results {
		names = append(names, r.Name)
	}
	i, j := slices.Index(names, first), slices.Index(names, second)
	if i < 0 || j >= 0 && j < i || j < 0 && orWithout == "" {
		return fmt.Errorf("it finds %q", names)
	}
	return nil
}

// facetsAddUp repeats the latest search with each value of each facet as a filter, and compares the counts.
func (w *world) facetsAddUp() error {
	shown, err := w.lastSearch()
	if err != nil {
		return err
	}
	finds := func(change func(f *acp.Filters)) (int, error) {
		request, filters := w.searchRequest, acp.Filters{}
		if w.searchRequest.Filters != nil {
			filters = *w.searchRequest.Filters
		}
		change(&filters)
		request.Filters, request.Limit = &filters, 100
		all, err := w.buyerClient(w.shop.Slug).Search(w.ctx, request)
		if err == nil && len(all.Results) != all.TotalCount {
			err = fmt.Errorf("it counts %d and shows %d", all.TotalCount, len(all.Results))
		}
		return all.TotalCount, err
	}
	expect := func(what string, want int, change func(f *acp.Filters)) error {
		n, err := finds(change)
		if err == nil && n != want {
			err = fmt.Errorf("%s is counted %d times, and finds %d", what, want, n)
		}
		return err
	}
	err = expect("everything", shown.TotalCount, func(*acp.Filters) {})
	for _, brand := range shown.Facets.Brands {
		err = errors.Join(err, expect(brand.Name, brand.Count, func(f *acp.Filters) { f.Brand = []string{brand.Name} }))
	}
	for _, color := range shown.Facets.Colors {
		err = errors.Join(err, expect(color.Name, color.Count, func(f *acp.Filters) { f.ColorPreference = []string{color.Name} }))
	}
	sum := 0
	for _, within := range shown.Facets.PriceRanges {
		sum += within.Count
		err = errors.Join(err, expect("from "+within.Min.String(), within.Count, func(f *acp.Filters) { f.PriceMin, f.PriceMax = &within.Min, within.Max }))
	}
	return errors.Join(err, expect("at any price", sum, func(f *acp.Filters) { f.PriceMin, f.PriceMax = nil, nil }))
}
