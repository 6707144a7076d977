package checkout_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/project"
)

func cents(n int64) money.Amount { return money.Of(n, money.USD) }

func variant(n byte) id.Variant { return id.New[id.Variant]([16]byte{n}) }

// shop ships to US and DE, taxes New York at 8.875 % and Germany at 19 %.
func shop() *project.Project {
	settings := project.DefaultSettings()
	f := project.DefaultStorefront(settings)
	f.ShippingRegions = []string{"US", "DE"}
	f.TaxRates = []project.TaxRate{{Country: "US", State: "NY", Rate: 8875}, {Country: "DE", Rate: 19_000}}
	return &project.Project{
		ID:         id.New[id.Project]([16]byte{1}),
		Settings:   settings,
		Storefront: f,
	}
}

func newYork() checkout.Address {
	return checkout.Address{
		Name:       "Ada",
		Line1:      "1 Main St",
		City:       "New York",
		State:      "NY",
		PostalCode: "10001",
		Country:    "US",
	}
}

func cart(lines ...checkout.Line) checkout.Cart {
	return checkout.Cart{
		Session: id.New[id.Session]([16]byte{2}),
		Lines:   lines,
		Address: newYork(),
	}
}

func line(v byte, quantity int, unit, original int64) checkout.Line {
	return checkout.Line{
		Variant:  variant(v),
		Quantity: quantity,
		Unit:     cents(unit),
		Original: cents(original),
	}
}

func open(t rapid.TB, p *project.Project, c checkout.Cart) *checkout.Checkout {
	t.Helper()
	got, err := checkout.Open(id.New[id.Checkout]([16]byte{3}), p, c, noon)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func TestOpenByExample(t *testing.T) {
	t.Parallel()
	c := open(t, shop(), cart(line(1, 2, 9_600, 10_000), line(2, 1, 1_950, 1_950)))
	s := c.Snapshot()
	if s.Status != checkout.Ready || !s.ValidUntil.Equal(late) || s.Attempt != 0 || s.Selected != "standard" {
		t.Errorf("opened %+v", s)
	}
	// 8.875 % of 211.50 is 18.770625.
	for name, c := range map[string]struct{ got, want money.Amount }{
		"subtotal": {s.Subtotal, cents(21_150)}, "savings": {s.Savings, cents(800)}, "tax": {s.Tax, cents(1_877)},
		"shipping": {c.Shipping(), cents(599)}, "total": {c.Total(), cents(21_150 + 1_877 + 599)},
	} {
		if c.got != c.want {
			t.Errorf("%s %s, want %s", name, c.got, c.want)
		}
	}
}

func TestTotals(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		p := shop()
		rate := rapid.Int64Range(0, 100_000).Draw(t, "rate")
		p.Storefront.TaxRates = []project.TaxRate{{Country: "US", Rate: project.Rate(rate)}}
		threshold := cents(rapid.Int64Range(0, 1_000_000).Draw(t, "threshold"))
		p.Storefront.FreeShippingThreshold = &threshold
		var lines []checkout.Line
		var subtotal, savings int64
		for range rapid.IntRange(1, checkout.MaxLines).Draw(t, "lines") {
			original := rapid.Int64Range(1, 100_000).Draw(t, "original")
			unit := rapid.Int64Range(1, original).Draw(t, "unit")
			quantity := rapid.IntRange(1, 20).Draw(t, "quantity")
			lines = append(lines, line(rapid.Byte().Draw(t, "variant"), quantity, unit, original))
			subtotal, savings = subtotal+unit*int64(quantity), savings+(original-unit)*int64(quantity)
		}
		tax := (2*subtotal*rate + 100_000) / 200_000 // half up
		shipping := int64(599)
		if subtotal >= threshold.Minor() {
			shipping = 0
		}
		c := open(t, p, cart(lines...))
		s := c.Snapshot()
		if s.Subtotal != cents(subtotal) || s.Savings != cents(savings) || s.Tax != cents(tax) ||
			c.Shipping() != cents(shipping) || c.Total() != cents(subtotal+tax+shipping) {
			t.Fatalf("subtotal %s, savings %s, tax %s, shipping %s, total %s; want %d, %d, %d, %d",
				s.Subtotal, s.Savings, s.Tax, c.Shipping(), c.Total(), subtotal, savings, tax, shipping)
		}
		if express := s.Options[1]; express.ID != "express" || express.Price != cents(1499) {
			t.Fatalf("only standard shipping becomes free, not %+v", express)
		}
	})
}

func TestCheckout_Shipping_freeFromThreshold(t *testing.T) {
	t.Parallel()
	p := shop()
	p.Storefront.FreeShippingThreshold = new(cents(5_000))
	for unit, shipping := range map[int64]int64{4_999: 599, 5_000: 0, 5_001: 0} {
		if got := open(t, p, cart(line(1, 1, unit, unit))).Shipping(); got != cents(shipping) {
			t.Errorf("%d: shipping %s, want %d", unit, got, shipping)
		}
	}
}

func TestOpen_namesRefusedFields(t *testing.T) {
	t.Parallel()
	good := line(1, 1, 100, 100)
	for name, c := range map[string]struct {
		change func(*checkout.Cart)
		fields []string
	}{
		"no lines": {func(c *checkout.Cart) { c.Lines = nil }, []string{"items"}},
		"51 lines": {func(c *checkout.Cart) { c.Lines = slices.Repeat([]checkout.Line{good}, 51) }, []string{"items"}},
		"quantities": {func(c *checkout.Cart) { c.Lines = []checkout.Line{line(1, 0, 1, 1), good, line(1, 1001, 1, 1)} },
			[]string{"items.0.quantity", "items.2.quantity"}},
		"no address": {func(c *checkout.Cart) { c.Address = checkout.Address{} }, []string{"shipping_address.name",
			"shipping_address.line1", "shipping_address.city", "shipping_address.postal_code", "shipping_address.country"}},
		"blank name":        {func(c *checkout.Cart) { c.Address.Name = " \t" }, []string{"shipping_address.name"}},
		"country":           {func(c *checkout.Cart) { c.Address.Country = "FR" }, []string{"shipping_address.country"}},
		"country as spoken": {func(c *checkout.Cart) { c.Address.Country = "us" }, []string{"shipping_address.country"}},
		"too much money":    {func(c *checkout.Cart) { c.Lines = []checkout.Line{line(1, 2, money.Limit/2, money.Limit/2)} }, []string{"items"}},
		"too much with tax": {func(c *checkout.Cart) { c.Lines = []checkout.Line{line(1, 1, money.Limit-1, money.Limit-1)} }, []string{"items"}},
		"too much with shipping": {func(c *checkout.Cart) {
			c.Lines, c.Address.State = []checkout.Line{line(1, 1, money.Limit-2999, money.Limit-2999)}, "NJ"
		}, []string{"items"}},
		"too much saved": {func(c *checkout.Cart) { c.Lines = []checkout.Line{line(1, 2, 1, money.Limit/2+1)} }, []string{"items"}},
		"other money": {func(c *checkout.Cart) {
			c.Lines = []checkout.Line{{Quantity: 1, Unit: money.Of(1, money.Currency{}), Original: money.Of(1, money.Currency{})}}
		}, []string{"items"}},
	} {
		wish := cart(good)
		c.change(&wish)
		opened, err := checkout.Open(id.Checkout{}, shop(), wish, noon)
		var e *fault.Error
		if !errors.As(err, &e) || opened != nil || e.Kind != fault.Invalid {
			t.Errorf("%s: %v", name, err)
			continue
		}
		var fields []string
		for _, d := range e.Details {
			fields = append(fields, d.Field)
		}
		if !slices.Equal(fields, c.fields) {
			t.Errorf("%s: %v, want %v", name, fields, c.fields)
		}
	}
}

// Providers remember an idempotency key for longer than a checkout is valid, so that a repeated charge finds the
// first one.
func TestKeyAge_outlivesCheckout(t *testing.T) {
	t.Parallel()
	if s := open(t, shop(), cart(line(1, 1, 1_000, 1_000))).Snapshot(); s.ValidUntil.Sub(s.CreatedAt) >= checkout.KeyAge {
		t.Errorf("a checkout lasts %s, its keys %s", s.ValidUntil.Sub(s.CreatedAt), checkout.KeyAge)
	}
}

func TestOpenAtTheEdges(t *testing.T) {
	t.Parallel()
	open(t, shop(), cart(slices.Repeat([]checkout.Line{line(1, 1, 100, 100)}, checkout.MaxLines)...))
	open(t, shop(), cart(line(1, checkout.MaxQuantity, 1, 1)))
	wish := cart(line(1, 1, money.Limit-1-2999, money.Limit-1-2999)) // to be shipped overnight, untaxed
	wish.Address.State = "NJ"
	most := open(t, shop(), wish)
	if err := most.Claim(checkout.Payment{Option: "overnight"}, nil, noon); err != nil || most.Total() != cents(money.Limit-1) {
		t.Errorf("total %s (%v)", most.Total(), err)
	}
}

func TestOpen_taxOfDestination(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		country, state string
		unit, tax      int64
	}{
		{"US", "NY", 1_000, 89}, {"US", "NJ", 1_000, 0}, {"US", "", 1_000, 0}, {"DE", "", 1_000, 190}, {"DE", "NY", 1_000, 190},
		{"DE", "", 50, 10}, {"DE", "", 47, 9}, {"DE", "", 100, 19}, // 9.5 goes up, 8.93 up, 19 stays
	} {
		wish := cart(line(1, 1, c.unit, c.unit))
		wish.Address.Country, wish.Address.State = c.country, c.state
		if got := open(t, shop(), wish).Snapshot().Tax; got != cents(c.tax) {
			t.Errorf("%s/%s: %s on %d, want %d", c.country, c.state, got, c.unit, c.tax)
		}
	}
}

func TestNeeds_addsUpVariants(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var lines []checkout.Line
		want := map[id.Variant]int{}
		for range rapid.IntRange(1, 30).Draw(t, "lines") {
			l := line(rapid.ByteRange(1, 8).Draw(t, "variant"), rapid.IntRange(1, 9).Draw(t, "quantity"), 1, 1)
			lines, want[l.Variant] = append(lines, l), want[l.Variant]+l.Quantity
		}
		needs := open(t, shop(), cart(lines...)).Needs()
		ascending := slices.IsSortedFunc(needs, func(a, b catalog.Need) int {
			return strings.Compare(a.Variant.String(), b.Variant.String())
		})
		if len(needs) != len(want) || !ascending {
			t.Fatalf("needs %v of %v", needs, want)
		}
		for _, n := range needs {
			if n.Quantity != want[n.Variant] {
				t.Fatalf("needs %d of %s, want %d", n.Quantity, n.Variant, want[n.Variant])
			}
		}
	})
}
