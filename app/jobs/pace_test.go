package jobs_test

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/haggle-commerce/haggle/app/jobs"
	"github.com/haggle-commerce/haggle/ports"
)

// paced runs a worker with a Pace of 50 ms and returns when its rounds began.
func paced(t *testing.T, q *fakeQueue, limits jobs.Limits, work func(string), drive func(wake func())) (rounds []time.Duration) {
	begun := time.Now()
	j := job(q, func(_ ports.Outbound, task jobs.Task[string]) error {
		work(task.Item())
		return nil
	})
	j.Limits, j.Poll, j.Pace = limits, time.Minute, 50*time.Millisecond
	j.Before = func(context.Context) (bool, error) {
		rounds = append(rounds, time.Since(begun))
		return false, nil
	}
	w := jobs.NewWorker(j)
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() { defer close(ended); w.Run(ctx) }()
	drive(w.Wake)
	stop()
	<-ended
	return rounds
}

// After an idle time a worker claims at once when it is woken.
func TestAwait_idle(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		q := &fakeQueue{}
		paced(t, q, jobs.Limits{Slots: 8, Each: 4}, func(string) {}, func(wake func()) {
			time.Sleep(time.Second)
			q.add(row("a", "lone"))
			wake()
			synctest.Wait()
			if q.left("a") != 0 {
				t.Error("it waits")
			}
		})
	})
}

// After a round without a backlog the next one waits for the pace, even if tasks end meanwhile.
func TestAwait_pace(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		q := &fakeQueue{}
		rounds := paced(t, q, jobs.Limits{Slots: 64, Each: 64}, func(string) { time.Sleep(time.Millisecond) }, func(wake func()) {
			time.Sleep(time.Second)
			for n := range 500 {
				q.add(row("a", fmt.Sprint(n)))
				wake()
				time.Sleep(time.Millisecond)
			}
			time.Sleep(time.Second)
			if q.left("a") != 0 {
				t.Errorf("%d are left", q.left("a"))
			}
		})
		for i := range rounds[1:] {
			if apart := rounds[i+1] - rounds[i]; apart < 50*time.Millisecond {
				t.Errorf("rounds %s apart", apart)
			}
		}
		if len(rounds) > 14 {
			t.Errorf("%d rounds in half a second", len(rounds))
		}
	})
}

// A backlog is continued as soon as half of the tasks have ended.
func TestAwait_backlog(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		q := &fakeQueue{}
		for n := range 400 {
			q.add(row("a", fmt.Sprint(n)))
		}
		var took time.Duration
		rounds := paced(t, q, jobs.Limits{Slots: 8, Each: 4}, func(string) { time.Sleep(time.Millisecond) }, func(func()) {
			for begun := time.Now(); q.left("a") > 0; took = time.Since(begun) {
				time.Sleep(time.Millisecond)
			}
		})
		if took > 250*time.Millisecond {
			t.Errorf("400 tasks of a millisecond, four at once, took %s in %d rounds", took, len(rounds))
		}
	})
}
