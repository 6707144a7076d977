package search

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/ports"
)

// change changes a few products in various ways, and applies the changes to indexes of the shop.
func (b *randomShop) change(version int64, replicas ...*Index) {
	c := ports.CatalogChanges{Since: version - 1, Version: version}
	for range 1 + b.random.IntN(5) {
		at := b.random.IntN(len(b.products))
		p := *b.products[at]
		switch b.random.IntN(6) {
		case 0:
			b.products = slices.Delete(b.products, at, at+1)
			c.Removed = append(c.Removed, p.ID)
			c.Changed = slices.DeleteFunc(c.Changed, func(q *catalog.Product) bool { return q.ID == p.ID })
			continue
		case 1:
			fresh := b.product()
			b.products = append(b.products, fresh)
			c.Changed = append(c.Changed, fresh)
			continue
		case 2, 3:
			p.Price = money.Of(int64(1+b.random.IntN(50))*1_00, money.USD)
		case 4:
			p.Name = b.pick("zelko", "brimba zelko") + " " + b.pick("kanti", "molu", "zelko zelko")
		default:
			b.stock[p.Variants[0].ID] = b.random.IntN(2)
			for _, x := range replicas {
				x.Restock(liveProject, map[id.Variant]int{p.Variants[0].ID: b.stock[p.Variants[0].ID]})
			}
			continue
		}
		b.products[at] = &p
		c.Changed = append(slices.DeleteFunc(c.Changed, func(q *catalog.Product) bool { return q.ID == p.ID }), &p)
	}
	c.Levels = b.levels(c.Changed)
	for _, x := range replicas {
		x.Apply(liveProject, c)
	}
	if b.random.IntN(3) == 0 {
		b.sold[b.products[0].ID] = 1 + b.random.IntN(9)
		for _, x := range replicas {
			x.Learn(liveProject, ports.Sales{Sold: b.sold})
		}
	}
}

// matches returns the ids of the products that match now.
func (b *randomShop) matches(q catalog.Query) map[id.Product]bool {
	all := map[id.Product]bool{}
	for _, p := range b.naiveMatches(q) {
		all[p.ID] = true
	}
	return all
}

// TestWalk_changingCatalogue goes through all pages of results, using one of two replicas and sometimes a new one, while products
// are added and removed and change their price, text and stock. No product is shown twice, and every product that matches all
// the time is shown.
func TestWalk_changingCatalogue(t *testing.T) {
	t.Parallel()
	pages := 0
	for seed := range uint64(300) {
		b := newRandomShop(1000+seed, 120)
		one, other := b.index(), b.index()
		q := b.query()
		q.Limit = 1 + b.random.IntN(15)
		always, shown := b.matches(q), map[id.Product]int{}
		for version := int64(2); ; version++ {
			x := []*Index{one, other}[b.random.IntN(2)]
			if b.random.IntN(5) == 0 {
				x = b.index()
			}
			found, err := x.Search(ports.NewOutbound(t.Context()), liveProject, q)
			if err != nil {
				t.Fatal(err)
			}
			pages++
			for _, hit := range found.Hits {
				shown[hit.Product.ID]++
				if shown[hit.Product.ID] > 1 {
					t.Fatalf("seed %d, %+v: %s is shown twice", seed, q, hit.Product.ID)
				}
			}
			if len(found.Hits) > q.Limit {
				t.Fatalf("%d hits, limit %d", len(found.Hits), q.Limit)
			}
			if found.Next == nil {
				break
			}
			if q.After, err = catalog.ParsePlace(found.Next.Bytes()); err != nil {
				t.Fatal(err)
			}
			b.change(version, one, other)
			now := b.matches(q)
			maps.DeleteFunc(always, func(p id.Product, _ bool) bool { return !now[p] })
		}
		for p := range always {
			if shown[p] != 1 {
				t.Fatalf("seed %d, %+v: %s matched all the time and was not shown; %d were", seed, q, p, len(shown))
			}
		}
	}
	if pages < 1000 {
		t.Errorf("only %d pages", pages)
	}
}

// Pages of an unchanged catalogue form one list.
func TestWalk_stillCatalogue(t *testing.T) {
	t.Parallel()
	for seed := range uint64(60) {
		b := newRandomShop(5000+seed, 90)
		x := b.index()
		q := b.query()
		want := namesAndScores(t, x, q)
		q.Limit = 1 + b.random.IntN(20)
		var got []string
		for {
			found, err := x.Search(ports.NewOutbound(t.Context()), liveProject, q)
			if err != nil {
				t.Fatal(err)
			}
			for _, hit := range found.Hits {
				got = append(got, fmt.Sprint(hit.Product.ID, hit.Score, hit.Reasons))
			}
			if q.After = found.Next; q.After == nil {
				break
			}
		}
		if !slices.Equal(got, want) {
			t.Fatalf("seed %d, %+v\n pages %v\nat once %v", seed, q, got, want)
		}
	}
}

func namesAndScores(t *testing.T, x *Index, q catalog.Query) (all []string) {
	t.Helper()
	found, err := x.Search(ports.NewOutbound(t.Context()), liveProject, q)
	if err != nil {
		t.Fatal(err)
	}
	for _, hit := range found.Hits {
		all = append(all, fmt.Sprint(hit.Product.ID, hit.Score, hit.Reasons))
	}
	if found.Next != nil {
		t.Fatalf("%d of %d", len(found.Hits), found.Total)
	}
	return all
}

// TestWalk_long goes through more products than a place can remember, in every order, with an index that has learned vectors.
func TestWalk_long(t *testing.T) {
	t.Parallel()
	b := newRandomShop(7, catalog.MostShown+700)
	x := New(Options{})
	x.Apply(liveProject, ports.CatalogChanges{
		Version: 1,
		Changed: b.products,
		Levels:  b.levels(b.products),
	})
	x.Learn(liveProject, ports.Sales{Sold: b.sold})
	if err := x.Settle(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, order := range catalog.Sorts {
		for _, text := range []string{"", "zelko brimba dorvu"} {
			q := catalog.Query{
				Text:  text,
				Sort:  order,
				Limit: 100,
			}
			shown, before := map[id.Product]bool{}, []*catalog.Product{}
			total, longest := 0, 0
			for {
				found, err := x.Search(ports.NewOutbound(t.Context()), liveProject, q)
				if err != nil {
					t.Fatal(err)
				}
				for _, hit := range found.Hits {
					shown[hit.Product.ID] = true
					before = append(before, hit.Product)
				}
				total = found.Total
				if q.After = found.Next; q.After == nil {
					break
				}
				longest = max(longest, len(q.After.Bytes()))
			}
			if len(before) != total || len(shown) != total || total < catalog.MostShown {
				t.Errorf("%s, %q: %d results, %d different ones, total %d", order, text, len(before), len(shown), total)
			}
			sorted := slices.Clone(before)
			if b.naiveOrder(sorted, order); order != catalog.Relevance && !slices.Equal(sorted, before) {
				t.Errorf("%s, %q: out of order", order, text)
			}
			if longest > 24_000 || order == catalog.Newest && longest > 100 {
				t.Errorf("%s: a place of %d bytes", order, longest)
			}
		}
	}
}
