package search_test

import (
	"cmp"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/haggle-commerce/haggle/adapters/search"
	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/ports"
)

var camp = id.Stored[id.Project]("proj_camp")

// product returns a product whose id is its SKU, with one piece in stock.
func product(sku, name string) *catalog.Product {
	return &catalog.Product{
		ID:       id.Stored[id.Product]("prod_" + sku),
		SKU:      sku,
		Name:     name,
		Status:   catalog.Active,
		Price:    money.Of(50_00, money.USD),
		Variants: []catalog.Variant{{ID: id.Stored[id.Variant]("var_" + sku), SKU: sku}},
	}
}

// indexed returns an index of products, all in stock except soldOut.
func indexed(products []*catalog.Product, soldOut ...string) *search.Index {
	c := ports.CatalogChanges{Version: 1, Changed: products}
	for _, p := range products {
		if !slices.Contains(soldOut, p.SKU) {
			c.Levels = append(c.Levels, catalog.Level{
				Product:  p.ID,
				Variant:  p.Variants[0].ID,
				Quantity: 1,
			})
		}
	}
	x := search.New(search.Options{})
	x.Apply(camp, c)
	return x
}

func find(t *testing.T, x *search.Index, text string) (skus string, found catalog.Found) {
	t.Helper()
	found, err := x.Search(ports.NewOutbound(t.Context()), camp, catalog.Query{Text: text, Limit: 100})
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, hit := range found.Hits {
		all = append(all, hit.Product.SKU)
	}
	return strings.Join(all, " "), found
}

// settle waits until background work is done.
func settle(t testing.TB, x *search.Index) {
	t.Helper()
	if err := x.Settle(t.Context()); err != nil {
		t.Fatal(err)
	}
}

func TestIndex_Search_wordForms(t *testing.T) {
	t.Parallel()
	x := indexed([]*catalog.Product{
		product("tent", "Family tents"), product("cafe", "Café crème"), product("tee", "Men's T-Shirt"),
		product("wifi", "Wi-Fi router"), product("phones", "Headphones 40 mm"),
	})
	for text, want := range map[string]string{
		"tent": "tent", "TENTS": "tent", "families": "tent", "cafe creme": "cafe", "CRÈME": "cafe",
		"mens": "tee", "t-shirt": "tee", "tshirt": "tee", "shirts": "tee", "wifi": "wifi", "wi-fi": "wifi",
		"headph": "phones", "headphonesrouter": "wifi phones", "40": "phones", "4": "", "hea": "",
		"zebra": "", "the tent, please": "tent",
	} {
		if got, _ := find(t, x, text); got != want {
			t.Errorf("%q finds %q, want %q", text, got, want)
		}
	}
	for _, everything := range []string{"", " \t", "?!", "the of"} {
		if _, found := find(t, x, everything); found.Total != 5 {
			t.Errorf("%q finds %d of 5", everything, found.Total)
		}
	}
}

func TestIndex_Search_order(t *testing.T) {
	t.Parallel()
	described, branded, named, long := product("described", "Bag"), product("branded", "Bag"), product("named", "Fjord"), product("long", "Fjord bag for pots, pans, forks and knives")
	described.Description = "Goes with the fjord line."
	branded.Brand = "Fjord"
	filler := product("filler", "Peg")
	x := indexed([]*catalog.Product{described, branded, long, named, filler})
	if got, _ := find(t, x, "fjord"); got != "named long branded described" { // by weight of field, then by length
		t.Errorf("fjord finds %q", got)
	}
	if got, _ := find(t, x, "fjord bag"); !strings.HasSuffix(got, " named") {
		t.Errorf("fjord bag finds %q, want last what is no bag", got)
	}
}

func TestScratch_take_allWords(t *testing.T) {
	t.Parallel()
	often, both := product("often", "Fjord"), product("both", "Pan")
	often.Brand, often.Category, often.Tags = "Fjord", "fjord", []string{"fjord"}
	both.Description = "For every bag of the fjord line."
	if got, _ := find(t, indexed([]*catalog.Product{often, both, product("bag", "Bag")}), "fjord bag"); !strings.HasPrefix(got, "both") {
		t.Errorf("fjord bag finds %q", got)
	}
}

// A lower limit returns the first results of a higher one.
func TestIndex_Search_limit(t *testing.T) {
	t.Parallel()
	m := newBenchCatalog(400)
	x := search.New(search.Options{})
	x.Apply(benchProject, m.changes)
	settle(t, x)
	for range 50 {
		q := catalog.Query{Text: m.text(3), Limit: 100}
		many, _ := x.Search(ports.NewOutbound(t.Context()), benchProject, q)
		for q.Limit = range 12 {
			few, _ := x.Search(ports.NewOutbound(t.Context()), benchProject, q)
			want := many.Hits[:min(len(many.Hits), cmp.Or(q.Limit, catalog.DefaultLimit))]
			if !reflect.DeepEqual(few.Hits, want) {
				t.Fatalf("%+v\n got %+v\nwant %+v", q, few.Hits, want)
			}
		}
	}
}

func TestReasons(t *testing.T) {
	t.Parallel()
	tent := product("tent", "Lightweight tent")
	tent.Brand, tent.Category, tent.Tags = "Ridgeline", "outdoor/tents", []string{"camping"}
	tent.Attributes = map[string]string{"fabric": "Nylon", "waterproof": "yes"}
	tent.Description = "A tent for two mountaineers."
	x := indexed([]*catalog.Product{tent})
	for text, want := range map[string][]string{
		"tents":               {"'tents' in the name", "category outdoor/tents"},
		"Ridgeline":           {"brand Ridgeline"},
		"camping nylon":       {"tagged 'camping'", "'nylon' in the details"},
		"waterproof zebra":    {"'waterproof' in the details"},
		"mountaineers":        {"'mountaineers' in the description"},
		"mountai":             {"a word beginning with 'mountai' in the description"},
		"lightweight outdoor": {"'lightweight' in the name", "category outdoor/tents"},
		"":                    nil,
	} {
		_, found := find(t, x, text)
		if len(found.Hits) != 1 || !slices.Equal(found.Hits[0].Reasons, want) {
			t.Errorf("%q: %+v, want %q", text, found.Hits, want)
		}
	}
}

func TestRanked_compare_inStockFirst(t *testing.T) {
	t.Parallel()
	products := []*catalog.Product{
		product("best", "Tent"), product("good", "Tent for two people"), product("weak", "Peg"), product("filler", "Stove"),
	}
	products[2].Description = "Made of steel, holds ropes, tarpaulins or any tent in wind and weather, on sand and on snow."
	if got, found := find(t, indexed(products, "best"), "tent"); got != "good best weak" || found.Confidence != found.Hits[1].Score {
		t.Errorf("with the best sold out: %q, %+v", got, found)
	}
	if got, _ := find(t, indexed(products, "best", "good"), "tent"); got != "best good weak" {
		t.Errorf("with all but the weak sold out: %q", got)
	}
}

// A product with very many variants is shown with those that pass the filter and are in stock.
func TestSearch_variantsShown(t *testing.T) {
	t.Parallel()
	p := product("sails", "Sail")
	for n := range catalog.MaxVariants - 1 {
		name := strconv.Itoa(n)
		p.Variants = append(p.Variants, catalog.Variant{
			ID:    id.Stored[id.Variant]("var_" + name),
			SKU:   name,
			Color: []string{"Red", "Blue"}[n%2],
		})
	}
	x := indexed([]*catalog.Product{p}, "sails")
	x.Restock(camp, map[id.Variant]int{p.Variants[2000].ID: 1, p.Variants[2001].ID: 1})
	found, err := x.Search(ports.NewOutbound(t.Context()), camp, catalog.Query{
		Text:   "sail",
		Limit:  1,
		Filter: catalog.Filter{Colors: []string{"red"}},
	})
	if err != nil || len(found.Hits) != 1 {
		t.Fatalf("%+v, %v", found, err)
	}
	var skus []string
	for _, v := range found.Hits[0].Variants() {
		skus = append(skus, v.SKU)
	}
	if len(skus) != catalog.MostListed || !slices.Equal(skus[:3], []string{"2000", "0", "2"}) {
		t.Errorf("shown are %d: %v", len(skus), skus)
	}
}

func TestConfidence(t *testing.T) {
	t.Parallel()
	x := indexed([]*catalog.Product{product("tent", "Red tent"), product("stove", "Stove")})
	confidence := func(text string) int {
		_, found := find(t, x, text)
		return found.Confidence
	}
	all, half, none := confidence("red tent"), confidence("red zebra"), confidence("zebra")
	if all < 500 || half >= all/2 || half <= 0 || none != 0 {
		t.Errorf("confidence %d in all words, %d in half, %d in none", all, half, none)
	}
}

func TestIndex_Search_longText(t *testing.T) {
	t.Parallel()
	m := newBenchCatalog(300)
	x := search.New(search.Options{})
	x.Apply(benchProject, m.changes)
	wanted := m.changes.Changed[17]
	text := wanted.Name + " " + wanted.Description
	for len(text) < 2000 {
		text += " " + m.text(5)
	}
	found, err := x.Search(ports.NewOutbound(t.Context()), benchProject, catalog.Query{Text: text})
	if err != nil || found.Hits[0].Product != wanted {
		t.Errorf("2,000 characters find %+v, error %v", found.Hits, err)
	}
}

func TestColorsAmong(t *testing.T) {
	t.Parallel()
	two, one, own := product("two", "Lamp"), product("one", "Lamp"), product("own", "Lamp")
	two.Variants[0].Color = "Black, Silver"
	one.Variants[0].Color = "BLACK"
	one.Attributes = map[string]string{"color": "Red"}
	own.Attributes = map[string]string{"colour": "Silver/Red"}
	x := indexed([]*catalog.Product{two, one, own})
	for color, want := range map[string]int{"black": 2, "silver": 2, "red": 1, "black, silver": 1, "": 0} {
		found, err := x.Search(ports.NewOutbound(t.Context()), camp, catalog.Query{Filter: catalog.Filter{Colors: []string{color}}})
		if err != nil || found.Total != want {
			t.Errorf("%q: %d of %d, error %v", color, found.Total, want, err)
		}
	}
	_, found := find(t, x, "lamp")
	if want := []catalog.Count{{Name: "Black", Count: 2}, {Name: "Silver", Count: 2}, {Name: "Red", Count: 1}}; !slices.Equal(found.Facets.Colors, want) {
		t.Errorf("colours %v, want %v", found.Facets.Colors, want)
	}
}
