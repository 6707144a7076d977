package shipping_test

import (
	"context"
	"errors"
	"reflect"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/app/shipping"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/integration"
	"github.com/haggle-commerce/haggle/domain/order"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/ports"
)

var none id.Integration

func wish() order.LabelWish {
	return order.LabelWish{Carrier: "ups", Service: "ups_ground", Grams: 1200}
}

func (d *desk) buy(w order.LabelWish) (*order.Label, bool, error) {
	return d.buyFor(context.Background(), shop, parcel, w)
}

// buyFor buys a label and tells the order.
func (d *desk) buyFor(ctx context.Context, p *project.Project, of id.Order, w order.LabelWish) (*order.Label, bool, error) {
	s := d.service()
	l, bought, err := s.Buy(ports.NewOutbound(ctx), p, of, w)
	if err == nil {
		l, err = s.Tell(context.WithoutCancel(ctx), l)
	}
	return l, bought, err
}

func refused(t *testing.T, err error, kind fault.Kind, code string) {
	t.Helper()
	if !fault.Is(err, code) || fault.KindOf(err) != kind {
		t.Errorf("%v, want %s", err, code)
	}
}

func TestRatesComeCheapestFirst(t *testing.T) {
	t.Parallel()
	d := newDesk()
	got, err := d.service().Rates(ports.NewOutbound(t.Context()), shop, none, parcel, 1200, "")
	want := []shipping.Rate{{"usps", "usps_mail", "Mail", usd(5_50)}, {"ups", "ups_air", "Air", usd(21_00)}}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Fatalf("%+v, %v", got, err)
	}
	if r := d.rated[0]; r.Origin != "99501" || r.Grams != 1200 || r.Order.ID != parcel { // from where the goods were taken
		t.Errorf("asked %+v", r)
	}
}

func TestBuyALabel(t *testing.T) {
	t.Parallel()
	d := newDesk()
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
	d.list = nil // the label is known without anybody
	again, bought, err := d.buy(other)
	if err != nil || bought || !reflect.DeepEqual(again, l) || len(d.asked) != 1 {
		t.Errorf("again %+v, %v, %v; asked %d times", again, bought, err, len(d.asked))
	}
}

func TestTestLabelSendsNothing(t *testing.T) {
	t.Parallel()
	d := newDesk()
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

// Two ask at once: one buys, the other is told to wait, and then has the same label.
func TestTwoCallersAtOnce(t *testing.T) {
	t.Parallel()
	d := newDesk()
	d.met, d.goOn = make(chan struct{}), make(chan struct{})
	var first *order.Label
	done := make(chan error)
	go func() {
		l, _, err := d.buy(wish())
		first = l
		done <- err
	}()
	<-d.met
	_, _, err := d.buy(wish())
	refused(t, err, fault.Conflict, "label_in_progress")
	var f *fault.Error
	if !errors.As(err, &f) || f.RetryAfter <= 0 {
		t.Errorf("%v does not say when to ask again", err)
	}
	close(d.goOn)
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	second, bought, err := d.buy(wish())
	if err != nil || bought || second.ID != first.ID || len(d.asked) != 1 {
		t.Errorf("%+v, %v, %v; asked %d times", second, bought, err, len(d.asked))
	}
}

// lostAnswer is how it looks when nobody knows.
var lostAnswer = &ports.PlatformFailure{Reason: "ShipStation did not answer."}

func TestLostAnswer(t *testing.T) {
	t.Parallel()
	d := newDesk()
	d.after[1] = lostAnswer
	_, _, err := d.buy(wish())
	refused(t, err, fault.Unavailable, "provider_unavailable")
	_, _, err = d.buy(wish())
	refused(t, err, fault.Conflict, "label_in_progress") // the platform may be at it still
	d.pass(order.LabelLease)
	l, bought, err := d.buy(wish())
	if err != nil || !bought || l.TrackingNumber != "1Z9" || l.PDF != nil || len(d.sold) != 1 || !l.Told {
		t.Errorf("%+v, %v, %v", l, bought, err)
	}
}

// The process dies between the purchase and its record: the next one finds the label.
func TestCrashBeforeTheRecord(t *testing.T) {
	t.Parallel()
	d := newDesk()
	d.records[2] = errors.New("the database is gone")
	if _, _, err := d.buy(wish()); err == nil {
		t.Fatal("no error")
	}
	d.pass(order.LabelLease)
	l, bought, err := d.buy(wish())
	if err != nil || !bought || l.Remote != "7" || len(d.asked) != 2 || len(d.sold) != 1 {
		t.Errorf("%+v, %v, %v", l, bought, err)
	}
	if d.kept.Order.Fulfillment.Status != order.Shipped {
		t.Error("the order is not told")
	}
}

// The process dies between the record and telling the order, or right after: the next one tells it, once.
func TestCrashBeforeTheOrderIsTold(t *testing.T) {
	t.Parallel()
	d := newDesk()
	d.changes[1] = fault.New(fault.Unavailable, "storage_unavailable", "Busy.")
	if _, _, err := d.buy(wish()); !fault.Is(err, "storage_unavailable") {
		t.Fatal(err)
	}
	if d.kept.Order.Fulfillment.Status != order.FulfillmentProcessing {
		t.Fatal("the order knows")
	}
	d.records[3] = errors.New("the database is gone")
	if _, _, err := d.buy(wish()); err == nil {
		t.Fatal("no error")
	}
	for range 2 {
		l, bought, err := d.buy(wish())
		if err != nil || bought || !l.Told || len(d.asked) != 1 {
			t.Fatalf("%+v, %v, %v; asked %d times", l, bought, err, len(d.asked))
		}
	}
	if d.kept.Order.Fulfillment.TrackingNumber != "1Z9" || d.changed != 3 {
		t.Errorf("%+v after %d changes", d.kept.Order.Fulfillment, d.changed)
	}
}

// What is certainly not bought may be tried again at once, in another way.
func TestRefusalsFreeTheLabel(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		err  error
		kind fault.Kind
		code string
	}{
		{&ports.PlatformRefusal{Reason: "The address is wrong."}, fault.Invalid, "shipping_refused"},
		{ports.ErrCredentialsRefused, fault.Conflict, "credentials_refused"},
		{ports.Throttled{After: 30 * time.Second}, fault.Unavailable, "provider_unavailable"},
		{integration.ErrDisconnected(), fault.Conflict, "integration_disconnected"},
	} {
		d := newDesk()
		d.before[1] = c.err
		_, _, err := d.buy(wish())
		refused(t, err, c.kind, c.code)
		if d.kept.Order.Fulfillment.Status != order.FulfillmentProcessing {
			t.Errorf("%v: the order was told", c.err)
		}
		other := wish()
		other.Service = "ups_air"
		d.list = append([]*integration.Integration{account(8)}, d.list...)
		other.Integration = d.list[0].ID
		if l, bought, err := d.buy(other); err != nil || !bought || l.Service != "ups_air" || l.Integration != other.Integration {
			t.Errorf("%v: then %+v, %v, %v", c.err, l, bought, err)
		}
	}
}

// A label that one account may have bought is not bought by another, whatever comes in between.
func TestAnotherAccountDoesNotBuyWhatOneMayHave(t *testing.T) {
	t.Parallel()
	d := newDesk()
	d.list = append(d.list, account(8))
	first, second := wish(), wish()
	first.Integration, second.Integration = d.list[0].ID, d.list[1].ID
	d.after[1], d.before[2] = lostAnswer, ports.Throttled{After: time.Second}
	_, _, err := d.buy(first)
	refused(t, err, fault.Unavailable, "provider_unavailable")
	for range 2 { // the second time after the first account was asked again, in vain
		d.pass(order.LabelLease)
		_, _, err = d.buy(second)
		refused(t, err, fault.Conflict, "label_unresolved")
		if len(d.asked) == 1 {
			_, _, err = d.buy(first)
			refused(t, err, fault.Unavailable, "provider_unavailable")
		}
	}
	if l, bought, err := d.buy(first); err != nil || !bought || l.Integration != first.Integration || len(d.sold) != 1 {
		t.Errorf("%+v, %v, %v", l, bought, err)
	}
}

// Who is gone does not keep a label that is being bought from being recorded.
func TestClientHangsUp(t *testing.T) {
	t.Parallel()
	d := newDesk()
	d.met, d.goOn = make(chan struct{}), make(chan struct{})
	ctx, hangUp := context.WithCancel(t.Context())
	done := make(chan error)
	go func() {
		_, _, err := d.buyFor(ctx, shop, parcel, wish())
		done <- err
	}()
	<-d.met
	hangUp()
	close(d.goOn)
	if err := <-done; err != nil || d.kept.Order.Fulfillment.Status != order.Shipped {
		t.Errorf("%v, %+v", err, d.kept.Order.Fulfillment)
	}
}

// An order that was canceled while its label was bought stays canceled, and the label is known.
func TestCanceledMeanwhile(t *testing.T) {
	t.Parallel()
	d := newDesk()
	d.met, d.goOn = make(chan struct{}), make(chan struct{})
	done := make(chan error)
	go func() {
		l, bought, err := d.buy(wish())
		if err == nil && (!bought || l.TrackingNumber == "") {
			err = errors.New("no label")
		}
		done <- err
	}()
	<-d.met
	d.mu.Lock()
	d.kept.Order.Status, d.kept.Order.Fulfillment.Status = order.Canceled, order.FulfillmentCanceled
	d.mu.Unlock()
	close(d.goOn)
	if err := <-done; err != nil || d.kept.Order.Status != order.Canceled {
		t.Errorf("%v, %s", err, d.kept.Order.Status)
	}
	d.met = nil
	if _, bought, err := d.buy(wish()); err != nil || bought || len(d.asked) != 1 {
		t.Errorf("%v, %v", bought, err)
	}
}

func TestOrdersThatAreNotSent(t *testing.T) {
	t.Parallel()
	for code, prepare := range map[string]func(*order.Order){
		"order_canceled":  func(o *order.Order) { o.Status, o.Fulfillment.Status = order.Canceled, order.FulfillmentCanceled },
		"order_delivered": func(o *order.Order) { o.Fulfillment.Status = order.Delivered },
		"order_refunded":  func(o *order.Order) { o.Payment.Refunded = o.Payment.Amount },
	} {
		d := newDesk()
		prepare(d.kept.Order)
		_, _, err := d.buy(wish())
		refused(t, err, fault.Conflict, code)
		_, err = d.service().Rates(ports.NewOutbound(t.Context()), shop, none, parcel, 1200, "")
		refused(t, err, fault.Conflict, code)
		if len(d.asked)+len(d.rated) != 0 {
			t.Errorf("%s: the platform was asked", code)
		}
	}
	d := newDesk()
	_, _, err := d.buyFor(t.Context(), shop, id.New[id.Order]([16]byte{9}), wish())
	refused(t, err, fault.NotFound, "order_not_found")
	d.kept.Order.Fulfillment.Status = order.Shipped // by the merchant, without a label
	if _, bought, err := d.buy(wish()); err != nil || !bought || d.kept.Order.Fulfillment.TrackingNumber != "1Z9" {
		t.Errorf("%v, %v", bought, err)
	}
}

// Nothing is bought for an order that is canceled just before its label is taken in hand.
func TestCanceledJustBefore(t *testing.T) {
	t.Parallel()
	d := newDesk()
	d.meanwhile = func(o *order.Order) { o.Status, o.Fulfillment.Status = order.Canceled, order.FulfillmentCanceled }
	_, _, err := d.buy(wish())
	refused(t, err, fault.Conflict, "order_canceled")
	if len(d.asked)+len(d.labels) != 0 {
		t.Errorf("asked %d times, %d labels", len(d.asked), len(d.labels))
	}
}

func TestOriginIsAskedFor(t *testing.T) {
	t.Parallel()
	d := newDesk()
	bare := *shop
	bare.Storefront = project.Storefront{Warehouses: []project.Warehouse{{Location: "main"}}}
	_, err := d.service().Rates(ports.NewOutbound(t.Context()), &bare, none, parcel, 1200, "")
	refused(t, err, fault.Invalid, "origin_missing")
	_, _, err = d.buyFor(t.Context(), &bare, parcel, wish())
	refused(t, err, fault.Invalid, "origin_missing")
}

func TestWhichIntegration(t *testing.T) {
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
		d := newDesk()
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
	d := newDesk()
	d.list = []*integration.Integration{other}
	_, err := d.service().Rates(ports.NewOutbound(t.Context()), shop, other.ID, parcel, 1200, "")
	refused(t, err, fault.Invalid, "validation_error")
	failing := account(1)
	failing.Status = integration.Failing // it is tried all the same
	d.list = []*integration.Integration{gone, other, failing}
	if rates, err := d.service().Rates(ports.NewOutbound(t.Context()), shop, none, parcel, 1200, "ups"); err != nil || len(rates) != 2 {
		t.Errorf("%v, %v", rates, err)
	}
}

func TestWishes(t *testing.T) {
	t.Parallel()
	for field, w := range map[string]order.LabelWish{
		"weight_grams": {Carrier: "ups", Service: "x", Grams: 0}, "carrier_code": {Carrier: "", Service: "x", Grams: 1},
		"service_code": {Carrier: "ups", Service: "a b", Grams: 1},
	} {
		_, _, err := newDesk().buy(w)
		var f *fault.Error
		if !errors.As(err, &f) || len(f.Details) != 1 || f.Details[0].Field != field {
			t.Errorf("%s: %v", field, err)
		}
	}
	for _, grams := range []int{-1, 0, 100_001} {
		_, err := newDesk().service().Rates(ports.NewOutbound(t.Context()), shop, none, parcel, grams, "")
		refused(t, err, fault.Invalid, "validation_error")
	}
	_, err := newDesk().service().Rates(ports.NewOutbound(t.Context()), shop, none, parcel, 1, "u p s")
	refused(t, err, fault.Invalid, "validation_error")
}

// A price that cannot be read does not lose the label.
func TestLabelWithoutAPrice(t *testing.T) {
	t.Parallel()
	d := newDesk()
	d.sold[false] = ports.ShippingLabel{Remote: "7", Carrier: "ups", Service: "ups_air", TrackingNumber: "1Z8", Price: "", Currency: "USD"}
	l, bought, err := d.buy(wish())
	if err != nil || !bought || l.Service != "ups_air" || l.Price.Currency().Code() != "" {
		t.Errorf("%+v, %v, %v", l, bought, err)
	}
}

func TestBuy_leavesTheOrderToTell(t *testing.T) {
	t.Parallel()
	d := newDesk()
	bought, isNew, err := d.service().Buy(ports.NewOutbound(t.Context()), shop, parcel, wish())
	if err != nil || !isNew || d.kept.Order.Fulfillment.Status == order.Shipped {
		t.Fatalf("%v, new %v, order %s", err, isNew, d.kept.Order.Fulfillment.Status)
	}
	for range 2 { // as when a transaction is repeated
		d.kept.Order.Fulfillment.Status = order.FulfillmentProcessing
		told, err := d.service().Tell(t.Context(), bought)
		if err != nil || !told.Told || d.kept.Order.Fulfillment.Status != order.Shipped {
			t.Errorf("%v, told %v, order %s", err, told.Told, d.kept.Order.Fulfillment.Status)
		}
	}
}
