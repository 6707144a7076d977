package analytics_test

import (
	"context"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/db"
	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/storetest"
	"github.com/haggle-commerce/haggle/domain/id"
)

const fourDays = 4 * 24 * time.Hour

// Transactions commit in another order than they noted their records in, and folds run all the while: each record is
// counted once, and at every moment the figures are those of what is committed.
func TestFold_commitsOutOfOrder(t *testing.T) {
	t.Parallel()
	s := storetest.FreshPostgres(t)
	project := storetest.StoreProject(t, s, 1).ID
	p := storetest.NewPast(7, project, storetest.March, 3*24*time.Hour)
	random := rand.New(rand.NewPCG(7, 2))
	p.Visit()
	p.Store(t, s) // makes the schema ready for what is stored meanwhile
	stop, folded := make(chan struct{}), sync.WaitGroup{}
	for range 2 {
		folded.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
					if _, err := s.Analytics().FoldProject(t.Context(), project); err != nil {
						t.Error(err)
						return
					}
				}
			}
		})
	}
	for range 12 {
		for range 20 {
			p.Visit()
		}
		early := p.Records()
		p.Store(t, s) // sessions are committed before their records, or with them
		later := p.Only(early.CutBack(random))
		last := p.Only(later.CutBack(random))
		early.StoreWhile(t, s, func(*db.Tx) { // noted first, and committed last
			later.StoreWhile(t, s, func(*db.Tx) {
				last.StoreWhile(t, s, func(*db.Tx) {})
				foldOnce(t, s)
			})
			foldOnce(t, s)
		})
		p.Compare(t, s, "while it is folded", storetest.March, storetest.March.Add(24*time.Hour), storetest.March.Add(fourDays))
	}
	close(stop)
	folded.Wait()
	for foldOnce(t, s) {
	}
	if n := pending(t, s, project); n != 0 {
		t.Errorf("%d records are not folded", n)
	}
	p.Compare(t, s, "folded", storetest.March, storetest.March.Add(24*time.Hour), storetest.March.Add(fourDays))
	p.Lost(t, s, "folded", storetest.March, storetest.March.Add(fourDays), 500)
}

// Records are committed between the statements of a fold.
func TestFold_commitsMeanwhile(t *testing.T) {
	t.Parallel()
	for name, store := range map[string]func(f *blockedFold, early, later *storetest.Past){
		// The records change after their notes are read.
		"after their notes are read": func(f *blockedFold, early, later *storetest.Past) {
			early.StoreWhile(f.T, f.s, func(*db.Tx) {})
			later.StoreWhile(f.T, f.s, func(x *db.Tx) { f.begin(x, "checkouts") })
		},
		// Their notes are before the last one that the fold has seen.
		"before others that are taken": func(f *blockedFold, early, later *storetest.Past) {
			early.StoreWhile(f.T, f.s, func(x *db.Tx) {
				later.StoreWhile(f.T, f.s, func(*db.Tx) {})
				f.begin(x, "decisions")
			})
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := &blockedFold{
				T:     t,
				s:     storetest.FreshPostgres(t),
				ended: make(chan error, 1),
			}
			f.project = storetest.StoreProject(t, f.s, 1).ID
			p := storetest.NewPast(9, f.project, storetest.March, 3*24*time.Hour)
			for range 40 {
				p.Visit()
			}
			early := p.Records()
			p.Store(t, f.s)
			later := p.Only(early.CutBack(rand.New(rand.NewPCG(9, 2))))
			store(f, early, later)
			if err := <-f.ended; err != nil {
				t.Fatal(err)
			}
			for _, when := range []string{"half folded", "folded"} {
				p.Compare(t, f.s, when, storetest.March, storetest.March.Add(24*time.Hour), storetest.March.Add(fourDays))
				p.Lost(t, f.s, when, storetest.March, storetest.March.Add(fourDays), 500)
				for foldOnce(t, f.s) {
				}
			}
			if n := pending(t, f.s, f.project); n != 0 {
				t.Errorf("%d records are not folded", n)
			}
		})
	}
}

// blockedFold is a fold that waits for a table until a transaction commits.
type blockedFold struct {
	*testing.T
	s       *storetest.Store
	project id.Project
	ended   chan error
}

func (f *blockedFold) begin(x *db.Tx, table string) {
	if _, err := x.Exec(f.Context(), "LOCK TABLE "+table+" IN ACCESS EXCLUSIVE MODE"); err != nil {
		f.Fatal(err)
	}
	go func() {
		_, err := f.s.Analytics().FoldProject(context.WithoutCancel(f.Context()), f.project)
		f.ended <- err
	}()
	for waiting := 0; waiting == 0; time.Sleep(time.Millisecond) {
		if err := f.s.DB.ReadPool().GetContext(f.Context(), &waiting, `
SELECT count(*)
FROM pg_locks
WHERE NOT granted
  AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`); err != nil {
			f.Fatal(err)
		}
	}
}

// Records that are pending when the journal comes are folded once, and those that were folded are not.
func TestFold_upgrade(t *testing.T) {
	storetest.OnEngines(t, func(t *testing.T, s *storetest.Store) {
		project := storetest.StoreProject(t, s, 1).ID
		p := storetest.NewPast(8, project, storetest.March, 3*24*time.Hour)
		for range 40 {
			p.Visit()
		}
		later := p.CutBack(rand.New(rand.NewPCG(8, 2)))
		p.Store(t, s)
		for foldOnce(t, s) {
		}
		p.PutBack(later)
		p.Store(t, s)
		before := pending(t, s, project)
		undo := []string{
			"DROP TABLE analytics_pending",
			"CREATE TABLE analytics_pending (project_id TEXT NOT NULL, session_id TEXT NOT NULL, record_id TEXT NOT NULL, " +
				"PRIMARY KEY (project_id, session_id, record_id)) STRICT, WITHOUT ROWID",
		}
		keep, restore := "CREATE TABLE kept AS SELECT project_id, session_id, record_id FROM analytics_pending",
			"INSERT INTO analytics_pending (project_id, session_id, record_id) SELECT project_id, session_id, record_id FROM kept"
		if s.DB.Dialect.OneTrip {
			undo = []string{
				"ALTER TABLE analytics_pending DROP CONSTRAINT analytics_pending_pkey, DROP COLUMN position",
				"ALTER TABLE analytics_pending ADD PRIMARY KEY (project_id, session_id, record_id)",
			}
		} else {
			undo = append(append([]string{keep}, undo...), restore, "DROP TABLE kept")
		}
		storetest.Upgrade(t, s, 66, undo...)
		if n := pending(t, s, project); n != before || n == 0 {
			t.Errorf("%d records are pending after the upgrade, %d before", n, before)
		}
		for range 10 {
			p.Visit()
		}
		p.Store(t, s)
		for _, when := range []string{"upgraded", "folded"} {
			p.Compare(t, s, when, storetest.March, storetest.March.Add(24*time.Hour), storetest.March.Add(fourDays))
			p.Lost(t, s, when, storetest.March, storetest.March.Add(fourDays), 500)
			for foldOnce(t, s) {
			}
		}
	})
}

// Sessions are folded in bulk.
func TestFold_statements(t *testing.T) {
	t.Parallel()
	s, count := storetest.CountedSQLite(t)
	project := storetest.StoreProject(t, s, 1).ID
	fold := func(sessions int) int64 {
		p := storetest.NewPast(uint64(sessions), project, storetest.March, time.Minute)
		for n := range sessions {
			p.Ask(string(rune('a'+n%26))+time.Duration(1000*sessions+n).String(), 3)
		}
		p.Store(t, s)
		return count(func() {
			if _, err := s.Analytics().FoldProject(t.Context(), project); err != nil {
				t.Fatal(err)
			}
			if n := pending(t, s, project); n != 0 {
				t.Errorf("%d records are not folded", n)
			}
		})
	}
	few, many := fold(5), fold(150)
	if few != many || many != 12 {
		t.Errorf("five sessions take %d statements, and 150 take %d", few, many)
	}
}
