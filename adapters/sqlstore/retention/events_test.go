package retention_test

import (
	"fmt"
	"testing"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/storetest"
)

// An event of an order stays while it is still to be delivered, and later ones that were delivered are removed. Verify
// accepts that.
func TestRetention_eventStillToBeDelivered(t *testing.T) {
	storetest.OnEngines(t, func(t *testing.T, s *storetest.Store) {
		sale := storetest.SoldOnce(t, s)
		foldAll(t, s)
		storetest.Change(t, s, "UPDATE orders SET sequence = 3")
		for n := 2; n <= 3; n++ {
			storetest.Change(t, s, fmt.Sprintf(`
INSERT INTO outbox (project_id, id, type, payload, created_at, due_at, attempts, subject)
VALUES ('%s', 'evt_%d', 'order.updated', '{"data":{"order_id":"%s","sequence":%d}}', %d, NULL, 0, '')`,
				sale.Project(), n, sale.Order.ID, n, began.UnixMilli()+int64(n)*60_000))
		}
		storetest.Change(t, s, fmt.Sprintf(`
INSERT INTO deliveries (project_id, id, event_id, type, queue, status, attempts, tries, due_at, last_code, last_error, created_at)
VALUES ('%s', 'dlv_2', 'evt_2', 'order.updated', 'q', 'pending', 1, 1, 1, 0, '', %d)`, sale.Project(), began.UnixMilli()))
		storetest.Change(t, s, fmt.Sprintf("UPDATE outbox SET due_at = NULL, created_at = CASE WHEN id LIKE 'evt~_%%' ESCAPE '~' AND type = 'order.updated' THEN created_at ELSE %d END", began.UnixMilli()))
		for _, days := range []float64{0.1, 91} {
			retain(t, s, sale.Project(), days)
			if v := storetest.Verified(t, s); len(v.Violations()) > 0 {
				t.Errorf("after %v days: %v", days, v.Violations())
			}
		}
		storetest.WantCount(t, s, 1, "SELECT count(*) FROM outbox")
		storetest.Change(t, s, "UPDATE deliveries SET status = 'delivered', due_at = NULL")
		retain(t, s, sale.Project(), 92)
		storetest.WantCount(t, s, 0, "SELECT count(*) FROM outbox")
		if v := storetest.Verified(t, s); len(v.Violations()) > 0 {
			t.Errorf("when it was delivered: %v", v.Violations())
		}
	})
}
