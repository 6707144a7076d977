package jobs

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/ports"
)

// shutdownTimeout limits the writes after the worker's context has ended.
const shutdownTimeout = 5 * time.Second

// Worker runs a job. Any number of workers, in any number of processes, share the work.
type Worker[T any] struct {
	Job[T]
	wake  chan struct{}
	ended chan ended
	lanes lanes
	// refill is the number of running tasks at or below which a backlog is continued; negative: there is no backlog.
	refill int
	// failed has the errors of tasks since the last round.
	failed error
}

// ended is the end of a task.
type ended struct {
	group string
	quick bool
	err   error
}

// NewWorker returns a worker for a job. Run starts it.
func NewWorker[T any](j Job[T]) *Worker[T] {
	return &Worker[T]{
		Job:   j,
		wake:  make(chan struct{}, 1),
		ended: make(chan ended, j.Limits.Slots),
		lanes: lanes{},
	}
}

// Wake makes the worker look for work. It never blocks.
func (w *Worker[T]) Wake() {
	select {
	case w.wake <- struct{}{}:
	default:
	}
}

// Run works until ctx ends, and then waits for the running tasks. They get ctx too, so a task that must not be canceled has to
// detach itself from it.
func (w *Worker[T]) Run(ctx context.Context) {
	tick := time.NewTicker(w.Poll)
	defer tick.Stop()
	for ctx.Err() == nil {
		pace := time.After(w.Pace)
		more, err := w.round(ctx)
		if ctx.Err() == nil {
			w.report(err)
		}
		if more && err == nil {
			continue
		}
		select {
		case <-ctx.Done():
		case <-w.wake:
		case <-tick.C:
		case e := <-w.ended:
			w.note(e)
		}
		w.await(ctx, pace)
		select {
		case <-w.wake: // the next round serves this call too
		default:
		}
	}
	w.finish(context.WithoutCancel(ctx))
}

// await waits until the next round may start.
func (w *Worker[T]) await(ctx context.Context, pace <-chan time.Time) {
	for w.Pace > 0 && w.lanes.busy() > w.refill {
		select {
		case <-ctx.Done():
			return
		case <-pace:
			return
		case e := <-w.ended:
			w.note(e)
		}
	}
}

// Once works until nothing is due, and returns how many tasks succeeded and the errors of the others.
func (w *Worker[T]) Once(ctx context.Context) (done int, err error) {
	for {
		more, problem := w.round(ctx)
		err = errors.Join(err, problem)
		if w.lanes.busy() == 0 && (!more || problem != nil) {
			return done, err
		}
		for w.lanes.busy() > 0 {
			e := <-w.ended
			w.note(e)
			if e.err == nil {
				done++
			}
		}
	}
}

// round notes ended tasks, calls Record and Before, and starts due tasks.
func (w *Worker[T]) round(ctx context.Context) (more bool, err error) {
	for {
		select {
		case e := <-w.ended:
			w.note(e)
			continue
		default:
		}
		break
	}
	err, w.failed = w.failed, nil
	if problem := w.record(ctx); problem != nil {
		return false, errors.Join(err, problem)
	}
	err = errors.Join(err, fault.Survive(func() (problem error) {
		if w.Before != nil {
			more, problem = w.Before(ctx)
		}
		return problem
	}), fault.Survive(func() error { return w.claim(ctx) }))
	return more, err
}

func (w *Worker[T]) record(ctx context.Context) error {
	if w.Record == nil {
		return nil
	}
	return fault.Survive(func() error { return w.Record(ctx) })
}

// claim leases due items, as many as the limits allow, and starts their tasks.
func (w *Worker[T]) claim(ctx context.Context) error {
	w.refill = -1
	if w.lanes.busy() >= w.Limits.Slots {
		w.refill = w.lanes.busy() / 2
		return nil
	}
	groups, err := w.Queue.Waiting(ctx)
	if err != nil {
		return err
	}
	shares := w.lanes.shares(w.Limits, groups)
	if len(shares) == 0 {
		return nil
	}
	claimed, err := w.Queue.Claim(ctx, w.Lease, shares)
	if err != nil || len(claimed) == 0 {
		return err
	}
	clock := storeClock{w.Clock, claimed[0].Until.Add(-w.Lease).Sub(w.Clock.Now())}
	batches := make(map[string][]ports.Leased[T])
	for _, l := range claimed {
		switch {
		case l.Err != nil:
			err = errors.Join(err, w.setAside(ctx, l.Held, l.Err))
		case w.Limits.Batch > 0:
			batches[l.Group] = append(batches[l.Group], l)
		default:
			w.start(ctx, Task[T]{l.Group, []ports.Leased[T]{l}, clock})
		}
	}
	for group, items := range batches {
		w.start(ctx, Task[T]{group, items, clock})
	}
	if len(shares) < len(groups) || someFull(shares, claimed) {
		w.refill = w.lanes.busy() / 2
	}
	return err
}

// someFull reports whether a group's share was claimed in full.
func someFull[T any](shares []ports.Share, claimed []ports.Leased[T]) bool {
	n := make(map[string]int, len(shares))
	for _, l := range claimed {
		n[l.Group]++
	}
	return slices.ContainsFunc(shares, func(s ports.Share) bool { return n[s.Group] >= s.Most })
}

func (w *Worker[T]) start(ctx context.Context, t Task[T]) {
	w.lanes.enter(t.Group)
	begun := w.Clock.Now()
	go func() {
		err := w.work(ports.NewOutbound(ctx), t)
		w.ended <- ended{t.Group, err == nil && w.Clock.Now().Sub(begun) < w.Limits.Long, err}
	}()
}

// work runs a task and sets its item aside if it panics or cannot be read. It repeats a failing batch item by item, so that only
// the items at fault are set aside.
func (w *Worker[T]) work(ctx ports.Outbound, t Task[T]) error {
	err := fault.Survive(func() error { return w.Work(ctx, t) })
	poison := errors.Is(err, fault.ErrPanic) || errors.Is(err, fault.ErrUnreadable)
	switch {
	case poison && len(t.Items) == 1:
		return errors.Join(err, w.setAside(ctx, t.Items[0].Held, err))
	case poison:
		err = nil
		for i := range t.Items {
			err = errors.Join(err, w.work(ctx, Task[T]{t.Group, t.Items[i : i+1], t.Clock}))
		}
		return err
	}
	for _, l := range t.Items {
		if l.Failures > 0 {
			err = errors.Join(err, w.Queue.Restore(context.WithoutCancel(ctx), l.Held))
		}
	}
	return err
}

// setAside postpones an item that this program cannot process, and logs it.
func (w *Worker[T]) setAside(ctx context.Context, held ports.Held, why error) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), shutdownTimeout)
	defer cancel()
	ReportSetAside(ctx, w.Log, w.Name, ports.SetAside{Held: held, Err: why})
	return w.Queue.SetAside(ctx, held, why.Error())
}

func (w *Worker[T]) note(e ended) {
	w.lanes.leave(e.group, e.quick)
	if !errors.Is(e.err, ErrFailed) {
		w.failed = errors.Join(w.failed, e.err)
	}
}

// finish waits for the running tasks and records them.
func (w *Worker[T]) finish(ctx context.Context) {
	for w.lanes.busy() > 0 {
		w.note(<-w.ended)
	}
	ctx, cancel := context.WithTimeout(ctx, shutdownTimeout)
	defer cancel()
	if err := w.record(ctx); err != nil {
		w.report(err)
	}
}

func (w *Worker[T]) report(err error) {
	if w.Ran != nil {
		w.Ran(err)
	}
}
