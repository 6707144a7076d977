package jobs_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/haggle-commerce/haggle/app/jobs"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/ports"
)

func keys(t jobs.Task[string]) (list []string) {
	for _, l := range t.Items {
		list = append(list, l.Item)
	}
	return list
}

// A batch that panics is repeated item by item, and only the item at fault is set aside.
func TestWorker_work_batchPanics(t *testing.T) {
	t.Parallel()
	again := row("a", "third")
	again.Failures = 1
	q := &fakeQueue{rows: rows(row("a", "first"), row("a", "panics"), again, row("b", "other"))}
	var worked []string
	j := job(q, func(_ ports.Outbound, task jobs.Task[string]) error {
		if slices.Contains(keys(task), "panics") {
			panic("of all things")
		}
		q.mu.Lock()
		defer q.mu.Unlock()
		worked = append(worked, keys(task)...)
		return nil
	})
	j.Limits = jobs.Limits{Slots: 8, Batch: 64}
	_, err := jobs.NewWorker(j).Once(t.Context())
	slices.Sort(worked)
	if !errors.Is(err, fault.ErrPanic) || !slices.Equal(worked, []string{"first", "other", "third"}) {
		t.Errorf("worked on %v, %v", worked, err)
	}
	if !slices.Equal(q.aside, []string{"panics"}) || !slices.Equal(q.restored, []string{"third"}) {
		t.Errorf("aside %v, restored %v", q.aside, q.restored)
	}
}

// An unreadable row is set aside before the batch starts. Other failures set nothing aside.
func TestWorker_claim_unreadableRow(t *testing.T) {
	t.Parallel()
	unreadable := row("a", "unreadable")
	unreadable.Err = fault.ErrUnreadable
	q := &fakeQueue{rows: rows(row("a", "first"), unreadable, row("a", "second"))}
	calls := 0
	j := job(q, func(_ ports.Outbound, task jobs.Task[string]) error {
		if calls++; !slices.Equal(keys(task), []string{"first", "second"}) {
			t.Errorf("a batch of %v", keys(task))
		}
		return jobs.ErrFailed
	})
	j.Limits = jobs.Limits{Slots: 8, Batch: 64}
	if _, err := jobs.NewWorker(j).Once(t.Context()); err != nil {
		t.Error(err)
	}
	if calls != 1 || !slices.Equal(q.aside, []string{"unreadable"}) {
		t.Errorf("%d calls, aside %v", calls, q.aside)
	}
}

// A group has one batch at a time. Other groups continue meanwhile.
func TestWorker_Run_oneBatchPerGroup(t *testing.T) {
	t.Parallel()
	q := &fakeQueue{}
	for n := range 10 {
		q.rows = append(q.rows, row("slow", fmt.Sprint("s", n)), row("quick", fmt.Sprint("q", n)))
	}
	release, quick := make(chan struct{}), make(chan int, 10)
	var slow [][]string
	j := job(q, func(_ ports.Outbound, task jobs.Task[string]) error {
		if task.Group == "quick" {
			quick <- len(task.Items)
			return nil
		}
		slow = append(slow, keys(task)) // never two at once: the race detector would see it
		<-release
		return nil
	})
	j.Limits = jobs.Limits{Slots: 4, Batch: 3}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan struct{})
	w := jobs.NewWorker(j)
	go func() { defer close(ended); w.Run(ctx) }()
	for n := 0; n < 10; {
		n += <-quick
	}
	if got := q.left("slow"); got != 7 {
		t.Errorf("%d of the slow group wait, want 7", got)
	}
	stop()
	close(release)
	<-ended
	if len(slow) != 1 || !slices.Equal(slow[0], []string{"s0", "s1", "s2"}) {
		t.Errorf("the slow group's batches: %v", slow)
	}
}
