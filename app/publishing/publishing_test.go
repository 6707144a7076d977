package publishing

import (
	"strings"
	"testing"

	"github.com/haggle-commerce/haggle/domain/event"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/ports"
)

// An alert has a headline and one line per field, without nested values. Every type of event that alerts has a headline.
func TestAlert(t *testing.T) {
	t.Parallel()
	d := &event.Delivery{Type: event.InventoryLowType, Event: id.Stored[id.Event]("evt_1")}
	subject, text := alert(ports.Parcel{
		Delivery: d, Shop: &project.Project{Name: "Tents"},
		Body: []byte(`{"id":"evt_1","type":"inventory.low","data":{"sku":"T-1","quantity":3,"nested":{"a":1}}}`),
	})
	if subject != "[Tents] The stock of a product is low" || text != "quantity: 3\nsku: T-1\nevent: evt_1 (inventory.low)" {
		t.Errorf("%q\n%q", subject, text)
	}
	for _, kind := range event.Types {
		if kind.Alerts() != (headlines[kind] != "") {
			t.Errorf("%s alerts %v and says %q", kind, kind.Alerts(), headlines[kind])
		}
	}
	if strings.Contains(text, "nested") {
		t.Error("nested values are shown")
	}
}
