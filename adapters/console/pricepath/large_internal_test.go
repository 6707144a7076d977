package pricepath

import (
	"strings"
	"testing"

	"github.com/haggle-commerce/haggle/domain/money"
)

// The right margin has room for the widest label, within limits.
func TestChart_layOut(t *testing.T) {
	t.Parallel()
	list := Number("100.00")
	steps := []Decision{{
		Seq:      1,
		Quantity: 1,
		Answer:   Answer{Response: "quote", Price: &list},
		Bounds:   Bounds{List: list},
	}}
	medium := strings.Repeat("8", 15)
	for amount, want := range map[string]int{
		"$1":                    1020,
		medium:                  width("List "+medium, true),
		strings.Repeat("8", 40): 2200,
	} {
		p, err := New(steps, Options{Currency: money.USD, Format: Format{Money: func(money.Amount) string { return amount }}})
		if err != nil {
			t.Fatal(err)
		}
		c := &chart{
			Path:  p,
			frame: wideFrame,
			cols:  p.columns(),
		}
		c.scale = p.newScale(c.cols, c.top, c.bottom)
		c.layOut()
		if got := c.width - c.margin; got != want || c.x1 >= c.right || c.right >= c.margin {
			t.Errorf("%q: margin %d, want %d; last column %d, plot to %d", amount, got, want, c.x1, c.right)
		}
	}
}
