package features

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/haggle-commerce/haggle/simulator/acp"
	"github.com/haggle-commerce/haggle/simulator/merchant"
)

func searchSteps(sc stepRegistry, s *scenario) {
	searchChangeSteps(sc, s)
	sc.When(`^a buyer searches for '(.*)'$`, func(query string) error { return s.discovery.searches(query, "") })
	sc.When(`^a buyer searches for "([^"]*)"((?:`+filterPhrases+`)+)$`, s.search.searchesWithin)
	sc.When(`^a buyer searches for "([^"]*)", (cheapest|most expensive|best rated|newest) first$`, s.search.searchesSorted)
	sc.Then(`^the first result is '(.*)'$`, s.discovery.firstResultIs)
	sc.Then(`^the first result costs ([\d.]+)$`, func(price string) error { return s.answerShows("results.0.list_price", price) })
	sc.Then(`^the search shows (".*") in this order$`, func(names string) error { return s.answerShows("results.*.name", "["+names+"]") })
	sc.Then(`^the search has found (at least )?(\d+) products?$`, func(atLeast, n string) error { return s.answerShows("total_count", atLeast+n) })
	sc.Then(`^only (".*") (?:is|are) shown as sold out$`, s.search.onlySoldOut)
	sc.Then(`^the search recommends (".*") in this order(, each with a bundle discount|, none with a bundle discount)?$`, s.search.recommends)
	sc.Then(`^the reasons for "([^"]*)" include "(.+)"$`, s.search.reasonsInclude)
	sc.Then(`^every result says why$`, s.search.everyResultSaysWhy)
	sc.Then(`^the scores lie between 0 and 1, and fall with the rank among what is in stock$`, s.search.scoresAreSound)
	sc.Then(`^the facets count what was found$`, s.search.facetsAddUp)
	sc.Then(`^a search for "([^"]*)" shows "([^"]*)" before "([^"]*)"( or without it)?$`, s.search.searchShowsBefore)
}

// openShopFromJSON opens a shop with products in the API's JSON.
func (c *searchContext) openShopFromJSON(products string) error {
	var drafts []merchant.Product
	if err := json.Unmarshal([]byte(products), &drafts); err != nil {
		return err
	}
	if err := c.shops.openShop("Test Shop"); err != nil {
		return err
	}
	return c.catalog.stockShop(drafts)
}

// searchesForLength searches for a text that is repeated, with spaces between, up to the given number of characters.
func (c *searchContext) searchesForLength(text string, characters int) error {
	long := []rune(strings.Repeat(text+" ", characters))[:characters]
	long[characters-1] = 'x'
	return c.discovery.searches(string(long), "")
}

// results returns the results of the latest search.
func (c *searchContext) results() ([]acp.Result, error) {
	answer, err := c.lastSearch()
	return answer.Results, err
}

func (c *searchContext) lastSearch() (answer acp.SearchResponse, err error) {
	if c.refusal != nil {
		return answer, c.refusal
	}
	return answer, json.Unmarshal(c.recorder.last().body, &answer)
}

func (c *searchContext) reasonsInclude(name, part string) error {
	results, err := c.results()
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

func (c *searchContext) everyResultSaysWhy() error {
	results, err := c.results()
	for _, r := range results {
		if reasons := r.SemanticMatch.Reasons; len(reasons) == 0 || slices.Contains(reasons, "") {
			err = errors.Join(err, fmt.Errorf("%s was found for the reasons %q", r.Name, reasons))
		}
	}
	return err
}

func (c *searchContext) scoresAreSound() error {
	results, err := c.results()
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

func (c *searchContext) searchShowsBefore(query, first, second, orWithout string) error {
	if err := c.discovery.hasSearched(query, ""); err != nil {
		return err
	}
	var names []string
	for _, r := range c.shopper.Found.Results {
		names = append(names, r.Name)
	}
	i, j := slices.Index(names, first), slices.Index(names, second)
	if i < 0 || j >= 0 && j < i || j < 0 && orWithout == "" {
		return fmt.Errorf("it finds %q", names)
	}
	return nil
}

// facetsAddUp repeats the latest search with each value of each facet as a filter, and compares the counts.
func (c *searchContext) facetsAddUp() error {
	shown, err := c.lastSearch()
	if err != nil {
		return err
	}
	finds := func(change func(f *acp.Filters)) (int, error) {
		request, filters := c.buyers.searchRequest, acp.Filters{}
		if c.buyers.searchRequest.Filters != nil {
			filters = *c.buyers.searchRequest.Filters
		}
		change(&filters)
		request.Filters, request.Limit = &filters, 100
		all, err := c.buyerClient(c.shop.Slug).Search(c.ctx, request)
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
