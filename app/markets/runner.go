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
	// poll is the interval between looks for jobs.
	poll = time.Second
	// beat is the interval in which progress is stored, the lease renewed, and a cancellation noticed.
	beat = time.Second
	// lease is how long a job waits for another replica after its own has died.
	lease = 15 * time.Second
	// shutdownTimeout limits the writes after the worker's context has ended.
	shutdownTimeout = 5 * time.Second
)

// Runner runs jobs, one at a time in a process, on at most half of its processors. Run its Job with a jobs.Worker.
type Runner struct {
	*ports.Stores
	Queue    ports.JobQueue
	Projects interface { // active ones
		ByProject(ctx context.Context, project id.Project) (*project.Project, error)
	}
	// Import runs an import. It calls progress with how much of the total is done.
	Import func(ctx context.Context, p *project.Project, j *job.Job, progress func(done, total int)) (job.Result, error)
	Clock  ports.Clock
	Log    *slog.Logger
}

// Job returns the worker's job, which leases jobs of all projects. On shutdown it releases them for other replicas.
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

// workers is how many negotiations are simulated concurrently.
func workers() int { return max(runtime.GOMAXPROCS(0)/2, 1) }

// work begins a job and records its end. If the store is unavailable, the job is begun again when its lease is over.
func (r *Runner) work(ctx ports.Outbound, t jobs.Task[*job.Job]) error {
	held := t.Items[0].Held
	j, err := r.Queue.Settle(ctx, held, func(j *job.Job) error { return j.Begin(t.Clock.Now()) })
	if errors.Is(err, ports.ErrJobTaken) || err == nil && j.Finished() {
		return nil
	}
	if err != nil {
		return err
	}
	h := &heldJob{
		runner: r,
		held:   held,
		renew:  t.Extended,
	}
	var found job.Result
	stop, running := h.beat(ctx)
	err = fault.Survive(func() (err error) {
		if j.Kind == job.Import {
			found, err = r.importFile(running, j, h)
		} else {
			found, err = r.compute(running, j, h)
		}
		return err
	})
	stop()
	return r.settle(ctx, t.Clock, h, found, err)
}

// importFile imports the file of a job.
func (r *Runner) importFile(ctx context.Context, j *job.Job, h *heldJob) (job.Result, error) {
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

// settle records the end of a job, unless another replica has claimed it or it was canceled.
func (r *Runner) settle(ctx ports.Outbound, clock ports.Clock, h *heldJob, found job.Result, failed error) error {
	if h.lost.Load() {
		return nil
	}
	bounded, cancel := context.WithTimeout(context.WithoutCancel(ctx), shutdownTimeout)
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

// errBroken is a failure of this program that the next attempt would meet too.
var errBroken = errors.New("the simulation failed")

// explain returns the code and reason of a failed job for the merchant. Unknown errors may be temporary, so the job is tried again.
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

// heldJob is a job that this process has leased.
type heldJob struct {
	runner      *Runner
	held        ports.Held
	renew       func(time.Time)
	done, total atomic.Int64
	lost        atomic.Bool // canceled, or claimed by another replica
}

// beat stores progress and renews the lease in a goroutine until stop is called, which waits for its end. The context ends when
// the job is lost.
func (h *heldJob) beat(ctx context.Context) (stop func(), running context.Context) {
	running, cancel := context.WithCancel(ctx)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		tick := time.NewTicker(beat)
		defer tick.Stop()
		for {
			select {
			case <-running.Done():
				return
			case <-tick.C:
			}
			until, err := h.runner.Queue.Progress(running, h.held, int(h.done.Load()), int(h.total.Load()), lease)
			if errors.Is(err, ports.ErrJobTaken) {
				h.lost.Store(true)
				cancel()
				return
			}
			if err == nil { // else the lease still lasts for some beats
				h.held.Until = until
				h.renew(until)
			}
		}
	}()
	return func() {
		cancel()
		<-ended
	}, running
}
