package features

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/cucumber/godog"

	"github.com/haggle-commerce/haggle/simulator/acp"
	"github.com/haggle-commerce/haggle/simulator/decimal"
)

// filterPhrases matches a filter in words, such as ` in the category "toys"` and ` up to 99.50`.
const filterPhrases = ` (?:in the category|of the brand|in the color|in size) "[^"]*"| (?:from|up to) [\d.]+| in stock`

var filterPhrase = regexp.MustCompile(filterPhrases)

// searchChangeSteps define synonyms, and change the fields of products.
func searchChangeSteps(sc stepRegistry, s *scenario) {
	sc.Given(`^"([^"]*)" means "([^"]*)" in this shop$`, func(input, word string) error {
		return s.search.definesSynonym(fmt.Sprintf(`{"input": %q, "words": [%q]}`, input, word))
	})
	sc.Given(`^(".*") mean the same in this shop$`, func(words string) error { return s.search.definesSynonym(`{"words": [` + words + `]}`) })
	sc.When(`^the merchant lets "[^"]*" mean "([^"]*)" instead$`, func(word string) error {
		return s.merchantSends("PATCH", "/v1/catalog/synonyms/$synonym", fmt.Sprintf(`{"words": [%q]}`, word))
	})
	sc.When(`^the merchant replaces all synonyms by (none|the pair ".*")$`, s.search.replacesSynonyms)
	sc.When(`^the merchant deletes the synonym for "[^"]*"$`, func() error { return s.merchantSends("DELETE", "/v1/catalog/synonyms/$synonym", "") })
	sc.When(`^the merchant changes the product to:$`, s.catalog.changesTo)
}

// definesSynonym creates a synonym and names its id "synonym".
func (c *searchContext) definesSynonym(body string) error {
	if err := c.send("POST", "/v1/catalog/synonyms", body, nil); err != nil {
		return err
	}
	return c.platforms.namesAnswerField("id", "synonym")
}

func (c *searchContext) replacesSynonyms(by string) error {
	all := `[]`
	if words, pair := strings.CutPrefix(by, "the pair "); pair {
		all = `[{"words": [` + words + `]}]`
	}
	return c.merchantSends("PUT", "/v1/catalog/synonyms", `{"synonyms": `+all+`}`)
}

// changesTo changes fields of the current product to the cells of a table's only row.
func (c *catalogContext) changesTo(table *godog.Table) error {
	fields := map[string]any{}
	for name, cell := range rowsOf(table)[0] {
		fields[name] = cell
		if name == "variants" {
			fields[name] = parseVariants(cell)
		}
	}
	body, err := json.Marshal(fields)
	if err != nil {
		return err
	}
	return c.changes(string(body))
}

// openShopReviewed opens a shop whose products have ratings and numbers of reviews.
func (c *searchContext) openShopReviewed(table *godog.Table) error {
	var products []string
	for _, row := range rowsOf(table) {
		products = append(products, fmt.Sprintf(`{"name": %q, "sku": %q, "price": %s, "quantity": %s, "reviews": {"average_rating": %s, "count": %s}}`,
			row["name"], skuOf(row["name"]), row["price"], row["stock"], row["rating"], row["reviews"]))
	}
	return c.openShopFromJSON("[" + strings.Join(products, ", ") + "]")
}

// searchesWithin searches with filters in words.
func (c *searchContext) searchesWithin(query, phrases string) error {
	filters := acp.Filters{}
	for _, phrase := range filterPhrase.FindAllString(phrases, -1) {
		name, text, _ := strings.Cut(strings.TrimSpace(phrase), ` "`)
		text = strings.TrimSuffix(text, `"`)
		switch name {
		case "in the category":
			filters.Category = text
		case "of the brand":
			filters.Brand = []string{text}
		case "in the color":
			filters.ColorPreference = []string{text}
		case "in size":
			filters.Size = text
		case "in stock":
			filters.InStock = true
		default:
			bound, number := &filters.PriceMin, strings.TrimPrefix(name, "from ")
			if limit, most := strings.CutPrefix(name, "up to "); most {
				bound, number = &filters.PriceMax, limit
			}
			price, err := decimal.Parse(number)
			if err != nil {
				return err
			}
			*bound = &price
		}
	}
	return c.discovery.searchesFor(acp.SearchRequest{Query: query, Filters: &filters})
}

// sortOrders are the values of the sort parameter.
var sortOrders = map[string]string{
	"cheapest":       "price_asc",
	"best matching":  "relevance",
	"most expensive": "price_desc",
	"best rated":     "rating",
	"newest":         "newest",
}

func (c *searchContext) searchesSorted(query, order string) error {
	return c.discovery.searchesFor(acp.SearchRequest{Query: query, Sort: sortOrders[order]})
}

// onlySoldOut checks that the products with these names, and no others, are shown as out of stock.
func (c *searchContext) onlySoldOut(names string) error {
	results, err := c.results()
	if err != nil {
		return err
	}
	var out []string
	for _, r := range results {
		if !r.Availability.InStock {
			out = append(out, r.Name)
		}
		if !r.Availability.InStock && r.Availability.Quantity != 0 {
			return fmt.Errorf("%s is out of stock, and there are %d", r.Name, r.Availability.Quantity)
		}
	}
	if want := strings.Split(strings.Trim(names, `"`), `", "`); !slices.Equal(out, want) {
		return fmt.Errorf("out of stock are %q", out)
	}
	return nil
}

func (c *searchContext) recommends(names, discounts string) error {
	if err := c.answerShows("recommendations.*.name", "["+names+"]"); err != nil || discounts == "" {
		return err
	}
	for i := range strings.Count(names, ", ") + 1 {
		want := `"0%"`
		if strings.HasPrefix(discounts, ", each") {
			want = `matches ^[1-9][0-9]?(\.[0-9])?%$`
		}
		if err := c.answerShows(fmt.Sprintf("recommendations.%d.bundle_discount", i), want); err != nil {
			return err
		}
	}
	return nil
}
