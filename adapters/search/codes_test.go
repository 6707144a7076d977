package search_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/haggle-commerce/haggle/adapters/search"
	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/id"
)

// coded returns products that have codes of every kind in addition to their SKUs.
func coded() []*catalog.Product {
	drill, kit, lamp, mug, none := product("TL-771/C2", "Cordless drill"), product("KIT-17", "Drill kit, 17 pieces"), product("LAMP", "Reading lamp"),
		product("MUG", "Stoneware mug"), product("zero", "Plain bowl")
	drill.Variants[0].MPN, drill.Variants[0].GTIN = "DCD 771-C2", "4006381333931"
	kit.Variants = append(kit.Variants, catalog.Variant{
		ID:   id.Stored[id.Variant]("var_kit_2"),
		SKU:  "KIT-17 XL",
		Size: "XL",
		GTIN: "0036000291452",
	})
	lamp.Attributes = map[string]string{"Model Number": "RL.2000", "ISBN": "978-0-306-40615-7", "Part-No": "none"}
	mug.Variants[0].SKU = "MUG-1"
	mug.Attributes = map[string]string{"part no": "none", "weight": "RL2000"}
	return []*catalog.Product{drill, kit, lamp, mug, none}
}

func TestCodes_everyKind(t *testing.T) {
	t.Parallel()
	x := indexed(coded())
	for text, want := range map[string][2]string{
		"TL-771/C2":                {"TL-771/C2", "SKU TL-771/C2"},
		"tl771c2":                  {"TL-771/C2", "SKU TL-771/C2"},
		"tl 771 c2":                {"TL-771/C2", "SKU TL-771/C2"},
		"dcd771c2":                 {"TL-771/C2", "MPN DCD 771-C2"},
		"4006381333931":            {"TL-771/C2", "GTIN 4006381333931"},
		"04006381333931":           {"TL-771/C2", "GTIN 4006381333931"},
		"4 006381 333931":          {"TL-771/C2", "GTIN 4006381333931"},
		"036000291452":             {"KIT-17", "GTIN 0036000291452"},
		"kit17xl":                  {"KIT-17", "SKU KIT-17 XL"},
		"rl2000":                   {"LAMP", "model number RL.2000"},
		"9780306406157":            {"LAMP", "ISBN 978-0-306-40615-7"},
		"mug-1":                    {"MUG", "SKU MUG-1"},
		"ＭＵＧ－１":                    {"MUG", "SKU MUG-1"},
		"zero":                     {"zero", "SKU zero"},
		"a blue mug MUG-1, please": {"MUG", "SKU MUG-1"},
		"bowl or drill tl-771/c2":  {"TL-771/C2", "SKU TL-771/C2"},
		"drill kit for DCD 771 C2": {"TL-771/C2", "MPN DCD 771-C2"},
		"drill gtin 4006381333931": {"TL-771/C2", "GTIN 4006381333931"},
	} {
		skus, found := find(t, x, text)
		if len(found.Hits) == 0 || found.Hits[0].Product.SKU != want[0] || found.Hits[0].Reasons[0] != want[1] {
			t.Errorf("%q finds %q, %+v", text, skus, found.Hits)
		}
		if !strings.Contains(text, " ") && text != "rl2000" && text != "mug-1" && found.Total != 1 {
			t.Errorf("%q also finds %q", text, skus)
		}
	}
}

// Small numbers, and words that occur in product texts, are not codes when they are among other words.
func TestCodes_words(t *testing.T) {
	t.Parallel()
	products := []*catalog.Product{product("17", "Spoon"), product("big", "17 inch laptop"), product("drill", "Bowl"), product("x", "Hammer drill"), product("trail-tent", "Trail tent"), product("plus", "Trail tent")}
	products[5].Reviews = catalog.Reviews{Average: 500, Count: 99}
	x := indexed(products)
	firsts(t, x, map[string]string{"17": "17", "17 inch laptop": "big", "drill": "x", "hammer drill": "x", "trail tent": "plus"})
}

// Two SKUs may differ only in punctuation. The one with the query's spelling comes first.
func TestExactly_punctuation(t *testing.T) {
	t.Parallel()
	x := indexed([]*catalog.Product{product("A-12", "Peg"), product("A12", "Rope"), product("a/12", "Hook")})
	firsts(t, x, map[string]string{"a-12": "A-12", "A12": "A12", "A/12": "a/12"})
	if _, found := find(t, x, "A 12"); found.Total != 3 {
		t.Errorf("finds %+v", found.Hits)
	}
}

// Each product and variant of a big shop is found by its SKU, in upper or lower case, with and without punctuation.
func TestCodes_everySKU(t *testing.T) {
	t.Parallel()
	m := newBenchCatalog(2000)
	for i, p := range m.changes.Changed {
		p.SKU = fmt.Sprintf("AB-%d/%c", 1000+i, 'A'+rune(i%26))
		for v := range p.Variants {
			p.Variants[v].SKU = fmt.Sprintf("%s.%d", p.SKU, v)
		}
	}
	x := search.New(search.Options{})
	x.Apply(camp, m.changes)
	settle(t, x)
	for i := range 150 {
		p := m.changes.Changed[i*13]
		for _, sku := range []string{p.SKU, p.Variants[len(p.Variants)-1].SKU} {
			for _, text := range []string{sku, strings.ToLower(sku), strings.NewReplacer("-", "", "/", "", ".", "").Replace(sku), m.text(2) + " " + sku} {
				_, found := find(t, x, text)
				if len(found.Hits) == 0 || found.Hits[0].Product.ID != p.ID || found.Hits[0].Reasons[0] != "SKU "+sku {
					t.Errorf("%q finds %+v first", text, found.Hits[:min(1, len(found.Hits))])
				}
			}
		}
	}
}

// A value that many products share is a word, even if its attribute is one for codes.
func TestMostNamed(t *testing.T) {
	t.Parallel()
	var products []*catalog.Product
	for i := range 60 {
		p := product(fmt.Sprint("p", i), "Peg")
		p.Attributes = map[string]string{"mpn": "N/A-1"}
		products = append(products, p)
	}
	_, found := find(t, indexed(products), "n/a-1")
	if slices.ContainsFunc(found.Hits, func(h catalog.Hit) bool { return slices.Contains(h.Reasons, "MPN N/A-1") }) {
		t.Errorf("%+v", found.Hits[0])
	}
}
