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
	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/event"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/integration"
	"github.com/haggle-commerce/haggle/domain/syncrun"
	"github.com/haggle-commerce/haggle/ports"
	"github.com/haggle-commerce/haggle/ports/porttest/synctest"
)

func TestRunReadsAllPagesAndThenOnlyWhatChanged(t *testing.T) {
	t.Parallel()
	l := newLab(tents(25)...)
	for n := range 25 {
		l.shop.records[syncrun.Inventory] = append(l.shop.records[syncrun.Inventory], level(n, n, early))
	}
	run := l.sync(t, false, "products", "inventory")
	want(t, run, syncrun.Completed, syncrun.Counters{Created: 25}, syncrun.Counters{Created: 25})
	if l.Products() != 25 || l.Stock("T-7", "main") != 7 || len(l.changed) != 49 { // T-0 has nothing, as before
		t.Errorf("%d products, %d of T-7, %d changed", l.Products(), l.Stock("T-7", "main"), len(l.changed))
	}
	i := l.Integrated()
	if high := early.Add(24 * time.Second); !i.Synced[syncrun.Products].Equal(high) || !i.LastSync.Equal(run.EndedAt) {
		t.Errorf("synced %v, last %v", i.Synced, i.LastSync)
	}
	events := l.Events()
	if done, ok := events[0].Data.(event.SyncCompleted); len(events) != 1 || !ok || done.Counts["products"] != (event.SyncCount{Total: 25, Created: 25}) {
		t.Errorf("announced %+v", events)
	}
	var since time.Time
	l.shop.answer = func(r ports.PageRequest) (*ports.RecordPage, error) { since = r.Since; return nil, nil }
	l.shop.records[syncrun.Products][3].Product.Name = "Another"
	l.shop.records[syncrun.Products][3].At = early.Add(time.Hour)
	want(t, l.sync(t, false, "products"), syncrun.Completed, syncrun.Counters{Updated: 1, Unchanged: 24})
	if !since.Equal(early.Add(24*time.Second - syncrun.Overlap)) {
		t.Errorf("asked since %v", since)
	}
}

func TestOneRunAtATime(t *testing.T) {
	t.Parallel()
	l := newLab()
	l.start(t, false, "products")
	if _, err := l.service().Start(t.Context(), l.Project, l.World.Integration, Wanted{}); !fault.Is(err, "sync_in_progress") {
		t.Errorf("got %v", err)
	}
	l.Change(func(i *integration.Integration) { i.Disconnect(l.Now()) })
	if _, err := l.service().Start(t.Context(), l.Project, l.World.Integration, Wanted{}); !fault.Is(err, "integration_disconnected") {
		t.Errorf("got %v", err)
	}
}

// A replica is killed at each of its calls in turn, the last page's commit included, and another one goes on.
func TestAnotherReplicaGoesOnWhereOneDied(t *testing.T) {
	t.Parallel()
	for diesAt := 1; ; diesAt++ {
		l := newLab(tents(25)...)
		for n := range 25 {
			l.shop.records[syncrun.Inventory] = append(l.shop.records[syncrun.Inventory], level(n, 5, early))
		}
		run := l.start(t, true, "products", "inventory")
		dying := l.Replica(diesAt)
		l.work(t, dying)
		l.Pass(lease + time.Second)
		l.work(t, l.Replica(0))
		want(t, l.Run(run), syncrun.Completed, syncrun.Counters{Created: 25}, syncrun.Counters{Created: 25})
		if l.Products() != 25 || l.Stock("T-3", "main") != 5 || len(l.Events()) != 1 || !dying.Dead() && diesAt < 30 {
			t.Fatalf("died at %d: %d products, %d of T-3, %d events", diesAt, l.Products(), l.Stock("T-3", "main"), len(l.Events()))
		}
		if t.Failed() {
			t.Fatalf("died at call %d", diesAt)
		}
		if !dying.Dead() {
			return
		}
	}
}

func TestWhoLostItsLeaseChangesNothing(t *testing.T) {
	t.Parallel()
	l := newLab(tents(35)...)
	run := l.start(t, false, "products")
	stolen := false
	l.shop.answer = func(r ports.PageRequest) (*ports.RecordPage, error) {
		if r.Cursor == "20" && !stolen {
			stolen = true
			for l.Run(run).Steps[0].Pages < 2 { // the page before is committed meanwhile
				runtime.Gosched()
			}
			l.Pass(lease + time.Second)
			l.shop.mu.Unlock() // the platform answers others meanwhile
			l.page(t)
			l.shop.mu.Lock()
		}
		return nil, nil
	}
	l.work(t, l.Replica(0))
	if r := l.Run(run); r.Steps[0].Created != 30 || r.Steps[0].Pages != 3 {
		t.Fatalf("both went on: %d pages, %+v", r.Steps[0].Pages, counters(r))
	}
	l.shop.answer = nil
	l.Pass(lease + time.Second)
	l.work(t, l.Replica(0))
	want(t, l.Run(run), syncrun.Completed, syncrun.Counters{Created: 35})
	if len(l.Events()) != 1 {
		t.Errorf("%d events", len(l.Events()))
	}
}

// page has a replica of its own take one page of the run that is due, and then hang.
func (l *lab) page(t *testing.T) {
	e := l.engine(l.Replica(0))
	runs, err := e.Queue.Claim(t.Context(), lease, []ports.Share{{Group: l.Project.ID.String(), Most: 1}})
	if err != nil || len(runs) != 1 {
		t.Errorf("%v, %d runs", err, len(runs))
		return
	}
	h := &hand{Engine: e, run: runs[0].Item}
	if err := h.open(t.Context()); err != nil {
		t.Error(err)
	}
	if err := h.advance(ports.NewOutbound(t.Context())); err != nil {
		t.Error(err)
	}
	h.drop()
}

func TestCancelEndsARunBetweenPages(t *testing.T) {
	t.Parallel()
	l := newLab(tents(25)...)
	run := l.start(t, false, "products")
	l.shop.answer = func(r ports.PageRequest) (*ports.RecordPage, error) {
		if r.Cursor == "20" {
			if _, err := l.service().Cancel(t.Context(), l.Project.ID, l.World.Integration, run); err != nil {
				t.Error(err)
			}
		}
		return nil, nil
	}
	l.work(t, l.Replica(0))
	r := l.Run(run)
	if r.Status != syncrun.Canceled || r.Steps[0].Total() > 20 || l.Products() > 20 || len(l.Events()) != 0 || !l.Integrated().LastSync.IsZero() {
		t.Errorf("%s with %+v, %d products, %d events", r.Status, counters(r), l.Products(), len(l.Events()))
	}
	if again, err := l.service().Cancel(t.Context(), l.Project.ID, l.World.Integration, run); err != nil || again.Status != syncrun.Canceled {
		t.Errorf("once more: %v", err)
	}
}

func TestTroubleWithThePlatform(t *testing.T) {
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
		"credentials refused":  {ports.ErrCredentialsRefused, syncrun.Failed, 0, 0, "The platform refused the account's credentials."},
		"it was disconnected":  {integration.ErrDisconnected(), syncrun.Failed, 0, 0, "The integration was disconnected."},
		"the database is busy": {fault.New(fault.Unavailable, "storage_unavailable", "Busy."), syncrun.Running, 1, 700 * time.Millisecond, "The server was too busy to store a page."},
		"nobody knows what":    {errors.New("a secret"), syncrun.Running, 1, 700 * time.Millisecond, "A page could not be taken: this server has a problem of its own."},
	} {
		l := newLab(tents(5)...)
		l.shop.answer = func(ports.PageRequest) (*ports.RecordPage, error) { return nil, c.err }
		run := l.sync(t, false, "products")
		if run.Status != c.status || run.Failures != c.failures || run.Error != c.why || run.Status == syncrun.Running && run.DueAt.Sub(l.Now()) < c.after {
			t.Errorf("%s: %s, %d failures, due in %s, %q", name, run.Status, run.Failures, run.DueAt.Sub(l.Now()), run.Error)
		}
		if failed := len(l.Events()) == 1; failed != (c.status == syncrun.Failed) {
			t.Errorf("%s: announced %+v", name, l.Events())
		}
	}
}

func TestTooManyFailuresInARowAreFinal(t *testing.T) {
	t.Parallel()
	l := newLab(tents(5)...)
	l.shop.answer = func(ports.PageRequest) (*ports.RecordPage, error) {
		return nil, &ports.PlatformFailure{Reason: "No answer."}
	}
	run := l.start(t, false, "products")
	var before time.Duration
	for n := 1; n < syncrun.MaxFailures; n++ {
		l.work(t, l.Replica(0))
		pause := l.Run(run).DueAt.Sub(l.Now())
		if l.Run(run).Failures != n || pause < before*3/4 || pause > 5*most/4 {
			t.Fatalf("after failure %d (%d) it waits %s", n, l.Run(run).Failures, pause)
		}
		before = pause
		l.Pass(pause)
	}
	l.work(t, l.Replica(0))
	if r := l.Run(run); r.Status != syncrun.Failed || r.Error != "No answer." {
		t.Errorf("%s: %q", r.Status, r.Error)
	}
	if told, is := l.Events()[0].Data.(event.SyncFailed); !is || len(told.Counts) != 1 {
		t.Errorf("announced %+v", l.Events())
	}
}

func TestPagesThatLeadInACircle(t *testing.T) {
	t.Parallel()
	l := newLab(tents(5)...)
	n := 0
	l.shop.answer = func(ports.PageRequest) (*ports.RecordPage, error) {
		n++
		return &ports.RecordPage{Next: fmt.Sprint("c", n%3)}, nil
	}
	if run := l.sync(t, false, "products"); run.Status != syncrun.Failed || run.Error != syncrun.ErrCircle.Message {
		t.Errorf("%s %q", run.Status, run.Error)
	}
}

func TestSweepArchivesWhatAFullReadingDidNotFind(t *testing.T) {
	t.Parallel()
	l := newLab(tents(30)...)
	l.shop.records[syncrun.Customers] = []syncrun.Record{
		{Resource: syncrun.Customers, Remote: "c1", Customer: &syncrun.Customer{Email: "A@x.org"}},
		{Resource: syncrun.Customers, Remote: "c2", Customer: &syncrun.Customer{Email: "b@x.org"}},
	}
	l.sync(t, false, "products", "customers")
	l.Pass(time.Hour)
	l.shop.records[syncrun.Products] = tents(30)[:20]
	l.shop.records[syncrun.Products][4].Problem = "It cannot be read." // but it is there
	l.shop.records[syncrun.Customers] = l.shop.records[syncrun.Customers][:1]
	want(t, l.sync(t, false, "products"), syncrun.Completed, syncrun.Counters{Unchanged: 19, Errors: 1})
	if l.Product("T-25").Status != catalog.Active {
		t.Error("a reading of what changed archived what it did not find")
	}
	run := l.sync(t, true, "products", "customers")
	want(t, run, syncrun.Completed, syncrun.Counters{Updated: 10, Unchanged: 19, Errors: 1}, syncrun.Counters{Updated: 1, Unchanged: 1})
	if l.Product("T-25").Status != catalog.Archived || l.Product("T-4").Status != catalog.Active || l.Product("T-19").Status != catalog.Active {
		t.Errorf("T-25 %s, T-4 %s, T-19 %s", l.Product("T-25").Status, l.Product("T-4").Status, l.Product("T-19").Status)
	}
	if c, _ := l.Copy(syncrun.Customers, "c2"); !c.Removed || c.Customer != nil || c.Email != "" {
		t.Errorf("the customer who is gone is kept: %+v", c)
	}
	if c, _ := l.Copy(syncrun.Customers, "c1"); c.Email != "a@x.org" {
		t.Errorf("the other one is %+v", c)
	}
	l.Pass(time.Hour)
	l.shop.records[syncrun.Products] = tents(30)
	want(t, l.sync(t, true, "products"), syncrun.Completed, syncrun.Counters{Updated: 10, Unchanged: 20})
	if l.Product("T-25").Status != catalog.Active {
		t.Error("what is back stays archived")
	}
}

// Who a record without an id is nobody knows: what a full reading did not find is not taken for gone.
func TestNothingIsSweptBesideWhatHasNoName(t *testing.T) {
	t.Parallel()
	l := newLab(tents(3)...)
	l.sync(t, false, "products")
	l.shop.records[syncrun.Products][1].Remote = ""
	run := l.sync(t, true, "products")
	if c := run.Steps[0].Counters; run.Status != syncrun.Completed || c.Errors != 1 || c.Total() != 3 {
		t.Errorf("%+v", run)
	}
	if p := l.Product("T-2"); p.Status != catalog.Active {
		t.Error("what could not be named was archived")
	}
}

// What makes this program panic ends the run that it belongs to, after some tries, and nothing else.
func TestAPanicEndsItsRunAlone(t *testing.T) {
	t.Parallel()
	l := newLab(tents(3)...)
	l.shop.answer = func(ports.PageRequest) (*ports.RecordPage, error) { panic("of all things") }
	name := l.start(t, false, "products")
	for range syncrun.MaxFailures {
		l.work(t, l.Replica(0))
		l.Pass(most * 2)
	}
	if run := l.Run(name); run.Status != syncrun.Failed || !strings.Contains(run.Error, "problem of its own") {
		t.Errorf("%+v", run)
	}
}

func TestSweepDoesNotBelieveAnEmptiedPlatform(t *testing.T) {
	t.Parallel()
	l := newLab(tents(20)...)
	l.sync(t, false, "products")
	l.Pass(time.Hour)
	l.shop.records[syncrun.Products] = tents(9)
	run := l.sync(t, true, "products")
	if run.Status != syncrun.Failed || !strings.Contains(run.Error, "11 of 20 products") || l.Product("T-15").Status != catalog.Active {
		t.Errorf("%s %q, T-15 is %s", run.Status, run.Error, l.Product("T-15").Status)
	}
	l.shop.records[syncrun.Products] = tents(10)
	want(t, l.sync(t, true, "products"), syncrun.Completed, syncrun.Counters{Updated: 10, Unchanged: 10})
	l.Pass(time.Hour)
	l.shop.records[syncrun.Products] = nil // the ten that are left are few enough
	want(t, l.sync(t, true, "products"), syncrun.Completed, syncrun.Counters{Updated: 10})
}

func TestSweepSparesWhatThePlatformToldOfMeanwhile(t *testing.T) {
	t.Parallel()
	l := newLab(tents(3)...)
	l.shop.answer = func(r ports.PageRequest) (*ports.RecordPage, error) {
		l.tell(t, tent(77, l.Now()))
		return nil, nil
	}
	want(t, l.sync(t, true, "products"), syncrun.Completed, syncrun.Counters{Created: 3})
	if p := l.Product("T-77"); p == nil || p.Status != catalog.Active {
		t.Errorf("it is %+v", p)
	}
}

func TestOneRecordThatTheDatabaseRefusesStopsNothing(t *testing.T) {
	t.Parallel()
	list := tents(25)
	list[3].Product.Description, list[17].Product.Description = synctest.Poison, synctest.Poison
	l := newLab(list...)
	run := l.sync(t, false, "products")
	want(t, run, syncrun.Completed, syncrun.Counters{Created: 23, Errors: 2})
	problems := l.Problems(run.ID)
	if len(problems) != 2 || problems[0].Remote != "p3" || problems[0].Reason != "The record could not be stored." {
		t.Errorf("noted %+v", problems)
	}
}

func TestTheNextPageIsReadWhileOneIsCommitted(t *testing.T) {
	t.Parallel()
	l := newLab(tents(25)...)
	run := l.start(t, false, "products")
	r := l.Replica(0)
	r.Before = func(call string) {
		if call != "commit" {
			return
		}
		asked, wanted := 0, min(l.PagesInTx(run)+1, 3)
		for deadline := time.Now().Add(30 * time.Second); asked < wanted; {
			if time.Now().After(deadline) {
				t.Errorf("%d pages are asked for while page %d is committed", asked, wanted-1)
				return
			}
			l.shop.mu.Lock()
			asked = len(l.shop.asked)
			l.shop.mu.Unlock()
		}
	}
	l.work(t, r)
	if want := []string{"products@", "products@10", "products@20"}; !slices.Equal(l.shop.asked, want) {
		t.Errorf("asked for %v", l.shop.asked)
	}
}

func TestWantedResourcesAreRead(t *testing.T) {
	t.Parallel()
	l := newLab(tents(5)...)
	e := l.engine(l.Replica(0))
	l.Change(func(i *integration.Integration) { i.Want(syncrun.Products) })
	l.start(t, false, "orders")
	if err := e.startWanted(t.Context()); err != nil || len(l.Runs()) != 1 || len(l.Integrated().Wanted) != 1 {
		t.Fatalf("beside another: %v, %d runs, wanted %v", err, len(l.Runs()), l.Integrated().Wanted)
	}
	l.work(t, l.Replica(0))
	if err := e.startWanted(t.Context()); err != nil || len(l.Runs()) != 2 || len(l.Integrated().Wanted) != 0 {
		t.Fatalf("%v, %d runs, wanted %v", err, len(l.Runs()), l.Integrated().Wanted)
	}
	l.work(t, l.Replica(0))
	l.Change(func(i *integration.Integration) { i.Want(syncrun.Products); i.Status = integration.Failing })
	if err := e.startWanted(t.Context()); err != nil || len(l.Runs()) != 2 || len(l.Integrated().Wanted) != 0 {
		t.Errorf("with refused credentials: %v, %d runs, wanted %v", err, len(l.Runs()), l.Integrated().Wanted)
	}
}

// A preview counts what a run would do, and stores nothing of it: the run after it does all of it.
func TestPreview(t *testing.T) {
	t.Parallel()
	l := newLab(tents(25)...)
	preview := func(full bool) syncrun.Run {
		t.Helper()
		run, err := l.service().Start(t.Context(), l.Project, l.World.Integration, Wanted{Resources: []string{"products"}, Full: full, Preview: true})
		if err != nil {
			t.Fatal(err)
		}
		l.work(t, l.Replica(0))
		return l.Run(run.ID)
	}
	want(t, preview(false), syncrun.Completed, syncrun.Counters{Created: 25})
	if l.Products() > 0 || len(l.changed) > 0 || len(l.Events()) > 0 || len(l.Integrated().Synced) > 0 || !l.Integrated().LastSync.IsZero() {
		t.Fatalf("%d products, %v changed, events %v, read to %v", l.Products(), l.changed, l.Events(), l.Integrated().Synced)
	}
	want(t, l.sync(t, true, "products"), syncrun.Completed, syncrun.Counters{Created: 25})
	l.shop.records[syncrun.Products] = l.shop.records[syncrun.Products][3:]
	l.Pass(time.Minute)
	events := len(l.Events())
	want(t, preview(true), syncrun.Completed, syncrun.Counters{Updated: 3, Unchanged: 22})
	if p := l.Product(tents(1)[0].Product.SKU); p.Status != catalog.Active || len(l.Events()) != events {
		t.Errorf("a product that is gone is %s, events %v", p.Status, l.Events()[events:])
	}
	want(t, l.sync(t, true, "products"), syncrun.Completed, syncrun.Counters{Updated: 3, Unchanged: 22})
	l.shop.records[syncrun.Products] = l.shop.records[syncrun.Products][20:]
	deleted := tent(99, l.Now())
	deleted.Remote, deleted.Deleted, deleted.Product = "p24", true, nil
	l.shop.records[syncrun.Products] = append(l.shop.records[syncrun.Products], deleted)
	if r := preview(true); r.Status != syncrun.Failed || len(l.Events()) != events+1 {
		t.Errorf("a platform that lost most of what it had: %s, events %v", r.Status, l.Events()[events:])
	}
	// One that has other records in their place is believed, by a sync as by its preview. A deleted one counts once.
	var others []syncrun.Record
	for n := range 40 {
		others = append(others, tent(100+n, l.Now()))
	}
	l.shop.records[syncrun.Products] = append(others, deleted)
	l.Pass(time.Minute)
	r := preview(true)
	want(t, r, syncrun.Completed, syncrun.Counters{Created: 40, Updated: 22})
	want(t, l.sync(t, true, "products"), syncrun.Completed, r.Steps[0].Counters)
}

// A preview that is canceled, or whose replica dies, leaves nothing behind but itself.
func TestPreview_brokenOff(t *testing.T) {
	t.Parallel()
	for diesAt := 1; ; diesAt++ {
		l := newLab(tents(25)...)
		run, err := l.service().Start(t.Context(), l.Project, l.World.Integration, Wanted{Resources: []string{"products"}, Preview: true})
		if err != nil {
			t.Fatal(err)
		}
		r := l.Replica(diesAt)
		l.work(t, r)
		if l.Products() > 0 || len(l.Events()) > 0 {
			t.Fatalf("it died at %d: %d products, events %v", diesAt, l.Products(), l.Events())
		}
		done := l.Run(run.ID).Status == syncrun.Completed
		l.Pass(time.Hour)
		l.work(t, l.Replica(0))
		want(t, l.Run(run.ID), syncrun.Completed, syncrun.Counters{Created: 25})
		if done {
			return
		}
	}
}

// everyHour is a schedule that comes at full hours.
type everyHour struct{}

func (everyHour) Problem(string, time.Duration, time.Time) string { return "" }

func (everyHour) Next(_ string, after time.Time) time.Time {
	return after.Truncate(time.Hour).Add(time.Hour)
}

// A scheduled sync starts once, whatever number of replicas look, and after hours without a server once, too.
func TestScheduledSyncsStart(t *testing.T) {
	t.Parallel()
	l := newLab(tents(5)...)
	replicas := []*Engine{l.engine(l.Replica(0)), l.engine(l.Replica(0))}
	look := func(runs int) {
		t.Helper()
		for _, e := range replicas {
			e.Schedules = everyHour{}
			if err := errors.Join(e.startScheduled(t.Context()), e.startWanted(t.Context())); err != nil {
				t.Fatal(err)
			}
		}
		if len(l.Runs()) != runs {
			t.Fatalf("%d runs, want %d", len(l.Runs()), runs)
		}
		l.work(t, l.Replica(0))
	}
	l.Change(func(i *integration.Integration) { i.Config.Schedule = "@hourly" })
	look(0)
	next := l.Integrated().NextSync
	if late := next.Sub(next.Truncate(time.Hour)); late >= time.Minute || !next.After(l.Now()) || next.After(l.Now().Add(time.Hour+time.Minute)) {
		t.Fatalf("the next one comes at %s, %s late", next, late)
	}
	l.Pass(next.Sub(l.Now()) - time.Millisecond)
	look(0)
	l.Pass(time.Millisecond)
	look(1)
	look(1)
	l.Pass(5 * time.Hour)
	look(2)
	if run := l.Runs()[0]; run.Full || len(run.Steps) != 4 {
		t.Errorf("it reads %v", run.Steps)
	}
	if again := l.Integrated().NextSync; !again.After(l.Now()) || again.After(l.Now().Add(time.Hour+time.Minute)) {
		t.Errorf("the one after it comes at %s", again)
	}
}

// A project that somebody holds keeps the runs of others from nothing.
func TestARunThatCannotBeStartedKeepsNoOtherWaiting(t *testing.T) {
	t.Parallel()
	l := newLab(tents(5)...)
	run := l.start(t, false, "products")
	e := l.engine(l.Replica(0))
	i := l.Integrated()
	e.Queue = wishes{e.Queue, &i}
	e.Unit = &held{SyncUnit: e.Unit}
	if _, err := jobs.NewWorker(e.Job()).Once(t.Context()); fault.KindOf(err) != fault.Unavailable {
		t.Errorf("it is not reported: %v", err)
	}
	want(t, l.Run(run), syncrun.Completed, syncrun.Counters{Created: 5})
}

// wishes are of an integration.
type wishes struct {
	ports.SyncQueue
	i *integration.Integration
}

func (w wishes) Wanting(context.Context, int) ([]*integration.Integration, error) {
	return []*integration.Integration{w.i}, nil
}

// held is a project that is in other hands once.
type held struct {
	ports.SyncUnit
	done bool
}

func (h *held) InTx(ctx context.Context, p id.Project, work func(ports.SyncStores) error) error {
	if !h.done {
		h.done = true
		return fault.New(fault.Unavailable, "storage_unavailable", "The database is busy.")
	}
	return h.SyncUnit.InTx(ctx, p, work)
}

func TestAStoppedEngineLetsGo(t *testing.T) {
	t.Parallel()
	l := newLab(tents(25)...)
	run := l.start(t, false, "products")
	ctx, stop := context.WithCancel(t.Context())
	l.shop.answer = func(r ports.PageRequest) (*ports.RecordPage, error) {
		if r.Cursor == "10" {
			stop()
		}
		return nil, nil
	}
	jobs.NewWorker(l.engine(l.Replica(0)).Job()).Run(ctx)
	r := l.Run(run)
	if r.Status != syncrun.Running || r.DueAt.After(l.Now()) || r.Failures != 0 || r.Steps[0].Pages == 0 {
		t.Fatalf("%s, due in %s, %d pages", r.Status, r.DueAt.Sub(l.Now()), r.Steps[0].Pages)
	}
	l.work(t, l.Replica(0))
	want(t, l.Run(run), syncrun.Completed, syncrun.Counters{Created: 25})
}

func TestAPageThatIsGivenUpIsNoFailure(t *testing.T) {
	t.Parallel()
	l := newLab(tents(25)...)
	run := l.start(t, false, "products")
	ctx, stop := context.WithCancel(t.Context())
	l.shop.answer = func(ports.PageRequest) (*ports.RecordPage, error) {
		stop()
		return nil, ctx.Err()
	}
	jobs.NewWorker(l.engine(l.Replica(0)).Job()).Run(ctx)
	if r := l.Run(run); r.Status != syncrun.Running || r.DueAt.After(l.Now()) || r.Failures != 0 {
		t.Errorf("%s, due in %s, %d failures", r.Status, r.DueAt.Sub(l.Now()), r.Failures)
	}
}

func TestALongRunLetsOthersHaveATurn(t *testing.T) {
	t.Parallel()
	l := newLab(tents(35)...)
	run := l.start(t, false, "products")
	l.shop.answer = func(r ports.PageRequest) (*ports.RecordPage, error) {
		if r.Cursor == "" {
			l.Pass(turn + time.Second)
		}
		return nil, nil
	}
	e := l.engine(l.Replica(0))
	runs, err := e.Queue.Claim(t.Context(), lease, []ports.Share{{Group: l.Project.ID.String(), Most: 1}})
	if err != nil {
		t.Fatal(err)
	}
	if err := e.work(ports.NewOutbound(t.Context()), jobs.Task[*syncrun.Run]{Items: runs, Clock: l}); err != nil {
		t.Error(err)
	}
	if r := l.Run(run); r.Steps[0].Pages != 1 || r.DueAt.After(l.Now()) || r.Failures != 0 {
		t.Errorf("%d pages, due in %s", r.Steps[0].Pages, r.DueAt.Sub(l.Now()))
	}
}

func TestManyReplicasShareTheWork(t *testing.T) {
	t.Parallel()
	l := newLab(tents(95)...)
	run := l.start(t, true, "products")
	ctx, stop := context.WithCancel(t.Context())
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() { jobs.NewWorker(l.engine(l.Replica(0)).Job()).Run(ctx) })
	}
	for deadline := time.Now().Add(20 * time.Second); l.Run(run).Status == syncrun.Running && time.Now().Before(deadline); {
		time.Sleep(5 * time.Millisecond)
	}
	stop()
	all.Wait()
	want(t, l.Run(run), syncrun.Completed, syncrun.Counters{Created: 95})
}
