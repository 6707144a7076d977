package announcements_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/announcements"
	"github.com/haggle-commerce/haggle/adapters/sqlstore/finance"
	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/db"
	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/storetest"
	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/domain/event"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/ports"
	"github.com/haggle-commerce/haggle/ports/porttest"
)

// Indexes find the oldest unresolved row of each account, and the rows due for an alert, no matter how many rows are
// unresolved.
func TestLateAnnouncements_unresolvedIndexes(t *testing.T) {
	storetest.OnEngines(t, func(t *testing.T, s *storetest.Store) {
		explain := "EXPLAIN QUERY PLAN "
		if s.DB.Dialect.OneTrip {
			explain = "SET LOCAL enable_seqscan = off; SET LOCAL enable_bitmapscan = off; SET LOCAL enable_sort = off; EXPLAIN (COSTS OFF) "
		}
		due := strings.NewReplacer("$1", s.DB.Dialect.Moment(), "$2", "100")
		for _, c := range []struct{ table, index, statement string }{
			{"checkouts", "checkouts_unresolved", fmt.Sprintf(finance.OldestUnresolved, "checkouts", finance.UnresolvedPayment, finance.AttemptBegan, "payment", s.DB.Dialect.Moment())},
			{"refunds", "refunds_unresolved", fmt.Sprintf(finance.OldestUnresolved, "refunds", finance.UnresolvedRefund, "created_at", finance.RefundGateway, s.DB.Dialect.Moment())},
			{"checkouts", "checkouts_alert", due.Replace(fmt.Sprintf(announcements.AlertablePayments, s.DB.Dialect.SkipLocked))},
			{"refunds", "refunds_alert", due.Replace(fmt.Sprintf(announcements.AlertableRefunds, s.DB.Dialect.SkipLocked))},
		} {
			plan := storetest.PlanOf(t, s, db.AnyProject, explain+c.statement)
			if !storetest.UsesIndex(s, plan, c.table, c.index) || strings.Contains(plan, "Sort") || strings.Contains(plan, "TEMP B-TREE") {
				t.Errorf("%s is not enough:\n%s", c.index, plan)
			}
		}
	})
}

// An unresolved checkout that cannot be read does not keep others from being listed, counted and announced. It is
// looked at again when its next alert is due.
func TestLateAnnouncements_UnresolvedPayments_unreadable(t *testing.T) {
	storetest.OnEngines(t, func(t *testing.T, s *storetest.Store) {
		sale := porttest.NewSale(t, storetest.Views(s))
		bad, good := storetest.LapsedCheckout(t, s, sale), storetest.LapsedCheckout(t, s, sale)
		began := db.Millis(storetest.QueueNoon)
		storetest.Rewrite(t, s, `UPDATE checkouts SET claimed_at = $1, retry_at = $1, payment = '{"method":"psp_spt","provider":"stripe"}'`, began)
		storetest.Rewrite(t, s, "UPDATE checkouts SET payment = '{', claimed_at = claimed_at - 1 WHERE id = $1", bad)
		of := id.Project{}
		alerts := func(at time.Time) (ids []string, err error) {
			s.SetClock(at)
			_, err = s.LateAnnouncements().UnresolvedPayments(t.Context(), 10, func(p id.Project, at time.Time, d event.Data) *event.Event {
				ids, of = append(ids, d.(event.PaymentUnresolved).Checkout.String()), p
				return &event.Event{
					ID:      id.New[id.Event]([16]byte{byte(len(ids)), byte(at.Unix())}),
					Project: p,
					At:      at,
					Data:    d,
				}
			})
			return ids, err
		}
		due := storetest.QueueNoon.Add(checkout.AlertAfter)
		if ids, err := alerts(due); len(ids) != 1 || ids[0] != good || err == nil || !strings.Contains(err.Error(), "a checkout of proj_") {
			t.Errorf("announced %v, %v", ids, err)
		}
		if ids, err := alerts(due.Add(time.Minute)); len(ids) != 0 || err != nil {
			t.Errorf("announced %v, %v a minute later", ids, err)
		}
		listed, _, err := s.Unresolved().UnresolvedPayments(t.Context(), of, ports.PaymentFilter{}, ports.Page{Limit: 10})
		if err != nil || len(listed) != 1 || listed[0].Checkout.ID().String() != good {
			t.Errorf("listed %+v, %v", listed, err)
		}
		if ages, err := s.Unresolved().UnresolvedAges(t.Context()); err != nil || len(ages) != 1 || ages[0].Provider != "unknown" {
			t.Errorf("ages %+v, %v", ages, err)
		}
	})
}
