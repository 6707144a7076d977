package porttest

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/integration"
	"github.com/haggle-commerce/haggle/domain/syncrun"
	"github.com/haggle-commerce/haggle/ports"
)

// SyncRuns is the contract of ports.SyncRuns and ports.SyncQueue.
func SyncRuns(t *testing.T, open Open) {
	stores := open(t)
	for name, test := range map[string]func(*shop){
		"a run comes back as it was stored":              runRoundTrip,
		"what was read is the reader's":                  runAliasing,
		"lists are newest first, with totals":            runList,
		"one of sixteen starts a run":                    runStartRace,
		"an integration has one run after the other":     runOneAtATime,
		"a failed change leaves no trace":                runFailedChange,
		"racing changes are all counted":                 runUpdateRace,
		"problems are kept in the order they were noted": runProblems,
		"a thousand problems are kept":                   runManyProblems,
		"racing notes have a number each":                runNoteRace,
		"a problem that cannot be printed is noted":      runUnprintable,
		"unknown and foreign runs":                       runUnknown,
		"runs go with their project":                     runDelete,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(openShop(t, stores))
		})
	}
	// The queue is that of all projects.
	for name, test := range map[string]func(*testing.T, Stores){
		"a run is claimed again after its lease":   claimAgain,
		"wanted resources wait for the run before": wantingRuns,
		"tokens that expire are found":             expiringTokens,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, open(t))
		})
	}
}

// run is one that is not stored yet.
func (s *shop) run(i id.Integration, at time.Time) *syncrun.Run {
	return syncrun.Start(random[id.Sync](), s.project.ID, i, syncrun.Resources, false, nil, at)
}

// started stores a run.
func (s *shop) started(i id.Integration, at time.Time) *syncrun.Run {
	s.t.Helper()
	r := s.run(i, at)
	s.must(s.SyncRuns.Start(s.ctx, r))
	return r
}

// ended stores a run that was canceled.
func (s *shop) ended(i id.Integration, at time.Time) *syncrun.Run {
	s.t.Helper()
	return s.changeRun(s.started(i, at), func(r *syncrun.Run) error { return r.Cancel(at) })
}

func (s *shop) changeRun(r *syncrun.Run, change func(*syncrun.Run) error) *syncrun.Run {
	s.t.Helper()
	changed, err := s.SyncRuns.Update(s.ctx, s.project.ID, r.ID, change)
	s.must(err)
	return changed
}

func (s *shop) runByID(r *syncrun.Run) *syncrun.Run {
	s.t.Helper()
	got, err := s.SyncRuns.ByID(s.ctx, r.Project, r.Integration, r.ID)
	s.must(err)
	return got
}

func runRoundTrip(s *shop) {
	i := s.connect(integration.Shopify, noon)
	marks := syncrun.Watermarks{syncrun.Products: noon.Add(-time.Hour), syncrun.Orders: noon.Add(-time.Minute)}
	for _, full := range []bool{false, true} {
		want := syncrun.Start(random[id.Sync](), s.project.ID, i.ID, syncrun.Resources, full, marks, noon)
		s.must(s.SyncRuns.Start(s.ctx, want))
		same(s.t, "started", s.runByID(want), want)
		changed := s.changeRun(want, func(r *syncrun.Run) error {
			same(s.t, "to be changed", r, want)
			for n, cursor := range []string{"a\x00\\'", "b", "c"} {
				page := syncrun.Counters{Created: n, Updated: 2, Unchanged: 3, Errors: 4}
				s.must(r.Advance(page, noon.Add(time.Minute), cursor, noon.Add(time.Hour), noon))
			}
			s.must(r.Postpone(noon.Add(2*time.Hour), "Busy.", noon))
			return nil
		})
		same(s.t, "on its way", s.runByID(want), changed)
		same(s.t, "its cursor", changed.Current().Cursor, "c")
		changed = s.changeRun(want, func(r *syncrun.Run) error { return r.Fail("It said \xff and \x00.", noon.Add(time.Hour)) })
		got := s.runByID(want)
		same(s.t, "its error", got.Error, "It said \uFFFD and \uFFFD.")
		got.Error = changed.Error
		same(s.t, "failed", got, changed)
	}
}

func runAliasing(s *shop) {
	i := s.connect(integration.Shopify, noon)
	want := s.started(i.ID, noon)
	read := s.runByID(want)
	read.Steps[0].Cursor, want.Steps[1].Cursor = "mine", "mine"
	kept := s.changeRun(want, func(r *syncrun.Run) error { return nil })
	kept.Steps[0].Cursor = "mine"
	for _, step := range s.runByID(want).Steps {
		same(s.t, "cursor", step.Cursor, "")
	}
}

func runList(s *shop) {
	i, other := s.connect(integration.Shopify, noon), s.connect(integration.HubSpot, noon)
	first, second := s.ended(i.ID, noon), s.ended(i.ID, noon.Add(time.Second))
	third := s.started(i.ID, noon.Add(2*time.Second))
	s.started(other.ID, noon)
	for _, c := range []struct {
		page ports.Page
		want []*syncrun.Run
	}{
		{ports.Page{Limit: 9}, []*syncrun.Run{third, second, first}},
		{ports.Page{Limit: 1, Offset: 1}, []*syncrun.Run{second}},
		{ports.Page{Limit: 1, Offset: 3}, []*syncrun.Run{}},
	} {
		got, total, err := s.SyncRuns.List(s.ctx, s.project.ID, i.ID, c.page)
		s.must(err)
		same(s.t, "list", got, c.want)
		same(s.t, "total", total, 3)
	}
}

func runStartRace(s *shop) {
	i := s.connect(integration.Shopify, noon)
	same(s.t, "winners", s.race("sync_in_progress", func(int) error { return s.SyncRuns.Start(s.ctx, s.run(i.ID, noon)) }), 1)
	_, total, err := s.SyncRuns.List(s.ctx, s.project.ID, i.ID, ports.Page{Limit: 1})
	s.must(err)
	same(s.t, "runs", total, 1)
}

func runOneAtATime(s *shop) {
	i, other := s.connect(integration.Shopify, noon), s.connect(integration.HubSpot, noon)
	first := s.started(i.ID, noon)
	wantFault(s.t, s.SyncRuns.Start(s.ctx, s.run(i.ID, noon)), fault.Conflict, "sync_in_progress")
	s.started(other.ID, noon)
	s.changeRun(first, func(r *syncrun.Run) error { return r.Fail("Gone.", noon) })
	s.started(i.ID, noon)
}

func runFailedChange(s *shop) {
	want := s.started(s.connect(integration.Shopify, noon).ID, noon)
	_, err := s.SyncRuns.Update(s.ctx, s.project.ID, want.ID, func(r *syncrun.Run) error {
		s.must(r.Cancel(noon))
		return errPlain
	})
	same(s.t, "error", err, errPlain)
	same(s.t, "as before", s.runByID(want), want)
}

func runUpdateRace(s *shop) {
	r := s.started(s.connect(integration.Shopify, noon).ID, noon)
	s.must(atOnce(racers, func(int) error {
		_, err := s.SyncRuns.Update(s.ctx, s.project.ID, r.ID, func(r *syncrun.Run) error {
			cursor := fmt.Sprint("page ", r.Steps[0].Pages)
			return r.Advance(syncrun.Counters{Created: 1}, noon, cursor, noon, noon)
		})
		return err
	}))
	same(s.t, "pages", s.runByID(r).Steps[0].Pages, racers)
}

func problem(n int) syncrun.Problem {
	return syncrun.Problem{Resource: syncrun.Products, Remote: fmt.Sprint("remote ", n), Reason: "price: is missing", At: noon.Add(time.Duration(n) * time.Second)}
}

func problems(from, to int) (list []syncrun.Problem) {
	for n := from; n < to; n++ {
		list = append(list, problem(n))
	}
	return list
}

func (s *shop) problems(r *syncrun.Run, page ports.Page) ([]syncrun.Problem, int) {
	s.t.Helper()
	list, total, err := s.SyncRuns.Problems(s.ctx, s.project.ID, r.ID, page)
	s.must(err)
	return list, total
}

func runProblems(s *shop) {
	r := s.started(s.connect(integration.Shopify, noon).ID, noon)
	other := s.started(s.connect(integration.HubSpot, noon).ID, noon)
	list, total := s.problems(r, ports.Page{Limit: 9})
	same(s.t, "none", len(list)+total, 0)
	for _, some := range [][]syncrun.Problem{problems(3, 5), nil, problems(0, 3)} {
		s.must(s.SyncRuns.Note(s.ctx, s.project.ID, r.ID, some))
	}
	s.must(s.SyncRuns.Note(s.ctx, s.project.ID, other.ID, problems(9, 10)))
	list, total = s.problems(r, ports.Page{Limit: 9})
	same(s.t, "problems", list, slices.Concat(problems(3, 5), problems(0, 3)))
	same(s.t, "total", total, 5)
	list, total = s.problems(r, ports.Page{Limit: 2, Offset: 1})
	same(s.t, "a page", list, slices.Concat(problems(4, 5), problems(0, 1)))
	same(s.t, "total", total, 5)
}

func runManyProblems(s *shop) {
	r := s.started(s.connect(integration.Shopify, noon).ID, noon)
	for _, some := range [][]syncrun.Problem{problems(0, 990), problems(990, 1010), problems(1010, 1020)} {
		s.must(s.SyncRuns.Note(s.ctx, s.project.ID, r.ID, some))
	}
	list, total := s.problems(r, ports.Page{Limit: 100, Offset: 980})
	same(s.t, "the last ones", list, problems(980, 1000))
	same(s.t, "total", total, 1000)
}

func runNoteRace(s *shop) {
	r := s.started(s.connect(integration.Shopify, noon).ID, noon)
	s.must(atOnce(racers, func(n int) error { return s.SyncRuns.Note(s.ctx, s.project.ID, r.ID, problems(2*n, 2*n+2)) }))
	_, total := s.problems(r, ports.Page{Limit: 1})
	same(s.t, "problems", total, 2*racers)
}

func runUnprintable(s *shop) {
	r := s.started(s.connect(integration.Shopify, noon).ID, noon)
	p := problem(1)
	p.Remote, p.Reason = "a\x00b", "\xff"
	s.must(s.SyncRuns.Note(s.ctx, s.project.ID, r.ID, []syncrun.Problem{p}))
	list, _ := s.problems(r, ports.Page{Limit: 1})
	same(s.t, "remote", list[0].Remote, "a\uFFFDb")
	same(s.t, "reason", list[0].Reason, "\uFFFD")
}

func runUnknown(s *shop) {
	own, second := s.connect(integration.Shopify, noon), s.connect(integration.HubSpot, noon)
	r := s.started(own.ID, noon)
	neighbour := openShop(s.t, s.Stores)
	foreign := neighbour.started(neighbour.connect(integration.Shopify, noon).ID, noon)
	_, err := s.SyncRuns.ByID(s.ctx, s.project.ID, second.ID, r.ID)
	wantFault(s.t, err, fault.NotFound, "sync_not_found")
	for _, wanted := range []id.Sync{foreign.ID, random[id.Sync]()} {
		_, err := s.SyncRuns.ByID(s.ctx, s.project.ID, foreign.Integration, wanted)
		wantFault(s.t, err, fault.NotFound, "sync_not_found")
		_, err = s.SyncRuns.Update(s.ctx, s.project.ID, wanted, func(*syncrun.Run) error { return nil })
		wantFault(s.t, err, fault.NotFound, "sync_not_found")
		wantFault(s.t, s.SyncRuns.Note(s.ctx, s.project.ID, wanted, problems(0, 1)), fault.NotFound, "sync_not_found")
		_, _, err = s.SyncRuns.Problems(s.ctx, s.project.ID, wanted, ports.Page{Limit: 1})
		wantFault(s.t, err, fault.NotFound, "sync_not_found")
	}
	for _, i := range []id.Integration{foreign.Integration, random[id.Integration]()} {
		wantFault(s.t, s.SyncRuns.Start(s.ctx, s.run(i, noon)), fault.NotFound, "integration_not_found")
		list, total, err := s.SyncRuns.List(s.ctx, s.project.ID, i, ports.Page{Limit: 1})
		s.must(err)
		same(s.t, "runs", len(list)+total, 0)
	}
}

func runDelete(s *shop) {
	r := s.started(s.connect(integration.Shopify, noon).ID, noon)
	s.must(s.SyncRuns.Note(s.ctx, s.project.ID, r.ID, problems(0, 1)))
	s.deleteProject()
	_, err := s.SyncRuns.ByID(s.ctx, s.project.ID, r.Integration, r.ID)
	wantFault(s.t, err, fault.NotFound, "sync_not_found")
	wantFault(s.t, s.SyncRuns.Start(s.ctx, s.run(r.Integration, noon)), fault.NotFound, "integration_not_found")
}
