package search_test

import (
	"slices"
	"testing"

	"github.com/haggle-commerce/haggle/adapters/search"
	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/ports"
)

// Pages of an index with learned vectors form one list, in the order of a single answer.
func TestWalk_learned(t *testing.T) {
	t.Parallel()
	m := newBenchCatalog(400)
	x := search.New(search.Options{})
	x.Apply(benchProject, m.changes)
	settle(t, x)
	long := 0
	for i := range 90 {
		q := catalog.Query{Text: m.text(1 + i%3), Limit: 100}
		all, err := x.Search(ports.NewOutbound(t.Context()), benchProject, q)
		if err != nil {
			t.Fatal(err)
		}
		var got []id.Product
		seen := map[id.Product]bool{}
		for q.Limit = 7; ; {
			page, err := x.Search(ports.NewOutbound(t.Context()), benchProject, q)
			if err != nil {
				t.Fatal(err)
			}
			if page.Total != all.Total {
				t.Fatalf("%q: %d results, then %d", q.Text, all.Total, page.Total)
			}
			for _, hit := range page.Hits {
				if seen[hit.Product.ID] {
					t.Fatalf("%q shows %s twice", q.Text, hit.Product.ID)
				}
				seen[hit.Product.ID] = true
				got = append(got, hit.Product.ID)
			}
			if q.After = page.Next; q.After == nil {
				break
			}
		}
		var want []id.Product
		for _, hit := range all.Hits {
			want = append(want, hit.Product.ID)
		}
		if len(got) != all.Total || !slices.Equal(got[:len(want)], want) {
			t.Errorf("%q: %d of %d\n pages %v\nat once %v", q.Text, len(got), all.Total, got[:min(len(got), len(want))], want)
		}
		long += all.Total / 200
	}
	if long == 0 {
		t.Error("no search has more than one block")
	}
}
