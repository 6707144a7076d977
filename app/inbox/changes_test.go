package inbox

import (
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/integration"
)

// A conflict is stored together with the delivery's new status, or neither is.
func TestWorker_conflictStoredOnce(t *testing.T) {
	t.Parallel()
	for diesAt := 1; ; diesAt++ {
		f := newFixture(t)
		d := f.storeDelivery(t, message{
			Resource: "products",
			ID:       "p1",
			SKU:      "T-1",
			Name:     inConflict,
			At:       f.Now(),
		})
		dying := f.Replica(diesAt)
		f.work(t, dying, 64)
		if noted, done := len(f.Changes(id.Sync{})) > 0, f.Delivery(d).Status == integration.Processed; noted != done {
			t.Fatalf("it died at %d: noted %v, worked on %v", diesAt, noted, done)
		}
		f.Pass(time.Hour)
		f.work(t, f.Replica(0), 64)
		if n := len(f.Changes(id.Sync{})); n != 1 {
			t.Fatalf("it died at %d: %d are noted", diesAt, n)
		}
		if !dying.Dead() {
			return
		}
	}
}
