package syncrun_test

import (
	"errors"
	"fmt"
	"reflect"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/syncrun"
)

var (
	noon  = time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)
	later = noon.Add(time.Minute)
	lease = later.Add(30 * time.Second)
	shop  = id.New[id.Project]([16]byte{1})
	own   = id.New[id.Integration]([16]byte{2})
	first = id.New[id.Sync]([16]byte{3})
)

func start(full bool, resources ...syncrun.Resource) *syncrun.Run {
	return syncrun.Start(first, shop, own, resources, full, syncrun.Watermarks{syncrun.Products: noon.Add(-time.Hour)}, noon)
}

func must(t *testing.T, errs ...error) {
	t.Helper()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
}

// Every state and every verb. An empty cell means that the verb is refused and changes nothing.
func TestRun_everyStateAndVerb(t *testing.T) {
	t.Parallel()
	states := []struct {
		name string
		run  func() *syncrun.Run
	}{
		{"one page left", func() *syncrun.Run { return start(false, syncrun.Orders) }},
		{"sweeping", func() *syncrun.Run {
			r := start(true, syncrun.Products)
			must(t, r.Advance(syncrun.Counters{}, noon, "", lease, noon))
			return r
		}},
		{"tired", func() *syncrun.Run {
			r := start(false, syncrun.Orders)
			for range syncrun.MaxFailures - 1 {
				must(t, r.Postpone(later, "no answer", noon))
			}
			return r
		}},
		{"completed", func() *syncrun.Run {
			r := start(false, syncrun.Orders)
			must(t, r.Advance(syncrun.Counters{}, noon, "", lease, noon))
			return r
		}},
		{"failed", func() *syncrun.Run { r := start(false, syncrun.Orders); must(t, r.Fail("why", noon)); return r }},
		{"canceled", func() *syncrun.Run { r := start(false, syncrun.Orders); must(t, r.Cancel(noon)); return r }},
	}
	verbs := []struct {
		name string
		do   func(*syncrun.Run) error
		then [6]string
	}{
		{"last page", func(r *syncrun.Run) error { return r.Advance(syncrun.Counters{Created: 1}, noon, "", lease, later) },
			[6]string{"completed", "", "completed", "", "", ""}},
		{"page", func(r *syncrun.Run) error { return r.Advance(syncrun.Counters{Created: 1}, noon, "b", lease, later) },
			[6]string{"running", "", "running", "", "", ""}},
		{"same page again", func(r *syncrun.Run) error {
			return r.Advance(syncrun.Counters{}, noon, r.Steps[0].Cursor, lease, later)
		},
			[6]string{"completed", "", "completed", "", "", ""}}, // its cursor is "", which is also the end
		{"sweep, more", func(r *syncrun.Run) error { return r.Sweep(2, true, lease, later) }, [6]string{"", "running", "", "", "", ""}},
		{"sweep, last", func(r *syncrun.Run) error { return r.Sweep(2, false, lease, later) }, [6]string{"", "completed", "", "", "", ""}},
		{"postpone", func(r *syncrun.Run) error { return r.Postpone(lease, "", later) }, [6]string{"running", "running", "running", "", "", ""}},
		{"postpone a failure", func(r *syncrun.Run) error { return r.Postpone(lease, "no answer", later) },
			[6]string{"running", "running", "failed", "", "", ""}},
		{"fail", func(r *syncrun.Run) error { return r.Fail("why", later) }, [6]string{"failed", "failed", "failed", "", "", ""}},
		{"cancel", func(r *syncrun.Run) error { return r.Cancel(later) }, [6]string{"canceled", "canceled", "canceled", "", "", "canceled"}},
	}
	for _, verb := range verbs {
		for i, state := range states {
			r, before := state.run(), state.run()
			err := verb.do(r)
			switch want := verb.then[i]; {
			case (err == nil) != (want != ""):
				t.Errorf("%s, %s: %v", state.name, verb.name, err)
			case err != nil && !reflect.DeepEqual(r, before):
				t.Errorf("%s, %s: refused, and it is %+v", state.name, verb.name, r)
			case err == nil && r.Status.String() != want:
				t.Errorf("%s, %s: %s, want %s", state.name, verb.name, r.Status, want)
			}
			if (r.Status == syncrun.Running) != r.EndedAt.IsZero() || (r.Status == syncrun.Failed || r.Failures > 0 && r.Status == syncrun.Running) != (r.Error != "") {
				t.Errorf("%s, %s: %s, ended %s, error %q", state.name, verb.name, r.Status, r.EndedAt, r.Error)
			}
		}
	}
}

func TestRun_Advance_stepOrder(t *testing.T) {
	t.Parallel()
	r := start(false, syncrun.Orders, syncrun.Inventory, syncrun.Products)
	var seen []string
	for r.Current() != nil {
		seen = append(seen, r.Current().Resource.String())
		must(t, r.Advance(syncrun.Counters{Updated: 2, Errors: 1}, noon, "", lease, later))
	}
	if got := fmt.Sprint(seen); got != "[products inventory orders]" || r.Status != syncrun.Completed || !r.EndedAt.Equal(later) {
		t.Errorf("%s, %s at %s", got, r.Status, r.EndedAt)
	}
	if s := r.Steps[0]; s.Total() != 3 || s.Updated != 2 || s.Errors != 1 {
		t.Errorf("counted %+v", s.Counters)
	}
	if !r.Steps[0].Since.Equal(noon.Add(-time.Hour-syncrun.Overlap)) || !r.Steps[1].Since.IsZero() {
		t.Errorf("since %s and %s", r.Steps[0].Since, r.Steps[1].Since)
	}
}

func TestRun_Sweep_fullRun(t *testing.T) {
	t.Parallel()
	r := start(true, syncrun.Products, syncrun.Orders)
	must(t, r.Advance(syncrun.Counters{Created: 4}, noon, "", lease, later))
	if s := r.Current(); !s.Sweeping || s.Resource != syncrun.Products || !s.Since.IsZero() {
		t.Fatalf("%+v", s)
	}
	must(t, r.Sweep(3, true, lease, later), r.Sweep(1, false, lease, later))
	if s := r.Current(); s.Sweeping || s.Resource != syncrun.Orders || r.Steps[0].Total() != 8 {
		t.Fatalf("%+v, %+v", s, r.Steps[0])
	}
	must(t, r.Advance(syncrun.Counters{}, noon, "", lease, later))
	if r.Status != syncrun.Completed {
		t.Error("orders are never swept")
	}
}

func TestRun_Postpone_maxAge(t *testing.T) {
	t.Parallel()
	r := start(false, syncrun.Orders)
	must(t, r.Postpone(later, "", noon.Add(syncrun.MaxAge)))
	must(t, r.Postpone(later, "", noon.Add(syncrun.MaxAge+time.Second)))
	if r.Status != syncrun.Failed || r.Error == "" {
		t.Errorf("%+v", r)
	}
}

// A run that met records without a readable identifier does not sweep, because those records may still exist.
func TestRun_Hidden(t *testing.T) {
	t.Parallel()
	r := start(true, syncrun.Products)
	r.Hidden()
	must(t, r.Advance(syncrun.Counters{Errors: 1}, noon, "", lease, later))
	if r.Status != syncrun.Completed || r.Steps[0].Sweeping {
		t.Errorf("%+v", r)
	}
	r.Hidden() // has no effect any more
}

func TestRun_Advance_endless(t *testing.T) {
	t.Parallel()
	r, pages := start(false, syncrun.Orders), 0
	for {
		err := r.Advance(syncrun.Counters{Created: 1}, noon, fmt.Sprint("p", pages), lease, later)
		if err != nil {
			if !errors.Is(err, syncrun.ErrEndless) || pages != syncrun.MaxPages {
				t.Errorf("after %d pages: %v", pages, err)
			}
			return
		}
		pages++
	}
}

func TestRun_Watermarks_neverBack(t *testing.T) {
	t.Parallel()
	r := start(false, syncrun.Products, syncrun.Orders)
	must(t, r.Advance(syncrun.Counters{}, noon.Add(-2*time.Hour), "", lease, later), r.Advance(syncrun.Counters{}, noon, "", lease, later))
	before := syncrun.Watermarks{syncrun.Products: noon.Add(-time.Hour), syncrun.Customers: noon}
	after := r.Watermarks(before)
	want := syncrun.Watermarks{syncrun.Products: noon.Add(-time.Hour), syncrun.Customers: noon, syncrun.Orders: noon}
	if !reflect.DeepEqual(after, want) || len(before) != 2 {
		t.Errorf("%v", after)
	}
	r = start(false, syncrun.Products)
	must(t, r.Advance(syncrun.Counters{}, later, "", lease, later.Add(time.Hour)))
	if got := r.Watermarks(nil)[syncrun.Products]; !got.Equal(noon) {
		t.Errorf("what changed while it was read is skipped up to %s", got)
	}
}

// A run detects a cycle of cursors, however long it is and however many pages lead into it.
func TestRun_Advance_cursorCycle(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		tail, round := rapid.IntRange(0, 50).Draw(t, "tail"), rapid.IntRange(1, 50).Draw(t, "round")
		r := start(false, syncrun.Orders)
		at := 0
		for pages := 0; ; pages++ {
			if at++; at >= tail+round {
				at = tail
			}
			if err := r.Advance(syncrun.Counters{}, noon, fmt.Sprint("p", at), lease, later); err != nil {
				if !errors.Is(err, syncrun.ErrCircle) {
					t.Fatal(err)
				}
				return
			}
			if pages > 4*(tail+round)+4 {
				t.Fatalf("it went round for %d pages", pages)
			}
		}
	})
}

// A sequence of cursors without a cycle is never mistaken for one, and the counters equal what was imported.
func TestRun_Advance_noCycle(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		r, want := start(false, syncrun.Orders), syncrun.Counters{}
		pages := rapid.IntRange(1, 300).Draw(t, "pages")
		for n := range pages {
			c := syncrun.Counters{
				Created: rapid.IntRange(0, 9).Draw(t, "created"), Updated: rapid.IntRange(0, 9).Draw(t, "updated"),
				Unchanged: rapid.IntRange(0, 9).Draw(t, "unchanged"), Errors: rapid.IntRange(0, 9).Draw(t, "errors"),
			}
			next := fmt.Sprint("p", n)
			if n == pages-1 {
				next = ""
			}
			if err := r.Advance(c, noon, next, lease, later); err != nil {
				t.Fatal(err)
			}
			want = want.Plus(c)
		}
		s := r.Steps[0]
		if s.Counters != want || s.Total() != want.Created+want.Updated+want.Unchanged+want.Errors || s.Pages != pages || r.Status != syncrun.Completed {
			t.Fatalf("%+v, want %+v", s, want)
		}
	})
}

func TestRun_Advance_resetsFailures(t *testing.T) {
	t.Parallel()
	r := start(false, syncrun.Orders)
	for range 3 * syncrun.MaxFailures {
		must(t, r.Postpone(later, "no answer", noon), r.Advance(syncrun.Counters{}, noon, fmt.Sprint(r.Steps[0].Pages+1), lease, later))
	}
	for range 3 * syncrun.MaxFailures {
		must(t, r.Postpone(later, "", noon)) // waiting for a rate limit is not a failure
	}
	if r.Status != syncrun.Running || !r.DueAt.Equal(later) {
		t.Errorf("%s, due %s", r.Status, r.DueAt)
	}
}

func TestResources(t *testing.T) {
	t.Parallel()
	for _, r := range syncrun.Resources {
		if got, known := syncrun.ParseResource(r.String()); !known || got != r || syncrun.StoredResource(r.String()) != r {
			t.Errorf("%s is %v, %v", r, got, known)
		}
	}
	for _, name := range []string{"", "items", "Products", "*"} {
		if _, known := syncrun.ParseResource(name); known {
			t.Errorf("%q can be read", name)
		}
	}
	if got := syncrun.Names([]syncrun.Resource{syncrun.Orders, syncrun.Products}); got != "products,orders" {
		t.Error(got)
	}
}
