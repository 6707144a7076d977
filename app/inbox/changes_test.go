package inbox

import (
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/integration"
)

// A conflict is stored with what becomes of the delivery, or neither is.
func TestConflictsOfDeliveries(t *testing.T) {
	t.Parallel()
	for diesAt := 1; ; diesAt++ {
		l := newLab(t)
		d := l.came(t, told{
			Resource: "products",
			ID:       "p1",
			SKU:      "T-1",
			Name:     inConflict,
			At:       l.Now(),
		})
		dying := l.Replica(diesAt)
		l.work(t, dying, 64)
		if noted, done := len(l.Changes(id.Sync{})) > 0, l.Delivery(d).Status == integration.Processed; noted != done {
			t.Fatalf("it died at %d: noted %v, worked on %v", diesAt, noted, done)
		}
		l.Pass(time.Hour)
		l.work(t, l.Replica(0), 64)
		if n := len(l.Changes(id.Sync{})); n != 1 {
			t.Fatalf("it died at %d: %d are noted", diesAt, n)
		}
		if !dying.Dead() {
			return
		}
	}
}
