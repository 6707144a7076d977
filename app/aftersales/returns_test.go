package aftersales_test

import (
	"context"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/app/aftersales"
	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/domain/event"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/order"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/ports"
)

var noon = time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)

// drawer holds one order with its returns, and remembers what was announced.
type drawer struct {
	ports.Orders
	order     *order.Order
	returns   []order.Return
	announced []*event.Event
}

func (d *drawer) RequestReturn(_ context.Context, _ id.Project, of id.Order,
	request func(*order.Order, []order.Return) (*order.Return, *event.Event, error)) (*order.Return, error) {
	if of != d.order.ID {
		return nil, fault.Missing("order")
	}
	r, e, err := request(d.order, d.returns)
	if err == nil {
		d.returns, d.announced = append(d.returns, *r), append(d.announced, e)
	}
	return r, err
}

type system struct{ n byte }

func (*system) Now() time.Time      { return noon }
func (s *system) Bits128() [16]byte { s.n++; return [16]byte{s.n} }
func (*system) Secret(int) string   { return "" }

var (
	tent, jacket = id.New[id.Product]([16]byte{1}), id.New[id.Product]([16]byte{2})
	plain        = id.New[id.Variant]([16]byte{1})
	small, large = id.New[id.Variant]([16]byte{2}), id.New[id.Variant]([16]byte{3})
)

// sold is an order, a day old, of two tents on two lines and a jacket in each of two sizes.
func sold() (*drawer, *aftersales.Service, *project.Project) {
	line := func(p id.Product, v id.Variant, cents int64) checkout.Line {
		return checkout.Line{Product: p, Variant: v, Quantity: 1, Unit: money.Of(cents, money.USD)}
	}
	d := &drawer{order: &order.Order{
		ID: id.New[id.Order]([16]byte{1}), Project: id.New[id.Project]([16]byte{1}), CreatedAt: noon.AddDate(0, 0, -1),
		Lines:    []checkout.Line{line(tent, plain, 90_00), line(tent, plain, 100_00), line(jacket, small, 50_00), line(jacket, large, 60_00)},
		Subtotal: money.Of(300_00, money.USD), Tax: money.Of(30_00, money.USD), Total: money.Of(330_00, money.USD),
	}}
	settings := project.DefaultSettings()
	p := &project.Project{ID: d.order.Project, Settings: settings, Storefront: project.DefaultStorefront(settings)}
	return d, &aftersales.Service{Orders: d, Clock: &system{}, Entropy: &system{}}, p
}

func TestReturnIsAnnounced(t *testing.T) {
	t.Parallel()
	d, service, p := sold()
	r, err := service.RequestReturn(t.Context(), p, d.order.ID, []order.ReturnItem{{Product: tent, Variant: plain, Quantity: 1, Reason: "leaks"}}, "Sorry.")
	if err != nil {
		t.Fatal(err)
	}
	if r.Status != order.Requested || r.Comment != "Sorry." || r.Estimate != money.Of(99_00, money.USD) || r.CreatedAt != noon {
		t.Errorf("%+v", r)
	}
	want := event.ReturnRequested{Return: r.ID, Order: d.order.ID, Estimate: r.Estimate}
	if len(d.announced) != 1 || d.announced[0].Data != want || d.announced[0].Project != p.ID || d.announced[0].At != noon {
		t.Errorf("announced %+v, want %+v", d.announced, want)
	}
}

func TestReturnThatNamesNoVariant(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		product id.Product
		code    string
	}{
		"the only one of the order": {tent, ""},
		"one of two":                {jacket, "validation_error"},
		"not bought":                {id.New[id.Product]([16]byte{9}), "validation_error"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d, service, p := sold()
			asked := []order.ReturnItem{{Product: test.product, Quantity: 1}}
			r, err := service.RequestReturn(t.Context(), p, d.order.ID, asked, "")
			if (test.code != "" || err != nil) && !fault.Is(err, test.code) {
				t.Fatalf("got %v, want %q", err, test.code)
			}
			if err == nil && r.Items[0].Variant != plain {
				t.Errorf("it is about %+v", r.Items)
			}
			if !asked[0].Variant.IsZero() {
				t.Error("the caller's items were changed")
			}
			if len(d.announced) != len(d.returns) || (err != nil && len(d.returns) != 0) {
				t.Errorf("%d returns, %d announced after %v", len(d.returns), len(d.announced), err)
			}
		})
	}
}

func TestReturnOfAnUnknownOrder(t *testing.T) {
	t.Parallel()
	_, service, p := sold()
	_, err := service.RequestReturn(t.Context(), p, id.New[id.Order]([16]byte{9}), nil, "")
	if !fault.Is(err, "order_not_found") {
		t.Errorf("got %v", err)
	}
}

func TestReturnPastTheWindow(t *testing.T) {
	t.Parallel()
	d, service, p := sold()
	d.order.CreatedAt = noon.AddDate(0, 0, -p.Storefront.ReturnWindowDays-1)
	_, err := service.RequestReturn(t.Context(), p, d.order.ID, []order.ReturnItem{{Product: tent, Quantity: 1}}, "")
	if !fault.Is(err, "validation_error") || len(d.announced) != 0 {
		t.Errorf("got %v, announced %d", err, len(d.announced))
	}
}
