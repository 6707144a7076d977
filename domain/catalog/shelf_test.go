package catalog_test

import (
	"testing"
	"testing/quick"

	"github.com/haggle-commerce/haggle/domain/catalog"
)

func shelf(quantity, held, oversold int) catalog.Shelf {
	return catalog.Shelf{
		Level:    catalog.Level{Quantity: quantity},
		Held:     held,
		Oversold: oversold,
	}
}

func TestShelf(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		got, want catalog.Shelf
		count     int
	}{
		"recounted":                          {shelf(8, 2, 0).Recount(5), shelf(3, 2, 0), 5},
		"recounted below what is held":       {shelf(8, 2, 0).Recount(1), shelf(0, 2, 1), 1},
		"recounted after more was sold":      {shelf(0, 0, 3).Recount(4), shelf(4, 0, 0), 4},
		"shifted":                            {shelf(8, 2, 0).Shift(-3), shelf(5, 2, 0), 7},
		"shifted below what is held":         {shelf(1, 2, 0).Shift(-2), shelf(0, 2, 1), 1},
		"shifted further than there is":      {shelf(1, 2, 0).Shift(-9), shelf(0, 2, 2), 0},
		"shifted up where more was sold":     {shelf(0, 0, 3).Shift(2), shelf(0, 0, 1), -1},
		"shifted down where more was sold":   {shelf(0, 0, 3).Shift(-2), shelf(0, 0, 3), -3},
		"shifted further than a level holds": {shelf(catalog.MaxStock-5, 2, 0).Shift(9), shelf(catalog.MaxStock-2, 2, 0), catalog.MaxStock},
		"put back":                           {shelf(3, 0, 0).PutBack(2), shelf(5, 0, 0), 5},
		"put back where more was sold":       {shelf(0, 0, 3).PutBack(2), shelf(0, 0, 1), -1},
		"put back what makes up for it":      {shelf(0, 0, 3).PutBack(5), shelf(2, 0, 0), 2},
		"put back on a full level":           {shelf(catalog.MaxStock, 0, 0).PutBack(2), shelf(catalog.MaxStock, 0, 0), catalog.MaxStock},
	} {
		if c.got != c.want || c.got.Count() != c.count {
			t.Errorf("%s: %+v, a count of %d", name, c.got, c.got.Count())
		}
	}
}

// After any sequence of changes, an oversold shelf has nothing for sale.
func TestShelf_soldOut(t *testing.T) {
	t.Parallel()
	if err := quick.Check(func(held uint8, steps []int8) bool {
		s := shelf(0, int(held), 0)
		for i, n := range steps {
			switch i % 3 {
			case 0:
				s = s.Recount(max(int(n), 0))
			case 1:
				s = s.Shift(int(n))
			default:
				s = s.PutBack(max(int(n), 0))
			}
			if s.Quantity < 0 || s.Oversold < 0 || s.Quantity > 0 && s.Oversold > 0 {
				return false
			}
		}
		return true
	}, nil); err != nil {
		t.Error(err)
	}
}
