package search

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/ports"
)

// randomShop is a list of random products.
type randomShop struct {
	random   *rand.Rand
	products []*catalog.Product
	stock    map[id.Variant]int
	sold     map[id.Product]int
	made     int
}

func newRandomShop(seed uint64, products int) *randomShop {
	b := &randomShop{rand.New(rand.NewPCG(seed, 18)), nil, map[id.Variant]int{}, map[id.Product]int{}, 0}
	for range products {
		b.products = append(b.products, b.product())
	}
	return b
}

func (b *randomShop) pick(words ...string) string { return words[b.random.IntN(len(words))] }

func (b *randomShop) product() *catalog.Product {
	b.made++
	var bits [16]byte
	for i := range bits {
		bits[i] = byte(b.random.Uint32())
	}
	p := &catalog.Product{
		ID:       id.New[id.Product](bits),
		SKU:      fmt.Sprint("no", b.made),
		Status:   catalog.Active,
		Name:     strings.TrimSpace(b.pick("zelko", "brimba", "zelko brimba", "dorvu") + " " + b.pick("", "kanti", "molu")),
		Brand:    b.pick("", "Ridgeline", "Fjord", "Ember"),
		Category: b.pick("", "outdoor", "outdoor/gear", "outdoors", "home"),
		Price:    money.Of(int64(1+b.random.IntN(50))*1_00, money.USD),
		Reviews: catalog.Reviews{
			Average: b.random.IntN(6) * 100,
			Count:   b.random.IntN(3),
		},
		Attributes: map[string]string{},
		CreatedAt:  time.Date(2026, 1, 1+b.random.IntN(9), 0, 0, 0, 0, time.UTC),
	}
	if b.random.IntN(2) == 0 {
		p.Attributes["Material"] = b.pick("Oak", "steel")
	}
	if b.random.IntN(3) == 0 {
		p.Attributes["use"] = b.pick("indoor", "Outdoor")
	}
	if b.random.IntN(4) == 0 {
		p.Attributes["color"] = b.pick("Red", "Green/Blue")
	}
	for i := range 1 + b.random.IntN(3) {
		v := catalog.Variant{
			ID:    id.Stored[id.Variant](fmt.Sprint("var_", b.made, "_", i)),
			SKU:   fmt.Sprint("no", b.made, "-", i),
			Size:  b.pick("", "M", "L"),
			Color: b.pick("", "", "Red", "Green", "Red, Blue"),
		}
		if b.random.IntN(3) == 0 {
			price := money.Of(int64(1+b.random.IntN(50))*1_00, money.USD)
			v.Price = &price
		}
		p.Variants = append(p.Variants, v)
		b.stock[v.ID] = b.random.IntN(3)
	}
	if b.random.IntN(3) == 0 {
		b.sold[p.ID] = 1 + b.random.IntN(4)
	}
	return p
}

func (b *randomShop) levels(products []*catalog.Product) (levels []catalog.Level) {
	for _, p := range products {
		for _, v := range p.Variants {
			levels = append(levels, catalog.Level{
				Product:  p.ID,
				Variant:  v.ID,
				Quantity: b.stock[v.ID],
			})
		}
	}
	return levels
}

// index builds an index of the shop.
func (b *randomShop) index() *Index {
	x := unlearned()
	x.Apply(liveProject, ports.CatalogChanges{
		Version: 1,
		Changed: b.products,
		Levels:  b.levels(b.products),
	})
	x.Learn(liveProject, ports.Sales{Sold: b.sold})
	return x
}

// query generates a query: mostly some conditions, sometimes a word.
func (b *randomShop) query() catalog.Query {
	chance := func(n int) bool { return b.random.IntN(n) == 0 }
	price := func() *money.Amount { a := money.Of(int64(b.random.IntN(60))*1_00, money.USD); return &a }
	q := catalog.Query{
		Text:  b.pick("", "zelko", "brimba", "kanti"),
		Limit: 100,
		Sort:  catalog.Sorts[b.random.IntN(len(catalog.Sorts))],
	}
	f := &q.Filter
	if chance(4) {
		f.Categories = []string{b.pick("outdoor", "OUTDOOR/gear", "home", "garden"), b.pick("home", "outdoor/gear")}[:1+b.random.IntN(2)]
	}
	if chance(3) {
		f.Brands = []string{b.pick("ridgeline", "FJORD", "nobody"), b.pick("Ember", "fjord")}[:1+b.random.IntN(2)]
	}
	if chance(4) {
		f.PriceMin = price()
	}
	if chance(3) {
		f.PriceMax = price()
	}
	if chance(4) {
		f.Size = b.pick("m", "L")
	}
	if chance(3) {
		f.Colors = []string{b.pick("red", "Green", "blue"), b.pick("BLUE", "grey")}[:1+b.random.IntN(2)]
	}
	if chance(4) {
		f.Attributes = map[string][]string{b.pick("material", "MATERIAL"): {b.pick("oak", "Steel"), "glass"}}
		if chance(2) {
			f.Attributes["Use"] = []string{"OUTDOOR"}
		}
	}
	if chance(4) {
		f.RatingMin = b.random.IntN(500)
	}
	f.InStock = chance(3)
	return q
}

// A naive implementation of the rules: one product at a time, following the text of the contract.

func naiveColors(p *catalog.Product, v catalog.Variant) (colors []string) {
	label := v.Color
	if !slices.ContainsFunc(p.Variants, func(v catalog.Variant) bool { return v.Color != "" }) {
		label = p.Attributes["color"]
	}
	for name := range strings.FieldsFuncSeq(label, func(r rune) bool { return r == ',' || r == '/' }) {
		colors = append(colors, strings.ToLower(strings.TrimSpace(name)))
	}
	return colors
}

func anyFold(names []string, name string) bool {
	return slices.ContainsFunc(names, func(n string) bool { return strings.EqualFold(n, name) })
}

func (b *randomShop) naiveVariant(p *catalog.Product, v catalog.Variant, f catalog.Filter) bool {
	price := p.PriceOf(v).Minor()
	return (f.PriceMin == nil || price >= f.PriceMin.Minor()) && (f.PriceMax == nil || price <= f.PriceMax.Minor()) &&
		(f.Size == "" || strings.EqualFold(f.Size, v.Size)) && (!f.InStock || b.stock[v.ID] > 0) &&
		(f.Colors == nil || slices.ContainsFunc(naiveColors(p, v), func(c string) bool { return anyFold(f.Colors, c) }))
}

func (b *randomShop) naivePasses(p *catalog.Product, f catalog.Filter) bool {
	category := strings.ToLower(p.Category)
	below := slices.ContainsFunc(f.Categories, func(path string) bool { return strings.HasPrefix(category+"/", strings.ToLower(path)+"/") })
	if f.Categories != nil && !below || f.Brands != nil && !anyFold(f.Brands, p.Brand) || p.Reviews.Average < f.RatingMin {
		return false
	}
	for name, values := range f.Attributes {
		has := false
		for own, value := range p.Attributes {
			has = has || strings.EqualFold(own, name) && anyFold(values, value)
		}
		if !has {
			return false
		}
	}
	return slices.ContainsFunc(p.Variants, func(v catalog.Variant) bool { return b.naiveVariant(p, v, f) })
}

func (b *randomShop) naiveMatches(q catalog.Query) (all []*catalog.Product) {
	for _, p := range b.products {
		if (q.Text == "" || slices.Contains(strings.Fields(p.Name), q.Text)) && b.naivePasses(p, q.Filter) {
			all = append(all, p)
		}
	}
	return all
}

func (b *randomShop) naiveOrder(all []*catalog.Product, by catalog.Sort) {
	list := func(p *catalog.Product) int64 { return p.PriceOf(p.Variants[0]).Minor() }
	slices.SortFunc(all, func(x, y *catalog.Product) int {
		first := 0
		switch by {
		case catalog.PriceAsc:
			first = cmp.Compare(list(x), list(y))
		case catalog.PriceDesc:
			first = cmp.Compare(list(y), list(x))
		case catalog.Newest:
			first = y.CreatedAt.Compare(x.CreatedAt)
		case catalog.Rating:
			first = cmp.Or(cmp.Compare(y.Reviews.Average, x.Reviews.Average), cmp.Compare(y.Reviews.Count, x.Reviews.Count))
		case catalog.BestSelling:
			first = cmp.Compare(b.sold[y.ID], b.sold[x.ID])
		}
		return cmp.Or(first, strings.Compare(x.ID.String(), y.ID.String()))
	})
}

// naiveFacets counts the matches of each facet value.
func (b *randomShop) naiveFacets(q catalog.Query, found catalog.Found) (facets catalog.Facets) {
	count := func(change func(f *catalog.Filter)) int {
		choice := q
		change(&choice.Filter)
		return len(b.naiveMatches(choice))
	}
	for _, brand := range []string{"Ridgeline", "Fjord", "Ember"} {
		facets.Brands = append(facets.Brands, catalog.Count{Name: brand, Count: count(func(f *catalog.Filter) { f.Brands = []string{brand} })})
	}
	for _, color := range []string{"Red", "Green", "Blue"} {
		facets.Colors = append(facets.Colors, catalog.Count{Name: color, Count: count(func(f *catalog.Filter) { f.Colors = []string{color} })})
	}
	anyPrice := q
	anyPrice.Filter.PriceMin, anyPrice.Filter.PriceMax = nil, nil
	for _, r := range found.Facets.PriceRanges { // their bounds are the index's choice
		in := catalog.PriceRange{Min: r.Min, Max: r.Max}
		for _, p := range b.naiveMatches(anyPrice) {
			lowest := int64(1 << 60)
			for _, v := range p.Variants {
				if b.naiveVariant(p, v, anyPrice.Filter) {
					lowest = min(lowest, p.PriceOf(v).Minor())
				}
			}
			if r.Min.Minor() <= lowest && lowest <= r.Max.Minor() {
				in.Count++
			}
		}
		facets.PriceRanges = append(facets.PriceRanges, in)
	}
	byCount := func(counts []catalog.Count) []catalog.Count {
		counts = slices.DeleteFunc(counts, func(c catalog.Count) bool { return c.Count == 0 })
		slices.SortFunc(counts, func(a, b catalog.Count) int {
			return cmp.Or(cmp.Compare(b.Count, a.Count), strings.Compare(a.Name, b.Name))
		})
		return counts
	}
	facets.Brands, facets.Colors = byCount(facets.Brands), byCount(facets.Colors)
	return facets
}

func lower(counts []catalog.Count) (same []catalog.Count) {
	for _, c := range counts {
		same = append(same, catalog.Count{Name: strings.ToLower(c.Name), Count: c.Count})
	}
	return same
}

// 1,000 random combinations of filters and sorts give the same results as a naive implementation.
func TestIndex_Search_equalsBruteForce(t *testing.T) {
	t.Parallel()
	empty := 0
	for seed := range uint64(20) {
		b := newRandomShop(seed, 80)
		x := b.index()
		for range 50 {
			q := b.query()
			found, err := x.Search(ports.NewOutbound(t.Context()), liveProject, q)
			if err != nil {
				t.Fatal(err)
			}
			want := b.naiveMatches(q)
			b.naiveOrder(want, q.Sort)
			var got, expected []string
			for _, hit := range found.Hits {
				got = append(got, hit.Product.ID.String())
			}
			for _, p := range want {
				expected = append(expected, p.ID.String())
			}
			if q.Sort == catalog.Relevance { // the index chooses the order
				slices.Sort(got)
			}
			if found.Total != len(want) || !slices.Equal(got, expected) {
				t.Fatalf("seed %d, %+v\n finds %d %v\nwant %d %v", seed, q, found.Total, got, len(want), expected)
			}
			facets := b.naiveFacets(q, found)
			if !slices.Equal(lower(found.Facets.Brands), lower(facets.Brands)) || !slices.Equal(lower(found.Facets.Colors), lower(facets.Colors)) ||
				!slices.Equal(found.Facets.PriceRanges, facets.PriceRanges) {
				t.Fatalf("seed %d, %+v\n counts %+v\nwant %+v", seed, q, found.Facets, facets)
			}
			if len(want) == 0 {
				empty++
				b.expectNothing(t, q, found.Nothing)
			}
		}
	}
	if empty < 50 || empty > 700 {
		t.Errorf("%d of 1,000 queries found nothing", empty)
	}
}

// expectNothing checks the explanation of an empty result.
func (b *randomShop) expectNothing(t *testing.T, q catalog.Query, none *catalog.NoResults) {
	t.Helper()
	all := b.naiveMatches(catalog.Query{Text: q.Text})
	if none == nil || none.Matched != len(all) {
		t.Fatalf("%+v: %+v, want %d matches", q, none, len(all))
	}
	removals := map[string]catalog.Removal{}
	for _, c := range q.Filter.Criteria() {
		removals[c.Name] = catalog.Removal{
			Filter:  c.Name,
			Removed: len(all) - len(b.naiveMatches(catalog.Query{Text: q.Text, Filter: c.Alone})),
			Without: len(b.naiveMatches(catalog.Query{Text: q.Text, Filter: c.Without})),
		}
	}
	for _, r := range none.RemovedBy {
		if removals[r.Filter] != r {
			t.Fatalf("%+v: %+v, want %+v", q, r, removals[r.Filter])
		}
	}
	if len(none.RemovedBy) != len(removals) {
		t.Fatalf("%+v: %+v, want %+v", q, none.RemovedBy, removals)
	}
}
