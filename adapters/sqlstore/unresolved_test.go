package sqlstore

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/db"
	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/domain/event"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/ports"
	"github.com/haggle-commerce/haggle/ports/porttest"
)

// The oldest of each account, and what is due for an alert, are found by indexes, however many rows are unresolved.
func TestUnresolved_index(t *testing.T) {
	onEngines(t, func(t *testing.T, s *Store) {
		explain := "EXPLAIN QUERY PLAN "
		if s.db.Dialect.OneTrip {
			explain = "SET LOCAL enable_seqscan = off; SET LOCAL enable_bitmapscan = off; SET LOCAL enable_sort = off; EXPLAIN (COSTS OFF) "
		}
		due := strings.NewReplacer("$1", s.db.Dialect.Moment(), "$2", "100")
		for _, c := range []struct{ table, index, statement string }{
			{"checkouts", "checkouts_unresolved", fmt.Sprintf(oldestUnresolved, "checkouts", unresolvedPayment, attemptBegan, "payment", s.db.Dialect.Moment())},
			{"refunds", "refunds_unresolved", fmt.Sprintf(oldestUnresolved, "refunds", unresolvedRefund, "created_at", refundGateway, s.db.Dialect.Moment())},
			{"checkouts", "checkouts_alert", due.Replace(fmt.Sprintf(alertablePayments, s.db.Dialect.SkipLocked))},
			{"refunds", "refunds_alert", due.Replace(fmt.Sprintf(alertableRefunds, s.db.Dialect.SkipLocked))},
		} {
			plan := planOf(t, s, db.AnyProject, explain+c.statement)
			if !usesIndex(s, plan, c.table, c.index) || strings.Contains(plan, "Sort") || strings.Contains(plan, "TEMP B-TREE") {
				t.Errorf("%s is not enough:\n%s", c.index, plan)
			}
		}
	})
}

// An unresolved checkout that cannot be read keeps no other from being listed, counted and announced. It is looked at
// again when its next alert is due.
func TestUnresolved_unreadable(t *testing.T) {
	onEngines(t, func(t *testing.T, s *Store) {
		sale := porttest.NewSale(t, views(s))
		bad, good := lapsedCheckout(t, s, sale), lapsedCheckout(t, s, sale)
		began := db.Millis(queueNoon)
		rewrite(t, s, `UPDATE checkouts SET claimed_at = $1, retry_at = $1, payment = '{"method":"psp_spt","provider":"stripe"}'`, began)
		rewrite(t, s, "UPDATE checkouts SET payment = '{', claimed_at = claimed_at - 1 WHERE id = $1", bad)
		of := id.Project{}
		alerts := func(at time.Time) (ids []string, err error) {
			s.SetClock(at)
			_, err = s.LateAnnouncements().UnresolvedPayments(t.Context(), 10, func(p id.Project, at time.Time, d event.Data) *event.Event {
				ids, of = append(ids, d.(event.PaymentUnresolved).Checkout.String()), p
				return &event.Event{ID: id.New[id.Event]([16]byte{byte(len(ids)), byte(at.Unix())}), Project: p, At: at, Data: d}
			})
			return ids, err
		}
		due := queueNoon.Add(checkout.AlertAfter)
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
