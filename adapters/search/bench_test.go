package search_test

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/adapters/search"
	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/ports"
)

// spokenWords are words that have synonyms.
const spokenWords = `sofa table chair lamp rug curtain shelf desk bed mirror drawer cabinet stool bench heater stove kettle
	pan knife fork cup plate bowl towel blanket pillow mattress carpet bag watch phone laptop headphone speaker camera
	printer keyboard monitor tablet charger cable battery drill hammer saw wrench screw nail tape glue paint brush ladder
	faucet sink tub shower toilet tile pipe hose valve pump fan filter bulb light lantern candle clock radio television
	refrigerator freezer oven dishwasher washer dryer vacuum iron broom mop bucket trash basket box jar bottle can tent
	backpack boot shoe sandal sock shirt trousers jacket coat dress skirt hat glove scarf belt ring necklace bracelet`

// benchCatalog is a generated catalogue, the same for the same size. Its words are distributed like those of real catalogues:
// a few are very common, most are rare.
type benchCatalog struct {
	random  *rand.Rand
	common  *rand.Zipf
	words   []string
	changes ports.CatalogChanges
}

var benchProject = id.Stored[id.Project]("proj_bench")

func newBenchCatalog(products int) *benchCatalog {
	random := rand.New(rand.NewPCG(1, uint64(products)))
	m := &benchCatalog{
		random:  random,
		words:   make([]string, 20_000),
		changes: ports.CatalogChanges{Version: 1},
	}
	m.common = rand.NewZipf(random, 1.07, 12, uint64(len(m.words)-1))
	spoken := strings.Fields(spokenWords)
	for i := range m.words {
		m.words[i] = m.word()
		if i%40 == 0 && i/40 < len(spoken) {
			m.words[i] = spoken[i/40]
		}
	}
	for i := range products {
		m.changes.Changed = append(m.changes.Changed, m.product(i))
	}
	for _, p := range m.changes.Changed {
		for _, v := range p.Variants {
			m.changes.Levels = append(m.changes.Levels, catalog.Level{
				Product:  p.ID,
				Variant:  v.ID,
				Quantity: random.IntN(40),
			})
		}
	}
	return m
}

func (m *benchCatalog) word() string {
	var b strings.Builder
	for range 2 + m.random.IntN(3) {
		b.WriteByte("bcdfglmnprstv"[m.random.IntN(13)])
		b.WriteByte("aeiou"[m.random.IntN(5)])
	}
	return b.String()
}

func (m *benchCatalog) text(words int) string {
	drawn := make([]string, words)
	for i := range drawn {
		drawn[i] = m.words[m.common.Uint64()]
	}
	return strings.Join(drawn, " ")
}

func (m *benchCatalog) product(n int) *catalog.Product {
	sku := fmt.Sprintf("S%06d", n)
	p := &catalog.Product{
		ID:          id.Stored[id.Product]("prod_" + sku),
		Project:     benchProject,
		SKU:         sku,
		Status:      catalog.Active,
		Name:        m.text(6),
		Brand:       m.words[n%300],
		Category:    fmt.Sprintf("top%d/%s", n%8, m.words[n%120]),
		Description: m.text(60),
		Price:       money.Of(int64(5_00+m.random.IntN(400_00)), money.USD),
		Attributes:  map[string]string{"material": m.text(2), "use": m.text(3)},
		Tags:        []string{m.text(1)},
		Reviews:     catalog.Reviews{Average: 300 + m.random.IntN(200), Count: m.random.IntN(50)},
	}
	for i, color := range []string{"Black", "Green", "Red"}[:1+n%3] {
		v := catalog.Variant{
			ID:    id.Stored[id.Variant](fmt.Sprintf("var_%s_%d", sku, i)),
			SKU:   sku + color,
			Size:  "ML"[i%2 : i%2+1],
			Color: color,
		}
		p.Variants = append(p.Variants, v)
	}
	return p
}

// eachSize runs a benchmark on an index of each size, in short mode on a small one.
func eachSize(b *testing.B, run func(b *testing.B, m *benchCatalog, x *search.Index)) {
	sizes := []int{10_000, 55_000, 100_000}
	if testing.Short() {
		sizes = []int{1000}
	}
	for _, size := range sizes {
		m := newBenchCatalog(size)
		x := search.New(search.Options{})
		x.Apply(benchProject, m.changes)
		settle(b, x)
		b.Run(fmt.Sprintf("products=%d", size), func(b *testing.B) { run(b, m, x) })
	}
}

// BenchmarkBuild also reports the memory of an index without its products.
func BenchmarkBuild(b *testing.B) {
	eachSize(b, func(b *testing.B, m *benchCatalog, _ *search.Index) {
		before := heap()
		var kept *search.Index
		for b.Loop() {
			kept = search.New(search.Options{})
			kept.Apply(benchProject, m.changes)
			settle(b, kept)
		}
		b.ReportMetric(float64(heap()-before)/1e6, "MB")
		runtime.KeepAlive(kept)
	})
}

func heap() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// BenchmarkSearch searches for one to four words, a third of the time with a filter.
func BenchmarkSearch(b *testing.B) {
	eachSize(b, func(b *testing.B, m *benchCatalog, x *search.Index) {
		most := money.Of(150_00, money.USD)
		queries := make([]catalog.Query, 999)
		for i := range queries {
			queries[i] = catalog.Query{Text: m.text(1 + i%4)}
			if i%5 == 0 { // misspelt
				queries[i].Text = queries[i].Text[1:]
			}
			if i%3 == 0 {
				queries[i].Filter = catalog.Filter{PriceMax: &most, Colors: []string{"green"}}
			}
		}
		report(b, x, queries)
	})
}

// BenchmarkBrowse matches all products, which is the most expensive query. Its texts differ, so that no answer is cached.
func BenchmarkBrowse(b *testing.B) {
	queries := make([]catalog.Query, 999)
	for i := range queries {
		queries[i].Text = strings.Repeat(" ", i)
	}
	eachSize(b, func(b *testing.B, _ *benchCatalog, x *search.Index) { report(b, x, queries) })
}

// BenchmarkRepeat repeats the same query.
func BenchmarkRepeat(b *testing.B) {
	eachSize(b, func(b *testing.B, _ *benchCatalog, x *search.Index) { report(b, x, []catalog.Query{{}}) })
}

func report(b *testing.B, x *search.Index, queries []catalog.Query) {
	b.ReportAllocs()
	took := make([]time.Duration, 0, 10_000)
	for i := 0; b.Loop(); i++ {
		start := time.Now()
		if _, err := x.Search(ports.NewOutbound(b.Context()), benchProject, queries[i%len(queries)]); err != nil {
			b.Fatal(err)
		}
		took = append(took, time.Since(start))
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Microseconds()), "p50-µs")
	b.ReportMetric(float64(took[len(took)*99/100].Microseconds()), "p99-µs")
}

// BenchmarkChange writes one product at a time, merges included.
func BenchmarkChange(b *testing.B) {
	eachSize(b, func(b *testing.B, m *benchCatalog, x *search.Index) {
		b.ReportAllocs()
		var slowest time.Duration
		for b.Loop() {
			changed := *m.changes.Changed[m.random.IntN(len(m.changes.Changed))]
			changed.Name = m.text(6)
			start := time.Now()
			x.Apply(benchProject, ports.CatalogChanges{Version: x.Version(benchProject) + 1, Changed: []*catalog.Product{&changed}})
			slowest = max(slowest, time.Since(start))
		}
		b.ReportMetric(float64(slowest.Milliseconds()), "slowest-ms")
	})
}

// BenchmarkReprice changes the price of one product at a time, with its stock, like changes of the catalogue.
func BenchmarkReprice(b *testing.B) {
	eachSize(b, func(b *testing.B, m *benchCatalog, x *search.Index) {
		b.ReportAllocs()
		levels := make(map[id.Product][]catalog.Level)
		for _, l := range m.changes.Levels {
			levels[l.Product] = append(levels[l.Product], l)
		}
		var slowest time.Duration
		for b.Loop() {
			changed := *m.changes.Changed[m.random.IntN(len(m.changes.Changed))]
			changed.Price = money.Of(int64(5_00+m.random.IntN(400_00)), money.USD)
			next := ports.CatalogChanges{
				Version: x.Version(benchProject) + 1,
				Changed: []*catalog.Product{&changed},
				Levels:  levels[changed.ID],
			}
			start := time.Now()
			x.Apply(benchProject, next)
			slowest = max(slowest, time.Since(start))
		}
		b.ReportMetric(float64(slowest.Microseconds())/1000, "slowest-ms")
	})
}

func BenchmarkRestock(b *testing.B) {
	eachSize(b, func(b *testing.B, m *benchCatalog, x *search.Index) {
		totals := map[id.Variant]int{m.changes.Changed[7].Variants[0].ID: 3}
		for b.Loop() {
			x.Restock(benchProject, totals)
		}
	})
}

func BenchmarkComplements(b *testing.B) {
	eachSize(b, func(b *testing.B, m *benchCatalog, x *search.Index) {
		for b.Loop() {
			x.Complements(benchProject, []id.Product{m.changes.Changed[7].ID}, 3)
		}
	})
}
