package order_test

import (
	"reflect"
	"regexp"
	"testing"
	"time"
	_ "time/tzdata" // the zones below, wherever the tests run

	"pgregory.net/rapid"

	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/domain/event"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/order"
	"github.com/haggle-commerce/haggle/domain/project"
)

var (
	tent   = id.New[id.Product]([16]byte{1})
	green  = id.New[id.Variant]([16]byte{2})
	red    = id.New[id.Variant]([16]byte{3})
	placed = time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC) // a Monday
)

func cents(n int64) money.Amount { return money.Of(n, money.USD) }

// paid returns a completed checkout: two green tents at 95.00 and one red at list price, taxed 8.875 %.
func paid() *checkout.Checkout {
	return checkout.Rehydrate(checkout.Snapshot{
		ID:      id.New[id.Checkout]([16]byte{4}),
		Project: id.New[id.Project]([16]byte{5}),
		Session: id.New[id.Session]([16]byte{6}),
		Status:  checkout.Completed,
		Attempt: 1,
		Lines: []checkout.Line{
			{Product: tent, Variant: green, SKU: "T-G", Name: "Tent", Quantity: 2, Unit: cents(9_500), Original: cents(10_000)},
			{Product: tent, Variant: red, SKU: "T-R", Name: "Tent", Quantity: 1, Unit: cents(10_000), Original: cents(10_000)},
		},
		Address: checkout.Address{Name: "Ada", Country: "US"},
		Options: []checkout.Option{
			{ID: "standard", Price: cents(599), MinDays: 3, MaxDays: 5}, {ID: "express", Price: cents(1_499), MinDays: 2, MaxDays: 2},
			{ID: "pickup", Price: cents(0)},
		},
		Selected: "standard",
		Subtotal: cents(29_000),
		Tax:      cents(2_574),
		Savings:  cents(1_000),
		Payment: checkout.Payment{
			Method:    project.SharedPaymentToken,
			Route:     project.PaymentRoute{Provider: "stripe"},
			TokenHash: "hash",
			Email:     "ada@example.com",
			Notes:     "Ring twice.",
			Option:    "standard",
		},
	})
}

func place(c *checkout.Checkout, zone *time.Location, now time.Time) *order.Order {
	ids := order.IDs{
		Order:        id.New[id.Order]([16]byte{7}),
		Payment:      id.New[id.Payment]([16]byte{8}),
		Confirmation: "HG-7K2M-9QXA",
	}
	return order.Place(c, ids, order.Receipt{Provider: "ch_1", Label: "Visa ending in 4242"}, zone, now)
}

func TestPlace_agreedAndPaid(t *testing.T) {
	t.Parallel()
	c := paid()
	s, total := c.Snapshot(), cents(29_000+2_574+599)
	o := place(c, time.UTC, placed)
	want := &order.Order{
		ID:           id.New[id.Order]([16]byte{7}),
		Project:      s.Project,
		Checkout:     s.ID,
		Session:      s.Session,
		Confirmation: "HG-7K2M-9QXA",
		Status:       order.Confirmed,
		Sequence:     1,
		Lines:        s.Lines,
		Address:      s.Address,
		Email:        "ada@example.com",
		Notes:        "Ring twice.",
		Subtotal:     cents(29_000),
		Shipping:     cents(599),
		Tax:          cents(2_574),
		Savings:      cents(1_000),
		Total:        total,
		Payment: order.Payment{
			ID:        id.New[id.Payment]([16]byte{8}),
			Amount:    total,
			Refunded:  cents(0),
			Refunding: cents(0),
			Disputed:  cents(0),
			Method:    project.SharedPaymentToken,
			Label:     "Visa ending in 4242",
			Route:     project.PaymentRoute{Provider: "stripe"},
			Provider:  "ch_1",
			CreatedAt: placed,
		},
		Fulfillment: o.Fulfillment,
		CreatedAt:   placed,
	}
	if !reflect.DeepEqual(o, want) {
		t.Errorf("placed\n%+v\nwant\n%+v", o, want)
	}
	if o.Payment.Amount != c.Charge().Amount {
		t.Errorf("paid %s, charged %s", o.Payment.Amount, c.Charge().Amount)
	}
}

func TestReadConfirmation(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"HG-7K2M-9QXA": "HG-7K2M-9QXA", "hg7k2m9qxa": "HG-7K2M-9QXA", " hg 7k2m 9qxa ": "HG-7K2M-9QXA", "HG-OIL1-9QXA": "HG-0111-9QXA",
		"HG-7K2M": "HG-7K2M", "": "", "else": "else",
	} {
		if got := order.ReadConfirmation(text); got != want {
			t.Errorf("%q is read as %q, want %q", text, got, want)
		}
	}
	if drawn := order.Confirmation([16]byte{1, 2, 3, 200, 250}); order.ReadConfirmation(drawn) != drawn {
		t.Errorf("%s is read as %s", drawn, order.ReadConfirmation(drawn))
	}
}

func TestOrder_Completed(t *testing.T) {
	t.Parallel()
	o := place(paid(), time.UTC, placed)
	want := event.OrderCompleted{
		Order:        o.ID,
		Sequence:     1,
		Checkout:     o.Checkout,
		Session:      o.Session,
		Confirmation: o.Confirmation,
		Payment:      o.Payment.ID,
		Method:       project.SharedPaymentToken,
		Items: []event.Item{
			{Product: tent, Variant: green, SKU: "T-G", Name: "Tent", Quantity: 2, Price: cents(9_500), Original: cents(10_000)},
			{Product: tent, Variant: red, SKU: "T-R", Name: "Tent", Quantity: 1, Price: cents(10_000), Original: cents(10_000)},
		},
		Subtotal:     o.Subtotal,
		Shipping:     o.Shipping,
		Tax:          o.Tax,
		Total:        o.Total,
		Savings:      o.Savings,
		BuyerEmail:   "ada@example.com",
		Notes:        "Ring twice.",
		Address:      o.Address,
		Option:       "standard",
		ShipsOn:      o.Fulfillment.ShipsOn,
		DeliversFrom: o.Fulfillment.DeliversFrom,
		DeliversBy:   o.Fulfillment.DeliversBy,
		PlacedAt:     placed,
	}
	if got := o.Completed(); !reflect.DeepEqual(got, want) {
		t.Errorf("announced\n%+v\nwant\n%+v", got, want)
	}
}

// An order ships on the next working day of the shop's calendar, and arrives the option's number of working days
// later.
func TestPlace_deliveryDays(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		now, zone, option string
		ships, from, by   string
	}{
		{"2026-03-02T12:00:00Z", "UTC", "standard", "2026-03-03", "2026-03-06", "2026-03-10"}, // Monday
		{"2026-03-05T12:00:00Z", "UTC", "express", "2026-03-06", "2026-03-10", "2026-03-10"},  // Thursday
		{"2026-03-06T18:00:00Z", "UTC", "express", "2026-03-09", "2026-03-11", "2026-03-11"},  // Friday evening
		{"2026-03-07T12:00:00Z", "UTC", "express", "2026-03-09", "2026-03-11", "2026-03-11"},  // Saturday
		{"2026-03-08T23:59:59Z", "UTC", "express", "2026-03-09", "2026-03-11", "2026-03-11"},  // Sunday
		{"2026-03-06T18:00:00Z", "UTC", "pickup", "2026-03-09", "2026-03-09", "2026-03-09"},
		// Thursday night in UTC is Friday in Tokyo; early Monday in UTC is Sunday in New York.
		{"2026-03-05T23:30:00Z", "Asia/Tokyo", "express", "2026-03-09", "2026-03-11", "2026-03-11"},
		{"2026-03-05T23:30:00Z", "Pacific/Honolulu", "express", "2026-03-06", "2026-03-10", "2026-03-10"},
		{"2026-03-09T03:00:00Z", "America/New_York", "express", "2026-03-09", "2026-03-11", "2026-03-11"},
		{"2026-03-09T04:00:00Z", "America/New_York", "express", "2026-03-10", "2026-03-12", "2026-03-12"},
		// Cairo's clocks skip midnight of Friday, 24 April; Santiago's that of Sunday, 6 September.
		{"2026-04-23T12:00:00Z", "Africa/Cairo", "express", "2026-04-24", "2026-04-28", "2026-04-28"},
		{"2026-09-04T12:00:00Z", "America/Santiago", "express", "2026-09-07", "2026-09-09", "2026-09-09"},
	} {
		now, err := time.Parse(time.RFC3339, c.now)
		if err != nil {
			t.Fatal(err)
		}
		zone, err := time.LoadLocation(c.zone)
		if err != nil {
			t.Fatal(err)
		}
		s := paid().Snapshot()
		s.Selected = c.option
		f := place(checkout.Rehydrate(s), zone, now).Fulfillment
		for what, day := range map[string]struct {
			got  time.Time
			want string
		}{"ships": {f.ShipsOn, c.ships}, "delivers from": {f.DeliversFrom, c.from}, "delivers by": {f.DeliversBy, c.by}} {
			if got := day.got.Format(time.DateTime + " MST"); got != day.want+" 00:00:00 UTC" {
				t.Errorf("paid %s, %s, %s: %s %s, want %s", c.now, c.zone, c.option, what, got, day.want)
			}
		}
		if f.ShippingOption != c.option || f.Status != order.FulfillmentProcessing {
			t.Errorf("fulfillment %+v", f)
		}
	}
}

func TestConfirmation_form(t *testing.T) {
	t.Parallel()
	form := regexp.MustCompile(`^HG-[0-9A-HJKMNP-TV-Z]{4}-[0-9A-HJKMNP-TV-Z]{4}$`)
	rapid.Check(t, func(t *rapid.T) {
		var bits, others [16]byte
		copy(bits[:], rapid.SliceOfN(rapid.Byte(), 16, 16).Draw(t, "bits"))
		copy(others[:], rapid.SliceOfN(rapid.Byte(), 16, 16).Draw(t, "other bits"))
		text := order.Confirmation(bits)
		if !form.MatchString(text) {
			t.Fatal(text)
		}
		if (text == order.Confirmation(others)) != ([5]byte(bits[:]) == [5]byte(others[:])) {
			t.Fatalf("%x and %x are %s and %s", bits, others, text, order.Confirmation(others))
		}
	})
}
