package order_test

import (
	"errors"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/order"
)

var terms = order.Terms{WindowDays: 30, Conditions: "Unused."}

func back(variant id.Variant, quantity int) order.ReturnItem {
	return order.ReturnItem{
		Product:  tent,
		Variant:  variant,
		Quantity: quantity,
		Reason:   "too small",
	}
}

func request(o *order.Order, earlier []order.Return, now time.Time, items ...order.ReturnItem) (*order.Return, error) {
	return ask(o, earlier, items, "", now)
}

func ask(o *order.Order, earlier []order.Return, items []order.ReturnItem, comment string, now time.Time) (*order.Return, error) {
	c := &order.Case{Order: o, Returns: slices.Clone(earlier)}
	return c.RequestReturn(id.New[id.Return]([16]byte{9}), items, comment, terms, id.New[id.Event]([16]byte{9}), now)
}

// fields returns the fields that an error names.
func fields(err error) []string {
	var e *fault.Error
	if !errors.As(err, &e) || e.Kind != fault.Invalid {
		return nil
	}
	var names []string
	for _, d := range e.Details {
		names = append(names, d.Field)
	}
	return names
}

func TestCase_RequestReturn_part(t *testing.T) {
	t.Parallel()
	o := place(paid(), time.UTC, placed)
	r, err := ask(o, nil, []order.ReturnItem{back(green, 1)}, "Sorry.", placed)
	if err != nil {
		t.Fatal(err)
	}
	// The tax of 25.74 on 290.00 gives 8.432… on 95.00.
	if r.Estimate != cents(9_500+843) || r.Status != order.Requested || r.Order != o.ID || r.Project != o.Project ||
		r.Comment != "Sorry." || !r.CreatedAt.Equal(placed) || !slices.Equal(r.Items, []order.ReturnItem{back(green, 1)}) {
		t.Errorf("%+v", r)
	}
	if !strings.Contains(r.Instructions, "Conditions: Unused.") {
		t.Errorf("instructions %q", r.Instructions)
	}
}

func TestCase_RequestReturn_windowEnd(t *testing.T) {
	t.Parallel()
	o := place(paid(), time.UTC, placed)
	end := placed.AddDate(0, 0, 30)
	if _, err := request(o, nil, end, back(red, 1)); err != nil {
		t.Errorf("in the last moment: %v", err)
	}
	if _, err := request(o, nil, end.Add(1), back(red, 1)); !slices.Equal(fields(err), []string{"order_id"}) {
		t.Errorf("after the window: %v", err)
	}
}

func TestCase_RequestReturn_refusedFields(t *testing.T) {
	t.Parallel()
	o := place(paid(), time.UTC, placed)
	before := func(status order.ReturnStatus, quantity int) []order.Return {
		return []order.Return{{Status: status, Items: []order.ReturnItem{back(green, quantity)}}}
	}
	long := back(green, 1)
	long.Reason = strings.Repeat("é", 2001)
	foreign := order.ReturnItem{
		Product:  id.New[id.Product]([16]byte{99}),
		Variant:  green,
		Quantity: 1,
	}
	for name, c := range map[string]struct {
		items   []order.ReturnItem
		earlier []order.Return
		want    []string
	}{
		"nothing":                   {nil, nil, []string{"items"}},
		"51 items":                  {slices.Repeat([]order.ReturnItem{back(green, 0)}, 51), nil, append([]string{"items"}, quantities(51)...)},
		"all of it":                 {[]order.ReturnItem{back(green, 2), back(red, 1)}, nil, nil},
		"more than bought":          {[]order.ReturnItem{back(green, 3)}, nil, []string{"items.0.quantity"}},
		"more than bought in parts": {[]order.ReturnItem{back(green, 1), back(green, 1), back(green, 1)}, nil, []string{"items.2.quantity"}},
		"nothing of something":      {[]order.ReturnItem{back(green, 0), back(red, -1)}, nil, []string{"items.0.quantity", "items.1.quantity"}},
		"the rest":                  {[]order.ReturnItem{back(green, 1)}, before(order.Requested, 1), nil},
		"what is on its way":        {[]order.ReturnItem{back(green, 2)}, before(order.Requested, 1), []string{"items.0.quantity"}},
		"what came back":            {[]order.ReturnItem{back(green, 1)}, before(order.Approved, 2), []string{"items.0.quantity"}},
		"what was refused":          {[]order.ReturnItem{back(green, 2)}, before(order.Rejected, 2), nil},
		"another shop's":            {[]order.ReturnItem{foreign}, nil, []string{"items.0.product_id"}},
		"a long reason":             {[]order.ReturnItem{long}, nil, []string{"items.0.reason"}},
	} {
		r, err := request(o, c.earlier, placed, c.items...)
		if got := fields(err); !slices.Equal(got, c.want) || (r == nil) != (len(c.want) > 0) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
	_, err := ask(o, nil, []order.ReturnItem{back(red, 1)}, strings.Repeat("x", 2001), placed)
	if !slices.Equal(fields(err), []string{"comment"}) {
		t.Errorf("a long comment: %v", err)
	}
}

func TestCase_RequestReturn_limits(t *testing.T) {
	t.Parallel()
	o := place(paid(), time.UTC, placed)
	o.Lines[0].Quantity = 50
	items := slices.Repeat([]order.ReturnItem{back(green, 1)}, 50)
	items[0].Reason = strings.Repeat("é", 2000)
	if _, err := ask(o, nil, items, strings.Repeat("é", 2000), placed); err != nil {
		t.Error(err)
	}
}

func quantities(n int) (names []string) {
	for i := range n {
		names = append(names, "items."+strconv.Itoa(i)+".quantity")
	}
	return names
}

// drawOrder draws an order of some lines. Several lines may be of one variant at different prices, and two may be a
// bundle.
func drawOrder(t *rapid.T) *order.Order {
	o := place(paid(), time.UTC, placed)
	o.Lines = nil
	goods := int64(0)
	for range rapid.IntRange(1, 4).Draw(t, "lines") {
		unit := rapid.Int64Range(0, 99_999).Draw(t, "price")
		o.Lines = append(o.Lines, checkout.Line{
			Product:  tent,
			Variant:  rapid.SampledFrom([]id.Variant{red, green}).Draw(t, "variant"),
			Unit:     cents(unit),
			Original: cents(unit),
			Quantity: rapid.IntRange(1, 4).Draw(t, "pieces"),
		})
	}
	if len(o.Lines) > 1 && rapid.Bool().Draw(t, "bundle") {
		quote := id.New[id.Quote]([16]byte{7})
		second := &o.Lines[1]
		o.Lines[0].Quote, second.Quote, second.Quantity = quote, quote, 1
		second.Bundled = rapid.Bool().Draw(t, "the order says which is the second")
		second.Original = cents(second.Unit.Minor() + rapid.Int64Range(0, 50_000).Draw(t, "saving"))
	}
	for _, l := range o.Lines {
		goods += l.Unit.Minor() * int64(l.Quantity)
	}
	o.Subtotal, o.Tax = cents(goods), cents(rapid.Int64Range(0, goods).Draw(t, "tax"))
	return o
}

// However an order is returned in parts, and whatever is rejected in between: the estimates never exceed what was
// paid for the goods and their tax, and they equal it once everything is returned.
func TestCase_RequestReturn_estimates(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		o := drawOrder(t)
		all := o.Subtotal.Minor() + o.Tax.Minor()
		c := &order.Case{Order: o}
		sum := func() (total int64, pieces int) {
			for _, r := range c.Returns {
				if r.Status == order.Rejected {
					continue
				}
				total += r.Estimate.Minor()
				for _, item := range r.Items {
					pieces += item.Quantity
				}
			}
			return total, pieces
		}
		bought := 0
		for _, l := range o.Lines {
			bought += l.Quantity
		}
		for n := byte(1); n < 200; n++ {
			total, returned := sum()
			if total > all {
				t.Fatalf("%d estimated, %d paid", total, all)
			}
			if returned == bought {
				if total != all {
					t.Fatalf("everything is returned: %d estimated, %d paid", total, all)
				}
				return
			}
			item := back(rapid.SampledFrom([]id.Variant{red, green}).Draw(t, "which"), rapid.IntRange(1, 4).Draw(t, "how many"))
			_, _ = c.RequestReturn(returnID(n), []order.ReturnItem{item}, "", terms, id.Event{}, placed)
			if len(c.Returns) == 0 || n > 60 {
				continue
			}
			some := c.Returns[rapid.IntRange(0, len(c.Returns)-1).Draw(t, "decided")]
			switch rapid.IntRange(0, 5).Draw(t, "decision") {
			case 0:
				_ = c.RejectReturn(some.ID, "", id.Event{}, placed)
			case 1:
				if some.Status == order.Requested {
					c.FindReturn(some.ID).Status = order.Approved
				}
			}
		}
	})
}

// 1 tent haggled down to 124.32, and 2 at 129.99: 384.30 were paid, and 40.35 of tax.
func twoPrices() *order.Order {
	o := place(paid(), time.UTC, placed)
	line := func(quantity int, unit int64) checkout.Line {
		return checkout.Line{
			Product:  tent,
			Variant:  green,
			Quantity: quantity,
			Unit:     cents(unit),
			Original: cents(129_99),
		}
	}
	o.Lines = []checkout.Line{line(2, 129_99), line(1, 124_32)}
	o.Subtotal, o.Tax = cents(384_30), cents(40_35)
	return o
}

func TestReturn_ofSeveralPricesPaysTheWhole(t *testing.T) {
	t.Parallel()
	whole, err := request(twoPrices(), nil, placed, back(green, 3))
	if err != nil || whole.Estimate != cents(424_65) {
		t.Fatalf("all at once: %v, %v", whole, err)
	}
	c := &order.Case{Order: twoPrices()}
	var got []string
	for n := range byte(3) {
		r, err := c.RequestReturn(returnID(n), []order.ReturnItem{back(green, 1)}, "", terms, id.Event{}, placed)
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, r.Estimate.String())
	}
	// The cheapest goes first. 124.32 has a tax of 13.0533…, 254.31 of 26.7022…; the last gets the rest.
	if want := []string{"137.37", "143.64", "143.64"}; !slices.Equal(got, want) {
		t.Errorf("one by one: %v, want %v", got, want)
	}
}

// Returns of earlier releases have no allocation.
func TestReturn_afterOneWithoutAllocation(t *testing.T) {
	t.Parallel()
	old := order.Return{
		Status:   order.Approved,
		Items:    []order.ReturnItem{back(green, 1)},
		Estimate: cents(137_36),
	}
	r, err := request(twoPrices(), []order.Return{old}, placed, back(green, 2))
	if err != nil || r.Estimate != cents(424_65-137_36) || !slices.Equal(r.Allocation, []order.Allocation{{Line: 0, Quantity: 2}}) {
		t.Errorf("%+v, %v", r, err)
	}
}

// The red tent was sold for 60.00 instead of 100.00 because of the green one.
func TestReturn_ofABundle(t *testing.T) {
	t.Parallel()
	bundled := func() *order.Case {
		o := place(paid(), time.UTC, placed)
		quote := id.New[id.Quote]([16]byte{7})
		o.Lines = []checkout.Line{
			{Product: tent, Variant: red, Quantity: 1, Unit: cents(60_00), Original: cents(100_00), Quote: quote, Bundled: true},
			{Product: tent, Variant: green, Quantity: 1, Unit: cents(90_00), Original: cents(95_00), Quote: quote},
		}
		o.Subtotal, o.Tax = cents(150_00), cents(15_00)
		return &order.Case{Order: o}
	}
	for name, test := range map[string]struct {
		first, then id.Variant
		want        [2]int64
	}{
		"the first item takes the discount with it": {green, red, [2]int64{55_00, 110_00}},
		"the second item is worth what was paid":    {red, green, [2]int64{66_00, 99_00}},
	} {
		c := bundled()
		for i, variant := range []id.Variant{test.first, test.then} {
			r, err := c.RequestReturn(returnID(byte(i)), []order.ReturnItem{back(variant, 1)}, "", terms, id.Event{}, placed)
			if err != nil || r.Estimate != cents(test.want[i]) {
				t.Errorf("%s: return %d is worth %v (%v), want %d", name, i, r, err, test.want[i])
			}
		}
	}
	c := bundled()
	_, _ = c.RequestReturn(returnID(1), []order.ReturnItem{back(green, 1)}, "", terms, id.Event{}, placed)
	_, _ = c.RequestReturn(returnID(2), []order.ReturnItem{back(red, 1)}, "", terms, id.Event{}, placed)
	if err := c.RejectReturn(returnID(1), "", id.Event{}, placed); err != nil || c.Returns[1].Estimate != cents(66_00) {
		t.Errorf("with the first item's return rejected, the second is worth %s (%v)", c.Returns[1].Estimate, err)
	}
}

func TestCase_RequestReturn_freeOrder(t *testing.T) {
	t.Parallel()
	o := place(paid(), time.UTC, placed)
	o.Subtotal, o.Tax = money.Zero(money.USD), money.Zero(money.USD)
	o.Lines[1].Unit = money.Zero(money.USD)
	if r, err := request(o, nil, placed, back(red, 1)); err != nil || !r.Estimate.IsZero() {
		t.Errorf("%+v, %v", r, err)
	}
}

func TestStatusNames(t *testing.T) {
	t.Parallel()
	for name, status := range order.ReturnStatuses {
		if status.String() != name {
			t.Errorf("%s is called %s", status, name)
		}
	}
	if order.Confirmed.String() != "confirmed" || order.Succeeded.String() != "succeeded" || order.FulfillmentProcessing.String() != "processing" {
		t.Error("a status of the contract has another name (spec 3)")
	}
}

// A shop without a return window accepts no returns, not even at the time of the order.
func TestRequestReturn_noWindow(t *testing.T) {
	t.Parallel()
	c := &order.Case{Order: place(paid(), time.UTC, placed)}
	_, err := c.RequestReturn(id.New[id.Return]([16]byte{9}), []order.ReturnItem{back(red, 1)}, "", order.Terms{}, id.New[id.Event]([16]byte{9}), placed)
	if !slices.Equal(fields(err), []string{"order_id"}) {
		t.Errorf("in the moment of the order: %v", err)
	}
}
