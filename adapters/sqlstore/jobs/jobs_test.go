package jobs_test

import (
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/storetest"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/job"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/ports"
	"github.com/haggle-commerce/haggle/ports/porttest"
)

const lease = 15 * time.Second

// jobOf is a job that is not stored.
func jobOf(project id.Project, at time.Time) *job.Job {
	r := job.MarketRequest{
		Version: 1,
		Against: 2,
		Buyers:  50,
		Seed:    job.MostSeed,
	}
	return job.NewMarket(porttest.Random[id.Job](), project, porttest.Random[id.Agent](), r, money.USD, at)
}

func start(t *testing.T, s *storetest.Store, j *job.Job) *job.Job {
	t.Helper()
	if err := s.Jobs().Start(t.Context(), j); err != nil {
		t.Fatal(err)
	}
	return j
}

func change(t *testing.T, s *storetest.Store, j *job.Job, do func(*job.Job) error) {
	t.Helper()
	if _, err := s.Jobs().Update(t.Context(), j.Project, j.ID, do); err != nil {
		t.Fatal(err)
	}
}

func cancelAt(at time.Time) func(*job.Job) error {
	return func(j *job.Job) error { return j.Cancel(at) }
}

// claim leases all jobs that are due.
func claim(t *testing.T, s *storetest.Store) []ports.Leased[*job.Job] {
	t.Helper()
	groups, err := s.JobQueue().Waiting(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var shares []ports.Share
	for _, g := range groups {
		shares = append(shares, ports.Share{Group: g, Most: 10})
	}
	leased, err := s.JobQueue().Claim(t.Context(), lease, shares)
	if err != nil {
		t.Fatal(err)
	}
	return leased
}

// A job is read in its own project, and in no other.
func TestByID(t *testing.T) {
	storetest.OnEngines(t, func(t *testing.T, s *storetest.Store) {
		mine, other := storetest.StoreProject(t, s, 1).ID, storetest.StoreProject(t, s, 2).ID
		want := start(t, s, jobOf(mine, porttest.Noon))
		got, err := s.Jobs().ByID(t.Context(), mine, want.ID)
		if err != nil {
			t.Fatal(err)
		}
		porttest.Same(t, "job", got, want)
		_, err = s.Jobs().ByID(t.Context(), other, want.ID)
		porttest.WantFault(t, err, fault.NotFound, "job_not_found")
		_, err = s.Jobs().Update(t.Context(), other, want.ID, cancelAt(porttest.Noon))
		porttest.WantFault(t, err, fault.NotFound, "job_not_found")
		porttest.WantFault(t, s.Jobs().Start(t.Context(), jobOf(porttest.Random[id.Project](), porttest.Noon)), fault.NotFound, "project_not_found")
	})
}

// The list is a project's own, newest first, and narrowed by kind and agent.
func TestList(t *testing.T) {
	storetest.OnEngines(t, func(t *testing.T, s *storetest.Store) {
		mine, other := storetest.StoreProject(t, s, 1).ID, storetest.StoreProject(t, s, 2).ID
		start(t, s, jobOf(other, porttest.Noon))
		first, last := start(t, s, jobOf(mine, porttest.Noon)), start(t, s, jobOf(mine, porttest.Noon.Add(time.Hour)))
		for name, c := range map[string]struct {
			f    ports.JobFilter
			page ports.Page
			want []*job.Job
			all  int
		}{
			"all":         {ports.JobFilter{}, ports.Page{Limit: 10}, []*job.Job{last, first}, 2},
			"a page":      {ports.JobFilter{}, ports.Page{Limit: 1, Offset: 1}, []*job.Job{first}, 2},
			"of an agent": {ports.JobFilter{Kind: job.Market, Agent: first.Agent}, ports.Page{Limit: 10}, []*job.Job{first}, 1},
		} {
			got, total, err := s.Jobs().List(t.Context(), mine, c.f, c.page)
			if err != nil {
				t.Fatal(err)
			}
			porttest.Same(t, name, got, c.want)
			porttest.Same(t, name, total, c.all)
		}
	})
}

// A project has two unfinished jobs at most, however many requests come at one time.
func TestStart_mostUnfinished(t *testing.T) {
	storetest.OnEngines(t, func(t *testing.T, s *storetest.Store) {
		mine := storetest.StoreProject(t, s, 1).ID
		var all sync.WaitGroup
		errs := make([]error, 8)
		for i := range errs {
			all.Go(func() { errs[i] = s.Jobs().Start(t.Context(), jobOf(mine, porttest.Noon)) })
		}
		all.Wait()
		started := 0
		for _, err := range errs {
			if err == nil {
				started++
			} else {
				porttest.WantFault(t, err, fault.Conflict, "too_many_jobs")
			}
		}
		if started != job.MostUnfinished {
			t.Errorf("%d jobs were started", started)
		}
		list, _, err := s.Jobs().List(t.Context(), mine, ports.JobFilter{}, ports.Page{Limit: 1})
		if err != nil {
			t.Fatal(err)
		}
		change(t, s, list[0], cancelAt(porttest.Noon))
		start(t, s, jobOf(mine, porttest.Noon))
	})
}

// Of the finished jobs the newest are kept, and none for longer than 30 days.
func TestForget(t *testing.T) {
	storetest.OnEngines(t, func(t *testing.T, s *storetest.Store) {
		mine, other := storetest.StoreProject(t, s, 1).ID, storetest.StoreProject(t, s, 2).ID
		kept := start(t, s, jobOf(other, porttest.Noon))
		change(t, s, kept, cancelAt(porttest.Noon))
		for n := range job.MostKept + 3 {
			j := start(t, s, jobOf(mine, porttest.Noon.Add(time.Duration(n)*time.Minute)))
			change(t, s, j, cancelAt(j.CreatedAt))
		}
		last := start(t, s, jobOf(mine, porttest.Noon))
		list, total, err := s.Jobs().List(t.Context(), mine, ports.JobFilter{}, ports.Page{Limit: 1, Offset: job.MostKept - 1})
		if err != nil {
			t.Fatal(err)
		}
		if total != job.MostKept || !list[0].CreatedAt.Equal(porttest.Noon) {
			t.Errorf("%d jobs are kept, the oldest of %s", total, list[0].CreatedAt)
		}
		now := time.Now()
		s.SetClock(now)
		fresh := start(t, s, jobOf(other, now))
		change(t, s, fresh, cancelAt(now.Add(-job.Kept+time.Minute)))
		for more := true; more; {
			if more, err = s.Jobs().Forget(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		for _, c := range []struct {
			of    id.Project
			total int
		}{{mine, 1}, {other, 1}} {
			list, total, err := s.Jobs().List(t.Context(), c.of, ports.JobFilter{}, ports.Page{Limit: 10})
			if err != nil || total != c.total || list[0].ID != fresh.ID && list[0].ID != last.ID {
				t.Errorf("%d jobs are kept, %v", total, err)
			}
		}
	})
}

// A job is leased to one worker at a time, whose progress renews the lease. A worker that reports none loses it.
func TestJobQueue_leases(t *testing.T) {
	storetest.OnEngines(t, func(t *testing.T, s *storetest.Store) {
		now := time.Now().Truncate(time.Millisecond)
		s.SetClock(now)
		mine := storetest.StoreProject(t, s, 1).ID
		want := start(t, s, jobOf(mine, now))
		leased := claim(t, s)
		if len(leased) != 1 || leased[0].Err != nil || leased[0].Item.ID != want.ID || len(claim(t, s)) != 0 {
			t.Fatalf("%+v", leased)
		}
		q, first := s.JobQueue(), leased[0].Held
		begun, err := q.Settle(t.Context(), first, func(j *job.Job) error { return j.Begin(now) })
		if err != nil || begun.Status != job.Running || begun.Attempts != 1 {
			t.Fatalf("%v, %+v", err, begun)
		}
		s.SetClock(now.Add(10 * time.Second))
		if first.Until, err = q.Progress(t.Context(), first, 3, 9, lease); err != nil || !first.Until.Equal(now.Add(10*time.Second+lease)) {
			t.Fatalf("until %s, %v", first.Until, err)
		}
		if got, err := s.Jobs().ByID(t.Context(), mine, want.ID); err != nil || got.Done != 3 || got.Total != 9 {
			t.Errorf("%v, %+v", err, got)
		}
		s.SetClock(now.Add(24 * time.Second))
		if len(claim(t, s)) != 0 {
			t.Error("a job that is worked on is leased")
		}
		s.SetClock(now.Add(26 * time.Second))
		leased = claim(t, s)
		if len(leased) != 1 || leased[0].Item.Status != job.Running {
			t.Fatalf("a job whose worker is gone: %+v", leased)
		}
		for name, late := range map[string]error{
			"progress": func() error { _, err := q.Progress(t.Context(), first, 4, 9, lease); return err }(),
			"end": func() error {
				_, err := q.Settle(t.Context(), first, func(j *job.Job) error { return j.Succeed(job.Result{}, 9, now) })
				return err
			}(),
		} {
			if !errors.Is(late, ports.ErrJobTaken) {
				t.Errorf("%s of the worker that lost it: %v", name, late)
			}
		}
		change(t, s, want, cancelAt(now))
		if _, err := q.Progress(t.Context(), leased[0].Held, 4, 9, lease); !errors.Is(err, ports.ErrJobTaken) {
			t.Errorf("progress of a job that was canceled: %v", err)
		}
		s.SetClock(now.Add(time.Hour))
		if len(claim(t, s)) != 0 {
			t.Error("a job that is finished is leased")
		}
	})
}
