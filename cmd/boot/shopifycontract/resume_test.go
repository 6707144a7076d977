package shopifycontract

import (
	"testing"

	"github.com/haggle-commerce/haggle/simulator/platforms"
)

// An order that could not be written because its integration was disconnected is written once it is connected again. What
// happened meanwhile to one that was written is told then.
func TestOrders_reconnected(t *testing.T) {
	each(t, func(t *testing.T, database string) {
		s := synced(t, database, platforms.Config{})
		g := s.stocked(5)
		before := g.here()
		canceled := g.written()
		if err := s.Fault(platforms.Fault{Platform: platforms.Shopify, Kind: "throttle", Resource: "order_find", Times: 1000}); err != nil {
			t.Fatal(err)
		}
		order := g.buy(1)
		s.ask(204, "DELETE", s.integration, "")
		s.ask(200, "POST", "/v1/orders/"+canceled+"/cancel", `{}`)
		if w := s.written(order, "skipped"); w["problem"] != "The integration is disconnected." {
			t.Errorf("%v", w)
		}
		s.written(canceled, "written")
		s.ClearFaults()
		s.integration = s.connect()
		s.written(order, "written")
		s.onlyOne(order)
		s.until("Shopify knows of the cancellation", func() bool { return s.onlyOne(canceled)["cancelledAt"] != nil })
		if run := s.sync(s.integration, `{"full_sync": true}`); run["status"] != "completed" {
			t.Fatalf("%v", run)
		}
		g.counts(before - 1)
	})
}
