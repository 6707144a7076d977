package search_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/haggle-commerce/haggle/adapters/search"
	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/ports"
)

// firsts checks the first result of each query; "" means none.
func firsts(t *testing.T, x *search.Index, want map[string]string) {
	t.Helper()
	for text, sku := range want {
		if skus, found := find(t, x, text); first(skus) != sku {
			t.Errorf("%q finds %q, want %q first: %+v", text, skus, sku, found.Hits)
		}
	}
}

func TestCodes(t *testing.T) {
	t.Parallel()
	x := indexOf("Apple iPhone 15", "Sony PS5 console", "Drill DCD771C2 kit", "Pixel phone")
	firsts(t, x, map[string]string{"iphone15": "apple", "ps 5": "sony", "dcd 771c2": "drill", "dcd771": "drill", "iphone16": ""})
}

func TestRespell_shortWords(t *testing.T) {
	t.Parallel()
	x := indexOf("Kids bike", "Cell phone holder", "Running shoes")
	firsts(t, x, map[string]string{"nike": "", "dell": "", "nike shoes": "running"})
}

func TestRepair_wordNetWord(t *testing.T) {
	t.Parallel()
	x := indexOf("Bluetooth speakers", "Men's tennis shoes")
	firsts(t, x, map[string]string{"sneakers": "men's"})
}

func TestOwnWords(t *testing.T) {
	t.Parallel()
	x := indexOf("Cotton shirt", "Poplin dress shirt", "Velvet curtain", "Vinyl shower curtain", "Fan heater", "Tank water heater")
	firsts(t, x, map[string]string{"dress shirt": "poplin", "shower curtain": "vinyl", "water heater": "tank"})
	_, found := find(t, x, "dress shirt")
	for _, hit := range found.Hits {
		if slices.Contains(hit.Reasons, "'dress shirt' understood as 'shirt'") {
			t.Errorf("%s: %q", hit.Product.Name, hit.Reasons)
		}
	}
}

func TestWordsOf_hyphenAfterStopWord(t *testing.T) {
	t.Parallel()
	x := indexOf("Ceiling speaker", "Bracket, in-ceiling")
	firsts(t, x, map[string]string{"speaker in-ceiling": "ceiling"})
}

func TestTitleSigns_thingTwice(t *testing.T) {
	t.Parallel()
	x := indexOf("Outdoor grill cover for gas grill", "Patio gas grill with four burners and a side shelf", "Office all in one printer", "Metal printer stand")
	firsts(t, x, map[string]string{"grill": "patio", "printer": "office"})
}

func TestKindOf(t *testing.T) {
	t.Parallel()
	bag, laptop := product("bag", "Laptop bag, padded"), product("laptop", "Aero 14 ultrabook laptop, 16 GB, silver, with a long list of things in its title")
	bag.Category, laptop.Category = "electronics/laptop bags", "electronics/laptops"
	x := indexed([]*catalog.Product{bag, laptop, product("peg", "Peg")})
	firsts(t, x, map[string]string{"laptop": "laptop", "laptop bag": "bag"})
}

// Long queries keep their known words, whatever else they contain.
func TestShorten_keepsKnownWords(t *testing.T) {
	t.Parallel()
	m := newBenchCatalog(2000)
	p := product("tent", "Family tent")
	m.changes.Changed = append(m.changes.Changed, p)
	x := search.New(search.Options{})
	x.Apply(camp, m.changes)
	var strange strings.Builder
	for i := range 150 {
		fmt.Fprintf(&strange, "%sqx ", strings.Repeat(string(rune('a'+i%26)), 4+i/26))
	}
	found, err := x.Search(ports.NewOutbound(t.Context()), camp, catalog.Query{Text: strange.String() + "family tent"})
	if err != nil || found.Total == 0 || found.Hits[0].Product != p {
		t.Errorf("%+v, %v", found.Hits, err)
	}
}

// The number of synonyms of a word is bounded.
func TestThesaurus_manySynonyms(t *testing.T) {
	t.Parallel()
	m := newBenchCatalog(500)
	var synonyms []catalog.Synonym
	for i := range 1000 {
		s := catalog.Synonym{Words: []string{"everything"}}
		for range 19 {
			s.Words = append(s.Words, m.words[(i*19+len(s.Words))%len(m.words)])
		}
		synonyms = append(synonyms, s)
	}
	m.changes.Synonyms = &synonyms
	x := search.New(search.Options{})
	x.Apply(camp, m.changes)
	if _, found := find(t, x, "everything"); found.Total == 0 {
		t.Error("nothing found")
	}
}

// Changes since an unknown version are not used as a whole catalogue.
func TestIndex_Apply_missedChanges(t *testing.T) {
	t.Parallel()
	x := search.New(search.Options{})
	x.Apply(camp, ports.CatalogChanges{
		Since:   5,
		Version: 7,
		Changed: []*catalog.Product{product("tent", "Tent")},
	})
	if v := x.Version(camp); v != 0 {
		t.Errorf("version %d of a part", v)
	}
	x.Apply(camp, ports.CatalogChanges{Version: 7, Changed: []*catalog.Product{product("tent", "Tent")}})
	x.Apply(camp, ports.CatalogChanges{
		Since:   7,
		Version: 8,
		Removed: []id.Product{id.Stored[id.Product]("prod_tent")},
	})
	if skus, _ := find(t, x, "tent"); skus != "" || x.Version(camp) != 8 {
		t.Errorf("finds %q at version %d", skus, x.Version(camp))
	}
}
