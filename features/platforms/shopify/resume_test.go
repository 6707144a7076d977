package shopify

import (
	"testing"

	"github.com/haggle-commerce/haggle/simulator/platforms"
)

// An order that could not be written because its integration was disconnected is written once it is connected again. Changes of
// already written orders are sent then too.
func TestOrders_reconnected(t *testing.T) {
	each(t, func(t *testing.T, database string) {
		s := synced(t, database, platforms.Config{})
		g := s.Stocked(5)
		before := g.Here()
		canceled := written(g)
		if err := s.Fault(platforms.Fault{
			Platform: platforms.Shopify,
			Kind:     "throttle",
			Resource: "order_find",
			Times:    1000,
		}); err != nil {
			t.Fatal(err)
		}
		order := g.Buy(1)
		s.Ask(204, "DELETE", s.Integration, "")
		s.Ask(200, "POST", "/v1/orders/"+canceled+"/cancel", `{}`)
		if w := s.Written(order, "skipped"); w["problem"] != "The integration is disconnected." {
			t.Errorf("%v", w)
		}
		s.Written(canceled, "written")
		s.ClearFaults()
		s.Integration = s.connect()
		s.Written(order, "written")
		s.OnlyOne(order)
		s.Until("Shopify knows of the cancellation", func() bool { return s.OnlyOne(canceled)["cancelledAt"] != nil })
		if run := s.sync(s.Integration, `{"full_sync": true}`); run["status"] != "completed" {
			t.Fatalf("%v", run)
		}
		g.Counts(before - 1)
	})
}
