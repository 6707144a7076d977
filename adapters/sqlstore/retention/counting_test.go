package retention_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/storetest"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/ports"
	"github.com/haggle-commerce/haggle/ports/porttest"
)

// A session counts once: while the reader counts it, when its slot has it, and when it is removed. A bound may cut its slot
// in two for as long as it is kept.
func TestCounting_once(t *testing.T) {
	storetest.OnEngines(t, func(t *testing.T, s *storetest.Store) {
		sale := porttest.NewSale(t, storetest.Views(s))
		of := sale.Project()
		storetest.Change(t, s, "UPDATE sessions SET created_at = 0") // which is before all periods below
		start := began.Truncate(24 * time.Hour)
		begin := func(n int, at time.Time, protocol string) {
			t.Helper()
			storetest.Change(t, s, fmt.Sprintf(`
INSERT INTO sessions (project_id, id, loyalty_tier, location, purchase_history, urgency, created_at, last_activity, expires_at, protocol)
VALUES ('%[1]s', 'sess_%026[2]d', '', '', 0, '', %[3]d, %[3]d, %[3]d + 1000, '%[4]s')`, of, n, at.UnixMilli(), protocol))
		}
		for n := range 300 { // four days, one in 20 minutes
			begin(n, start.Add(time.Duration(n)*20*time.Minute), []string{"haggle", "ucp", "mcp", "haggle"}[n%4])
		}
		hours := []int{0, 1, 24, 49, 72, 100}
		whole := make([]time.Time, len(hours))
		cut := make([]time.Time, len(hours))
		for i, h := range hours {
			whole[i] = start.Add(time.Duration(h) * time.Hour)
			cut[i] = whole[i].Add(2 * time.Minute)
		}
		wantWhole, wantCut := begunBetween(t, s, of, whole), begunBetween(t, s, of, cut)
		if want := "3 map[haggle:1 mcp:1 ucp:1], 69 "; wantWhole[:len(want)] != want {
			t.Fatalf("begun: %s", wantWhole)
		}
		for _, days := range []float64{0.5, 1, 2.3, 2.3, 4, 6} {
			retain(t, s, of, days)
			if got := begunBetween(t, s, of, whole); got != wantWhole {
				t.Errorf("after %v days %s, want %s", days, got, wantWhole)
			}
			if got := begunBetween(t, s, of, cut); got != wantCut {
				t.Errorf("after %v days and between slots %s, want %s", days, got, wantCut)
			}
		}
		storetest.WantCount(t, s, 301, "SELECT sum(sessions) FROM analytics_slots")
		retain(t, s, of, 120)
		storetest.WantCount(t, s, 0, "SELECT count(*) FROM sessions")
		if got := begunBetween(t, s, of, whole); got != wantWhole {
			t.Errorf("removed %s, want %s", got, wantWhole)
		}
	})
}

// A session that is removed before its slot is counted is counted then.
func TestCounting_removedBefore(t *testing.T) {
	storetest.OnEngines(t, func(t *testing.T, s *storetest.Store) {
		sale := porttest.NewSale(t, storetest.Views(s))
		of := sale.Project()
		bounds := []time.Time{began.AddDate(0, 0, -9), began.AddDate(0, 0, 9)}
		want := begunBetween(t, s, of, bounds)
		s.SetClock(began.AddDate(0, 0, 120))
		for more := true; more; {
			var err error
			if more, err = s.Retention().Remove(t.Context(), of, ports.OldSessions, time.Hour, plainSeals{}); err != nil {
				t.Fatal(err)
			}
		}
		storetest.WantCount(t, s, 0, "SELECT count(*) FROM sessions")
		for range 2 {
			if got := begunBetween(t, s, of, bounds); got != want || want != "1 map[haggle:1], " {
				t.Errorf("%s, want %s", got, want)
			}
			retain(t, s, of, 121)
		}
	})
}

func begunBetween(t *testing.T, s *storetest.Store, of id.Project, bounds []time.Time) string {
	t.Helper()
	spans, err := s.Analytics().Figures(t.Context(), of, ports.Period{Bounds: bounds, Protocols: true})
	if err != nil {
		t.Fatal(err)
	}
	only, err := s.Analytics().Figures(t.Context(), of, ports.Period{Bounds: bounds, Sessions: true})
	if err != nil {
		t.Fatal(err)
	}
	text := ""
	for i, span := range spans {
		if only[i].Sessions != span.Sessions || only[i].SessionsBy != nil {
			t.Errorf("%d sessions, and %d by protocol", only[i].Sessions, span.Sessions)
		}
		text += fmt.Sprintf("%d %v, ", span.Sessions, span.SessionsBy)
	}
	return text
}
