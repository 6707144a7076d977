package markets

import (
	"context"
	"errors"
	"log/slog"
	"runtime"
	"sync/atomic"
	"time"

	"github.com/haggle-commerce/haggle/app/jobs"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/job"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/ports"
)

const (
	// poll is how often jobs are looked for.
	poll = time.Second
	// beat is how often progress is stored, the lease renewed, and a cancellation noticed.
	beat = time.Second
	// lease is how long a job of a replica that is gone waits for another one.
	lease = 15 * time.Second
	// finishing bounds what is written once the worker is told to stop.
	finishing = 5 * time.Second
)

// Runner works on jobs: one at a time in a process, on no more than half of its processors. Its Job is to be run.
type Runner struct {
	*ports.Stores
	Queue    ports.JobQueue
	Projects interface { // active ones
		ByProject(ctx context.Context, project id.Project) (*project.Project, error)
	}
	// Import works on an import. progress hears how much is done, of all.
	Import func(ctx context.Context, p *project.Project, j *job.Job, progress func(done, total int)) (job.Result, error)
	Clock  ports.Clock
	Log    *slog.Logger
}

// Job leases jobs of all projects. Told to stop, it leaves them to others.
func (r *Runner) Job() jobs.Job[*job.Job] {
	return jobs.Job[*job.Job]{
		Name:  "run jobs",
		Queue: r.Queue,
		Work:  r.work,
		Limits: jobs.Limits{
			Slots: 1,
			Each:  1,
			Long:  5 * time.Second,
		},
		Lease: lease,
		Poll:  poll,
		Clock: r.Clock,
		Log:   r.Log,
	}
}

// workers is how many negotiations are simulated at one time.
func workers() int { return max(runtime.GOMAXPROCS(0)/2, 1) }

// work begins a job and records its end. What fails for want of the store is begun again when the lease is over.
func (r *Runner) work(ctx ports.Outbound, t jobs.Task[*job.Job]) error {
	held := t.Items[0].Held
	j, err := r.Queue.Settle(ctx, held, func(j *job.Job) error { return j.Begin(t.Clock.Now()) })
	if errors.Is(err, ports.ErrJobTaken) || err == nil && j.Finished() {
		return nil
	}
	if err != nil {
		return err
	}
	h := &holding{
		runner: r,
		held:   held,
		renew:  t.Extended,
	}
	var found job.Result
	stop, going := h.beat(ctx)
	err = fault.Survive(func() (err error) {
		if j.Kind == job.Import {
			found, err = r.load(going, j, h)
		} else {
			found, err = r.compute(going, j, h)
		}
		return err
	})
	stop()
	return r.settle(ctx, t.Clock, h, found, err)
}

// load imports the file of a job.
func (r *Runner) load(ctx context.Context, j *job.Job, h *holding) (job.Result, error) {
	p, err := r.Projects.ByProject(ctx, j.Project)
	if err != nil {
		return job.Result{}, err
	}
	h.total.Store(int64(j.Total))
	return r.Import(ctx, p, j, func(done, total int) {
		h.done.Store(int64(done))
		h.total.Store(int64(total))
	})
}

// settle records the end of a job, unless somebody else has it by now or it was canceled.
func (r *Runner) settle(ctx ports.Outbound, clock ports.Clock, h *holding, found job.Result, failed error) error {
	if h.lost.Load() {
		return nil
	}
	bounded, cancel := context.WithTimeout(context.WithoutCancel(ctx), finishing)
	defer cancel()
	settled, err := r.Queue.Settle(bounded, h.held, func(j *job.Job) error {
		now := clock.Now()
		if failed == nil {
			return j.Succeed(found, int(h.total.Load()), now)
		}
		if ctx.Err() != nil {
			return j.Release(now)
		}
		code, reason, known := explain(failed)
		if !known {
			return failed
		}
		return j.Fail(code, reason, now)
	})
	if err == nil && settled.Kind == job.Import && settled.Finished() {
		err = r.Imports.Discard(bounded, settled.Project, settled.ID)
	}
	switch {
	case errors.Is(err, ports.ErrJobTaken):
		return nil
	case err == nil && failed != nil && ctx.Err() == nil:
		if errors.Is(failed, fault.ErrPanic) || errors.Is(failed, errBroken) {
			r.Log.ErrorContext(ctx, "a job failed", "project", h.held.Project.String(), "job", h.held.Key, "error", failed)
		}
		return jobs.ErrFailed
	}
	return err
}

// errBroken is a failure of this program, which the next attempt would meet too.
var errBroken = errors.New("the simulation failed")

// explain tells the merchant why a job failed. What is not known may be over at the next attempt.
func explain(err error) (code, reason string, known bool) {
	if errors.Is(err, fault.ErrPanic) || errors.Is(err, errBroken) {
		return "internal_error", "Something went wrong.", true
	}
	var f *fault.Error
	if !errors.As(err, &f) || f.Kind == fault.Internal || f.Kind == fault.Unavailable {
		return "", "", false
	}
	reason = f.Message
	for _, d := range f.Details {
		reason += " " + d.Field + " " + d.Message + "."
	}
	return f.Code, reason, true
}

// holding is a job in hand.
type holding struct {
	runner      *Runner
	held        ports.Held
	renew       func(time.Time)
	done, total atomic.Int64
	lost        atomic.Bool // canceled, or somebody else's
}

// beat stores progress and renews the lease until stop is called, which waits for the end. The context ends when the job
// is lost.
func (h *holding) beat(ctx context.Context) (stop func(), going context.Context) {
	going, cancel := context.WithCancel(ctx)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		tick := time.NewTicker(beat)
		defer tick.Stop()
		for {
			select {
			case <-going.Done():
				return
			case <-tick.C:
			}
			until, err := h.runner.Queue.Progress(going, h.held, int(h.done.Load()), int(h.total.Load()), lease)
			if errors.Is(err, ports.ErrJobTaken) {
				h.lost.Store(true)
				cancel()
				return
			}
			if err == nil { // else the lease lasts for some more beats
				h.held.Until = until
				h.renew(until)
			}
		}
	}()
	return func() {
		cancel()
		<-ended
	}, going
}
