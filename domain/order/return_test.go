package order_test

import (
	"errors"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/order"
)

var terms = order.Terms{WindowDays: 30, Conditions: "Unused."}

func back(variant id.Variant, quantity int) order.ReturnItem {
	return order.ReturnItem{Product: tent, Variant: variant, Quantity: quantity, Reason: "too small"}
}

func request(o *order.Order, earlier []order.Return, now time.Time, items ...order.ReturnItem) (*order.Return, error) {
	return ask(o, earlier, items, "", now)
}

func ask(o *order.Order, earlier []order.Return, items []order.ReturnItem, comment string, now time.Time) (*order.Return, error) {
	c := &order.Case{Order: o, Returns: slices.Clone(earlier)}
	return c.RequestReturn(id.New[id.Return]([16]byte{9}), items, comment, terms, id.New[id.Event]([16]byte{9}), now)
}

// fields are the fields that a refusal names.
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

func TestReturnOfPartOfAnOrder(t *testing.T) {
	t.Parallel()
	o := place(paid(), time.UTC, placed)
	r, err := ask(o, nil, []order.ReturnItem{back(green, 1)}, "Sorry.", placed)
	if err != nil {
		t.Fatal(err)
	}
	// A tax of 25.74 on 290.00 is 8.432… on 95.00.
	if r.Estimate != cents(9_500+843) || r.Status != order.Requested || r.Order != o.ID || r.Project != o.Project ||
		r.Comment != "Sorry." || !r.CreatedAt.Equal(placed) || !slices.Equal(r.Items, []order.ReturnItem{back(green, 1)}) {
		t.Errorf("%+v", r)
	}
	if !strings.Contains(r.Instructions, "Conditions: Unused.") {
		t.Errorf("instructions %q", r.Instructions)
	}
}

func TestReturnWindowIncludesItsLastMoment(t *testing.T) {
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

func TestReturnRefusalsNameTheirFields(t *testing.T) {
	t.Parallel()
	o := place(paid(), time.UTC, placed)
	before := func(status order.ReturnStatus, quantity int) []order.Return {
		return []order.Return{{Status: status, Items: []order.ReturnItem{back(green, quantity)}}}
	}
	long := back(green, 1)
	long.Reason = strings.Repeat("é", 2001)
	foreign := order.ReturnItem{Product: id.New[id.Product]([16]byte{99}), Variant: green, Quantity: 1}
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

func TestReturnAtItsEdges(t *testing.T) {
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

// However an order is returned in parts, the estimates never come to more than was paid for the goods
// and their tax, and each is at most its exact share.
func TestEstimatesNeverPromiseTooMuch(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		o := place(paid(), time.UTC, placed)
		o.Lines[0].Quantity, o.Lines[1].Quantity = rapid.IntRange(1, 9).Draw(t, "green"), rapid.IntRange(1, 9).Draw(t, "red")
		o.Lines[0].Unit = cents(rapid.Int64Range(1, 99_999).Draw(t, "green price"))
		o.Lines[1].Unit = cents(rapid.Int64Range(1, 99_999).Draw(t, "red price"))
		o.Lines[1].Variant = rapid.SampledFrom([]id.Variant{red, green}).Draw(t, "variants alike")
		goods := o.Lines[0].Unit.Minor()*int64(o.Lines[0].Quantity) + o.Lines[1].Unit.Minor()*int64(o.Lines[1].Quantity)
		o.Subtotal, o.Tax = cents(goods), cents(rapid.Int64Range(0, goods).Draw(t, "tax"))
		var earlier []order.Return
		refunds := int64(0)
		for range 8 {
			item := back(rapid.SampledFrom([]id.Variant{red, green}).Draw(t, "which"), rapid.IntRange(1, 4).Draw(t, "how many"))
			r, err := request(o, earlier, placed, item)
			if err != nil {
				continue
			}
			earlier, refunds = append(earlier, *r), refunds+r.Estimate.Minor()
		}
		if refunds > goods+o.Tax.Minor() {
			t.Fatalf("%d estimated, %d paid", refunds, goods+o.Tax.Minor())
		}
	})
}

func TestReturnOfAFreeOrder(t *testing.T) {
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
