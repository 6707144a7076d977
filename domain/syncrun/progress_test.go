package syncrun_test

import (
	"maps"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/haggle-commerce/haggle/domain/syncrun"
)

// page stores a page of n records after so many seconds. next is the next page, or "" for none.
func page(t *testing.T, r *syncrun.Run, n, seconds int, next string) {
	t.Helper()
	must(t, r.Advance(syncrun.Counters{Created: n}, noon, next, lease, noon.Add(time.Duration(seconds)*time.Second)))
}

func TestProgress(t *testing.T) {
	t.Parallel()
	r := start(true, syncrun.Products)
	if p := r.Steps[0].Progress(); p != (syncrun.Progress{}) {
		t.Errorf("at the start: %+v", p)
	}
	page(t, r, 0, 10, "a") // after waiting for a bulk file
	r.Expect(syncrun.Total{Count: 1000})
	r.Expect(syncrun.Total{}) // later pages report no total
	page(t, r, 250, 12, "b")
	if p := r.Steps[0].Progress(); p != (syncrun.Progress{
		Done:  250,
		Total: 1000,
		Known: true,
	}) {
		t.Errorf("after one page: %+v", p)
	}
	page(t, r, 250, 14, "c")
	want := syncrun.Progress{
		Done:  500,
		Total: 1000,
		Known: true,
		Timed: true,
		Left:  4 * time.Second,
	}
	if p := r.Steps[0].Progress(); p != want {
		t.Errorf("%+v, want %+v", p, want)
	}
	if left, known := r.Left(); left != 4*time.Second || !known {
		t.Errorf("the run has %s left, %v", left, known)
	}
	page(t, r, 500, 16, "d")
	page(t, r, 250, 18, "e") // more than the platform reported
	want = syncrun.Progress{
		Done:  1250,
		Total: 1250,
		Known: true,
		Timed: true,
	}
	if p := r.Steps[0].Progress(); p != want {
		t.Errorf("%+v, want %+v", p, want)
	}
	page(t, r, 0, 20, "")
	must(t, r.Sweep(7, false, lease, later))
	if p := r.Steps[0].Progress(); p != want {
		t.Errorf("what was removed counts: %+v", p)
	}
	if _, known := r.Left(); known {
		t.Error("a run that has ended has time left")
	}
}

// A bulk file that expires is read again page by page: the records read from it no longer count.
func TestRun_Restart(t *testing.T) {
	t.Parallel()
	r := start(true, syncrun.Products)
	r.Expect(syncrun.Total{Count: 1000})
	page(t, r, 450, 1, "a")
	page(t, r, 450, 2, "b")
	r.Restart()
	r.Expect(syncrun.Total{Count: 1000})
	page(t, r, 100, 3, "c")
	if p := r.Steps[0].Progress(); p.Done != 100 || p.Total != 1000 || p.Timed {
		t.Errorf("%+v", p)
	}
}

// A preview that reads a step again finds the same changes. A sync has stored them, and finds them unchanged.
func TestRun_Restart_counts(t *testing.T) {
	t.Parallel()
	for _, preview := range []bool{true, false} {
		r := start(true, syncrun.Products)
		r.Preview = preview
		found := []syncrun.Change{{Kind: syncrun.Create}, {Kind: syncrun.Create}, {Kind: syncrun.Conflict}}
		r.CountChanges(found)
		page(t, r, 2, 1, "a")
		r.Restart()
		want := map[syncrun.ChangeKind]int{syncrun.Conflict: 1}
		if preview {
			r.CountChanges(found)
			page(t, r, 2, 2, "b")
			want = map[syncrun.ChangeKind]int{syncrun.Create: 2, syncrun.Modify: 0, syncrun.Archive: 0, syncrun.Conflict: 1}
		}
		if counts, all := r.Changes(); !maps.Equal(counts, want) || !all || r.Steps[0].Created != 2 {
			t.Errorf("preview %v: %v, all %v, %+v", preview, counts, all, r.Steps[0].Counters)
		}
	}
}

func TestRun_Left_laterSteps(t *testing.T) {
	t.Parallel()
	r := start(false, syncrun.Customers, syncrun.Orders)
	r.Expect(syncrun.Total{Count: 30, AtLeast: true})
	page(t, r, 10, 1, "a")
	page(t, r, 10, 2, "b")
	if p := r.Steps[0].Progress(); !p.Timed || p.Left != time.Second || !p.AtLeast {
		t.Errorf("%+v", p)
	}
	if _, known := r.Left(); known {
		t.Error("the orders are not counted yet")
	}
	page(t, r, 10, 3, "")
	r.Expect(syncrun.Total{Count: 3})
	page(t, r, 1, 4, "a")
	page(t, r, 1, 6, "b")
	if left, known := r.Left(); left != 2*time.Second || !known {
		t.Errorf("%s, %v", left, known)
	}
}

func TestProgress_neverNegative(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		r := start(true, syncrun.Products)
		for n := range rapid.IntRange(0, 8).Draw(rt, "pages") {
			r.Expect(syncrun.Total{Count: rapid.IntRange(-5, 50).Draw(rt, "total")})
			at := noon.Add(time.Duration(rapid.IntRange(-9, 9).Draw(rt, "seconds")) * time.Second) // clocks of replicas differ
			must(t, r.Advance(syncrun.Counters{Unchanged: rapid.IntRange(0, 9).Draw(rt, "records")}, noon, string(rune('a'+n)), lease, at))
			p := r.Steps[0].Progress()
			if p.Left < 0 || p.Total < p.Done || p.Timed && !p.Known {
				rt.Errorf("%+v", p)
			}
		}
	})
}

func TestRun_Wait(t *testing.T) {
	t.Parallel()
	r := start(false, syncrun.Products, syncrun.Orders)
	must(t, r.Wait(noon.Add(2*time.Second), true, noon), r.Wait(noon.Add(3*time.Second), false, noon), r.Wait(noon.Add(-time.Second), false, noon))
	must(t, r.Postpone(noon.Add(time.Hour), "no answer", noon)) // which nobody asked for
	if got := r.Steps[0].Waited; got != (syncrun.Waited{Limit: 3000, Files: 2000}) || r.Steps[1].Waited != (syncrun.Waited{}) || r.Failures != 1 {
		t.Errorf("%+v, %d failures", got, r.Failures)
	}
	must(t, r.Cancel(noon))
	if err := r.Wait(later, true, noon); err != syncrun.ErrEnded {
		t.Errorf("%v", err)
	}
}
