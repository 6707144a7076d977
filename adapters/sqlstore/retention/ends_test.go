package retention_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	analyticsstore "github.com/haggle-commerce/haggle/adapters/sqlstore/analytics"
	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/db"
	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/storetest"
	"github.com/haggle-commerce/haggle/adapters/sqlstore/retention"
	"github.com/haggle-commerce/haggle/domain/agentid"
	"github.com/haggle-commerce/haggle/domain/analytics"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/ports"
	"github.com/haggle-commerce/haggle/ports/porttest"
)

// Audit events go after two years, and the database keeps younger ones.
func TestRetention_auditEvents(t *testing.T) {
	storetest.OnEngines(t, func(t *testing.T, s *storetest.Store) {
		storetest.StoreProject(t, s, 1)
		for n, days := range []int{800, 731, 729, 1} {
			storetest.Change(t, s, fmt.Sprintf(`
INSERT INTO audit_events (id, account_id, project_id, key_id, action, target, address, request_id, at, before, after)
SELECT 'aud_%d', id, '', '', '', '', '', '', %d, '', '' FROM accounts`, n, time.Now().AddDate(0, 0, -days).UnixMilli()))
		}
		s.SetClock(time.Now().AddDate(9, 0, 0)) // which the log does not go by
		if more, err := s.Retention().RemoveAuditEvents(t.Context()); more || err != nil {
			t.Error(more, err)
		}
		storetest.WantCount(t, s, 2, "SELECT count(*) FROM audit_events")
		storetest.WantCount(t, s, 2, "SELECT count(*) FROM audit_events WHERE id IN ('aud_2', 'aud_3')")
		for _, statement := range []string{"DELETE FROM audit_events WHERE id = 'aud_2'", "UPDATE audit_events SET action = 'none'"} {
			err := s.DB.InTx(t.Context(), db.AnyProject, func(tx *db.Tx) error {
				_, err := tx.Exec(t.Context(), statement)
				return err
			})
			if err == nil || !strings.Contains(err.Error(), "only added") && !strings.Contains(err.Error(), "permission denied") {
				t.Errorf("%s: %v", statement, err)
			}
		}
	})
}

// Stock adjustments go with the logs.
func TestRetention_stockMoves(t *testing.T) {
	storetest.OnEngines(t, func(t *testing.T, s *storetest.Store) {
		sale := porttest.NewSale(t, storetest.Views(s))
		storetest.Change(t, s, fmt.Sprintf("INSERT INTO stock_moves (project_id, variant_id, location, delta, reason, created_at) VALUES ('%s', 'v', 'main', 1, 'found', %d)",
			sale.Project(), began.UnixMilli()))
		retain(t, s, sale.Project(), 89)
		storetest.WantCount(t, s, 1, "SELECT count(*) FROM stock_moves")
		retain(t, s, sale.Project(), 91)
		storetest.WantCount(t, s, 0, "SELECT count(*) FROM stock_moves")
	})
}

// Quarter-hour slots are merged into days of the shop's time zone without changing the figures of a day. Figures
// counted later are added to the days.
func TestRetention_slotsBecomeDays(t *testing.T) {
	storetest.OnEngines(t, func(t *testing.T, s *storetest.Store) {
		sale := porttest.NewSale(t, storetest.Views(s))
		of := sale.Project()
		storetest.Change(t, s, `UPDATE projects SET settings = replace(settings, '"timezone":"UTC"', '"timezone":"America/New_York"')`)
		zone, err := time.LoadLocation("America/New_York")
		if err != nil {
			t.Fatal(err)
		}
		first := analytics.StartOfDay(2026, 3, 6, zone) // three days, the last of 23 hours
		add := func(at time.Time, negotiations int64, sessions int) {
			t.Helper()
			row := analyticsstore.ToSlotRow(at, analytics.Figures{
				Negotiations: negotiations,
				Rules:        map[string]int64{"concession": negotiations},
				Products:     map[string]analytics.Sold{"prod_1": {Units: negotiations}},
				Protocols:    map[agentid.Protocol]analytics.Traffic{agentid.UCP: {Deals: negotiations, Orders: 2, Gross: 3}},
			})
			storetest.Change(t, s, fmt.Sprintf("INSERT INTO analytics_slots (project_id, at, figures, products, sessions, sessions_ucp, sessions_mcp) "+
				"VALUES ('%s', %d, '%s', '%s', %d, %d, %d)",
				of, row.At.UnixMilli(), row.Figures, row.Products, 4*sessions, sessions, 2*sessions))
		}
		n := int64(0)
		for at := first; at.Before(first.Add(71 * time.Hour)); at = at.Add(45 * time.Minute) {
			n++
			add(at, n, 2)
		}
		days := func() string {
			t.Helper()
			bounds := []time.Time{first.UTC(), analytics.StartOfDay(2026, 3, 7, zone).UTC(), analytics.StartOfDay(2026, 3, 8, zone).UTC(), analytics.StartOfDay(2026, 3, 9, zone).UTC()}
			spans, err := s.Analytics().Figures(t.Context(), of, ports.Period{
				Bounds:    bounds,
				Protocols: true,
				Products:  true,
			})
			if err != nil {
				t.Fatal(err)
			}
			text := ""
			for _, span := range spans {
				text += fmt.Sprintf("%d sessions %v, %d negotiations, %v, %v, %v; ", span.Sessions, span.SessionsBy, span.Negotiations, span.Rules, span.Protocols, span.Products)
			}
			return text
		}
		slots := func() int { return rowsOf(t, s, of, "analytics_slots")[0] }
		before := days()
		after := func(when float64, want int) {
			t.Helper()
			retain(t, s, of, when)
			if got := slots(); got != want {
				t.Errorf("after %v days %d slots, want %d", when, got, want)
			}
			if got := days(); got != before {
				t.Errorf("after %v days\n%s\nwant\n%s", when, got, before)
			}
		}
		rows := slots()
		after(401, rows+1) // the sale's session, of two days before, was counted
		after(406, 4)
		s.SetClock(began.AddDate(0, 0, 407))
		late := first.Add(30 * time.Hour)
		if err := s.DB.InTx(t.Context(), of, func(t2 *db.Tx) error {
			e := &retention.Ending{
				T:       t2,
				Project: of,
				Now:     late,
				Keep:    time.Hour,
			}
			return e.Count(t.Context(), []retention.EndedRow{{ID: "sess_late", CreatedAt: late.UnixMilli()}})
		}); err != nil {
			t.Fatal(err)
		}
		before = days()
		if n := slots(); n != 5 {
			t.Errorf("%d slots with the one that came late", n)
		}
		after(408, 4)
	})
}

// Records of buyers without an order are removed from a closed project, too. Its orders stay, and so does the evidence
// for the rest.
func TestRetention_closedProject(t *testing.T) {
	storetest.OnEngines(t, func(t *testing.T, s *storetest.Store) {
		sale := storetest.SoldOnce(t, s)
		lost := porttest.NewSale(t, storetest.Views(s))
		lost.Init(lost.Quote())
		foldAll(t, s)
		for _, of := range []id.Project{sale.Project(), lost.Project()} {
			storetest.Change(t, s, "UPDATE projects SET status = 'closing', closing_at = 1, slug = id WHERE id = '"+of.String()+"'")
			for last := false; !last; {
				var err error
				if last, err = s.Projects().Step(t.Context(), of); err != nil {
					t.Fatal(err)
				}
			}
		}
		due := map[id.Project]bool{}
		s.SetClock(began.AddDate(0, 0, 200))
		list, err := s.Retention().Due(t.Context(), 10)
		if err != nil {
			t.Fatal(err)
		}
		for _, k := range list {
			due[k.Project] = true
		}
		if !due[sale.Project()] || !due[lost.Project()] {
			t.Fatalf("closed projects are not due: %v", list)
		}
		for _, of := range []id.Project{sale.Project(), lost.Project()} {
			retain(t, s, of, 200)
			retain(t, s, of, 201)
		}
		wantRows(t, s, "of the lost one", lost.Project(), 0, 0, 0, 0, 0, 0)
		wantRows(t, s, "of the sold one", sale.Project(), 1, 1, 1, 0, 0, 0)
		storetest.WantCount(t, s, 1, "SELECT count(*) FROM orders")
		storetest.WantCount(t, s, 0, "SELECT count(*) FROM analytics_slots")
		if found := storetest.Verified(t, s).Violations(); len(found) > 0 {
			t.Errorf("%v", found)
		}
	})
}
