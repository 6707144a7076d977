package retention_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/db"
	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/storetest"
	"github.com/haggle-commerce/haggle/adapters/sqlstore/retention"
	"github.com/haggle-commerce/haggle/domain/agentid"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/negotiation"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/ports"
	"github.com/haggle-commerce/haggle/ports/porttest"
)

// began is when the sales of porttest begin.
var began = time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)

// foldAll has all records folded, sealed and announced.
func foldAll(t *testing.T, s *storetest.Store) {
	t.Helper()
	for {
		more, err := s.Analytics().Fold(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if !more {
			break
		}
	}
	if _, err := s.Decisions().Seal(t.Context(), 10_000); err != nil {
		t.Fatal(err)
	}
	storetest.Change(t, s, "DELETE FROM haggled_sessions")
}

// retain removes everything that is over so many days after the sales began.
func retain(t *testing.T, s *storetest.Store, of id.Project, days float64) {
	t.Helper()
	s.SetClock(began.Add(time.Duration(days * 24 * float64(time.Hour))))
	r := project.DefaultRetention()
	for _, what := range ports.Leftovers {
		keep := map[ports.Leftover]int{
			ports.OldMessages:   r.Messages,
			ports.OldSessions:   r.Sessions,
			ports.OldLostDeals:  r.Decisions,
			ports.OldDeliveries: r.Deliveries,
			ports.OldEvents:     r.Events,
			ports.OldLogs:       r.Logs,
			ports.OldSlots:      400,
		}[what]
		for more := true; more; {
			var err error
			if more, err = s.Retention().Remove(t.Context(), of, what, project.Days(keep), plainSeals{}); err != nil {
				t.Fatal(err)
			}
		}
	}
	for more := true; more; {
		var err error
		more, err = s.Retention().Fold(t.Context(), of, project.Days(r.Decisions), plainSeals{})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// plainSeals seal nothing from the test.
type plainSeals struct{}

func (plainSeals) Seal(text string) []byte { return []byte(text) }

func (plainSeals) Sound(text string, seal []byte) bool { return string(seal) == text }

// rowsOf counts a project's rows of tables.
func rowsOf(t *testing.T, s *storetest.Store, of id.Project, tables ...string) (counts []int) {
	t.Helper()
	for _, table := range tables {
		var n int
		if err := s.DB.InTx(t.Context(), of, func(tx *db.Tx) error {
			_, err := tx.Get(t.Context(), &n, "SELECT count(*) FROM "+table+" WHERE project_id = $1", of.String())
			return err
		}); err != nil {
			t.Fatal(err)
		}
		counts = append(counts, n)
	}
	return counts
}

var ofVisits = []string{"sessions", "quotes", "checkouts", "cart_items", "shown", "decisions"}

func wantRows(t *testing.T, s *storetest.Store, when string, of id.Project, want ...int) {
	t.Helper()
	if got := rowsOf(t, s, of, ofVisits...); fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%s: %v of %v, want %v", when, got, ofVisits, want)
	}
}

// Records that led to no order are removed when their time is over, in the order sessions, events, decisions. Records
// of sales stay. Every step leaves consistent records.
func TestRetention_sessions(t *testing.T) {
	storetest.OnEngines(t, func(t *testing.T, s *storetest.Store) {
		lost := porttest.NewSale(t, storetest.Views(s))
		lost.Init(lost.Quote())
		sold := storetest.SoldOnce(t, s)
		foldAll(t, s)
		step := func(when string, days float64, lostRows, soldRows []int) {
			t.Helper()
			for _, sale := range []*porttest.Sale{lost, sold} {
				retain(t, s, sale.Project(), days)
			}
			wantRows(t, s, when+", lost", lost.Project(), lostRows...)
			wantRows(t, s, when+", sold", sold.Project(), soldRows...)
			if v := storetest.Verified(t, s); len(v.Violations()) > 0 {
				t.Errorf("%s: %v", when, v.Violations())
			}
		}
		all := []int{1, 1, 1, 1, 1, 1}
		step("before", 29, all, all)
		step("with a checkout that is open", 31, all, all)
		storetest.Change(t, s, "UPDATE checkouts SET status = 'expired', abandoned_at = 1 WHERE status = 'ready'")
		step("right after", 31.1, all, all)
		step("when it is looked at again", 31.5, []int{0, 0, 0, 0, 0, 1}, all)
		storetest.Change(t, s, fmt.Sprintf("UPDATE outbox SET due_at = NULL, created_at = %d", began.UnixMilli()))
		step("after the events", 91, []int{0, 0, 0, 0, 0, 1}, all)
		storetest.WantCount(t, s, 0, "SELECT count(*) FROM outbox")
		step("after the decisions", 181, []int{0, 0, 0, 0, 0, 0}, []int{1, 1, 1, 1, 1, 0})
		step("long after", 4000, []int{0, 0, 0, 0, 0, 0}, []int{1, 1, 1, 1, 1, 0})
		for _, sale := range []*porttest.Sale{lost, sold} {
			head, err := s.Decisions().Head(t.Context(), sale.Project())
			if err != nil || head.Position != 1 || head.Checkpoint.ChainEnd != (negotiation.ChainEnd{Position: 1, Hash: head.Hash}) ||
				!head.Checkpoint.Until.Equal(began) || head.Seal != head.Checkpoint.Text() {
				t.Errorf("%+v, %v", head, err)
			}
		}
	})
}

// Sessions are kept while they have a payment with an unknown outcome, a charge without an order, or uncounted records.
func TestRetention_held(t *testing.T) {
	storetest.OnEngines(t, func(t *testing.T, s *storetest.Store) {
		for name, c := range map[string]struct{ hold, free string }{
			"an undecided payment": {
				"UPDATE checkouts SET status = 'processing', attempt = 1, claimed_at = 1, lease_until = 1, queue = project_id || '/sandbox'",
				"UPDATE checkouts SET status = 'canceled'",
			},
			"an open checkout": {
				"UPDATE checkouts SET status = 'pending', attempt = 1, declines = 1, queue = project_id || '/sandbox'",
				"UPDATE checkouts SET status = 'expired'",
			},
			"a payment tried with real money": {
				"UPDATE checkouts SET status = 'canceled', attempt = 1, queue = project_id || '/int_1'",
				"UPDATE checkouts SET queue = project_id || '/sandbox'",
			},
			"records that are not counted": {
				"INSERT INTO analytics_pending (project_id, session_id, record_id) SELECT project_id, session_id, id FROM decisions",
				"DELETE FROM analytics_pending",
			},
			"a loss that is not announced": {
				"INSERT INTO haggled_sessions (project_id, session_id, due_at) SELECT project_id, id, 0 FROM sessions",
				"DELETE FROM haggled_sessions",
			},
		} {
			sale := porttest.NewSale(t, storetest.Views(s))
			sale.Init(sale.Quote())
			foldAll(t, s)
			here := " WHERE project_id = '" + sale.Project().String() + "'"
			storetest.Change(t, s, "UPDATE checkouts SET status = 'expired'"+here)
			storetest.Change(t, s, c.hold+here)
			retain(t, s, sale.Project(), 100)
			wantRows(t, s, name, sale.Project(), 1, 1, 1, 1, 1, 1)
			storetest.Change(t, s, c.free+here)
			retain(t, s, sale.Project(), 101)
			wantRows(t, s, name+", no more", sale.Project(), 0, 0, 0, 0, 0, 1)
			storetest.WantCount(t, s, 0, "SELECT count(*) FROM sessions_held")
		}
	})
}

// Figures do not change when the records that they were counted from are removed.
func TestRetention_analytics(t *testing.T) {
	storetest.OnEngines(t, func(t *testing.T, s *storetest.Store) {
		for protocol := range agentid.Protocols {
			figuresStay(t, s, protocol)
		}
	})
}

// figuresStay looks at a session that was opened by a protocol.
func figuresStay(t *testing.T, s *storetest.Store, protocol string) {
	t.Helper()
	s.SetClock(began)
	sale := porttest.NewSale(t, storetest.Views(s))
	sale.Init(sale.Quote())
	foldAll(t, s)
	storetest.Change(t, s, "UPDATE checkouts SET status = 'expired'")
	storetest.Change(t, s, fmt.Sprintf("UPDATE sessions SET protocol = '%s' WHERE project_id = '%s'", protocol, sale.Project()))
	figures := func(bounds ...time.Time) string {
		t.Helper()
		spans, err := s.Analytics().Figures(t.Context(), sale.Project(), ports.Period{
			Bounds:    bounds,
			Protocols: true,
			Products:  true,
		})
		if err != nil {
			t.Fatal(err)
		}
		text := ""
		for _, span := range spans {
			text += fmt.Sprintf("%d sessions %v, %d negotiations, %d opened; ", span.Sessions, span.SessionsBy, span.Negotiations, span.Opened)
		}
		return text
	}
	day, cut := began.Add(-12*time.Hour), began.Add(7*time.Minute)
	before := figures(day, day.Add(24*time.Hour)) + figures(day, cut, day.Add(24*time.Hour))
	one := "1 sessions map[" + protocol + ":1], 1 negotiations, 1 opened; "
	if want := one + one + "0 sessions map[], 0 negotiations, 0 opened; "; before != want {
		t.Fatalf("%s, want %s", before, want)
	}
	for _, days := range []float64{32, 200} {
		retain(t, s, sale.Project(), days)
		if after := figures(day, day.Add(24*time.Hour)) + figures(day, cut, day.Add(24*time.Hour)); after != before {
			t.Errorf("after %v days %s, want %s", days, after, before)
		}
	}
	wantRows(t, s, "at last", sale.Project(), 0, 0, 0, 0, 0, 0)
}

// Projects are due one after the other, each again after a pause.
func TestRetention_due(t *testing.T) {
	storetest.OnEngines(t, func(t *testing.T, s *storetest.Store) {
		one, two := storetest.StoreProject(t, s, 1), storetest.StoreProject(t, s, 2)
		now := time.UnixMilli(1_000_000)
		due := func(after time.Duration, limit int) (list []id.Project) {
			t.Helper()
			s.SetClock(now.Add(after))
			found, err := s.Retention().Due(t.Context(), limit)
			if err != nil {
				t.Fatal(err)
			}
			for _, k := range found {
				if k.Retention != project.DefaultRetention() {
					t.Errorf("%+v", k.Retention)
				}
				list = append(list, k.Project)
			}
			return list
		}
		first := due(0, 1)
		second := due(time.Minute, 9)
		if len(first) != 1 || len(second) != 1 || first[0] == second[0] || len(due(2*time.Minute, 9)) != 0 {
			t.Errorf("%v, then %v", first, second)
		}
		if err := s.Retention().Again(t.Context(), one.ID); err != nil {
			t.Fatal(err)
		}
		if got := due(3*time.Minute, 9); len(got) != 1 || got[0] != one.ID {
			t.Errorf("again: %v", got)
		}
		if err := s.Projects().Delete(t.Context(), two.Account, two.ID, now); err != nil {
			t.Fatal(err)
		}
		if got := due(2*ports.RetentionPause, 9); len(got) != 1 || got[0] != one.ID {
			t.Errorf("after a pause: %v", got)
		}
	})
}

// Rows to remove are found by an index, no matter how many rows stay.
func TestRetention_index(t *testing.T) {
	storetest.OnEngines(t, func(t *testing.T, s *storetest.Store) {
		explain := "EXPLAIN QUERY PLAN "
		if s.DB.Dialect.OneTrip {
			explain = "SET LOCAL enable_seqscan = off; SET LOCAL enable_bitmapscan = off; EXPLAIN (COSTS OFF) "
		}
		values := strings.NewReplacer("$1", "'p'", "$2", "500", "$3", "1000", "$4", "'s'", "$5", "200")
		check := func(table, index, statement string) {
			t.Helper()
			plan := storetest.PlanOf(t, s, db.AnyProject, explain+values.Replace(statement))
			if !strings.Contains(plan, index) || strings.Contains(plan, "Seq Scan") || strings.Contains(plan, "SCAN "+table) || strings.Contains(plan, "TEMP B-TREE FOR ORDER BY") {
				t.Errorf("%s:\n%s", statement, plan)
			}
		}
		indexes := map[string]string{
			"analytics_lost":     "analytics_lost",
			"deliveries":         "deliveries_oldest",
			"outbox":             "outbox_newest",
			"webhook_deliveries": "webhook_deliveries_oldest",
			"stock_moves":        "stock_moves_oldest",
			"sync_problems":      "sync_problems_oldest",
			"sync_changes":       "sync_changes_oldest",
			"sync_runs":          "sync_runs_oldest",
		}
		for _, list := range retention.Leftovers {
			for _, old := range list {
				index := indexes[old.Table]
				if !s.DB.Dialect.OneTrip && old.Table == "analytics_lost" {
					index = "PRIMARY KEY"
				}
				check(old.Table, index, "SELECT 1 FROM "+old.Table+old.Where+" LIMIT $2")
			}
		}
		check("decisions", "decisions_messages", "SELECT 1 FROM decisions"+retention.MessagesOver+" LIMIT $2")
		check("sessions", "sessions_newest", retention.SelectSessionsNext)
		check("sessions_held", "sessions_held_due", retention.SelectSessionsHeld)
		check("decisions", "decisions_sealed", retention.SelectOldest)
	})
}
