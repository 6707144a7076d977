package checkout_test

import (
	"testing"

	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/money"
)

func TestUnused(t *testing.T) {
	t.Parallel()
	usd := func(minor int64) money.Amount { return money.Of(minor, money.USD) }
	quote := func(n byte) id.Quote { return id.New[id.Quote]([16]byte{n}) }
	tent, stove := id.New[id.Variant]([16]byte{1}), id.New[id.Variant]([16]byte{2})
	agreed := checkout.Agreement{
		Quote:    quote(1),
		Variant:  tent,
		Quantity: 2,
		Price:    usd(95),
	}
	again := agreed
	again.Quote = quote(2)
	for name, c := range map[string]struct {
		lines []checkout.Line
		want  int
	}{
		"at list price":                 {[]checkout.Line{{Variant: tent, Quantity: 2, Unit: usd(100)}}, 1},
		"at list price, another number": {[]checkout.Line{{Variant: tent, Quantity: 3, Unit: usd(100)}}, 1},
		"under the agreement":           {[]checkout.Line{{Variant: tent, Quantity: 2, Unit: usd(95), Quote: quote(1)}}, 0},
		"under it, and more of it":      {[]checkout.Line{{Variant: tent, Unit: usd(95), Quote: quote(1)}, {Variant: tent, Unit: usd(100), Quote: quote(2)}}, 0},
		"cheaper than agreed by now":    {[]checkout.Line{{Variant: tent, Quantity: 2, Unit: usd(95)}}, 0},
		"something else":                {[]checkout.Line{{Variant: stove, Quantity: 2, Unit: usd(100)}}, 0},
		"in another currency":           {[]checkout.Line{{Variant: tent, Quantity: 2, Unit: money.Of(100, money.Currency{})}}, 0},
	} {
		got := checkout.Unused(c.lines, []checkout.Agreement{agreed, again})
		if len(got) != c.want || c.want == 1 && got[0] != agreed {
			t.Errorf("%s: %+v", name, got)
		}
	}
}
