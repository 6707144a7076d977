package publishing

import (
	"strings"
	"testing"

	"github.com/haggle-commerce/haggle/domain/event"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/ports"
)

func most(list []ports.Share, queue string) int {
	for _, s := range list {
		if s.Queue == queue {
			return s.Most
		}
	}
	return 0
}

func TestLanesLeaveRoom(t *testing.T) {
	t.Parallel()
	l := lanes{}
	if got := most(l.shares([]string{"new"}), "new"); got != window {
		t.Errorf("a new queue gets %d", got)
	}
	var dead []string
	for i := range 20 {
		name := "dead" + string(rune('a'+i))
		dead = append(dead, name)
		l.enter(name)
		l.leave(name, false)
	}
	l.enter("quick")
	l.leave("quick", true)
	for _, share := range l.shares(dead) {
		for range share.Most {
			l.enter(share.Queue)
		}
	}
	if l.busy() != slowSlots {
		t.Errorf("the dead ones have %d of %d places", l.busy(), slots)
	}
	shares := l.shares(append(dead, "quick", "new"))
	if most(shares, "quick") != quickly || most(shares, "new") != window || len(shares) != 2 {
		t.Errorf("beside the dead ones: %v", shares)
	}
	for range quickly {
		l.enter("quick")
	}
	if got := most(l.shares([]string{"quick"}), "quick"); got != 0 {
		t.Errorf("a full queue gets %d more", got)
	}
}

func TestAlertsAreReadable(t *testing.T) {
	t.Parallel()
	d := &event.Delivery{Type: event.InventoryLowType, Event: id.Stored[id.Event]("evt_1")}
	subject, text := alert(ports.Parcel{
		Delivery: d, Shop: &project.Project{Name: "Tents"},
		Body: []byte(`{"id":"evt_1","type":"inventory.low","data":{"sku":"T-1","quantity":3,"nested":{"a":1}}}`),
	})
	if subject != "[Tents] Little is left of a product" || text != "quantity: 3\nsku: T-1\nevent: evt_1 (inventory.low)" {
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
