package writeback

import (
	"reflect"
	"testing"

	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/integration"
	"github.com/haggle-commerce/haggle/domain/syncrun"
	"github.com/haggle-commerce/haggle/ports"
)

// Stock is settled only for goods whose stock both sides have reduced.
func TestClaimedOrder_counted(t *testing.T) {
	variant := func(n byte) id.Variant { return id.New[id.Variant]([16]byte{n}) }
	tent, mug, service := variant(1), variant(2), variant(3)
	takes := []catalog.Reservation{
		{Variant: tent, Location: "shopify-1", Quantity: 2},
		{Variant: mug, Location: "main", Quantity: 1},
		{Variant: service, Quantity: 1},
	}
	for name, c := range map[string]struct {
		skip  bool
		items []string
		want  []catalog.Reservation
	}{
		"the platform counts one":      {items: []string{"44", "46"}, want: takes[:1]},
		"goods that are not its own":   {items: []string{"", "44"}, want: takes[:1]},
		"it counts none":               {items: nil},
		"our stock does not follow it": {skip: true, items: []string{"44", "46"}},
	} {
		h := &claimedOrder{
			integration: &integration.Integration{Config: integration.Config{Skip: integration.Skips{Products: c.skip}}},
			lines:       []line{{variant: tent, item: "44"}, {variant: mug}, {variant: service, item: "46"}},
		}
		if got := h.counted(takes, c.items); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: %+v, want %+v", name, got, c.want)
		}
	}
}

// Stock that a cancellation put back here is not moved again if the platform has no level for the goods.
func TestClaimedOrder_shifts(t *testing.T) {
	variant := func(n byte) id.Variant { return id.New[id.Variant]([16]byte{n}) }
	h := &claimedOrder{lines: []line{{variant: variant(1), item: "44", sku: "TENT"}, {variant: variant(2), item: "46", sku: "MUG"}}}
	moved := []catalog.Reservation{{Variant: variant(1), Location: "shopify-1", Quantity: -2}, {Variant: variant(2), Location: "main", Quantity: -1}}
	levels := []syncrun.Record{{Resource: syncrun.Inventory, Level: &syncrun.Level{Item: "44", Location: "shopify-1"}}}
	want := []ports.StockShift{{SKU: "TENT", Location: "shopify-1", Delta: -2}}
	if got := h.shifts(moved, levels); !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
}
