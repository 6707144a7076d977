package syncing

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/app/jobs"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/integration"
	"github.com/haggle-commerce/haggle/domain/syncrun"
	"github.com/haggle-commerce/haggle/ports"
)

func TestStartWanted(t *testing.T) {
	t.Parallel()
	f := newFixture(tents(5)...)
	e := f.engine(f.Replica(0))
	f.Change(func(i *integration.Integration) { i.Want(syncrun.Products) })
	f.start(t, false, "orders")
	if err := e.startWanted(t.Context()); err != nil || len(f.Runs()) != 1 || len(f.Integrated().Wanted) != 1 {
		t.Fatalf("beside another: %v, %d runs, wanted %v", err, len(f.Runs()), f.Integrated().Wanted)
	}
	f.work(t, f.Replica(0))
	if err := e.startWanted(t.Context()); err != nil || len(f.Runs()) != 2 || len(f.Integrated().Wanted) != 0 {
		t.Fatalf("%v, %d runs, wanted %v", err, len(f.Runs()), f.Integrated().Wanted)
	}
	f.work(t, f.Replica(0))
	f.Change(func(i *integration.Integration) { i.Want(syncrun.Products); i.Status = integration.Failing })
	if err := e.startWanted(t.Context()); err != nil || len(f.Runs()) != 2 || len(f.Integrated().Wanted) != 0 {
		t.Errorf("with refused credentials: %v, %d runs, wanted %v", err, len(f.Runs()), f.Integrated().Wanted)
	}
}

// everyHour is a schedule of full hours.
type everyHour struct{}

func (everyHour) Problem(string, time.Duration, time.Time) string { return "" }

func (everyHour) Next(_ string, after time.Time) time.Time {
	return after.Truncate(time.Hour).Add(time.Hour)
}

// A scheduled sync starts once, with any number of replicas, and also once after hours without a server.
func TestStartScheduled(t *testing.T) {
	t.Parallel()
	f := newFixture(tents(5)...)
	replicas := []*Engine{f.engine(f.Replica(0)), f.engine(f.Replica(0))}
	look := func(runs int) {
		t.Helper()
		for _, e := range replicas {
			e.Schedules = everyHour{}
			if err := errors.Join(e.startScheduled(t.Context()), e.startWanted(t.Context())); err != nil {
				t.Fatal(err)
			}
		}
		if len(f.Runs()) != runs {
			t.Fatalf("%d runs, want %d", len(f.Runs()), runs)
		}
		f.work(t, f.Replica(0))
	}
	f.Change(func(i *integration.Integration) { i.Config.Schedule = "@hourly" })
	look(0)
	next := f.Integrated().NextSync
	if late := next.Sub(next.Truncate(time.Hour)); late >= time.Minute || !next.After(f.Now()) || next.After(f.Now().Add(time.Hour+time.Minute)) {
		t.Fatalf("the next one comes at %s, %s late", next, late)
	}
	f.Pass(next.Sub(f.Now()) - time.Millisecond)
	look(0)
	f.Pass(time.Millisecond)
	look(1)
	look(1)
	f.Pass(5 * time.Hour)
	look(2)
	if run := f.Runs()[0]; run.Full || len(run.Steps) != 4 {
		t.Errorf("it reads %v", run.Steps)
	}
	if again := f.Integrated().NextSync; !again.After(f.Now()) || again.After(f.Now().Add(time.Hour+time.Minute)) {
		t.Errorf("the one after it comes at %s", again)
	}
}

// A project that is locked does not delay the runs of others.
func TestStartWanted_lockedProject(t *testing.T) {
	t.Parallel()
	f := newFixture(tents(5)...)
	run := f.start(t, false, "products")
	e := f.engine(f.Replica(0))
	i := f.Integrated()
	e.Queue = wantingQueue{e.Queue, &i}
	e.Unit = &lockedUnit{SyncUnit: e.Unit}
	if _, err := jobs.NewWorker(e.Job()).Once(t.Context()); fault.KindOf(err) != fault.Unavailable {
		t.Errorf("it is not reported: %v", err)
	}
	want(t, f.Run(run), syncrun.Completed, syncrun.Counters{Created: 5})
}

// wantingQueue lists one integration with wanted resources.
type wantingQueue struct {
	ports.SyncQueue
	i *integration.Integration
}

func (w wantingQueue) Wanting(context.Context, int) ([]*integration.Integration, error) {
	return []*integration.Integration{w.i}, nil
}

// lockedUnit is a project that is locked at the first attempt.
type lockedUnit struct {
	ports.SyncUnit
	done bool
}

func (h *lockedUnit) InTx(ctx context.Context, p id.Project, work func(ports.SyncStores) error) error {
	if !h.done {
		h.done = true
		return fault.New(fault.Unavailable, "storage_unavailable", "The database is busy.")
	}
	return h.SyncUnit.InTx(ctx, p, work)
}
