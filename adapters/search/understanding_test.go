package search_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/haggle-commerce/haggle/adapters/search"
	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/ports"
)

// indexOf returns an index of products with these names. The SKU is the first word of the name.
func indexOf(names ...string) *search.Index {
	var all []*catalog.Product
	for _, name := range names {
		sku, _, _ := strings.Cut(strings.ToLower(name), " ")
		all = append(all, product(sku, name))
	}
	return indexed(all)
}

func first(skus string) string {
	sku, _, _ := strings.Cut(skus, " ")
	return sku
}

func TestWiden_wordNet(t *testing.T) {
	t.Parallel()
	x := indexOf("Oslo sofa, grey", "Lima refrigerator", "Rome rug, wool", "Kyoto dustbin", "Paris lamp")
	for text, want := range map[string]struct{ sku, reason string }{
		"couch":       {"oslo", "'couch' understood as 'sofa'"},
		"grey couch":  {"oslo", "'couch' understood as 'sofa'"},
		"couches":     {"oslo", "'couches' understood as 'sofa'"},
		"wool carpet": {"rome", "'carpet' understood as 'rug'"},
		"trash can":   {"kyoto", "'trash can' understood as 'dustbin'"},
	} {
		skus, found := find(t, x, text)
		if first(skus) != want.sku || !slices.Contains(found.Hits[0].Reasons, want.reason) {
			t.Errorf("%q finds %q, %+v", text, skus, found.Hits)
		}
	}
}

func TestThesaurus(t *testing.T) {
	t.Parallel()
	x := indexOf("Alpha smartphone", "Beta walkie talkie", "Gamma phone cable")
	x.Apply(camp, ports.CatalogChanges{Version: 2, Synonyms: &[]catalog.Synonym{
		{Input: "handy", Words: []string{"smartphone"}},
		{Words: []string{"two way radio", "walkie talkie"}},
	}})
	for text, want := range map[string]string{
		"handy": "alpha", "two-way radio": "beta", "walkie talkie": "beta", "radio": "", "smartphone": "alpha",
	} {
		if skus, found := find(t, x, text); first(skus) != want {
			t.Errorf("%q finds %q, %+v", text, skus, found.Hits)
		}
	}
	_, found := find(t, x, "handy")
	if want := []string{"'handy' understood as 'smartphone'"}; !slices.Equal(found.Hits[0].Reasons, want) {
		t.Errorf("%q, want %q", found.Hits[0].Reasons, want)
	}
	x.Apply(camp, ports.CatalogChanges{Version: 3, Synonyms: &[]catalog.Synonym{}})
	if skus, _ := find(t, x, "two way radio"); skus != "" {
		t.Errorf("without synonyms: %q", skus)
	}
}

// A synonym with an input applies in one direction only.
func TestThesaurus_oneWay(t *testing.T) {
	t.Parallel()
	x := indexOf("Alpha qwerphone", "Beta zuxdevice")
	x.Apply(camp, ports.CatalogChanges{Version: 2, Synonyms: &[]catalog.Synonym{{Input: "qwerphone", Words: []string{"zuxdevice"}}}})
	if skus, _ := find(t, x, "qwerphone"); skus != "alpha beta" {
		t.Errorf("the input finds %q", skus)
	}
	if skus, _ := find(t, x, "zuxdevice"); skus != "beta" {
		t.Errorf("the word finds %q", skus)
	}
}

func TestRepair(t *testing.T) {
	t.Parallel()
	x := indexOf("Lima refrigerator", "Oslo laptop bag", "Rome keyboard", "Kyoto mice", "Nara 120v heater", "Bern rope", "Graz robe")
	for text, want := range map[string]struct{ sku, reason string }{
		"refrigeratr": {"lima", "'refrigeratr' read as 'refrigerator'"},
		"keybord":     {"rome", "'keybord' read as 'keyboard'"},
		"lap top bag": {"oslo", "'lap top' read as 'laptop'"},
		"laptopbag":   {"oslo", "'laptop' in the name"},
		"rope":        {"bern", "'rope' in the name"}, // known: never read as robe
	} {
		skus, found := find(t, x, text)
		if first(skus) != want.sku || !slices.Contains(found.Hits[0].Reasons, want.reason) {
			t.Errorf("%q finds %q, %+v", text, skus, found.Hits)
		}
	}
	if skus, _ := find(t, x, "rope"); skus != "bern" {
		t.Errorf("rope finds %q", skus)
	}
	for _, text := range []string{"121v", "rpe", "12"} {
		if skus, _ := find(t, x, text); skus != "" {
			t.Errorf("%q finds %q: numbers and short words are taken as they are", text, skus)
		}
	}
}

// Among equally near corrections, the one that occurs with the rest of the query is chosen.
func TestRespell_context(t *testing.T) {
	t.Parallel()
	x := indexOf("A solar panel", "B solar panel kit", "C solar panel stand", "D wooden pannel door", "E shower pannel", "F dog food", "G cat food bowl", "H food blender")
	skus, _ := find(t, x, "solar pannal")
	if first(skus) > "c" {
		t.Errorf("solar pannal finds %q", skus)
	}
}

func TestIndex_Search_quantities(t *testing.T) {
	t.Parallel()
	x := indexOf(`Oslo laptop 17"`, "Rome laptop 15 inch", "Kyoto rug 8 ft. x 10 ft.", "Nara rug 5 x 7", "Bern bulb 60-Watt", "Graz pipe 3/4 in. x 10 ft.", "Lima drive 500GB")
	for text, want := range map[string]string{
		"17 inch laptop": "oslo", "17in laptop": "oslo", `15" laptop`: "rome", "rug 8x10": "kyoto", "5'x7' rug": "nara",
		"60w bulb": "bern", "60 watts": "bern", "3/4 inch pipe": "graz", "0.75in pipe": "graz", "500 gb": "lima", "17 laptop": "oslo",
	} {
		if skus, _ := find(t, x, text); first(skus) != want {
			t.Errorf("%q finds %q, want %q first", text, skus, want)
		}
	}
}

func TestIndex_Search_accessories(t *testing.T) {
	t.Parallel()
	x := indexOf("Sleeve for laptop, laptop bag strap", "Stand for laptop", "Thin laptop with long battery life and a backlit keyboard", "Charger for laptop")
	if skus, _ := find(t, x, "laptop"); first(skus) != "thin" {
		t.Errorf("laptop finds %q", skus)
	}
	if skus, _ := find(t, x, "stand for laptop"); first(skus) != "stand" {
		t.Errorf("a stand for it finds %q", skus)
	}
}

// Neither synonyms nor similarity find products that do not pass the filter.
func TestIndex_Search_filterNotWidened(t *testing.T) {
	t.Parallel()
	sofa, couch := product("sofa", "Sofa"), product("couch", "Couch")
	sofa.Category, couch.Category = "sofas", "couches"
	sofa.Variants[0].Color, couch.Variants[0].Color = "Grey", "Gray"
	couch.Price = money.Of(60_00, money.USD)
	x := indexed([]*catalog.Product{sofa, couch})
	most := money.Of(50_00, money.USD)
	for name, f := range map[string]catalog.Filter{
		"category": {Categories: []string{"sofas"}}, "colour": {Colors: []string{"grey"}}, "price": {PriceMax: &most},
	} {
		found, err := x.Search(ports.NewOutbound(t.Context()), camp, catalog.Query{Text: "couch", Filter: f})
		if err != nil || found.Total != 1 || found.Hits[0].Product != sofa || found.Facets.PriceRanges[0].Count != 1 {
			t.Errorf("by %s: %+v, %v", name, found, err)
		}
	}
}

// Scores fall in the order of the results if everything is in stock.
func TestCalibrated_monotone(t *testing.T) {
	t.Parallel()
	m := newBenchCatalog(600)
	for _, v := range m.changes.Levels {
		v.Quantity = 1
	}
	x := search.New(search.Options{})
	x.Apply(benchProject, ports.CatalogChanges{Version: 1, Changed: m.changes.Changed})
	settle(t, x)
	for range 40 {
		found, err := x.Search(ports.NewOutbound(t.Context()), benchProject, catalog.Query{Text: m.text(3), Limit: 100})
		if err != nil || !slices.IsSortedFunc(found.Hits, func(a, b catalog.Hit) int { return b.Score - a.Score }) {
			t.Fatalf("%+v, %v", found, err)
		}
		for _, hit := range found.Hits {
			if hit.Score <= 0 || hit.Score >= 1000 {
				t.Errorf("score %d", hit.Score)
			}
		}
	}
}
