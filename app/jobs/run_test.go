package jobs_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/haggle-commerce/haggle/app/jobs"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/ports"
)

// An idle worker calls its queue once in each interval, and at once when it is woken.
func TestRun_idleAndWoken(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		q := &fakeQueue{}
		var worked []string
		j := job(q, func(_ ports.Outbound, task jobs.Task[string]) error {
			worked = append(worked, task.Item())
			return nil
		})
		j.Poll = time.Minute
		w := jobs.NewWorker(j)
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		go w.Run(ctx)
		synctest.Wait()
		begun := q.calls.Load()
		time.Sleep(10*time.Minute + time.Second)
		synctest.Wait()
		if got := q.calls.Load() - begun; got != 10 {
			t.Errorf("%d calls in ten intervals", got)
		}
		q.add(row("a", "new"))
		w.Wake()
		w.Wake()
		synctest.Wait()
		if !slices.Equal(worked, []string{"new"}) {
			t.Errorf("worked on %v once woken", worked)
		}
	})
}

// A stopped worker waits for the running tasks, claims nothing more, and calls Record at the end.
func TestRun_stopped(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		q := &fakeQueue{rows: rows(row("a", "first"), row("a", "second"), row("a", "third"))}
		release, ended := make(chan struct{}), make(chan struct{})
		var worked, recorded []string
		j := job(q, func(ctx ports.Outbound, task jobs.Task[string]) error {
			<-release
			q.mu.Lock()
			defer q.mu.Unlock()
			worked = append(worked, task.Item())
			return ctx.Err()
		})
		j.Record = func(ctx context.Context) error {
			recorded = slices.Clone(worked)
			return ctx.Err()
		}
		ctx, stop := context.WithCancel(t.Context())
		go func() { defer close(ended); jobs.NewWorker(j).Run(ctx) }()
		synctest.Wait()
		stop()
		synctest.Wait()
		select {
		case <-ended:
			t.Error("it ended before its tasks")
		default:
		}
		close(release)
		<-ended
		slices.Sort(recorded)
		if !slices.Equal(recorded, []string{"first", "second"}) || q.left("a") != 1 {
			t.Errorf("recorded %v, %d left", recorded, q.left("a"))
		}
	})
}

// A queue that fails or panics is called again at the next interval.
func TestRun_queueFails(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		q := &fakeQueue{rows: rows(row("a", "row"))}
		failures := []any{errors.New("away"), "a panic"}
		q.fail = func() error {
			if len(failures) == 0 {
				return nil
			}
			why := failures[0]
			failures = failures[1:]
			if err, ok := why.(error); ok {
				return err
			}
			panic(why)
		}
		j := job(q, func(ports.Outbound, jobs.Task[string]) error { return nil })
		j.Poll = time.Minute
		w := jobs.NewWorker(j)
		var seen []error
		w.Ran = func(err error) { seen = append(seen, err) }
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		go w.Run(ctx)
		time.Sleep(3 * time.Minute)
		synctest.Wait()
		if q.left("a") != 0 || len(seen) < 3 || seen[0] == nil || !errors.Is(seen[1], fault.ErrPanic) || seen[2] != nil {
			t.Errorf("%d left, reported %v", q.left("a"), seen)
		}
	})
}

// Work that extends its lease is set aside under the extended lease.
func TestTask_extended(t *testing.T) {
	t.Parallel()
	q := &fakeQueue{rows: rows(row("a", "row"))}
	until := noon.Add(3 * time.Hour)
	_, err := jobs.NewWorker(job(q, func(_ ports.Outbound, task jobs.Task[string]) error {
		task.Extended(until)
		panic("after a page")
	})).Once(t.Context())
	if !errors.Is(err, fault.ErrPanic) || !slices.EqualFunc(q.held, []time.Time{until}, func(h ports.Held, at time.Time) bool { return h.Until.Equal(at) }) {
		t.Errorf("set aside under %v, %v", q.held, err)
	}
}
