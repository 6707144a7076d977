package ucp

import (
	"fmt"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/order"
)

// Digital goods have an expectation without shipping, and are in no shipping event.
func TestToAPIOrder_digital(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)
	for name, one := range map[string]struct {
		digital              []bool
		expectations, events string
	}{
		"shipped": {[]bool{false}, "[shipping [li_1]]", "[shipped [li_1]][delivered [li_1]]"},
		"digital": {[]bool{true}, "[digital [li_1]]", "[delivered [li_1]]"},
		"mixed":   {[]bool{false, true}, "[shipping [li_1]][digital [li_2]]", "[shipped [li_1]][delivered [li_1 li_2]]"},
	} {
		o := &order.Order{Total: money.Of(10_00, money.USD), CreatedAt: at}
		o.Fulfillment = order.Fulfillment{Status: order.Delivered, DeliveredAt: at}
		for i, digital := range one.digital {
			l := checkout.Line{
				ID:       i + 1,
				Quantity: 1,
				Unit:     o.Total,
				Original: o.Total,
				Digital:  digital,
			}
			o.Lines = append(o.Lines, l)
			if !digital {
				o.Fulfillment.ShippedAt = at
			}
		}
		body := toAPIOrder(envelope{}, "https://shop.example.com", &order.Case{Order: o})
		names := func(parts []linePart) (list []string) {
			for _, p := range parts {
				list = append(list, p.ID)
			}
			return list
		}
		expectations, events := "", ""
		for _, e := range body.Fulfillment.Expectations {
			expectations += fmt.Sprintf("[%s %s]", e.MethodType, names(e.LineItems))
		}
		for _, e := range body.Fulfillment.Events {
			events += fmt.Sprintf("[%s %s]", e.Type, names(e.LineItems))
		}
		if expectations != one.expectations || events != one.events {
			t.Errorf("%s: expectations %s, events %s", name, expectations, events)
		}
	}
}
