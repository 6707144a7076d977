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

// hand is a run in hand. Its DueAt, as it was stored last, is the lease under which it is.
type hand struct {
	*Engine
	run         *syncrun.Run
	project     *project.Project
	integration *integration.Integration
	ahead       *reading // of the page after the one that is being committed; nil: none
}

// reading is a page on its way.
type reading struct {
	request ports.PageRequest
	stop    context.CancelFunc
	done    chan struct{}
	page    ports.RecordPage
	err     error
}

var (
	// errLost means that the lease has ended, and that somebody else has the run or has ended it.
	errLost = errors.New("the run is no longer in hand")
	// errSlow is a page that took too long.
	errSlow = &ports.PlatformFailure{Reason: "The platform did not answer in time."}
	// errEmptied is a full reading that found too little to be believed.
	errEmptied = errors.New("the platform has lost most of its records")
)

// work continues a run until it has ended or is put off, its turn is over, or ctx ends.
func (e *Engine) work(ctx ports.Outbound, t jobs.Task[*syncrun.Run]) error {
	at := *e
	at.Clock = t.Clock
	h := &hand{Engine: &at, run: t.Item()}
	defer func() { t.Extended(h.run.DueAt) }()
	err := h.pages(ctx)
	h.drop()
	if err == nil || errors.Is(err, fault.ErrUnreadable) {
		return err
	}
	err = h.trouble(ctx, err)
	switch {
	case errors.Is(err, errLost):
		return nil
	case err != nil:
		return err // the lease ends
	}
	return jobs.ErrFailed
}

func (h *hand) pages(ctx ports.Outbound) error {
	if err := h.open(ctx); err != nil {
		return err
	}
	for end := h.Clock.Now().Add(turn); h.run.Status == syncrun.Running; {
		if ctx.Err() != nil || h.Clock.Now().After(end) {
			return h.put(ctx, h.Clock.Now(), "")
		}
		if err := fault.Survive(func() error { return h.advance(ctx) }); err != nil {
			return err
		}
	}
	return nil
}

// open reads what the run is about.
func (h *hand) open(ctx context.Context) (err error) {
	if h.project, err = h.Projects.ByProject(ctx, h.run.Project); err != nil {
		return err
	}
	h.integration, err = h.Integrations.ByID(ctx, h.run.Project, h.run.Integration)
	return err
}

// advance does the next piece of work: a page, or what is left of a full reading.
func (h *hand) advance(ctx ports.Outbound) error {
	step := h.run.Current()
	if step.Sweeping {
		return h.sweep(ctx)
	}
	page, err := h.next(ctx, request(h.run, step.Cursor))
	if err != nil {
		return err
	}
	if err := failpoint.At(ctx, failpoint.PageRead); err != nil {
		return err
	}
	if page.Next != "" {
		h.ahead = h.read(ctx, request(h.run, page.Next))
	}
	return h.take(ctx, page)
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

// next is a page, which may be on its way already.
func (h *hand) next(ctx ports.Outbound, wanted ports.PageRequest) (ports.RecordPage, error) {
	if h.ahead == nil || !same(h.ahead.request, wanted) {
		h.drop()
		h.ahead = h.read(ctx, wanted)
	}
	r := h.ahead
	h.ahead = nil
	<-r.done
	return r.page, r.err
}

// same reports whether two requests are for one page. A time that was stored is another value of it.
func same(a, b ports.PageRequest) bool {
	since := a.Since.Equal(b.Since)
	a.Since, b.Since = time.Time{}, time.Time{}
	return since && a == b
}

// read asks the platform for a page.
func (h *hand) read(ctx ports.Outbound, wanted ports.PageRequest) *reading {
	r := &reading{request: wanted, done: make(chan struct{})}
	bounded, stop := ctx.WithTimeout(patience)
	r.stop = stop
	of := h.integration // which a commit replaces
	go func() {
		defer close(r.done)
		defer stop()
		r.err = fault.Survive(func() (err error) {
			r.page, err = h.ask(bounded, of, wanted)
			return err
		})
		if r.err != nil && ctx.Err() == nil && errors.Is(bounded.Err(), context.DeadlineExceeded) {
			r.err = errSlow
		}
	}()
	return r
}

func (e *Engine) ask(ctx ports.Outbound, of *integration.Integration, wanted ports.PageRequest) (page ports.RecordPage, err error) {
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

// drop gives up a page that is on its way.
func (h *hand) drop() {
	if h.ahead != nil {
		h.ahead.stop()
		<-h.ahead.done
		h.ahead = nil
	}
}

// trouble decides what becomes of a run that could not go on. An error leaves it to its lease.
func (h *hand) trouble(ctx context.Context, err error) error {
	var slow ports.Throttled
	var failure *ports.PlatformFailure
	var refusal *ports.PlatformRefusal
	now := h.Clock.Now()
	switch {
	case errors.Is(err, errLost):
		return err
	case ctx.Err() != nil:
		return h.put(ctx, now, "")
	case errors.As(err, &slow):
		until := now.Add(min(max(slow.After, shortest), longest))
		return h.close(ctx, func(r *syncrun.Run, now time.Time) error { return r.Wait(until, slow.Preparing, now) })
	case errors.As(err, &failure):
		return h.put(ctx, now.Add(h.pause()), failure.Reason)
	case errors.As(err, &refusal):
		return h.fail(ctx, refusal.Reason)
	case errors.Is(err, ports.ErrCredentialsRefused):
		return h.fail(ctx, ports.WhyRefused(err, "The platform refused the account's credentials."))
	case fault.Is(err, integration.ErrDisconnected().Code):
		return h.fail(ctx, "The integration was disconnected.")
	case errors.Is(err, syncrun.ErrCircle):
		return h.fail(ctx, syncrun.ErrCircle.Message)
	case errors.Is(err, syncrun.ErrEndless):
		return h.fail(ctx, syncrun.ErrEndless.Message)
	case fault.KindOf(err) == fault.NotFound:
		return errLost // the project is gone, and the run with it
	case fault.KindOf(err) == fault.Unavailable: // the database is, or was busy
		return h.put(ctx, now.Add(h.pause()), "The server was too busy to store a page.")
	}
	h.Log.ErrorContext(ctx, "a page of a sync run could not be taken", "run", h.run.ID.String(), "error", err)
	return h.put(ctx, now.Add(h.pause()), "A page could not be taken: this server has a problem of its own.")
}

const (
	shortest = 100 * time.Millisecond // that a platform is left alone
	longest  = time.Hour
	// most is the longest pause after a failure, before the jitter.
	most = 2 * time.Minute
)

// pause grows with each failure in a row, and differs so that not all come back at once.
func (h *hand) pause() time.Duration {
	grown := min(time.Second<<min(h.run.Failures, 10), most)
	bits := h.Entropy.Bits128()
	return grown*3/4 + grown/2*time.Duration(bits[0])/255
}
