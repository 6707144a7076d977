package syncing_test

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
	"github.com/haggle-commerce/haggle/ports/porttest"
)

// SyncRuns is the contract of ports.SyncRuns and ports.SyncQueue.
func SyncRuns(t *testing.T, open porttest.Open) {
	stores := open(t)
	for name, test := range map[string]func(*porttest.Shop){
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
			test(porttest.OpenShop(t, stores))
		})
	}
	// The queue is that of all projects.
	for name, test := range map[string]func(*testing.T, porttest.Stores){
		"a run is claimed again after its lease":   claimAgain,
		"wanted resources wait for the run before": wantingRuns,
		"scheduled syncs are found":                scheduledSyncs,
		"tokens that expire are found":             expiringTokens,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, open(t))
		})
	}
}

// ended stores a run that was canceled.
func ended(s *porttest.Shop, i id.Integration, at time.Time) *syncrun.Run {
	s.T.Helper()
	return changeRun(s, s.Started(i, at), func(r *syncrun.Run) error { return r.Cancel(at) })
}

func changeRun(s *porttest.Shop, r *syncrun.Run, change func(*syncrun.Run) error) *syncrun.Run {
	s.T.Helper()
	changed, err := s.SyncRuns.Update(s.Ctx, s.Project.ID, r.ID, change)
	s.Must(err)
	return changed
}

func runByID(s *porttest.Shop, r *syncrun.Run) *syncrun.Run {
	s.T.Helper()
	got, err := s.SyncRuns.ByID(s.Ctx, r.Project, r.Integration, r.ID)
	s.Must(err)
	return got
}

func runRoundTrip(s *porttest.Shop) {
	i := s.Connect(integration.Shopify, porttest.Noon)
	marks := syncrun.Watermarks{syncrun.Products: porttest.Noon.Add(-time.Hour), syncrun.Orders: porttest.Noon.Add(-time.Minute)}
	for _, full := range []bool{false, true} {
		want := syncrun.Start(porttest.Random[id.Sync](), s.Project.ID, i.ID, syncrun.Resources, full, marks, porttest.Noon)
		s.Must(s.SyncRuns.Start(s.Ctx, want))
		porttest.Same(s.T, "started", runByID(s, want), want)
		changed := changeRun(s, want, func(r *syncrun.Run) error {
			porttest.Same(s.T, "to be changed", r, want)
			for n, cursor := range []string{"a\x00\\'", "b", "c"} {
				page := syncrun.Counters{
					Created:   n,
					Updated:   2,
					Unchanged: 3,
					Errors:    4,
				}
				s.Must(r.Advance(page, porttest.Noon.Add(time.Minute), cursor, porttest.Noon.Add(time.Hour), porttest.Noon))
			}
			s.Must(r.Postpone(porttest.Noon.Add(2*time.Hour), "Busy.", porttest.Noon))
			return nil
		})
		porttest.Same(s.T, "on its way", runByID(s, want), changed)
		porttest.Same(s.T, "its cursor", changed.Current().Cursor, "c")
		changed = changeRun(s, want, func(r *syncrun.Run) error { return r.Fail("It said \xff and \x00.", porttest.Noon.Add(time.Hour)) })
		got := runByID(s, want)
		porttest.Same(s.T, "its error", got.Error, "It said \uFFFD and \uFFFD.")
		got.Error = changed.Error
		porttest.Same(s.T, "failed", got, changed)
	}
}

func runAliasing(s *porttest.Shop) {
	i := s.Connect(integration.Shopify, porttest.Noon)
	want := s.Started(i.ID, porttest.Noon)
	read := runByID(s, want)
	read.Steps[0].Cursor, want.Steps[1].Cursor = "mine", "mine"
	kept := changeRun(s, want, func(r *syncrun.Run) error { return nil })
	kept.Steps[0].Cursor = "mine"
	for _, step := range runByID(s, want).Steps {
		porttest.Same(s.T, "cursor", step.Cursor, "")
	}
}

func runList(s *porttest.Shop) {
	i, other := s.Connect(integration.Shopify, porttest.Noon), s.Connect(integration.HubSpot, porttest.Noon)
	first, second := ended(s, i.ID, porttest.Noon), ended(s, i.ID, porttest.Noon.Add(time.Second))
	third := s.Started(i.ID, porttest.Noon.Add(2*time.Second))
	s.Started(other.ID, porttest.Noon)
	for _, c := range []struct {
		page ports.Page
		want []*syncrun.Run
	}{
		{ports.Page{Limit: 9}, []*syncrun.Run{third, second, first}},
		{ports.Page{Limit: 1, Offset: 1}, []*syncrun.Run{second}},
		{ports.Page{Limit: 1, Offset: 3}, []*syncrun.Run{}},
	} {
		got, total, err := s.SyncRuns.List(s.Ctx, s.Project.ID, i.ID, c.page)
		s.Must(err)
		porttest.Same(s.T, "list", got, c.want)
		porttest.Same(s.T, "total", total, 3)
	}
}

func runStartRace(s *porttest.Shop) {
	i := s.Connect(integration.Shopify, porttest.Noon)
	porttest.Same(s.T, "winners", s.Race("sync_in_progress", func(int) error { return s.SyncRuns.Start(s.Ctx, s.Run(i.ID, porttest.Noon)) }), 1)
	_, total, err := s.SyncRuns.List(s.Ctx, s.Project.ID, i.ID, ports.Page{Limit: 1})
	s.Must(err)
	porttest.Same(s.T, "runs", total, 1)
}

func runOneAtATime(s *porttest.Shop) {
	i, other := s.Connect(integration.Shopify, porttest.Noon), s.Connect(integration.HubSpot, porttest.Noon)
	first := s.Started(i.ID, porttest.Noon)
	porttest.WantFault(s.T, s.SyncRuns.Start(s.Ctx, s.Run(i.ID, porttest.Noon)), fault.Conflict, "sync_in_progress")
	s.Started(other.ID, porttest.Noon)
	changeRun(s, first, func(r *syncrun.Run) error { return r.Fail("Gone.", porttest.Noon) })
	s.Started(i.ID, porttest.Noon)
}

func runFailedChange(s *porttest.Shop) {
	want := s.Started(s.Connect(integration.Shopify, porttest.Noon).ID, porttest.Noon)
	_, err := s.SyncRuns.Update(s.Ctx, s.Project.ID, want.ID, func(r *syncrun.Run) error {
		s.Must(r.Cancel(porttest.Noon))
		return porttest.ErrPlain
	})
	porttest.Same(s.T, "error", err, porttest.ErrPlain)
	porttest.Same(s.T, "as before", runByID(s, want), want)
}

func runUpdateRace(s *porttest.Shop) {
	r := s.Started(s.Connect(integration.Shopify, porttest.Noon).ID, porttest.Noon)
	s.Must(porttest.AtOnce(porttest.Racers, func(int) error {
		_, err := s.SyncRuns.Update(s.Ctx, s.Project.ID, r.ID, func(r *syncrun.Run) error {
			cursor := fmt.Sprint("page ", r.Steps[0].Pages)
			return r.Advance(syncrun.Counters{Created: 1}, porttest.Noon, cursor, porttest.Noon, porttest.Noon)
		})
		return err
	}))
	porttest.Same(s.T, "pages", runByID(s, r).Steps[0].Pages, porttest.Racers)
}

func problem(n int) syncrun.Problem {
	return syncrun.Problem{
		Resource: syncrun.Products,
		Remote:   fmt.Sprint("remote ", n),
		Reason:   "price: is missing",
		At:       porttest.Noon.Add(time.Duration(n) * time.Second),
	}
}

func problems(from, to int) (list []syncrun.Problem) {
	for n := from; n < to; n++ {
		list = append(list, problem(n))
	}
	return list
}

func problemsOf(s *porttest.Shop, r *syncrun.Run, page ports.Page) ([]syncrun.Problem, int) {
	s.T.Helper()
	list, total, err := s.SyncRuns.Problems(s.Ctx, s.Project.ID, r.ID, page)
	s.Must(err)
	return list, total
}

func runProblems(s *porttest.Shop) {
	r := s.Started(s.Connect(integration.Shopify, porttest.Noon).ID, porttest.Noon)
	other := s.Started(s.Connect(integration.HubSpot, porttest.Noon).ID, porttest.Noon)
	list, total := problemsOf(s, r, ports.Page{Limit: 9})
	porttest.Same(s.T, "none", len(list)+total, 0)
	for _, some := range [][]syncrun.Problem{problems(3, 5), nil, problems(0, 3)} {
		s.Must(s.SyncRuns.Note(s.Ctx, s.Project.ID, r.ID, some))
	}
	s.Must(s.SyncRuns.Note(s.Ctx, s.Project.ID, other.ID, problems(9, 10)))
	list, total = problemsOf(s, r, ports.Page{Limit: 9})
	porttest.Same(s.T, "problems", list, slices.Concat(problems(3, 5), problems(0, 3)))
	porttest.Same(s.T, "total", total, 5)
	list, total = problemsOf(s, r, ports.Page{Limit: 2, Offset: 1})
	porttest.Same(s.T, "a page", list, slices.Concat(problems(4, 5), problems(0, 1)))
	porttest.Same(s.T, "total", total, 5)
}

func runManyProblems(s *porttest.Shop) {
	r := s.Started(s.Connect(integration.Shopify, porttest.Noon).ID, porttest.Noon)
	for _, some := range [][]syncrun.Problem{problems(0, 990), problems(990, 1010), problems(1010, 1020)} {
		s.Must(s.SyncRuns.Note(s.Ctx, s.Project.ID, r.ID, some))
	}
	list, total := problemsOf(s, r, ports.Page{Limit: 100, Offset: 980})
	porttest.Same(s.T, "the last ones", list, problems(980, 1000))
	porttest.Same(s.T, "total", total, 1000)
}

func runNoteRace(s *porttest.Shop) {
	r := s.Started(s.Connect(integration.Shopify, porttest.Noon).ID, porttest.Noon)
	s.Must(porttest.AtOnce(porttest.Racers, func(n int) error { return s.SyncRuns.Note(s.Ctx, s.Project.ID, r.ID, problems(2*n, 2*n+2)) }))
	_, total := problemsOf(s, r, ports.Page{Limit: 1})
	porttest.Same(s.T, "problems", total, 2*porttest.Racers)
}

func runUnprintable(s *porttest.Shop) {
	r := s.Started(s.Connect(integration.Shopify, porttest.Noon).ID, porttest.Noon)
	p := problem(1)
	p.Remote, p.Reason = "a\x00b", "\xff"
	s.Must(s.SyncRuns.Note(s.Ctx, s.Project.ID, r.ID, []syncrun.Problem{p}))
	list, _ := problemsOf(s, r, ports.Page{Limit: 1})
	porttest.Same(s.T, "remote", list[0].Remote, "a\uFFFDb")
	porttest.Same(s.T, "reason", list[0].Reason, "\uFFFD")
}

func runUnknown(s *porttest.Shop) {
	own, second := s.Connect(integration.Shopify, porttest.Noon), s.Connect(integration.HubSpot, porttest.Noon)
	r := s.Started(own.ID, porttest.Noon)
	neighbour := porttest.OpenShop(s.T, s.Stores)
	foreign := neighbour.Started(neighbour.Connect(integration.Shopify, porttest.Noon).ID, porttest.Noon)
	_, err := s.SyncRuns.ByID(s.Ctx, s.Project.ID, second.ID, r.ID)
	porttest.WantFault(s.T, err, fault.NotFound, "sync_not_found")
	for _, wanted := range []id.Sync{foreign.ID, porttest.Random[id.Sync]()} {
		_, err := s.SyncRuns.ByID(s.Ctx, s.Project.ID, foreign.Integration, wanted)
		porttest.WantFault(s.T, err, fault.NotFound, "sync_not_found")
		_, err = s.SyncRuns.Update(s.Ctx, s.Project.ID, wanted, func(*syncrun.Run) error { return nil })
		porttest.WantFault(s.T, err, fault.NotFound, "sync_not_found")
		porttest.WantFault(s.T, s.SyncRuns.Note(s.Ctx, s.Project.ID, wanted, problems(0, 1)), fault.NotFound, "sync_not_found")
		_, _, err = s.SyncRuns.Problems(s.Ctx, s.Project.ID, wanted, ports.Page{Limit: 1})
		porttest.WantFault(s.T, err, fault.NotFound, "sync_not_found")
	}
	for _, i := range []id.Integration{foreign.Integration, porttest.Random[id.Integration]()} {
		porttest.WantFault(s.T, s.SyncRuns.Start(s.Ctx, s.Run(i, porttest.Noon)), fault.NotFound, "integration_not_found")
		list, total, err := s.SyncRuns.List(s.Ctx, s.Project.ID, i, ports.Page{Limit: 1})
		s.Must(err)
		porttest.Same(s.T, "runs", len(list)+total, 0)
	}
}

func runDelete(s *porttest.Shop) {
	r := s.Started(s.Connect(integration.Shopify, porttest.Noon).ID, porttest.Noon)
	s.Must(s.SyncRuns.Note(s.Ctx, s.Project.ID, r.ID, problems(0, 1)))
	s.DeleteProject()
	_, err := s.SyncRuns.ByID(s.Ctx, s.Project.ID, r.Integration, r.ID)
	porttest.WantFault(s.T, err, fault.NotFound, "sync_not_found")
	porttest.WantFault(s.T, s.SyncRuns.Start(s.Ctx, s.Run(r.Integration, porttest.Noon)), fault.NotFound, "integration_not_found")
}
