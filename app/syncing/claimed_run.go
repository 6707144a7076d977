package syncing

import (
	"context"
	"errors"
	"time"

	"github.com/haggle-commerce/haggle/app/failpoint"
	"github.com/haggle-commerce/haggle/app/jobs"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/integration"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/domain/syncrun"
	"github.com/haggle-commerce/haggle/ports"
)

// claimedRun is a run that this worker has claimed. DueAt, as last stored, is the end of the lease.
type claimedRun struct {
	*Engine
	run         *syncrun.Run
	project     *project.Project
	integration *integration.Integration
	readAhead   *pageRead // the read of the page after the one being committed; nil: none
}

// pageRead is a page that is being read.
type pageRead struct {
	request ports.PageRequest
	stop    context.CancelFunc
	done    chan struct{}
	page    ports.RecordPage
	err     error
}

var (
	// errLost means that the lease has ended, so another replica may have the run or have ended it.
	errLost = errors.New("the run is no longer in hand")
	// errSlow means that a page took longer than pageTimeout.
	errSlow = &ports.PlatformFailure{Reason: "The platform did not respond in time."}
	// errEmptied means that a full sync found implausibly few records.
	errEmptied = errors.New("the platform has lost most of its records")
)

// work continues a run until it ends or is postponed, its time slice is over, or ctx ends.
func (e *Engine) work(ctx ports.Outbound, t jobs.Task[*syncrun.Run]) error {
	at := *e
	at.Clock = t.Clock
	cr := &claimedRun{Engine: &at, run: t.Item()}
	defer func() { t.Extended(cr.run.DueAt) }()
	err := cr.pages(ctx)
	cr.cancelReadAhead()
	if err == nil || errors.Is(err, fault.ErrUnreadable) {
		return err
	}
	err = cr.handleFailure(ctx, err)
	switch {
	case errors.Is(err, errLost):
		return nil
	case err != nil:
		return err // the run becomes due again when the lease ends
	}
	return jobs.ErrFailed
}

func (cr *claimedRun) pages(ctx ports.Outbound) error {
	if err := cr.open(ctx); err != nil {
		return err
	}
	for end := cr.Clock.Now().Add(timeSlice); cr.run.Status == syncrun.Running; {
		if ctx.Err() != nil || cr.Clock.Now().After(end) {
			return cr.postpone(ctx, cr.Clock.Now(), "")
		}
		if err := fault.Survive(func() error { return cr.advance(ctx) }); err != nil {
			return err
		}
	}
	return nil
}

// open reads the run's project and integration.
func (cr *claimedRun) open(ctx context.Context) (err error) {
	if cr.project, err = cr.Projects.ByProject(ctx, cr.run.Project); err != nil {
		return err
	}
	cr.integration, err = cr.Integrations.ByID(ctx, cr.run.Project, cr.run.Integration)
	return err
}

// advance does the next step: it imports a page, or removes some records that a full sync did not find.
func (cr *claimedRun) advance(ctx ports.Outbound) error {
	step := cr.run.Current()
	if step.Sweeping {
		return cr.sweep(ctx)
	}
	page, err := cr.nextPage(ctx, request(cr.run, step.Cursor))
	if err != nil {
		return err
	}
	if err := failpoint.At(ctx, failpoint.PageRead); err != nil {
		return err
	}
	if page.Next != "" {
		cr.readAhead = cr.read(ctx, request(cr.run, page.Next))
	}
	return cr.importPage(ctx, page)
}

func request(r *syncrun.Run, cursor string) ports.PageRequest {
	s := r.Current()
	return ports.PageRequest{
		Resource: s.Resource,
		Since:    s.Since,
		Full:     r.Full,
		Cursor:   cursor,
	}
}

// nextPage returns a page. It uses the page that was read ahead if that is the wanted one.
func (cr *claimedRun) nextPage(ctx ports.Outbound, wanted ports.PageRequest) (ports.RecordPage, error) {
	if cr.readAhead == nil || !samePage(cr.readAhead.request, wanted) {
		cr.cancelReadAhead()
		cr.readAhead = cr.read(ctx, wanted)
	}
	r := cr.readAhead
	cr.readAhead = nil
	<-r.done
	return r.page, r.err
}

// samePage reports whether two requests are for the same page. It compares times by Equal, because a time that was stored may
// differ in its representation.
func samePage(a, b ports.PageRequest) bool {
	since := a.Since.Equal(b.Since)
	a.Since, b.Since = time.Time{}, time.Time{}
	return since && a == b
}

// read starts to read a page from the platform.
func (cr *claimedRun) read(ctx ports.Outbound, wanted ports.PageRequest) *pageRead {
	r := &pageRead{request: wanted, done: make(chan struct{})}
	bounded, stop := ctx.WithTimeout(pageTimeout)
	r.stop = stop
	of := cr.integration // a commit replaces cr.integration
	go func() {
		defer close(r.done)
		defer stop()
		r.err = fault.Survive(func() (err error) {
			r.page, err = cr.readPage(bounded, of, wanted)
			return err
		})
		if r.err != nil && ctx.Err() == nil && errors.Is(bounded.Err(), context.DeadlineExceeded) {
			r.err = errSlow
		}
	}()
	return r
}

func (e *Engine) readPage(ctx ports.Outbound, of *integration.Integration, wanted ports.PageRequest) (page ports.RecordPage, err error) {
	platform := e.Connectors[of.Type.String()]
	if platform == nil {
		return page, &ports.PlatformRefusal{Reason: "This server has no connection to " + of.Type.Label() + "."}
	}
	err = e.Accounts.Use(ctx, of, func(c ports.Connection) error {
		var err error
		page, err = platform.Read(ctx, c, wanted)
		return err
	})
	return page, err
}

// cancelReadAhead cancels the page that is being read ahead.
func (cr *claimedRun) cancelReadAhead() {
	if cr.readAhead != nil {
		cr.readAhead.stop()
		<-cr.readAhead.done
		cr.readAhead = nil
	}
}

// handleFailure decides how a run continues after an error. If it returns an error, the run becomes due when its lease ends.
func (cr *claimedRun) handleFailure(ctx context.Context, err error) error {
	var slow ports.Throttled
	var failure *ports.PlatformFailure
	var refusal *ports.PlatformRefusal
	now := cr.Clock.Now()
	switch {
	case errors.Is(err, errLost):
		return err
	case ctx.Err() != nil:
		return cr.postpone(ctx, now, "")
	case errors.As(err, &slow):
		until := now.Add(min(max(slow.After, minThrottle), maxThrottle))
		return cr.changeRun(ctx, func(r *syncrun.Run, now time.Time) error { return r.Wait(until, slow.Preparing, now) })
	case errors.As(err, &failure):
		return cr.postpone(ctx, now.Add(cr.pause()), failure.Reason)
	case errors.As(err, &refusal):
		return cr.fail(ctx, refusal.Reason)
	case errors.Is(err, ports.ErrCredentialsRefused):
		return cr.fail(ctx, ports.WhyRefused(err, "The platform rejected the account's credentials."))
	case fault.Is(err, integration.ErrDisconnected().Code):
		return cr.fail(ctx, "The integration was disconnected.")
	case errors.Is(err, syncrun.ErrCircle):
		return cr.fail(ctx, syncrun.ErrCircle.Message)
	case errors.Is(err, syncrun.ErrEndless):
		return cr.fail(ctx, syncrun.ErrEndless.Message)
	case fault.KindOf(err) == fault.NotFound:
		return errLost // the project is gone, and the run with it
	case fault.KindOf(err) == fault.Unavailable: // the database was unavailable or busy
		return cr.postpone(ctx, now.Add(cr.pause()), "The server was too busy to store a page.")
	}
	cr.Log.ErrorContext(ctx, "a page of a sync run could not be taken", "run", cr.run.ID.String(), "error", err)
	return cr.postpone(ctx, now.Add(cr.pause()), "A page could not be imported because of an internal error of the server.")
}

const (
	minThrottle = 100 * time.Millisecond // bounds of the pause that a platform asks for
	maxThrottle = time.Hour
	// maxPause is the longest pause after a failure, before the jitter.
	maxPause = 2 * time.Minute
)

// pause returns the pause after a failure. It grows with each failure in a row, and has jitter so that runs do not return all
// at once.
func (cr *claimedRun) pause() time.Duration {
	grown := min(time.Second<<min(cr.run.Failures, 10), maxPause)
	bits := cr.Entropy.Bits128()
	return grown*3/4 + grown/2*time.Duration(bits[0])/255
}
