package aftersales_test

import (
	"testing"

	"github.com/haggle-commerce/haggle/domain/event"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/order"
)

func TestRequestReturn(t *testing.T) {
	t.Parallel()
	d, service, p := newFixture()
	r, err := service.RequestReturn(t.Context(), p, d.kept.Order.ID, []order.ReturnItem{{Product: tent, Variant: plain, Quantity: 1, Reason: "leaks"}}, "Sorry.")
	if err != nil {
		t.Fatal(err)
	}
	if r.Status != order.Requested || r.Comment != "Sorry." || r.Estimate != money.Of(99_00, money.USD) || r.CreatedAt != noon {
		t.Errorf("%+v", r)
	}
	want := event.ReturnRequested{
		Return:   r.ID,
		Order:    d.kept.Order.ID,
		Sequence: 1,
		Estimate: r.Estimate,
	}
	if len(d.announced) != 1 || d.announced[0].Data != want || d.announced[0].Project != p.ID || d.announced[0].At != noon {
		t.Errorf("announced %+v, want %+v", d.announced, want)
	}
}

func TestRequestReturn_withoutVariant(t *testing.T) {
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
			d, service, p := newFixture()
			asked := []order.ReturnItem{{Product: test.product, Quantity: 1}}
			r, err := service.RequestReturn(t.Context(), p, d.kept.Order.ID, asked, "")
			if (test.code != "" || err != nil) && !fault.Is(err, test.code) {
				t.Fatalf("got %v, want %q", err, test.code)
			}
			if err == nil && r.Items[0].Variant != plain {
				t.Errorf("it is about %+v", r.Items)
			}
			if !asked[0].Variant.IsZero() {
				t.Error("the caller's items were changed")
			}
			if len(d.announced) != len(d.kept.Returns) || (err != nil && len(d.kept.Returns) != 0) {
				t.Errorf("%d returns, %d announced after %v", len(d.kept.Returns), len(d.announced), err)
			}
		})
	}
}

func TestRequestReturn_unknownOrder(t *testing.T) {
	t.Parallel()
	_, service, p := newFixture()
	_, err := service.RequestReturn(t.Context(), p, id.New[id.Order]([16]byte{9}), nil, "")
	if !fault.Is(err, "order_not_found") {
		t.Errorf("got %v", err)
	}
}

func TestRequestReturn_windowOver(t *testing.T) {
	t.Parallel()
	d, service, p := newFixture()
	d.kept.Order.CreatedAt = noon.AddDate(0, 0, -p.Storefront.ReturnWindowDays-1)
	_, err := service.RequestReturn(t.Context(), p, d.kept.Order.ID, []order.ReturnItem{{Product: tent, Quantity: 1}}, "")
	if !fault.Is(err, "validation_error") || len(d.announced) != 0 {
		t.Errorf("got %v, announced %d", err, len(d.announced))
	}
}
