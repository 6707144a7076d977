package jobs_test

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/app/jobs"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/ports"
)

// fakeQueue leases each of its rows once.
type fakeQueue struct {
	mu              sync.Mutex
	rows            []ports.Leased[string]
	aside, restored []string
	held            []ports.Held // the leases of rows that were set aside
	calls           atomic.Int64
	fail            func() error
}

func rows(list ...ports.Leased[string]) []ports.Leased[string] { return list }

func (q *fakeQueue) add(r ports.Leased[string]) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.rows = append(q.rows, r)
}

// left returns how many rows of a group are not claimed.
func (q *fakeQueue) left(group string) (n int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, r := range q.rows {
		if r.Group == group {
			n++
		}
	}
	return n
}

func row(group, key string) ports.Leased[string] {
	return ports.Leased[string]{Held: ports.Held{
		Group: group,
		Key:   key,
		Until: noon.Add(time.Hour + lease),
	}, Item: key}
}

func (q *fakeQueue) Waiting(context.Context) (groups []string, err error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.calls.Add(1)
	if q.fail != nil {
		if err := q.fail(); err != nil {
			return nil, err
		}
	}
	for _, r := range q.rows {
		if !slices.Contains(groups, r.Group) {
			groups = append(groups, r.Group)
		}
	}
	return groups, nil
}

func (q *fakeQueue) Claim(_ context.Context, _ time.Duration, shares []ports.Share) (claimed []ports.Leased[string], err error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.calls.Add(1)
	for _, share := range shares {
		q.rows = slices.DeleteFunc(q.rows, func(r ports.Leased[string]) bool {
			if r.Group != share.Group || share.Most == 0 {
				return false
			}
			share.Most--
			claimed = append(claimed, r)
			return true
		})
	}
	return claimed, nil
}

func (q *fakeQueue) SetAside(_ context.Context, h ports.Held, _ string) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.aside, q.held = append(q.aside, h.Key), append(q.held, h)
	return nil
}

func (q *fakeQueue) Restore(_ context.Context, h ports.Held) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.restored = append(q.restored, h.Key)
	return nil
}

type clock struct{}

var noon = time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)

const lease = 30 * time.Second

func (clock) Now() time.Time { return noon }

func job(q *fakeQueue, work func(ports.Outbound, jobs.Task[string]) error) jobs.Job[string] {
	return jobs.Job[string]{
		Name:  "test",
		Queue: q,
		Work:  work,
		Limits: jobs.Limits{
			Slots: 8,
			Slow:  4,
			Each:  2,
		},
		Lease: lease,
		Poll:  time.Millisecond,
		Clock: clock{},
		Log:   slog.New(slog.DiscardHandler),
	}
}

// Rows that panic or cannot be read are set aside, and all others are done in the same round.
func TestWorker_setAside(t *testing.T) {
	t.Parallel()
	unreadable, again := row("a", "unreadable"), row("c", "again")
	unreadable.Err, again.Failures = fault.ErrUnreadable, 2
	q := &fakeQueue{rows: []ports.Leased[string]{unreadable, row("a", "panics"), row("a", "plain"), row("b", "spoilt"), again}}
	broken := errors.New("broken")
	done, err := jobs.NewWorker(job(q, func(_ ports.Outbound, task jobs.Task[string]) error {
		if now := task.Clock.Now(); !now.Equal(noon.Add(time.Hour)) {
			t.Errorf("the store's clock says %s", now)
		}
		switch task.Item() {
		case "panics":
			panic("of all things")
		case "spoilt":
			return errors.Join(broken, fault.ErrUnreadable)
		}
		return nil
	})).Once(t.Context())
	slices.Sort(q.aside)
	if done != 2 || !errors.Is(err, fault.ErrPanic) || !errors.Is(err, broken) {
		t.Errorf("%d done, %v", done, err)
	}
	if !slices.Equal(q.aside, []string{"panics", "spoilt", "unreadable"}) || !slices.Equal(q.restored, []string{"again"}) {
		t.Errorf("aside %v, restored %v", q.aside, q.restored)
	}
}

// A group whose work hangs occupies its own places only.
func TestWorker_hangingGroup(t *testing.T) {
	t.Parallel()
	q := &fakeQueue{}
	for range 20 {
		q.rows = append(q.rows, row("dead", "hangs"))
	}
	for range 10 {
		q.rows = append(q.rows, row("live", "works"))
	}
	release, worked := make(chan struct{}), make(chan struct{}, 10)
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		jobs.NewWorker(job(q, func(_ ports.Outbound, task jobs.Task[string]) error {
			if task.Group == "dead" {
				<-release
				return nil
			}
			worked <- struct{}{}
			return nil
		})).Run(ctx)
	}()
	for range 10 {
		<-worked
	}
	if left := q.left("dead"); left != 18 {
		t.Errorf("%d of 20 that hang wait, want 18", left)
	}
	stop()
	close(release)
	<-ended // waits for the running tasks
}
