package analytics_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	analyticsstore "github.com/haggle-commerce/haggle/adapters/sqlstore/analytics"
	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/db"
	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/storetest"
	"github.com/haggle-commerce/haggle/domain/analytics"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/ports"
)

// The figures equal a naive count no matter how much is folded, also for periods that begin at any time and when half
// of a session is folded.
func TestAnalytics_Figures_recount(t *testing.T) {
	storetest.OnEngines(t, func(t *testing.T, s *storetest.Store) {
		project, other := storetest.StoreProject(t, s, 1).ID, storetest.StoreProject(t, s, 2).ID
		foreign := storetest.NewPast(9, other, storetest.March, 3*24*time.Hour)
		for range 30 {
			foreign.Visit()
		}
		foreign.Store(t, s)
		p := storetest.NewPast(1, project, storetest.March, 3*24*time.Hour)
		random := rand.New(rand.NewPCG(2, 2))
		for round := range 6 {
			for range 60 {
				p.Visit()
			}
			later := p.CutBack(random)
			p.Store(t, s)
			for more := round%2 == 0; more; {
				more = foldOnce(t, s)
			}
			p.PutBack(later)
			p.Store(t, s)
			if round%3 == 2 {
				foldOnce(t, s)
			}
			when := fmt.Sprintf("round %d", round)
			begin := storetest.March.Add(time.Duration(random.Int64N(int64(24 * time.Hour)))).Truncate(time.Millisecond)
			middle := begin.Add(time.Duration(random.Int64N(int64(24 * time.Hour)))).Truncate(time.Millisecond)
			p.Compare(t, s, when, storetest.March, storetest.March.Add(24*time.Hour), storetest.March.Add(4*24*time.Hour))
			p.Compare(t, s, when, begin, middle, middle.Add(7*time.Minute), middle.Add(25*time.Hour))
			p.Lost(t, s, when, storetest.March, storetest.March.Add(4*24*time.Hour), random.Int64N(500))
			p.Lost(t, s, when, begin, middle, 50)
			p.Agents(t, s, when, storetest.March, storetest.March.Add(4*24*time.Hour), 100)
			p.Agents(t, s, when, begin, middle, 4)
		}
		foreign.Compare(t, s, "the other project", storetest.March, storetest.March.Add(4*24*time.Hour))
	})
}

func foldOnce(tb testing.TB, s *storetest.Store) bool {
	tb.Helper()
	more, err := s.Analytics().Fold(tb.Context())
	if err != nil {
		tb.Fatal(err)
	}
	return more
}

// A database of a release without analytics is folded from its records.
func TestAnalytics_Fold_nothingLeftPending(t *testing.T) {
	storetest.OnEngines(t, func(t *testing.T, s *storetest.Store) {
		p := storetest.NewPast(3, storetest.StoreProject(t, s, 1).ID, storetest.March, time.Hour)
		for range 250 {
			p.Visit()
		}
		p.Store(t, s)
		for foldOnce(t, s) {
		}
		var left, slots int
		err := s.DB.InTx(t.Context(), db.AnyProject, func(x *db.Tx) error {
			if _, err := x.Get(t.Context(), &left, "SELECT count(*) FROM analytics_pending"); err != nil {
				return err
			}
			_, err := x.Get(t.Context(), &slots, "SELECT count(*) FROM analytics_slots")
			return err
		})
		if err != nil || left != 0 || slots < 4 {
			t.Errorf("%d records are left to fold, in %d slots (%v)", left, slots, err)
		}
	})
}

// pending is how many records of a project wait to be folded.
func pending(t *testing.T, s *storetest.Store, project id.Project) (n int) {
	t.Helper()
	err := s.DB.InTx(t.Context(), project, func(x *db.Tx) error {
		_, err := x.Get(t.Context(), &n, "SELECT count(*) FROM analytics_pending WHERE project_id = $1", project.String())
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// A project whose figures cannot be read does not keep others from being folded.
func TestAnalytics_Fold_brokenProject(t *testing.T) {
	storetest.OnEngines(t, func(t *testing.T, s *storetest.Store) {
		broken, other := storetest.StoreProject(t, s, 1).ID, storetest.StoreProject(t, s, 2).ID
		if broken.String() > other.String() {
			broken, other = other, broken
		}
		pasts := []*storetest.Past{storetest.NewPast(4, broken, storetest.March, time.Minute), storetest.NewPast(5, other, storetest.March, time.Minute)}
		for range 2 {
			foldOnce(t, s)
			for _, p := range pasts {
				p.Visit()
				p.Store(t, s)
			}
		}
		err := s.DB.InTx(t.Context(), broken, func(x *db.Tx) error {
			_, err := x.Exec(t.Context(), "UPDATE analytics_slots SET figures = 'many' WHERE project_id = $1", broken.String())
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		if more, err := s.Analytics().Fold(t.Context()); more || err == nil || !strings.Contains(err.Error(), broken.String()) {
			t.Errorf("%v, %v", more, err)
		}
		if n := pending(t, s, broken); n == 0 {
			t.Error("what was not counted is forgotten")
		}
		if n := pending(t, s, other); n != 0 {
			t.Errorf("%d records of the other project are left to fold", n)
		}
	})
}

// A fold reads fewer sessions the longer they are, but at least one.
func TestAnalytics_Fold_limit(t *testing.T) {
	storetest.OnEngines(t, func(t *testing.T, s *storetest.Store) {
		project := storetest.StoreProject(t, s, 1).ID
		p := storetest.NewPast(5, project, storetest.March, time.Hour)
		for n, length := range []int{2, 1, analyticsstore.ReadAtOnce - 3, 1, analyticsstore.ReadAtOnce + 1} {
			p.Ask(fmt.Sprintf("sess_%d", n), length)
		}
		p.Store(t, s)
		for _, want := range []int{analyticsstore.ReadAtOnce + 2, analyticsstore.ReadAtOnce + 1, 0} {
			more := foldOnce(t, s)
			if left := pending(t, s, project); left != want || more != (want > 0) {
				t.Errorf("%d records are left to fold, want %d; more: %v", left, want, more)
			}
		}
		if full, err := s.Analytics().FoldProject(t.Context(), project); full || err != nil { // somebody else was faster
			t.Errorf("%v, %v", full, err)
		}
	})
}

// BenchmarkAnalytics asks for a month of a busy project.
func BenchmarkAnalytics(b *testing.B) {
	storetest.OnEachEngine(b, func(b *testing.B, s *storetest.Store) {
		project := storetest.StoreProject(b, s, 1).ID
		p := storetest.NewPast(1, project, storetest.March, 30*24*time.Hour)
		began := time.Now()
		for stored := 0; stored < *storetest.DecisionsInPast; stored += len(p.Decisions) {
			p.Store(b, s)
			for len(p.Decisions) < 10_000 && stored+len(p.Decisions) < *storetest.DecisionsInPast {
				p.Visit()
			}
		}
		p.Store(b, s)
		b.Logf("%d negotiations, %d orders stored in %v", len(p.Talks), len(p.Placed), time.Since(began))
		began = time.Now()
		for foldOnce(b, s) {
		}
		b.Logf("folded in %v", time.Since(began))
		if _, err := s.DB.WritePool().ExecContext(b.Context(), "ANALYZE"); err != nil && s.DB.Dialect.OneTrip {
			b.Fatal(err)
		}
		days, err := analytics.Cut(storetest.March, storetest.March.AddDate(0, 0, 30), analytics.Day, time.UTC)
		if err != nil {
			b.Fatal(err)
		}
		odd := slices.Clone(days)
		odd[0], odd[len(odd)-1] = odd[0].Add(7*time.Minute), odd[len(odd)-1].Add(-7*time.Minute)
		end := days[len(days)-1]
		for name, period := range map[string]ports.Period{
			"summary":          {Bounds: []time.Time{storetest.March.AddDate(0, 0, -30), storetest.March, end}, Sessions: true},
			"negotiations":     {Bounds: days},
			"sales":            {Bounds: days, Products: true},
			"unaligned_period": {Bounds: odd, Products: true},
		} {
			b.Run(name, func(b *testing.B) {
				for b.Loop() {
					if _, err := s.Analytics().Figures(b.Context(), project, period); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
		b.Run("lost", func(b *testing.B) {
			for b.Loop() {
				f := ports.LostFilter{
					From:     storetest.March,
					To:       end,
					Currency: "USD",
					Near:     50,
				}
				if _, err := s.Analytics().Lost(b.Context(), project, f, ports.Page{Limit: 20}); err != nil {
					b.Fatal(err)
				}
			}
		})
	})
}

// BenchmarkNotedDecision stores sessions one by one, with the notes that their decisions are to be folded and
// without them.
func BenchmarkNotedDecision(b *testing.B) {
	for _, noted := range []bool{true, false} {
		b.Run(fmt.Sprintf("noted=%v", noted), func(b *testing.B) {
			storetest.OnEachEngine(b, func(b *testing.B, s *storetest.Store) {
				p := storetest.NewPast(1, storetest.StoreProject(b, s, 1).ID, storetest.March, time.Hour)
				if !noted {
					drop := "DROP TRIGGER decisions_told"
					if s.DB.Dialect.OneTrip {
						drop += " ON decisions"
					}
					if _, err := s.DB.WritePool().ExecContext(b.Context(), drop); err != nil {
						b.Fatal(err)
					}
				}
				for b.Loop() {
					p.Visit()
					p.Store(b, s)
				}
			})
		})
	}
}
