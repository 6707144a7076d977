package retention_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/jmoiron/sqlx"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/db"
	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/storetest"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/negotiation"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/ports"
	"github.com/haggle-commerce/haggle/ports/porttest"
)

// A chain is folded in parts. The remaining decisions follow the checkpoint, and none after it can be removed.
func TestRetention_fold(t *testing.T) {
	storetest.OnEngines(t, func(t *testing.T, s *storetest.Store) {
		sale := storetest.SealedShop(t, s, 5)
		storetest.Change(t, s, "DELETE FROM analytics_pending")
		p := sale.Project()
		var at []int64
		if err := s.DB.InTx(t.Context(), p, func(tx *db.Tx) error {
			return tx.Select(t.Context(), &at, "SELECT position FROM decisions WHERE position IS NOT NULL ORDER BY position")
		}); err != nil || len(at) != 5 {
			t.Fatalf("%v, %v", at, err)
		}
		storetest.Change(t, s, "INSERT INTO analytics_pending (project_id, session_id, record_id) SELECT project_id, session_id, id FROM decisions WHERE position = 3")
		retain(t, s, p, 200)
		head, err := s.Decisions().Head(t.Context(), p)
		if err != nil || head.Checkpoint.Position != 2 || head.Position != 5 {
			t.Fatalf("%+v, %v", head, err)
		}
		left, err := s.Decisions().Sealed(t.Context(), p, 1, 10)
		if err != nil || len(left) != 3 {
			t.Fatalf("%d are left, %v", len(left), err)
		}
		links := make([]negotiation.Link, len(left))
		for i, d := range left {
			links[i] = negotiation.Link(d)
		}
		if end, broken := negotiation.VerifyChain(head.Checkpoint.ChainEnd, links); broken != 0 || end.Hash != head.Hash {
			t.Errorf("broken at %d", broken)
		}
		err = s.DB.InTx(t.Context(), p, func(tx *db.Tx) error {
			_, err := tx.Exec(t.Context(), "DELETE FROM decisions WHERE project_id = $1 AND position = 3", p.String())
			return err
		})
		if err == nil {
			t.Error("a decision behind the checkpoint was removed")
		}
		n, err := s.Retention().Reseal(t.Context(), func(_ id.Project, sealed []byte) ([]byte, error) { return append(sealed, '!'), nil })
		if err != nil || n != 1 {
			t.Errorf("%d were sealed anew, %v", n, err)
		}
		if head, err = s.Decisions().Head(t.Context(), p); err != nil || head.Seal != head.Checkpoint.Text()+"!" {
			t.Errorf("%q, %v", head.Seal, err)
		}
	})
}

// A fold seals a new checkpoint and deletes the decisions before it. So it refuses to go on from a checkpoint that was
// tampered with, or over a decision that was changed or is missing.
func TestRetention_foldOfBrokenChain(t *testing.T) {
	storetest.OnEngines(t, func(t *testing.T, s *storetest.Store) {
		unguarded := func(statements ...string) {
			t.Helper()
			if err := s.DB.OnWriter(t.Context(), func(conn *sqlx.Conn) error {
				for _, statement := range statements {
					if _, err := conn.ExecContext(t.Context(), statement); err != nil {
						return fmt.Errorf("%s: %w", statement, err)
					}
				}
				return nil
			}); err != nil {
				t.Fatal(err)
			}
		}
		unguarded(storetest.UnguardedRecord(s), "COMMIT")
		begin := "BEGIN IMMEDIATE"
		if s.DB.Dialect.OneTrip {
			begin = "BEGIN; SET LOCAL haggle.project_id = '*'"
		}
		for name, statement := range map[string]string{
			"a forged checkpoint": `UPDATE decision_chains AS c SET folded = 2, folded_until = 1,
				folded_hash = (SELECT hash FROM decisions AS d WHERE d.project_id = c.project_id AND position = 2) WHERE project_id = '%[1]s'`,
			"a changed decision":     "UPDATE decisions SET floor = floor - 1 WHERE position = 3 AND project_id = '%[1]s'",
			"one made to look older": "UPDATE decisions SET at = 1 WHERE position = 3 AND project_id = '%[1]s'",
			"one that is missing":    "DELETE FROM decisions WHERE position = 3 AND project_id = '%[1]s'",
		} {
			sale := storetest.SealedShop(t, s, 5)
			if _, err := s.Decisions().Seal(t.Context(), 10); err != nil { // the last one, so that the next shop's are its own
				t.Fatal(err)
			}
			storetest.Change(t, s, "DELETE FROM analytics_pending")
			unguarded(begin, fmt.Sprintf(statement, sale.Project()), "COMMIT")
			before := rowsOf(t, s, sale.Project(), "decisions")
			s.SetClock(began.Add(200 * 24 * time.Hour))
			more, err := s.Retention().Fold(t.Context(), sale.Project(), project.Days(180), plainSeals{})
			if err == nil || more || !strings.Contains(err.Error(), "is broken at") {
				t.Errorf("%s: %v, %v", name, more, err)
			}
			if after := rowsOf(t, s, sale.Project(), "decisions"); after[0] != before[0] {
				t.Errorf("%s: %d decisions are left of %d", name, after[0], before[0])
			}
		}
	})
}

// A decision is found by its quote for as long as the decision is kept, which is longer than the quote.
func TestRetention_decisionsOfQuoteThatIsGone(t *testing.T) {
	storetest.OnEngines(t, func(t *testing.T, s *storetest.Store) {
		sale := porttest.NewSale(t, storetest.Views(s))
		r := sale.Answer()
		if err := s.Haggling().Save(t.Context(), r); err != nil {
			t.Fatal(err)
		}
		foldAll(t, s)
		for _, days := range []float64{29, 32} {
			retain(t, s, sale.Project(), days)
			list, n, err := s.Decisions().Decisions(t.Context(), sale.Project(), ports.DecisionFilter{Quote: r.Entry.Quote}, ports.Page{Limit: 10})
			if err != nil || n != 1 || len(list) != 1 {
				t.Errorf("after %v days %d of %d decisions, %v", days, len(list), n, err)
			}
		}
		wantRows(t, s, "at last", sale.Project(), 0, 0, 0, 0, 0, 1)
	})
}

// Sessions and events are removed only if the sealed time up to which they were removed is intact.
func TestRetention_removedIsSealed(t *testing.T) {
	storetest.OnEngines(t, func(t *testing.T, s *storetest.Store) {
		sale := porttest.NewSale(t, storetest.Views(s))
		sale.Quote()
		foldAll(t, s)
		storetest.Change(t, s, fmt.Sprintf("UPDATE outbox SET due_at = NULL, created_at = %d", began.UnixMilli()))
		storetest.Change(t, s, "UPDATE retention SET sessions_until = 1")
		s.SetClock(began.AddDate(0, 0, 100))
		for _, what := range []ports.Leftover{ports.OldSessions, ports.OldEvents} {
			_, err := s.Retention().Remove(t.Context(), sale.Project(), what, project.Days(30), plainSeals{})
			if err == nil || !strings.Contains(err.Error(), "not as it was sealed") {
				t.Errorf("%d: %v", what, err)
			}
		}
		wantRows(t, s, "with a forged time", sale.Project(), 1, 1, 0, 1, 1, 1)
		storetest.Change(t, s, "UPDATE retention SET sessions_until = 0")
		retain(t, s, sale.Project(), 100)
		wantRows(t, s, "as it was", sale.Project(), 0, 0, 0, 0, 0, 1)
		all, err := s.Retention().Removed(t.Context())
		if err != nil || len(all) != 1 || all[0].Removed.Sessions.IsZero() || all[0].Removed.Events.IsZero() || !(plainSeals{}).Sound(all[0].Removed.Text(), all[0].Seal) {
			t.Errorf("%+v, %v", all, err)
		}
	})
}
