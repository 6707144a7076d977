package catalog_test

import (
	"reflect"
	"testing"

	"pgregory.net/rapid"

	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/id"
)

func variant(n byte) id.Variant { return id.New[id.Variant]([16]byte{n}) }

func TestAllocate_examples(t *testing.T) {
	t.Parallel()
	level := func(v byte, location string, quantity int) catalog.Level {
		return catalog.Level{
			Variant:  variant(v),
			Location: location,
			Quantity: quantity,
		}
	}
	levels := []catalog.Level{level(1, "berlin", 2), level(1, "main", 5), level(1, "paris", 5), level(2, "main", 1), level(3, "main", 0)}
	take := func(v byte, location string, quantity int) catalog.Reservation {
		return catalog.Reservation{
			Variant:  variant(v),
			Location: location,
			Quantity: quantity,
		}
	}
	need := func(v byte, quantity int) catalog.Need { return catalog.Need{Variant: variant(v), Quantity: quantity} }
	for name, c := range map[string]struct {
		needs []catalog.Need
		takes []catalog.Reservation
		short []catalog.Need
	}{
		"first that has some":      {[]catalog.Need{need(1, 2)}, []catalog.Reservation{take(1, "berlin", 2)}, nil},
		"first that has it all":    {[]catalog.Need{need(1, 4)}, []catalog.Reservation{take(1, "main", 4)}, nil},
		"from several":             {[]catalog.Need{need(1, 8)}, []catalog.Reservation{take(1, "berlin", 2), take(1, "main", 5), take(1, "paris", 1)}, nil},
		"all there is":             {[]catalog.Need{need(1, 12)}, []catalog.Reservation{take(1, "berlin", 2), take(1, "main", 5), take(1, "paris", 5)}, nil},
		"more than there is":       {[]catalog.Need{need(1, 13)}, nil, []catalog.Need{need(1, 12)}},
		"what is sold out":         {[]catalog.Need{need(3, 1)}, nil, []catalog.Need{need(3, 0)}},
		"what was never there":     {[]catalog.Need{need(9, 1)}, nil, []catalog.Need{need(9, 0)}},
		"one short, one not":       {[]catalog.Need{need(1, 1), need(2, 2)}, []catalog.Reservation{take(1, "berlin", 1)}, []catalog.Need{need(2, 1)}},
		"several, each its pieces": {[]catalog.Need{need(1, 5), need(2, 1)}, []catalog.Reservation{take(1, "main", 5), take(2, "main", 1)}, nil},
	} {
		takes, short := catalog.Allocate(c.needs, levels)
		if !reflect.DeepEqual(takes, c.takes) || !reflect.DeepEqual(short, c.short) {
			t.Errorf("%s: takes %v, short %v; want %v, %v", name, takes, short, c.takes, c.short)
		}
	}
}

// For any needs and levels, Allocate takes what is needed and no more than is in stock.
func TestAllocate_withinStock(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		type place struct {
			variant  id.Variant
			location string
		}
		there, total := map[place]int{}, map[id.Variant]int{}
		var levels []catalog.Level
		var needs []catalog.Need
		for v := range byte(3) {
			for _, location := range []string{"a", "b", "c"} {
				n := rapid.IntRange(0, 6).Draw(t, "stock")
				levels = append(levels, catalog.Level{
					Variant:  variant(v),
					Location: location,
					Quantity: n,
				})
				there[place{variant(v), location}], total[variant(v)] = n, total[variant(v)]+n
			}
			needs = append(needs, catalog.Need{Variant: variant(v), Quantity: rapid.IntRange(1, 20).Draw(t, "need")})
		}
		takes, short := catalog.Allocate(needs, levels)
		taken := map[id.Variant]int{}
		for _, take := range takes {
			if take.Quantity < 1 || take.Quantity > there[place{take.Variant, take.Location}] {
				t.Fatalf("takes %+v", take)
			}
			there[place{take.Variant, take.Location}] -= take.Quantity
			taken[take.Variant] += take.Quantity
		}
		missing := map[id.Variant]int{}
		for _, s := range short {
			missing[s.Variant] = s.Quantity
		}
		for _, n := range needs {
			left, isShort := missing[n.Variant]
			switch {
			case isShort && (left != total[n.Variant] || left >= n.Quantity || taken[n.Variant] != 0):
				t.Fatalf("%+v of %d is said to be short with %d left", n, total[n.Variant], left)
			case !isShort && taken[n.Variant] != n.Quantity:
				t.Fatalf("took %d for %+v", taken[n.Variant], n)
			}
		}
	})
}
