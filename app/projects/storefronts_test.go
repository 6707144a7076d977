package projects_test

import (
	"context"
	"errors"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/app/projects"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/project"
)

// fakeStorefronts is a store of one project and a clock, and counts reads.
type fakeStorefronts struct {
	mu       sync.Mutex
	stored   project.Project
	now      time.Time
	readings int
	read     func(ctx context.Context) error // called during a read; nil: nothing
}

var shopID = id.New[id.Project]([16]byte{1})

func newFakeStorefronts() *fakeStorefronts {
	return &fakeStorefronts{stored: project.Project{ID: shopID, Slug: "shop"}, now: time.Unix(1000, 0)}
}

func (r *fakeStorefronts) Now() time.Time {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.now
}

func (r *fakeStorefronts) change(change func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	change()
}

func (r *fakeStorefronts) pass(d time.Duration) { r.change(func() { r.now = r.now.Add(d) }) }

func (r *fakeStorefronts) write() { r.change(func() { r.stored.Version++ }) }

func (r *fakeStorefronts) BySlug(ctx context.Context, slug string) (*project.Project, error) {
	r.mu.Lock()
	r.readings++
	found, wait := r.stored, r.read
	r.mu.Unlock()
	if wait != nil {
		if err := wait(ctx); err != nil {
			return nil, err
		}
	}
	if found.Slug != slug {
		return nil, fault.Missing("project")
	}
	return &found, nil
}

func (r *fakeStorefronts) ByProject(context.Context, id.Project) (*project.Project, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	found := r.stored
	return &found, nil
}

func version(t *testing.T, s *projects.Storefronts) int64 {
	t.Helper()
	p, err := s.BySlug(t.Context(), "shop")
	if err != nil {
		t.Fatal(err)
	}
	return p.Version
}

// A write of another replica is seen after 250 ms, a write of this one at once, and a version that ByProject has read from then on.
func TestStorefronts(t *testing.T) {
	t.Parallel()
	r := newFakeStorefronts()
	s := projects.NewStorefronts(r, r.Now)
	seen := func(want int64, readings int) {
		t.Helper()
		if got := version(t, s); got != want || r.readings != readings {
			t.Errorf("version %d after %d readings, want %d after %d", got, r.readings, want, readings)
		}
	}
	seen(0, 1)
	r.write()
	r.pass(249 * time.Millisecond)
	seen(0, 1)
	r.pass(time.Millisecond)
	seen(1, 2)
	r.write()
	s.Forget(id.New[id.Project]([16]byte{2})) // another
	seen(1, 2)
	s.Forget(shopID)
	seen(2, 3)
	seen(2, 3)
	r.write()
	if p, err := s.ByProject(t.Context(), shopID); err != nil || p.Version != 3 {
		t.Errorf("%+v, %v", p, err)
	}
	seen(3, 4)
	r.change(func() { r.stored.Slug = "renamed" })
	if p, err := s.BySlug(t.Context(), "renamed"); err != nil || p.Slug != "renamed" {
		t.Errorf("%+v, %v", p, err)
	}
	if _, err := s.BySlug(t.Context(), "shop"); fault.KindOf(err) != fault.NotFound {
		t.Errorf("the old slug is kept beside the new one: %v", err)
	}
}

func TestStorefronts_unknown(t *testing.T) {
	t.Parallel()
	r := newFakeStorefronts()
	s := projects.NewStorefronts(r, r.Now)
	for range 3 {
		if _, err := s.BySlug(t.Context(), "unknown"); fault.KindOf(err) != fault.NotFound {
			t.Error(err)
		}
	}
	if r.readings != 3 {
		t.Errorf("%d readings: what is unknown is kept", r.readings)
	}
}

// A read that began before a write is neither cached nor shared with callers after it.
func TestStorefronts_readDuringWrite(t *testing.T) {
	t.Parallel()
	r := newFakeStorefronts()
	s := projects.NewStorefronts(r, r.Now)
	began, goOn := make(chan struct{}), make(chan struct{})
	var slow atomic.Bool
	slow.Store(true)
	r.read = func(context.Context) error {
		if slow.CompareAndSwap(true, false) {
			close(began)
			<-goOn
		}
		return nil
	}
	old := make(chan int64)
	go func() { old <- version(t, s) }()
	<-began
	r.write()
	s.Forget(shopID)
	if got := version(t, s); got != 1 {
		t.Errorf("after the write: version %d", got)
	}
	close(goOn)
	if got := <-old; got != 0 {
		t.Errorf("the reading from before the write has version %d", got)
	}
	if got := version(t, s); got != 1 {
		t.Errorf("a reading from before the write was kept: version %d", got)
	}
}

// Concurrent callers share one read, and start another if the first caller hangs up or is slow.
func TestStorefronts_sharedRead(t *testing.T) {
	t.Parallel()
	r := newFakeStorefronts()
	s := projects.NewStorefronts(r, r.Now)
	began := make(chan struct{}, 3)
	goOn := make(chan struct{})
	r.read = func(ctx context.Context) error {
		began <- struct{}{}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-goOn:
			return nil
		}
	}
	impatient, hangUp := context.WithCancel(t.Context())
	first := make(chan error, 1)
	go func() {
		_, err := s.BySlug(impatient, "shop")
		first <- err
	}()
	<-began
	var others sync.WaitGroup
	for range 20 {
		others.Go(func() { version(t, s) })
	}
	hangUp()
	if err := <-first; !errors.Is(err, context.Canceled) {
		t.Errorf("the canceled caller got %v", err)
	}
	<-began // one of the others
	r.pass(time.Second)
	others.Go(func() { version(t, s) })
	<-began // the reading of the others is too old for this one
	close(goOn)
	others.Wait()
	if r.readings != 3 {
		t.Errorf("%d readings, want 3", r.readings)
	}
}

// During concurrent reads and writes a process always sees its own writes.
func TestStorefronts_ownWrites(t *testing.T) {
	t.Parallel()
	r := newFakeStorefronts()
	s := projects.NewStorefronts(r, time.Now)
	var done atomic.Bool
	var committed atomic.Int64
	var readers sync.WaitGroup
	for range 8 {
		readers.Go(func() {
			for !done.Load() {
				before := committed.Load()
				if got := version(t, s); got < before {
					t.Errorf("version %d was read after %d was written", got, before)
					return
				}
			}
		})
	}
	for n := range int64(20_000) {
		r.write()
		s.Forget(shopID)
		committed.Store(n + 1)
	}
	done.Store(true)
	readers.Wait()
}

func TestStorefronts_bound(t *testing.T) {
	t.Parallel()
	shops := everySlug{}
	s := projects.NewStorefronts(&shops, time.Now)
	for n := range 3000 {
		if _, err := s.BySlug(t.Context(), strconv.Itoa(n)); err != nil {
			t.Fatal(err)
		}
	}
	before := shops.readings
	if _, err := s.BySlug(t.Context(), "0"); err != nil || shops.readings == before {
		t.Errorf("%v: 3,000 projects are kept", err)
	}
}

// everySlug is a store of a project for each number.
type everySlug struct {
	fakeStorefronts
	readings int
}

func (e *everySlug) BySlug(_ context.Context, slug string) (*project.Project, error) {
	e.readings++
	n, _ := strconv.Atoi(slug)
	return &project.Project{ID: id.New[id.Project]([16]byte{byte(n), byte(n >> 8)}), Slug: slug}, nil
}

func BenchmarkStorefronts(b *testing.B) {
	r := newFakeStorefronts()
	s := projects.NewStorefronts(r, time.Now)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := s.BySlug(b.Context(), "shop"); err != nil {
			b.Fatal(err)
		}
	}
}
