package checkout_test

import (
	"slices"
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

func TestDrops(t *testing.T) {
	t.Parallel()
	deal := id.New[id.Quote]([16]byte{1})
	of := func(number int, variant byte, quote id.Quote) checkout.Line {
		return checkout.Line{
			ID:      number,
			Variant: id.New[id.Variant]([16]byte{variant}),
			Quote:   quote,
		}
	}
	before := []checkout.Line{of(1, 1, id.Quote{}), of(2, 2, deal), of(3, 3, deal)}
	for name, test := range map[string]struct {
		lines []checkout.Line
		want  []checkout.Dropped
	}{
		"all kept":               {[]checkout.Line{of(2, 2, deal), of(9, 3, deal)}, nil},
		"the line at list price": {[]checkout.Line{of(3, 3, deal), of(2, 2, id.Quote{})}, []checkout.Dropped{{Was: before[1], Now: 1}}},
		"another line of it":     {[]checkout.Line{of(3, 3, deal), of(0, 1, id.Quote{}), of(0, 2, id.Quote{})}, []checkout.Dropped{{Was: before[1], Now: 2}}},
		"another variant":        {[]checkout.Line{of(3, 3, deal), of(2, 4, id.Quote{})}, []checkout.Dropped{{Was: before[1], Now: 1}}},
		"the bundle alone":       {[]checkout.Line{of(2, 2, deal), of(3, 3, id.Quote{})}, []checkout.Dropped{{Was: before[2], Now: 1}}},
		"no line of it is left":  {[]checkout.Line{of(1, 1, id.Quote{})}, []checkout.Dropped{{Was: before[1], Now: -1}, {Was: before[2], Now: -1}}},
	} {
		if got := checkout.Drops(before, test.lines); !slices.Equal(got, test.want) {
			t.Errorf("%s: %+v, want %+v", name, got, test.want)
		}
	}
}
