package shipping_test

import (
	"context"
	"errors"
	"reflect"
	"testing"

	"github.com/haggle-commerce/haggle/app/shipping"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/integration"
	"github.com/haggle-commerce/haggle/domain/order"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/ports"
)

var none id.Integration

func wish() order.LabelRequest {
	return order.LabelRequest{
		Carrier: "ups",
		Service: "ups_ground",
		Grams:   1200,
	}
}

func (d *fixture) buy(w order.LabelRequest) (*order.Label, bool, error) {
	return d.buyFor(context.Background(), shop, parcel, w)
}

// buyFor buys a label and marks the order as shipped.
func (d *fixture) buyFor(ctx context.Context, p *project.Project, of id.Order, w order.LabelRequest) (*order.Label, bool, error) {
	s := d.service()
	l, bought, err := s.Buy(ports.NewOutbound(ctx), p, of, w)
	if err == nil {
		l, err = s.MarkShipped(context.WithoutCancel(ctx), l)
	}
	return l, bought, err
}

func refused(t *testing.T, err error, kind fault.Kind, code string) {
	t.Helper()
	if !fault.Is(err, code) || fault.KindOf(err) != kind {
		t.Errorf("%v, want %s", err, code)
	}
}

func TestRates_cheapestFirst(t *testing.T) {
	t.Parallel()
	d := newFixture()
	got, err := d.service().Rates(ports.NewOutbound(t.Context()), shop, none, parcel, 1200, "")
	want := []shipping.Rate{{"usps", "usps_mail", "Mail", usd(5_50)}, {"ups", "ups_air", "Air", usd(21_00)}}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Fatalf("%+v, %v", got, err)
	}
	if r := d.rated[0]; r.Origin != "99501" || r.Grams != 1200 || r.Order.ID != parcel { // from where the goods were taken
		t.Errorf("asked %+v", r)
	}
}

func TestBuy(t *testing.T) {
	t.Parallel()
	d := newFixture()
	l, bought, err := d.buy(wish())
	if err != nil || !bought {
		t.Fatalf("%v, %v", bought, err)
	}
	if l.TrackingNumber != "1Z9" || l.Price != usd(7_25) || string(l.PDF) != "%PDF" || l.Integration != d.list[0].ID || !l.Told || !l.DueAt.IsZero() {
		t.Errorf("%+v", l)
	}
	f := d.kept.Order.Fulfillment
	if f.Status != order.Shipped || f.Carrier != "ups" || f.TrackingNumber != "1Z9" || !f.ShippedAt.Equal(noon) {
		t.Errorf("the order is %+v", f)
	}
	other := wish()
	other.Service = "ups_air"
	d.list = nil // the label is returned without an integration
	again, bought, err := d.buy(other)
	if err != nil || bought || !reflect.DeepEqual(again, l) || len(d.asked) != 1 {
		t.Errorf("again %+v, %v, %v; asked %d times", again, bought, err, len(d.asked))
	}
}

// A test label does not mark the order as shipped.
func TestBuy_testLabel(t *testing.T) {
	t.Parallel()
	d := newFixture()
	w := wish()
	w.Test = true
	test, bought, err := d.buy(w)
	if err != nil || !bought || !test.Test || d.kept.Order.Fulfillment.Status != order.FulfillmentProcessing || !d.asked[0].Test {
		t.Fatalf("%+v, %v, %v", test, bought, err)
	}
	l, bought, err := d.buy(wish())
	if err != nil || !bought || l.ID == test.ID || d.kept.Order.Fulfillment.Status != order.Shipped {
		t.Errorf("%+v, %v, %v", l, bought, err)
	}
}

// Of two concurrent requests one buys the label. The other gets label_in_progress, and the same label later.
func TestBuy_concurrent(t *testing.T) {
	t.Parallel()
	d := newFixture()
	d.started, d.proceed = make(chan struct{}), make(chan struct{})
	var first *order.Label
	done := make(chan error)
	go func() {
		l, _, err := d.buy(wish())
		first = l
		done <- err
	}()
	<-d.started
	_, _, err := d.buy(wish())
	refused(t, err, fault.Conflict, "label_in_progress")
	var f *fault.Error
	if !errors.As(err, &f) || f.RetryAfter <= 0 {
		t.Errorf("%v does not say when to ask again", err)
	}
	close(d.proceed)
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	second, bought, err := d.buy(wish())
	if err != nil || bought || second.ID != first.ID || len(d.asked) != 1 {
		t.Errorf("%+v, %v, %v; asked %d times", second, bought, err, len(d.asked))
	}
}

// A label is recorded even if the client disconnects during the purchase.
func TestBuy_clientDisconnects(t *testing.T) {
	t.Parallel()
	d := newFixture()
	d.started, d.proceed = make(chan struct{}), make(chan struct{})
	ctx, hangUp := context.WithCancel(t.Context())
	done := make(chan error)
	go func() {
		_, _, err := d.buyFor(ctx, shop, parcel, wish())
		done <- err
	}()
	<-d.started
	hangUp()
	close(d.proceed)
	if err := <-done; err != nil || d.kept.Order.Fulfillment.Status != order.Shipped {
		t.Errorf("%v, %+v", err, d.kept.Order.Fulfillment)
	}
}

// An order that is canceled while its label is bought stays canceled, and the label is recorded.
func TestBuy_orderCanceledMeanwhile(t *testing.T) {
	t.Parallel()
	d := newFixture()
	d.started, d.proceed = make(chan struct{}), make(chan struct{})
	done := make(chan error)
	go func() {
		l, bought, err := d.buy(wish())
		if err == nil && (!bought || l.TrackingNumber == "") {
			err = errors.New("no label")
		}
		done <- err
	}()
	<-d.started
	d.mu.Lock()
	d.kept.Order.Status, d.kept.Order.Fulfillment.Status = order.Canceled, order.FulfillmentCanceled
	d.mu.Unlock()
	close(d.proceed)
	if err := <-done; err != nil || d.kept.Order.Status != order.Canceled {
		t.Errorf("%v, %s", err, d.kept.Order.Status)
	}
	d.started = nil
	if _, bought, err := d.buy(wish()); err != nil || bought || len(d.asked) != 1 {
		t.Errorf("%v, %v", bought, err)
	}
}

func TestParcel_notShippable(t *testing.T) {
	t.Parallel()
	for code, prepare := range map[string]func(*order.Order){
		"order_canceled":  func(o *order.Order) { o.Status, o.Fulfillment.Status = order.Canceled, order.FulfillmentCanceled },
		"order_delivered": func(o *order.Order) { o.Fulfillment.Status = order.Delivered },
		"order_refunded":  func(o *order.Order) { o.Payment.Refunded = o.Payment.Amount },
	} {
		d := newFixture()
		prepare(d.kept.Order)
		_, _, err := d.buy(wish())
		refused(t, err, fault.Conflict, code)
		_, err = d.service().Rates(ports.NewOutbound(t.Context()), shop, none, parcel, 1200, "")
		refused(t, err, fault.Conflict, code)
		if len(d.asked)+len(d.rated) != 0 {
			t.Errorf("%s: the platform was asked", code)
		}
	}
	d := newFixture()
	_, _, err := d.buyFor(t.Context(), shop, id.New[id.Order]([16]byte{9}), wish())
	refused(t, err, fault.NotFound, "order_not_found")
	d.kept.Order.Fulfillment.Status = order.Shipped // by the merchant, without a label
	if _, bought, err := d.buy(wish()); err != nil || !bought || d.kept.Order.Fulfillment.TrackingNumber != "1Z9" {
		t.Errorf("%v, %v", bought, err)
	}
}

// Nothing is bought for an order that is canceled just before its label is leased.
func TestClaim_orderCanceled(t *testing.T) {
	t.Parallel()
	d := newFixture()
	d.meanwhile = func(o *order.Order) { o.Status, o.Fulfillment.Status = order.Canceled, order.FulfillmentCanceled }
	_, _, err := d.buy(wish())
	refused(t, err, fault.Conflict, "order_canceled")
	if len(d.asked)+len(d.labels) != 0 {
		t.Errorf("asked %d times, %d labels", len(d.asked), len(d.labels))
	}
}

func TestParcel_originMissing(t *testing.T) {
	t.Parallel()
	d := newFixture()
	bare := *shop
	bare.Storefront = project.Storefront{Warehouses: []project.Warehouse{{Location: "main"}}}
	_, err := d.service().Rates(ports.NewOutbound(t.Context()), &bare, none, parcel, 1200, "")
	refused(t, err, fault.Invalid, "origin_missing")
	_, _, err = d.buyFor(t.Context(), &bare, parcel, wish())
	refused(t, err, fault.Invalid, "origin_missing")
}

func TestShipper_selectsIntegration(t *testing.T) {
	t.Parallel()
	gone, other := account(5), account(6)
	gone.Status, other.Type = integration.Disconnected, integration.Shopify
	for code, c := range map[string]struct {
		list    []*integration.Integration
		through id.Integration
		kind    fault.Kind
	}{
		"no_shipping_integration":  {[]*integration.Integration{gone, other}, none, fault.Conflict},
		"integration_not_found":    {[]*integration.Integration{account(1)}, account(9).ID, fault.NotFound},
		"integration_disconnected": {[]*integration.Integration{gone, account(1)}, gone.ID, fault.Conflict},
		"validation_error":         {[]*integration.Integration{account(1), account(2)}, none, fault.Invalid},
	} {
		d := newFixture()
		d.list = c.list
		_, err := d.service().Rates(ports.NewOutbound(t.Context()), shop, c.through, parcel, 1200, "")
		refused(t, err, c.kind, code)
		w := wish()
		w.Integration = c.through
		_, _, err = d.buy(w)
		refused(t, err, c.kind, code)
		if len(d.labels) != 0 {
			t.Errorf("%s: %+v is claimed", code, d.labels)
		}
	}
	d := newFixture()
	d.list = []*integration.Integration{other}
	_, err := d.service().Rates(ports.NewOutbound(t.Context()), shop, other.ID, parcel, 1200, "")
	refused(t, err, fault.Invalid, "validation_error")
	failing := account(1)
	failing.Status = integration.Failing // it is used nevertheless
	d.list = []*integration.Integration{gone, other, failing}
	if rates, err := d.service().Rates(ports.NewOutbound(t.Context()), shop, none, parcel, 1200, "ups"); err != nil || len(rates) != 2 {
		t.Errorf("%v, %v", rates, err)
	}
}

func TestBuy_invalidInput(t *testing.T) {
	t.Parallel()
	for field, w := range map[string]order.LabelRequest{
		"weight_grams": {Carrier: "ups", Service: "x", Grams: 0}, "carrier_code": {Carrier: "", Service: "x", Grams: 1},
		"service_code": {Carrier: "ups", Service: "a b", Grams: 1},
	} {
		_, _, err := newFixture().buy(w)
		var f *fault.Error
		if !errors.As(err, &f) || len(f.Details) != 1 || f.Details[0].Field != field {
			t.Errorf("%s: %v", field, err)
		}
	}
	for _, grams := range []int{-1, 0, 100_001} {
		_, err := newFixture().service().Rates(ports.NewOutbound(t.Context()), shop, none, parcel, grams, "")
		refused(t, err, fault.Invalid, "validation_error")
	}
	_, err := newFixture().service().Rates(ports.NewOutbound(t.Context()), shop, none, parcel, 1, "u p s")
	refused(t, err, fault.Invalid, "validation_error")
}

// A label is recorded even if its price cannot be parsed.
func TestRecord_priceUnreadable(t *testing.T) {
	t.Parallel()
	d := newFixture()
	d.sold[false] = ports.ShippingLabel{
		Remote:         "7",
		Carrier:        "ups",
		Service:        "ups_air",
		TrackingNumber: "1Z8",
		Price:          "",
		Currency:       "USD",
	}
	l, bought, err := d.buy(wish())
	if err != nil || !bought || l.Service != "ups_air" || l.Price.Currency().Code() != "" {
		t.Errorf("%+v, %v, %v", l, bought, err)
	}
}

// Buy does not change the order.
func TestBuy_orderNotShipped(t *testing.T) {
	t.Parallel()
	d := newFixture()
	bought, isNew, err := d.service().Buy(ports.NewOutbound(t.Context()), shop, parcel, wish())
	if err != nil || !isNew || d.kept.Order.Fulfillment.Status == order.Shipped {
		t.Fatalf("%v, new %v, order %s", err, isNew, d.kept.Order.Fulfillment.Status)
	}
	for range 2 { // as if a transaction were repeated
		d.kept.Order.Fulfillment.Status = order.FulfillmentProcessing
		l, err := d.service().MarkShipped(t.Context(), bought)
		if err != nil || !l.Told || d.kept.Order.Fulfillment.Status != order.Shipped {
			t.Errorf("%v, told %v, order %s", err, l.Told, d.kept.Order.Fulfillment.Status)
		}
	}
}
