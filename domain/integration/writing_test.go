package integration_test

import (
	"strings"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/integration"
	"github.com/haggle-commerce/haggle/domain/patch"
)

// Writing can be turned on if the account permits it. A CRM accepts deals, and has no stock for which it could refuse
// an order.
func TestChange_writing(t *testing.T) {
	t.Parallel()
	on, off := integration.Change{WriteOrders: patch.To(true)}, integration.Change{WriteOrders: patch.To(false)}
	for name, c := range map[string]struct {
		of     integration.Type
		config integration.Config
		change integration.Change
		wrong  string
		writes bool
	}{
		"a shop that permits it":          {integration.Shopify, integration.Config{MayWriteOrders: true}, on, "", true},
		"a shop that does not":            {integration.Shopify, integration.Config{}, on, "write_orders", false},
		"a CRM that permits it":           {integration.HubSpot, integration.Config{MayWriteDeals: true}, on, "", true},
		"a CRM that does not":             {integration.HubSpot, integration.Config{}, on, "write_orders", false},
		"a CRM that is turned off":        {integration.HubSpot, integration.Config{MayWriteDeals: true}, off, "", false},
		"a carrier":                       {integration.ShipStation, integration.Config{}, on, "write_orders", false},
		"what a shop refuses is refunded": {integration.Shopify, integration.Config{MayWriteOrders: true}, integration.Change{RefusedOrders: patch.To("refund")}, "", true},
		"a CRM refuses for no stock":      {integration.HubSpot, integration.Config{MayWriteDeals: true}, integration.Change{RefusedOrders: patch.To("refund")}, "refused_orders", true},
	} {
		i := integration.Connect(id.Integration{}, id.Project{}, integration.Draft{Type: c.of}, c.config, integration.Hook{}, time.Time{})
		err := i.Change(c.change, time.Time{})
		if (err == nil) != (c.wrong == "") || err != nil && !strings.Contains(err.Error(), c.wrong) {
			t.Errorf("%s: %v", name, err)
		}
		if i.Config.WritesOrders() != c.writes {
			t.Errorf("%s: writes %t", name, i.Config.WritesOrders())
		}
	}
}
