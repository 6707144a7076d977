package porttest

import (
	"cmp"
	"slices"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/ports"
)

// most is more than lists of a test have.
const most = 1000

// Keyset is a list that is paged by key. It has at least four items.
type Keyset[T any] struct {
	List  func(ports.Page) ([]T, int, error)
	Place func(T) ports.Place
	// Add adds an item, wherever in the list.
	Add func()
}

// Test reads the list by pages of several sizes, both ways, while items are added.
func (k Keyset[T]) Test(t testing.TB) {
	t.Helper()
	k.order(t)
	for _, oldest := range []bool{false, true} {
		for limit := 1; limit <= 3; limit++ {
			known := k.places(t, ports.Page{Limit: most, Oldest: oldest})
			forth := k.walk(t, ports.Page{Limit: limit, Oldest: oldest}, k.Add)
			k.whole(t, forth, known, oldest)

			beyond := forth[len(forth)-1]
			beyond.At = beyond.At.Add(time.Hour)
			if !oldest {
				beyond.At = beyond.At.Add(-2 * time.Hour)
			}
			known = k.places(t, ports.Page{Limit: most, Oldest: oldest})
			back := k.walk(t, ports.Page{
				Limit:  limit,
				Oldest: oldest,
				Before: &beyond,
			}, k.Add)
			k.whole(t, back, known, oldest)
		}
	}
	k.counted(t)
}

func (k Keyset[T]) places(t testing.TB, page ports.Page) []ports.Place {
	t.Helper()
	list, _, err := k.List(page)
	if err != nil {
		t.Fatal(err)
	}
	places := make([]ports.Place, len(list))
	for i := range list {
		places[i] = k.Place(list[i])
	}
	return places
}

func comparePlaces(a, b ports.Place) int { return cmp.Or(b.At.Compare(a.At), cmp.Compare(b.ID, a.ID)) }

// order is the same by offset: time, the newest first, then id.
func (k Keyset[T]) order(t testing.TB) {
	t.Helper()
	all := k.places(t, ports.Page{Limit: most})
	if len(all) < 4 || !slices.IsSortedFunc(all, comparePlaces) {
		t.Fatalf("the list is %v", all)
	}
	slices.Reverse(all)
	Same(t, "the oldest first", k.places(t, ports.Page{Limit: most, Oldest: true}), all)
	middle := all[1]
	middle.ID += "~" // where nothing is
	Same(t, "after a place without an item", k.places(t, ports.Page{Limit: 1, After: &middle}), all[1:2])
	Same(t, "before a place without an item", k.places(t, ports.Page{Limit: 1, Before: &middle}), all[2:3])
}

// walk reads page by page, and calls then after each but the last. The places are in the order of the list.
func (k Keyset[T]) walk(t testing.TB, page ports.Page, then func()) (walked []ports.Place) {
	t.Helper()
	for {
		part := k.places(t, page)
		if page.Before != nil {
			walked = append(part, walked...)
		} else {
			walked = append(walked, part...)
		}
		if len(part) < page.Limit {
			return walked
		}
		if len(walked) > most {
			t.Fatalf("the list does not end: after %v comes %v", walked[len(walked)-4:], part)
		}
		if page.Before != nil {
			page.Before = &part[0]
		} else {
			page.After = &part[len(part)-1]
		}
		if len(walked) <= 2*page.Limit { // so that the end is met
			then()
		}
	}
}

// whole expects all known places, each place once, in order.
func (k Keyset[T]) whole(t testing.TB, walked, known []ports.Place, oldest bool) {
	t.Helper()
	inOrder := func(a, b ports.Place) int {
		if oldest {
			return comparePlaces(b, a)
		}
		return comparePlaces(a, b)
	}
	if !slices.IsSortedFunc(walked, inOrder) || len(slices.Compact(slices.Clone(walked))) != len(walked) {
		t.Errorf("out of order, or twice: %v", walked)
	}
	for _, p := range known {
		if !slices.Contains(walked, p) {
			t.Errorf("%v is left out of %v", p, walked)
		}
	}
}

func (k Keyset[T]) counted(t testing.TB) {
	t.Helper()
	all := k.places(t, ports.Page{Limit: most})
	for name, c := range map[string]struct {
		page ports.Page
		want int
	}{
		"all":           {ports.Page{}, len(all)},
		"as many":       {ports.Page{CountTo: len(all)}, len(all)},
		"fewer":         {ports.Page{CountTo: 3}, 3},
		"after a place": {ports.Page{After: &all[0]}, 0},
		"before one":    {ports.Page{Before: &all[1], CountTo: 3}, 0},
	} {
		c.page.Limit = 1
		_, total, err := k.List(c.page)
		if err != nil {
			t.Fatal(err)
		}
		if c.page.CountTo > 0 {
			total = min(total, c.page.CountTo)
		}
		Same(t, "number of "+name, total, c.want)
	}
}
