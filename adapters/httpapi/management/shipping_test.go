package management_test

import (
	"context"
	"log/slog"
	"strings"
	"testing"

	"github.com/haggle-commerce/haggle/adapters/httpapi/management"
	"github.com/haggle-commerce/haggle/adapters/httpapi/wire"
	"github.com/haggle-commerce/haggle/app/shipping"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/integration"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/order"
	"github.com/haggle-commerce/haggle/domain/patch"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/ports"
)

var parcelOrder = id.New[id.Order]([16]byte{3})

// fakeOrders has one order and its label. err is the error of the shipping platform.
type fakeOrders struct {
	ports.Orders
	order *order.Order
	label *order.Label
	err   error // of the platform
}

func (d *fakeOrders) Case(_ context.Context, _ id.Project, of id.Order) (*order.Case, error) {
	if of != parcelOrder {
		return nil, fault.Missing("order")
	}
	return &order.Case{Order: d.order}, nil
}

func (d *fakeOrders) Change(ctx context.Context, p id.Project, of id.Order, change func(*order.Case) error) (*order.Case, error) {
	c, err := d.Case(ctx, p, of)
	if err == nil {
		err = change(c)
	}
	return c, err
}

type fakeLabels struct{ *fakeOrders }

func (d fakeLabels) Find(context.Context, id.Project, id.Order, bool) (*order.Label, error) {
	return d.label, nil
}

func (d fakeLabels) List(context.Context, id.Project, id.Order) ([]*order.Label, error) {
	if d.label == nil {
		return nil, nil
	}
	return []*order.Label{d.label}, nil
}

func (fakeLabels) Lock(context.Context, id.Project, []id.Order) ([]*order.Label, error) {
	panic("the API locks no page of orders")
}

func (d fakeLabels) Change(_ context.Context, _ id.Project, _ id.Order, _ bool,
	change func(*order.Order, *order.Label) (*order.Label, error)) (*order.Label, error) {
	l, err := change(d.order, d.label)
	if err == nil && l != nil {
		d.label = l
	}
	return l, err
}

type fakeAccounts struct{ ports.Integrations }

func (fakeAccounts) List(context.Context, id.Project, ports.Page) ([]*integration.Integration, int, error) {
	return []*integration.Integration{{ID: id.New[id.Integration]([16]byte{4}), Type: integration.ShipStation, Status: integration.Connected}}, 1, nil
}

func (a fakeAccounts) ByID(ctx context.Context, p id.Project, wanted id.Integration) (*integration.Integration, error) {
	if list, _, _ := a.List(ctx, p, ports.Page{}); list[0].ID == wanted {
		return list[0], nil
	}
	return nil, fault.Missing("integration")
}

func (fakeAccounts) Use(_ ports.Outbound, _ *integration.Integration, work func(ports.Connection) error) error {
	return work(ports.Connection{})
}

type fakeShipper struct {
	ports.Shipper
	orders *fakeOrders
}

func (c fakeShipper) Rates(_ ports.Outbound, _ ports.Connection, r ports.RateRequest) ([]ports.ShippingRate, error) {
	return []ports.ShippingRate{{Carrier: r.Carrier, Service: "ups_ground", Name: "UPS Ground", Price: "7.1", Currency: "USD"}}, c.orders.err
}

func (c fakeShipper) Buy(_ ports.Outbound, _ ports.Connection, r ports.LabelRequest) (ports.ShippingLabel, error) {
	return ports.ShippingLabel{
		Remote:         "7",
		Carrier:        r.Carrier,
		Service:        r.Service,
		TrackingNumber: "1Z999",
		Price:          "7.25",
		Currency:       "USD",
		PDF:            []byte("%PDF"),
	}, c.orders.err
}

func (c fakeShipper) Void(ports.Outbound, ports.Connection, ports.VoidRequest) error {
	return c.orders.err
}

func newShippingFixture(t *testing.T) (*fixture, *fakeOrders) {
	t.Helper()
	usd := func(n int64) money.Amount { return money.Of(n, money.USD) }
	d := &fakeOrders{order: &order.Order{
		ID:     parcelOrder,
		Status: order.Confirmed,
		Payment: order.Payment{
			Amount:    usd(100),
			Refunded:  usd(0),
			Refunding: usd(0),
		},
		Fulfillment: order.Fulfillment{Status: order.FulfillmentProcessing},
	}}
	w := newFixture(t, func(s *management.Services) {
		s.PaymentLane = wire.NewLane(10, 10, nil)
		s.Stores.Integrations, s.Stores.Orders, s.Stores.Labels = fakeAccounts{}, d, fakeLabels{d}
		s.Shipping = &shipping.Service{
			Stores:   s.Stores,
			Accounts: fakeAccounts{},
			Shippers: map[string]ports.Shipper{"shipstation": fakeShipper{orders: d}},
			Clock:    system{},
			Entropy:  system{},
			Log:      slog.New(slog.DiscardHandler),
		}
	})
	p := w.projects.projects[w.one]
	err := p.Storefront.Change(project.StorefrontPatch{
		Warehouses: patch.To([]project.Warehouse{{Location: "main", Name: "Main", PostalCode: "78703"}}),
	}, p.Settings)
	if err != nil {
		t.Fatal(err)
	}
	return w, d
}

func (w *fixture) ship(key, what, body string) string {
	return w.call(key, "POST", "/v1/orders/"+parcelOrder.String()+"/"+what, body, "Content-Type: application/json", w.in(w.one))
}

func TestRegister_shippingRates(t *testing.T) {
	t.Parallel()
	w, d := newShippingFixture(t)
	got := w.ship("admin", "rates", `{"weight_grams": 1200, "carrier_code": "ups"}`)
	if want := `OK {"data":[{"carrier_code":"ups","service_code":"ups_ground","name":"UPS Ground","price":7.10,"currency":"USD"}]}`; got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
	wants(t, w.ship("admin", "rates", `{"weight_grams": 0}`), "Unprocessable Entity", `"field":"weight_grams"`)
	wants(t, w.ship("admin", "rates", `{"weight_grams": 1, "integration_id": "int_x"}`), "Not Found", "integration_not_found")
	d.err = &ports.PlatformRefusal{Reason: "The address is wrong."}
	wants(t, w.ship("admin", "rates", `{"weight_grams": 1}`), "Unprocessable Entity", "shipping_refused", "The address is wrong.")
	w.projects.projects[w.one].Storefront.Warehouses[0].PostalCode = ""
	wants(t, w.ship("admin", "rates", `{"weight_grams": 1}`), "Unprocessable Entity", "origin_missing", "warehouses.0.postal_code")
}

func TestRegister_createLabel(t *testing.T) {
	t.Parallel()
	w, d := newShippingFixture(t)
	const body = `{"weight_grams": 1200, "carrier_code": "ups", "service_code": "ups_ground"}`
	d.err = &ports.PlatformRefusal{Reason: "The address is wrong."}
	wants(t, w.ship("admin", "labels", body), "Unprocessable Entity", "shipping_refused")
	d.err = nil
	first := w.ship("admin", "labels", body)
	wants(t, first, `Created {"id":"lbl_`, `"order_id":"`+parcelOrder.String()+`"`, `"carrier_code":"ups","service_code":"ups_ground"`,
		`"tracking_number":"1Z999","price":7.25,"currency":"USD","test_label":false,"created_at":"2026-01-02T03:04:05.67Z","voided_at":null,"label_pdf":"JVBERg=="}`)
	list := w.call("admin", "GET", "/v1/orders/"+parcelOrder.String()+"/labels", "", w.in(w.one))
	wants(t, list, `"tracking_number":"1Z999","price":7.25`, `"voided_at":null}`)
	if strings.Contains(list, "label_pdf") {
		t.Errorf("the list has the PDF: %s", list)
	}
	again := w.ship("admin", "labels", `{"weight_grams": 5, "carrier_code": "usps", "service_code": "other"}`)
	if strings.TrimPrefix(again, "OK") != strings.TrimPrefix(first, "Created") {
		t.Errorf("%s\nand again %s", first, again)
	}
	if d.order.Fulfillment.Status != order.Shipped || d.order.Fulfillment.TrackingNumber != "1Z999" {
		t.Errorf("the order is %+v", d.order.Fulfillment)
	}
	d.label.PDF, d.label.Price = nil, money.Amount{}
	wants(t, w.ship("admin", "labels", body), `OK {"id":"lbl_`, `"price":null,"currency":null`, `"label_pdf":null`)
}

// The audit log has more readers than orders have. It names neither the order of a label nor its destination.
func TestRegister_labelsInAuditLog(t *testing.T) {
	t.Parallel()
	w, _ := newShippingFixture(t)
	w.ship("admin", "rates", `{"weight_grams": 1}`)
	w.ship("admin", "labels", `{"weight_grams": 1200, "carrier_code": "ups", "service_code": "ups_ground"}`)
	if len(w.logged) != 2 {
		t.Fatalf("%d events", len(w.logged))
	}
	e := w.logged[1]
	if e.Action != "create-shipping-label" || !strings.HasPrefix(e.Target, "lbl_") || !strings.Contains(e.After, `"price":7.25`) {
		t.Errorf("%+v", e)
	}
	for _, e := range w.logged {
		for _, secret := range []string{parcelOrder.String(), "1Z999", "JVBERg"} {
			if strings.Contains(e.Target+e.Before+e.After, secret) {
				t.Errorf("%s tells %s: %+v", e.Action, secret, e)
			}
		}
	}
}

func TestRegister_shippingScopes(t *testing.T) {
	t.Parallel()
	w, _ := newShippingFixture(t)
	w.keys.add("reader", []string{"integrations:read"})
	w.keys.add("orders", []string{"finance:write"})
	wants(t, w.ship("reader", "rates", `{"weight_grams": 1}`), "OK")
	label := `{"weight_grams": 1, "carrier_code": "ups", "service_code": "x"}`
	wants(t, w.ship("reader", "labels", label), "Forbidden")
	wants(t, w.ship("orders", "labels", label), "Forbidden")
	wants(t, w.ship("orders", "rates", `{"weight_grams": 1}`), "Forbidden")
}

func (w *fixture) voids(key, label string) string {
	return w.call(key, "POST", "/v1/orders/"+parcelOrder.String()+"/labels/"+label+"/void", "", w.in(w.one))
}

func TestRegister_voidLabel(t *testing.T) {
	t.Parallel()
	w, d := newShippingFixture(t)
	wants(t, w.ship("admin", "labels", `{"weight_grams": 1200, "carrier_code": "ups", "service_code": "ups_ground"}`), "Created")
	name := d.label.ID.String()
	for _, unknown := range []string{"lbl_x", id.New[id.Label]([16]byte{9}).String()} {
		wants(t, w.voids("admin", unknown), "Not Found", "label_not_found")
	}
	d.err = &ports.PlatformRefusal{Reason: "It was scanned."}
	wants(t, w.voids("admin", name), "Conflict", `"code":"label_not_voided"`, "It was scanned.")
	d.err = nil
	w.logged = nil
	first := w.voids("admin", name)
	wants(t, first, `OK {"id":"`+name+`"`, `"tracking_number":"1Z999"`, `"voided_at":"2026-01-02T03:04:05.67Z"`, `"label_pdf":null}`)
	if d.order.Fulfillment.Status != order.FulfillmentProcessing {
		t.Errorf("the order is %+v", d.order.Fulfillment)
	}
	if again := w.voids("admin", name); again != first || len(w.logged) != 2 {
		t.Fatalf("%s\nand again %s, %d events", first, again, len(w.logged))
	}
	if e := w.logged[0]; e.Action != "void-shipping-label" || e.Target != name || e.Before == "" || !strings.Contains(e.After, `"voided_at":"2026`) || strings.Contains(e.After, "1Z999") {
		t.Errorf("%+v", e)
	}
	d.label.ID = id.New[id.Label]([16]byte{9}) // the fixture's ids are all the same
	name = d.label.ID.String()
	second := w.ship("admin", "labels", `{"weight_grams": 1200, "carrier_code": "ups", "service_code": "ups_ground"}`)
	wants(t, second, `Created {"id":"lbl_`, `"voided_at":null`)
	list := w.call("admin", "GET", "/v1/orders/"+parcelOrder.String()+"/labels", "", w.in(w.one))
	wants(t, list, `OK {"data":[{"id":"lbl_`, `"id":"`+name+`"`, d.label.ID.String())
	w.keys.add("reader", []string{"integrations:read"})
	wants(t, w.voids("reader", name), "Forbidden")
	wants(t, w.call("reader", "GET", "/v1/orders/"+parcelOrder.String()+"/labels", "", w.in(w.one)), "OK")
}
