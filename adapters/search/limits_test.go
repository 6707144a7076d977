package search_test

import (
	"fmt"
	"log/slog"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"

	"github.com/haggle-commerce/haggle/adapters/search"
	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/ports"
)

const megabyte = 1 << 20

// randomWords returns a catalogue in which every word is new, the most expensive kind of text.
func randomWords(project id.Project, products, words int) []*catalog.Product {
	random := rand.New(rand.NewPCG(5, uint64(products)))
	list := make([]*catalog.Product, products)
	for n := range list {
		var b strings.Builder
		for range words {
			for range 7 {
				b.WriteByte(byte('a' + random.IntN(26)))
			}
			b.WriteByte(' ')
		}
		sku := fmt.Sprintf("R%06d", n)
		list[n] = &catalog.Product{
			ID:          id.Stored[id.Product]("prod_" + sku),
			Project:     project,
			SKU:         sku,
			Status:      catalog.Active,
			Name:        "Garden lamp " + sku,
			Description: "waterproof " + b.String(),
			Price:       money.Of(10_00, money.USD),
			Variants:    []catalog.Variant{{ID: id.Stored[id.Variant]("var_" + sku), SKU: sku}},
		}
	}
	return list
}

// heapOf returns the index that make creates, and how much the heap grew.
func heapOf(make func() *search.Index) (*search.Index, int64) {
	before := heap()
	x := make()
	return x, heap() - before
}

func TestBytes_heap(t *testing.T) {
	for name, products := range map[string][]*catalog.Product{
		"a catalogue":  newBenchCatalog(10_000).changes.Changed,
		"random words": randomWords(benchProject, 500, 600),
	} {
		var texts int64
		for _, p := range products {
			texts += int64(len(p.Name) + len(p.Description))
		}
		x, holds := heapOf(func() *search.Index {
			x := search.New(search.Options{})
			x.Apply(benchProject, ports.CatalogChanges{Version: 1, Changed: products})
			settle(t, x)
			return x
		})
		says := x.State(benchProject).Bytes
		t.Logf("%s: %d products: %.1f MB of text; the heap grew by %.1f MB; the index says %.1f MB",
			name, len(products), float64(texts)/megabyte, float64(holds)/megabyte, float64(says)/megabyte)
		if without := says - texts - int64(len(products))*600; holds < without*2/3 || holds > without*3/2 {
			t.Errorf("%s: the heap grew by %d bytes, the index says %d without the products", name, holds, without)
		}
		runtime.KeepAlive(products)
	}
}

// Products whose every word is new stay within the limit, in one batch or in several.
func TestAllowance_randomWords(t *testing.T) {
	const limit = 32 * megabyte
	products := randomWords(benchProject, 2000, 600)
	for _, batches := range []int{1, 8} {
		x, holds := heapOf(func() *search.Index {
			x := search.New(search.Options{Memory: limit, Log: slog.New(slog.DiscardHandler)})
			each := len(products) / batches
			for n := range batches {
				x.Apply(benchProject, ports.CatalogChanges{
					Version: int64(n + 1),
					Since:   int64(n),
					Changed: products[n*each : (n+1)*each],
				})
			}
			settle(t, x)
			return x
		})
		state := x.State(benchProject)
		t.Logf("%d batches: the heap grew by %.1f MB, the index says %.1f MB", batches, float64(holds)/megabyte, float64(state.Bytes)/megabyte)
		if state.Bytes > limit/2*5/4 || holds > limit/2*5/4 {
			t.Errorf("%d batches: the index takes %d MB and says %d MB; it may take %d MB", batches, holds/megabyte, state.Bytes/megabyte, limit/2/megabyte)
		}
		if !state.LeftOut.Spelling || !state.LeftOut.Descriptions || state.Limit != limit/2 {
			t.Errorf("%d batches: the state does not tell what is left out: %+v", batches, state)
		}
		for _, query := range []string{"R001999", "R000000", "garden lamp", "gardn lmap", "waterprof"} {
			found, err := x.Search(ports.NewOutbound(t.Context()), benchProject, catalog.Query{Text: query, Limit: 3})
			if err != nil || found.Total == 0 {
				t.Errorf("%d batches: %q finds %d products, %v", batches, query, found.Total, err)
			}
		}
	}
}
