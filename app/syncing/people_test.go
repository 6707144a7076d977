package syncing

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/order"
	"github.com/haggle-commerce/haggle/domain/syncrun"
)

// The index of addresses contains only addresses. A text that cannot be stored would fail a page.
func TestImportCustomers_email(t *testing.T) {
	t.Parallel()
	f := newFixture()
	for n, c := range []struct{ email, found string }{
		{" Ann@Example.com ", "ann@example.com"}, {strings.Repeat("x", 250) + "@y.zz", ""}, {"a\x00b@example.com", ""},
	} {
		r := syncrun.Record{
			Resource: syncrun.Customers,
			Remote:   strconv.Itoa(n),
			At:       early,
			Customer: &syncrun.Customer{Email: c.email},
		}
		wantVerdicts(t, c.email, f.importByWebhook(t, r), "created")
		if got, _ := f.Copy(syncrun.Customers, r.Remote); got.Email != c.found {
			t.Errorf("%q is found by %q", c.email, got.Email)
		}
	}
}

func shipped(o id.Order, at time.Time, s syncrun.Shipment) syncrun.Record {
	return syncrun.Record{
		Resource: syncrun.Orders,
		Remote:   "o1",
		At:       at,
		Order: &syncrun.Order{
			Number:    "1",
			Email:     " Ann@X.org",
			Reference: o.String(),
			Shipment:  &s,
		},
	}
}

func TestImportShipment(t *testing.T) {
	t.Parallel()
	ours := id.New[id.Order]([16]byte{5})
	way := syncrun.Shipment{
		Carrier:     "UPS",
		Number:      "1Z",
		TrackingURL: "https://ups.example/1Z",
	}
	arrived, voided, odd := way, way, way
	arrived.Delivered, voided.Voided, odd.TrackingURL, odd.Carrier = true, true, "javascript:x", strings.Repeat("x", 300)
	for name, c := range map[string]struct {
		before   order.FulfillmentStatus
		shipment syncrun.Shipment
		verdict  string
		after    order.FulfillmentStatus
		number   string
	}{
		"on its way":             {order.FulfillmentProcessing, way, "created", order.Shipped, "1Z"},
		"arrived at once":        {order.FulfillmentProcessing, arrived, "created", order.Delivered, "1Z"},
		"arrived":                {order.Shipped, arrived, "created", order.Delivered, "1Z"},
		"a mistake":              {order.FulfillmentProcessing, voided, "unchanged", order.FulfillmentProcessing, ""},
		"canceled before":        {order.FulfillmentCanceled, way, "created", order.FulfillmentCanceled, ""},
		"delivered before":       {order.Delivered, way, "created", order.Delivered, ""},
		"an address to distrust": {order.FulfillmentProcessing, odd, "created", order.Shipped, "1Z"},
	} {
		f := newFixture()
		f.Order(order.Case{Order: &order.Order{
			ID:          ours,
			Project:     f.Project.ID,
			CreatedAt:   early,
			Fulfillment: order.Fulfillment{Status: c.before},
		}})
		wantVerdicts(t, name, f.importByWebhook(t, shipped(ours, early, c.shipment)), c.verdict)
		fulfillment := f.Ordered(ours).Fulfillment
		if fulfillment.Status != c.after || fulfillment.TrackingNumber != c.number || strings.HasPrefix(fulfillment.TrackingURL, "j") {
			t.Errorf("%s: %+v", name, fulfillment)
		}
		wantVerdicts(t, name+", told again", f.importByWebhook(t, shipped(ours, early, c.shipment)), "unchanged")
		if k, _ := f.Copy(syncrun.Orders, "o1"); k.Email != "ann@x.org" || k.Order == nil {
			t.Errorf("%s: kept as %+v", name, k)
		}
	}
	f := newFixture()
	f.Order(order.Case{Order: &order.Order{
		ID:          ours,
		Project:     f.Project.ID,
		CreatedAt:   early,
		Fulfillment: order.Fulfillment{Status: order.FulfillmentProcessing},
	}})
	f.Label(&order.Label{
		Order:          ours,
		TrackingNumber: "1Z",
		BoughtAt:       early,
		VoidedAt:       early,
	})
	wantVerdicts(t, "read before its label was voided", f.importByWebhook(t, shipped(ours, early, way)), "unchanged")
	if fulfillment := f.Ordered(ours).Fulfillment; fulfillment.Status != order.FulfillmentProcessing {
		t.Errorf("%+v", fulfillment)
	}
	if n := f.LabelReads(); n != 1 {
		t.Errorf("a page reads labels %d times", n)
	}
	f = newFixture()
	wantVerdicts(t, "of an order of nobody's", f.importByWebhook(t, shipped(ours, early, way)), "created")
}
