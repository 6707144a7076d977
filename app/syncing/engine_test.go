package syncing

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/app/jobs"
	"github.com/haggle-commerce/haggle/domain/event"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/integration"
	"github.com/haggle-commerce/haggle/domain/syncrun"
	"github.com/haggle-commerce/haggle/ports"
	"github.com/haggle-commerce/haggle/ports/porttest/synctest"
)

// The first sync reads everything. The next one asks only for what has changed since, less an overlap.
func TestEngine_incrementalSync(t *testing.T) {
	t.Parallel()
	f := newFixture(tents(25)...)
	for n := range 25 {
		f.platform.records[syncrun.Inventory] = append(f.platform.records[syncrun.Inventory], level(n, n, early))
	}
	run := f.sync(t, false, "products", "inventory")
	want(t, run, syncrun.Completed, syncrun.Counters{Created: 25}, syncrun.Counters{Created: 25})
	if f.Products() != 25 || f.Stock("T-7", "main") != 7 || len(f.changed) != 49 { // T-0 has nothing, as before
		t.Errorf("%d products, %d of T-7, %d changed", f.Products(), f.Stock("T-7", "main"), len(f.changed))
	}
	i := f.Integrated()
	if high := early.Add(24 * time.Second); !i.Synced[syncrun.Products].Equal(high) || !i.LastSync.Equal(run.EndedAt) {
		t.Errorf("synced %v, last %v", i.Synced, i.LastSync)
	}
	events := f.Events()
	if done, ok := events[0].Data.(event.SyncCompleted); len(events) != 1 || !ok || done.Counts["products"] != (event.SyncCount{Total: 25, Created: 25}) {
		t.Errorf("announced %+v", events)
	}
	var since time.Time
	f.platform.answer = func(r ports.PageRequest) (*ports.RecordPage, error) { since = r.Since; return nil, nil }
	f.platform.records[syncrun.Products][3].Product.Name = "Another"
	f.platform.records[syncrun.Products][3].At = early.Add(time.Hour)
	want(t, f.sync(t, false, "products"), syncrun.Completed, syncrun.Counters{Updated: 1, Unchanged: 24})
	if !since.Equal(early.Add(24*time.Second - syncrun.Overlap)) {
		t.Errorf("asked since %v", since)
	}
}

func TestService_Start_oneRunAtATime(t *testing.T) {
	t.Parallel()
	f := newFixture()
	f.start(t, false, "products")
	if _, err := f.service().Start(t.Context(), f.Project, f.World.Integration, Wanted{}); !fault.Is(err, "sync_in_progress") {
		t.Errorf("got %v", err)
	}
	f.Change(func(i *integration.Integration) { i.Disconnect(f.Now()) })
	if _, err := f.service().Start(t.Context(), f.Project, f.World.Integration, Wanted{}); !fault.Is(err, "integration_disconnected") {
		t.Errorf("got %v", err)
	}
}

// A replica dies at each of its calls in turn, including the last page's commit, and another one continues the run.
func TestEngine_replicaDies(t *testing.T) {
	t.Parallel()
	for diesAt := 1; ; diesAt++ {
		f := newFixture(tents(25)...)
		for n := range 25 {
			f.platform.records[syncrun.Inventory] = append(f.platform.records[syncrun.Inventory], level(n, 5, early))
		}
		run := f.start(t, true, "products", "inventory")
		dying := f.Replica(diesAt)
		f.work(t, dying)
		f.Pass(lease + time.Second)
		f.work(t, f.Replica(0))
		want(t, f.Run(run), syncrun.Completed, syncrun.Counters{Created: 25}, syncrun.Counters{Created: 25})
		if f.Products() != 25 || f.Stock("T-3", "main") != 5 || len(f.Events()) != 1 || !dying.Dead() && diesAt < 30 {
			t.Fatalf("died at %d: %d products, %d of T-3, %d events", diesAt, f.Products(), f.Stock("T-3", "main"), len(f.Events()))
		}
		if t.Failed() {
			t.Fatalf("died at call %d", diesAt)
		}
		if !dying.Dead() {
			return
		}
	}
}

// A replica whose lease has ended cannot change the run.
func TestClaimedRun_Update_leaseLost(t *testing.T) {
	t.Parallel()
	f := newFixture(tents(35)...)
	run := f.start(t, false, "products")
	stolen := false
	f.platform.answer = func(r ports.PageRequest) (*ports.RecordPage, error) {
		if r.Cursor == "20" && !stolen {
			stolen = true
			for f.Run(run).Steps[0].Pages < 2 { // the page before is committed meanwhile
				runtime.Gosched()
			}
			f.Pass(lease + time.Second)
			f.platform.mu.Unlock() // the platform answers others meanwhile
			f.importOnePage(t)
			f.platform.mu.Lock()
		}
		return nil, nil
	}
	f.work(t, f.Replica(0))
	if r := f.Run(run); r.Steps[0].Created != 30 || r.Steps[0].Pages != 3 {
		t.Fatalf("both went on: %d pages, %+v", r.Steps[0].Pages, counters(r))
	}
	f.platform.answer = nil
	f.Pass(lease + time.Second)
	f.work(t, f.Replica(0))
	want(t, f.Run(run), syncrun.Completed, syncrun.Counters{Created: 35})
	if len(f.Events()) != 1 {
		t.Errorf("%d events", len(f.Events()))
	}
}

// importOnePage has another replica import one page of the due run, and then hang.
func (f *fixture) importOnePage(t *testing.T) {
	e := f.engine(f.Replica(0))
	runs, err := e.Queue.Claim(t.Context(), lease, []ports.Share{{Group: f.Project.ID.String(), Most: 1}})
	if err != nil || len(runs) != 1 {
		t.Errorf("%v, %d runs", err, len(runs))
		return
	}
	cr := &claimedRun{Engine: e, run: runs[0].Item}
	if err := cr.open(t.Context()); err != nil {
		t.Error(err)
	}
	if err := cr.advance(ports.NewOutbound(t.Context())); err != nil {
		t.Error(err)
	}
	cr.cancelReadAhead()
}

func TestService_Cancel_betweenPages(t *testing.T) {
	t.Parallel()
	f := newFixture(tents(25)...)
	run := f.start(t, false, "products")
	f.platform.answer = func(r ports.PageRequest) (*ports.RecordPage, error) {
		if r.Cursor == "20" {
			if _, err := f.service().Cancel(t.Context(), f.Project.ID, f.World.Integration, run); err != nil {
				t.Error(err)
			}
		}
		return nil, nil
	}
	f.work(t, f.Replica(0))
	r := f.Run(run)
	if r.Status != syncrun.Canceled || r.Steps[0].Total() > 20 || f.Products() > 20 || len(f.Events()) != 0 || !f.Integrated().LastSync.IsZero() {
		t.Errorf("%s with %+v, %d products, %d events", r.Status, counters(r), f.Products(), len(f.Events()))
	}
	if again, err := f.service().Cancel(t.Context(), f.Project.ID, f.World.Integration, run); err != nil || again.Status != syncrun.Canceled {
		t.Errorf("once more: %v", err)
	}
}

func TestClaimedRun_HandleFailure(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		err      error
		status   syncrun.Status
		failures int
		after    time.Duration // at least
		why      string
	}{
		"it asks for patience": {ports.Throttled{After: 3 * time.Second}, syncrun.Running, 0, 3 * time.Second, ""},
		"it does not answer":   {&ports.PlatformFailure{Reason: "No answer."}, syncrun.Running, 1, 700 * time.Millisecond, "No answer."},
		"it refuses":           {fmt.Errorf("read: %w", &ports.PlatformRefusal{Reason: "No permission."}), syncrun.Failed, 0, 0, "No permission."},
		"credentials refused":  {ports.ErrCredentialsRefused, syncrun.Failed, 0, 0, "The platform rejected the account's credentials."},
		"it was disconnected":  {integration.ErrDisconnected(), syncrun.Failed, 0, 0, "The integration was disconnected."},
		"the database is busy": {fault.New(fault.Unavailable, "storage_unavailable", "Busy."), syncrun.Running, 1, 700 * time.Millisecond, "The server was too busy to store a page."},
		"nobody knows what":    {errors.New("a secret"), syncrun.Running, 1, 700 * time.Millisecond, "A page could not be imported because of an internal error of the server."},
	} {
		f := newFixture(tents(5)...)
		f.platform.answer = func(ports.PageRequest) (*ports.RecordPage, error) { return nil, c.err }
		run := f.sync(t, false, "products")
		if run.Status != c.status || run.Failures != c.failures || run.Error != c.why || run.Status == syncrun.Running && run.DueAt.Sub(f.Now()) < c.after {
			t.Errorf("%s: %s, %d failures, due in %s, %q", name, run.Status, run.Failures, run.DueAt.Sub(f.Now()), run.Error)
		}
		if failed := len(f.Events()) == 1; failed != (c.status == syncrun.Failed) {
			t.Errorf("%s: announced %+v", name, f.Events())
		}
	}
}

func TestClaimedRun_HandleFailure_tooMany(t *testing.T) {
	t.Parallel()
	f := newFixture(tents(5)...)
	f.platform.answer = func(ports.PageRequest) (*ports.RecordPage, error) {
		return nil, &ports.PlatformFailure{Reason: "No answer."}
	}
	run := f.start(t, false, "products")
	var before time.Duration
	for n := 1; n < syncrun.MaxFailures; n++ {
		f.work(t, f.Replica(0))
		pause := f.Run(run).DueAt.Sub(f.Now())
		if f.Run(run).Failures != n || pause < before*3/4 || pause > 5*maxPause/4 {
			t.Fatalf("after failure %d (%d) it waits %s", n, f.Run(run).Failures, pause)
		}
		before = pause
		f.Pass(pause)
	}
	f.work(t, f.Replica(0))
	if r := f.Run(run); r.Status != syncrun.Failed || r.Error != "No answer." {
		t.Errorf("%s: %q", r.Status, r.Error)
	}
	if failed, is := f.Events()[0].Data.(event.SyncFailed); !is || len(failed.Counts) != 1 {
		t.Errorf("announced %+v", f.Events())
	}
}

func TestEngine_circularPages(t *testing.T) {
	t.Parallel()
	f := newFixture(tents(5)...)
	n := 0
	f.platform.answer = func(ports.PageRequest) (*ports.RecordPage, error) {
		n++
		return &ports.RecordPage{Next: fmt.Sprint("c", n%3)}, nil
	}
	if run := f.sync(t, false, "products"); run.Status != syncrun.Failed || run.Error != syncrun.ErrCircle.Message {
		t.Errorf("%s %q", run.Status, run.Error)
	}
}

// A panic is a failure of its run, and ends it after several attempts. It affects no other run.
func TestEngine_panic(t *testing.T) {
	t.Parallel()
	f := newFixture(tents(3)...)
	f.platform.answer = func(ports.PageRequest) (*ports.RecordPage, error) { panic("of all things") }
	name := f.start(t, false, "products")
	for range syncrun.MaxFailures {
		f.work(t, f.Replica(0))
		f.Pass(maxPause * 2)
	}
	if run := f.Run(name); run.Status != syncrun.Failed || !strings.Contains(run.Error, "internal error") {
		t.Errorf("%+v", run)
	}
}

func TestClaimedRun_Bisect_refusedRecords(t *testing.T) {
	t.Parallel()
	list := tents(25)
	list[3].Product.Description, list[17].Product.Description = synctest.Poison, synctest.Poison
	f := newFixture(list...)
	run := f.sync(t, false, "products")
	want(t, run, syncrun.Completed, syncrun.Counters{Created: 23, Errors: 2})
	problems := f.Problems(run.ID)
	if len(problems) != 2 || problems[0].Remote != "p3" || problems[0].Reason != "The record could not be stored." {
		t.Errorf("noted %+v", problems)
	}
}

func TestClaimedRun_Advance_readsAhead(t *testing.T) {
	t.Parallel()
	f := newFixture(tents(25)...)
	run := f.start(t, false, "products")
	r := f.Replica(0)
	r.Before = func(call string) {
		if call != "commit" {
			return
		}
		asked, wanted := 0, min(f.PagesInTx(run)+1, 3)
		for deadline := time.Now().Add(30 * time.Second); asked < wanted; {
			if time.Now().After(deadline) {
				t.Errorf("%d pages are asked for while page %d is committed", asked, wanted-1)
				return
			}
			f.platform.mu.Lock()
			asked = len(f.platform.asked)
			f.platform.mu.Unlock()
		}
	}
	f.work(t, r)
	if want := []string{"products@", "products@10", "products@20"}; !slices.Equal(f.platform.asked, want) {
		t.Errorf("asked for %v", f.platform.asked)
	}
}

func TestEngine_stopBetweenPages(t *testing.T) {
	t.Parallel()
	f := newFixture(tents(25)...)
	run := f.start(t, false, "products")
	ctx, stop := context.WithCancel(t.Context())
	f.platform.answer = func(r ports.PageRequest) (*ports.RecordPage, error) {
		if r.Cursor == "10" {
			stop()
		}
		return nil, nil
	}
	jobs.NewWorker(f.engine(f.Replica(0)).Job()).Run(ctx)
	r := f.Run(run)
	if r.Status != syncrun.Running || r.DueAt.After(f.Now()) || r.Failures != 0 || r.Steps[0].Pages == 0 {
		t.Fatalf("%s, due in %s, %d pages", r.Status, r.DueAt.Sub(f.Now()), r.Steps[0].Pages)
	}
	f.work(t, f.Replica(0))
	want(t, f.Run(run), syncrun.Completed, syncrun.Counters{Created: 25})
}

func TestEngine_stopDuringRead(t *testing.T) {
	t.Parallel()
	f := newFixture(tents(25)...)
	run := f.start(t, false, "products")
	ctx, stop := context.WithCancel(t.Context())
	f.platform.answer = func(ports.PageRequest) (*ports.RecordPage, error) {
		stop()
		return nil, ctx.Err()
	}
	jobs.NewWorker(f.engine(f.Replica(0)).Job()).Run(ctx)
	if r := f.Run(run); r.Status != syncrun.Running || r.DueAt.After(f.Now()) || r.Failures != 0 {
		t.Errorf("%s, due in %s, %d failures", r.Status, r.DueAt.Sub(f.Now()), r.Failures)
	}
}

func TestTimeSlice(t *testing.T) {
	t.Parallel()
	f := newFixture(tents(35)...)
	run := f.start(t, false, "products")
	f.platform.answer = func(r ports.PageRequest) (*ports.RecordPage, error) {
		if r.Cursor == "" {
			f.Pass(timeSlice + time.Second)
		}
		return nil, nil
	}
	e := f.engine(f.Replica(0))
	runs, err := e.Queue.Claim(t.Context(), lease, []ports.Share{{Group: f.Project.ID.String(), Most: 1}})
	if err != nil {
		t.Fatal(err)
	}
	if err := e.work(ports.NewOutbound(t.Context()), jobs.Task[*syncrun.Run]{Items: runs, Clock: f}); err != nil {
		t.Error(err)
	}
	if r := f.Run(run); r.Steps[0].Pages != 1 || r.DueAt.After(f.Now()) || r.Failures != 0 {
		t.Errorf("%d pages, due in %s", r.Steps[0].Pages, r.DueAt.Sub(f.Now()))
	}
}

func TestEngine_manyReplicas(t *testing.T) {
	t.Parallel()
	f := newFixture(tents(95)...)
	run := f.start(t, true, "products")
	ctx, stop := context.WithCancel(t.Context())
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() { jobs.NewWorker(f.engine(f.Replica(0)).Job()).Run(ctx) })
	}
	for deadline := time.Now().Add(20 * time.Second); f.Run(run).Status == syncrun.Running && time.Now().Before(deadline); {
		time.Sleep(5 * time.Millisecond)
	}
	stop()
	all.Wait()
	want(t, f.Run(run), syncrun.Completed, syncrun.Counters{Created: 95})
}
