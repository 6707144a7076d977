package purchase_test

import (
	"slices"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/purchase"
	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/order"
	"github.com/haggle-commerce/haggle/domain/project"
)

func wantAmong(t *testing.T, args []any, want ...string) {
	t.Helper()
	for _, text := range want {
		if !slices.Contains(args, any(text)) {
			t.Errorf("%v\n has no %s", args, text)
		}
	}
}

// Rows that exist have their JSON in this form.
func TestCheckoutRow_format(t *testing.T) {
	t.Parallel()
	usd := func(minor int64) money.Amount { return money.Of(minor, money.USD) }
	account := project.PaymentRoute{Provider: "stripe", Integration: id.Stored[id.Integration]("int_1")}
	wantAmong(t, purchase.CheckoutArgs(checkout.Snapshot{
		Lines: []checkout.Line{
			{Product: id.Stored[id.Product]("prod_1"), Variant: id.Stored[id.Variant]("var_1"), SKU: "S", Name: "N", Label: "L", Quantity: 2, Unit: usd(3), Original: usd(4)},
			{Quote: id.Stored[id.Quote]("quote_1"), Bundled: true},
		},
		Address: checkout.Address{
			Name:       "a",
			Line1:      "b",
			Line2:      "c",
			City:       "d",
			State:      "e",
			PostalCode: "f",
			Country:    "g",
			Phone:      "h",
		},
		Options: []checkout.Option{{ID: "o", Name: "O", Price: usd(5), MinDays: 1, MaxDays: 2}},
		Payment: checkout.Payment{
			Method:    project.SharedPaymentToken,
			Route:     account,
			Client:    "c",
			TokenHash: "t",
			Email:     "e",
			Notes:     "n",
			Option:    "o",
		},
		Unresolved: 6,
		Progress:   "p",
		Problem:    "q",
		Manual:     7,
		Earlier:    []checkout.Attempt{{Number: 1, Amount: usd(8), Route: account}, {Number: 2, Amount: usd(9), Route: project.PaymentRoute{Provider: "sandbox"}}},
	}),
		`[{"product":"prod_1","variant":"var_1","sku":"S","name":"N","label":"L","quantity":2,"unit":3,"original":4},`+
			`{"product":"","variant":"","sku":"","name":"","label":"","quantity":0,"unit":0,"original":0,"quote":"quote_1","bundled":true}]`,
		`{"name":"a","line1":"b","line2":"c","city":"d","state":"e","postal_code":"f","country":"g","phone":"h"}`,
		`[{"id":"o","name":"O","price":5,"min_days":1,"max_days":2}]`,
		`{"method":"psp_spt","provider":"stripe","integration":"int_1","client":"c","token_hash":"t","email":"e","notes":"n","option":"o","unresolved":6,`+
			`"progress":"p","problem":"q","manual":7,"earlier":[{"number":1,"amount":8,"provider":"stripe","integration":"int_1"},{"number":2,"amount":9,"provider":"sandbox"}]}`,
		"[]")
	wantAmong(t, purchase.CheckoutArgs(checkout.Snapshot{}), `{"method":"","token_hash":"","email":"","notes":"","option":""}`)
}

func TestOrderRow_format(t *testing.T) {
	t.Parallel()
	day := func(n int) time.Time { return time.Date(2026, 3, n, 0, 0, 0, 0, time.FixedZone("", 3600)) }
	wantAmong(t, purchase.OrderArgs(order.Order{Fulfillment: order.Fulfillment{
		Status:         order.Shipped,
		ShipsOn:        day(1),
		DeliversFrom:   day(2),
		DeliversBy:     day(3),
		ShippingOption: "o",
		Carrier:        "c",
		TrackingNumber: "n",
		TrackingURL:    "u",
		ShippedAt:      time.UnixMilli(5),
		DeliveredAt:    time.UnixMilli(6),
	}}), `{"ships_on":"2026-03-01T00:00:00+01:00","delivers_from":"2026-03-02T00:00:00+01:00","delivers_by":"2026-03-03T00:00:00+01:00","option":"o",`+
		`"carrier":"c","tracking_number":"n","tracking_url":"u","shipped_at":5,"delivered_at":6}`, "shipped")
	wantAmong(t, purchase.OrderArgs(order.Order{}),
		`{"ships_on":"0001-01-01T00:00:00Z","delivers_from":"0001-01-01T00:00:00Z","delivers_by":"0001-01-01T00:00:00Z","option":""}`)
}

// The amounts of earlier attempts have no currency here.
func TestRouteOf(t *testing.T) {
	t.Parallel()
	account := project.PaymentRoute{Provider: "stripe", Integration: id.Stored[id.Integration]("int_1")}
	for text, want := range map[string]project.PaymentRoute{
		`{"method":"psp_spt","provider":"stripe","integration":"int_1","earlier":[{"number":1,"amount":8,"provider":"paypal"}]}`: account,
		`{"method":"psp_spt","token_hash":"t"}`: {Provider: project.SandboxProvider},
		`{"method":""}`:                         {},
	} {
		if got, err := purchase.RouteOf(text); err != nil || got != want {
			t.Errorf("%s goes to %v, %v, want %v", text, got, err, want)
		}
	}
	for _, text := range []string{"", "{", `{"method":"cash"}`} {
		if got, err := purchase.RouteOf(text); err == nil {
			t.Errorf("%q goes to %v", text, got)
		}
	}
	if err := purchase.PaidFormat.Read(`{"method":"","earlier":[{"number":1,"amount":0}]}`, new(purchase.Paid), money.Currency{}); err == nil {
		t.Error("an attempt's amount is read in no currency")
	}
}
