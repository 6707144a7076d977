package syncing

import (
	"context"
	"errors"
	"time"

	"github.com/haggle-commerce/haggle/app/failpoint"
	"github.com/haggle-commerce/haggle/domain/event"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/integration"
	"github.com/haggle-commerce/haggle/domain/syncrun"
	"github.com/haggle-commerce/haggle/ports"
)

// take commits a page: its records and the run that has advanced past it, or neither. Told to stop, it
// finishes that.
func (h *hand) take(ctx context.Context, page ports.RecordPage) error {
	err := h.commit(ctx, page)
	if !unexplained(err) || ctx.Err() != nil {
		return err
	}
	if err := h.keep(ctx); err != nil {
		return err
	}
	bounded, cancel := context.WithTimeout(ctx, sifting)
	defer cancel()
	bad, problem := h.sift(bounded, page.Records)
	if problem != nil || bad == 0 {
		return err
	}
	return h.commit(ctx, page)
}

// sifting bounds the search for bad records, which the lease must outlast.
const sifting = lease / 2

// keep takes the lease anew.
func (h *hand) keep(ctx context.Context) error {
	return h.write(ctx, func(ctx context.Context, s ports.SyncStores) (*syncrun.Run, error) {
		return h.update(ctx, s, func(r *syncrun.Run, until, _ time.Time) error {
			r.DueAt = until
			return nil
		})
	})
}

func (h *hand) commit(ctx context.Context, page ports.RecordPage) error {
	if h.run.Preview {
		return h.preview(ctx, page)
	}
	var taken ports.Taken
	err := h.write(ctx, func(ctx context.Context, s ports.SyncStores) (after *syncrun.Run, err error) {
		if taken, err = h.Taker.Take(ctx, s, h.taking(), page.Records); err != nil {
			return nil, err
		}
		return h.storeProgress(ctx, s, page, taken)
	})
	if err != nil {
		return err
	}
	h.integration = taken.Integration
	h.tell(ctx, taken.Products)
	return failpoint.At(ctx, failpoint.PageCommitted)
}

// preview takes a page in a transaction that is rolled back, and stores the counters alone. A full run also notes which records
// it has seen, deleted ones too, for what it has not seen would be archived.
func (h *hand) preview(ctx context.Context, page ports.RecordPage) error {
	bounded, cancel := context.WithTimeout(ctx, finishing)
	defer cancel()
	taken, err := h.probe(bounded, page.Records)
	if err != nil {
		return err
	}
	return h.write(ctx, func(ctx context.Context, s ports.SyncStores) (*syncrun.Run, error) {
		if h.run.Full {
			for resource, remotes := range seenRemotes(page.Records, true) {
				of := ports.CopiesOf{
					Project:     h.run.Project,
					Integration: h.run.Integration,
					Resource:    resource,
				}
				if err := s.Copies.See(ctx, of, h.run.ID, remotes); err != nil {
					return nil, err
				}
			}
		}
		return h.storeProgress(ctx, s, page, taken)
	})
}

// storeProgress stores what became of a page, and that the run has advanced past it.
func (h *hand) storeProgress(ctx context.Context, s ports.SyncStores, page ports.RecordPage, taken ports.Taken) (*syncrun.Run, error) {
	if len(taken.Problems) > 0 {
		if err := s.Runs.Note(ctx, h.run.Project, h.run.ID, taken.Problems); err != nil {
			return nil, err
		}
	}
	if page.Restarted && h.run.Preview { // the records are read again, and the changes listed again
		resource := h.run.Current().Resource
		if err := s.Changes.Clear(ctx, h.run.Project, h.run.Integration, h.run.ID, resource); err != nil {
			return nil, err
		}
	}
	if err := h.list(ctx, s, taken.Changes); err != nil {
		return nil, err
	}
	if err := failpoint.At(ctx, failpoint.PageTaken); err != nil {
		return nil, err
	}
	return h.update(ctx, s, func(r *syncrun.Run, until, now time.Time) error {
		if taken.Hidden {
			r.Hidden()
		}
		r.Notice(page.Notices...)
		if page.Restarted {
			r.Restart()
		}
		r.Expect(page.Total)
		r.CountChanges(taken.Changes)
		return r.Advance(taken.Counters, taken.High, page.Next, until, now)
	})
}

func (h *hand) taking() ports.Taking {
	return ports.Taking{
		Project:     h.project,
		Integration: h.run.Integration,
		Run:         h.run.ID,
		Full:        h.run.Full,
		Preview:     h.run.Preview,
	}
}

// write does work on the run in one transaction, and what follows if the work has completed the run.
func (h *hand) write(ctx context.Context, work func(context.Context, ports.SyncStores) (*syncrun.Run, error)) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), finishing)
	defer cancel()
	var after *syncrun.Run
	err := h.Unit.InTx(ctx, h.run.Project, func(s ports.SyncStores) (err error) {
		if after, err = work(ctx, s); err != nil {
			return err
		}
		return h.conclude(ctx, s, after)
	})
	if err != nil {
		return err
	}
	h.run = after
	h.ended(ctx, after)
	return nil
}

// ended tells of a run that has ended.
func (h *hand) ended(ctx context.Context, r *syncrun.Run) {
	about := []any{"run", r.ID.String(), "integration", r.Integration.String(), "preview", r.Preview, "took", r.EndedAt.Sub(r.StartedAt)}
	switch r.Status {
	case syncrun.Running:
		return
	case syncrun.Failed:
		h.Log.WarnContext(ctx, "a sync run has failed", append(about, "error", r.Error)...)
	default:
		h.Log.InfoContext(ctx, "a sync run has ended", append(about, "status", r.Status.String())...)
	}
	h.Announced()
}

// update changes the run, if it is still in hand.
func (h *hand) update(ctx context.Context, s ports.SyncStores, change func(r *syncrun.Run, until, now time.Time) error) (*syncrun.Run, error) {
	now := h.Clock.Now()
	after, err := s.Runs.Update(ctx, h.run.Project, h.run.ID, func(r *syncrun.Run) error {
		if r.Status != syncrun.Running || !r.DueAt.Equal(h.run.DueAt) {
			return errLost
		}
		return change(r, now.Add(lease), now)
	})
	if over(err) {
		return nil, errLost
	}
	return after, err
}

// over tells of a run that has ended or is gone, or of one that cannot be started beside another.
func over(err error) bool {
	return fault.Is(err, syncrun.ErrEnded.Code) || fault.Is(err, "sync_in_progress") || fault.KindOf(err) == fault.NotFound
}

// conclude stores what follows from a run that has ended. Nothing follows from a preview.
func (h *hand) conclude(ctx context.Context, s ports.SyncStores, r *syncrun.Run) error {
	if r.Preview {
		return nil
	}
	var data event.Data
	switch r.Status {
	case syncrun.Completed:
		_, err := s.Integrations.Update(ctx, r.Project, r.Integration, func(i *integration.Integration) error {
			i.Completed(r)
			return nil
		})
		if err != nil {
			return err
		}
		data = event.SyncCompleted{
			Run:         r.ID,
			Integration: r.Integration,
			Full:        r.Full,
			Counts:      counts(r),
			StartedAt:   r.StartedAt,
			EndedAt:     r.EndedAt,
		}
	case syncrun.Failed:
		data = event.SyncFailed{
			Run:         r.ID,
			Integration: r.Integration,
			Error:       r.Error,
			Counts:      counts(r),
			StartedAt:   r.StartedAt,
			EndedAt:     r.EndedAt,
		}
	default:
		return nil
	}
	return s.Events.Announce(ctx, event.New(h.Entropy.IDBits(), r.Project, r.EndedAt, data))
}

// counts are what became of the records of each resource.
func counts(r *syncrun.Run) map[string]event.SyncCount {
	all := map[string]event.SyncCount{}
	for _, step := range r.Steps {
		c := step.Counters
		all[step.Resource.String()] = event.SyncCount{
			Total:     c.Total(),
			Created:   c.Created,
			Updated:   c.Updated,
			Unchanged: c.Unchanged,
			Errors:    c.Errors,
		}
	}
	return all
}

func (h *hand) tell(ctx context.Context, products []id.Product) {
	if len(products) > 0 {
		h.Changed(context.WithoutCancel(ctx), h.run.Project, products)
	}
}

// put lets go of the run until it is due again. A failure counts, and one too many ends the run.
func (h *hand) put(ctx context.Context, until time.Time, failure string) error {
	return h.close(ctx, func(r *syncrun.Run, now time.Time) error { return r.Postpone(until, plain(failure), now) })
}

// fail ends the run.
func (h *hand) fail(ctx context.Context, why string) error {
	return h.close(ctx, func(r *syncrun.Run, now time.Time) error { return r.Fail(plain(why), now) })
}

// close changes the run alone. It does not hold the integration, which may be disconnected.
func (h *hand) close(ctx context.Context, change func(*syncrun.Run, time.Time) error) error {
	return h.write(ctx, func(ctx context.Context, s ports.SyncStores) (*syncrun.Run, error) {
		return h.update(ctx, s, func(r *syncrun.Run, _, now time.Time) error { return change(r, now) })
	})
}

// errProbe rolls back what was only tried.
var errProbe = errors.New("this was a trial")

// sift finds the records without which the others could be taken, by halves, and marks them as such that
// cannot be read. Nothing of it is stored.
func (h *hand) sift(ctx context.Context, records []syncrun.Record) (bad int, err error) {
	if ctx.Err() != nil {
		return 0, ctx.Err()
	}
	_, problem := h.probe(ctx, records)
	switch {
	case problem == nil:
		return 0, nil
	case !unexplained(problem):
		return 0, problem
	case len(records) == 1:
		records[0].Problem = words(problem)
		return 1, nil
	}
	half := len(records) / 2
	for _, part := range [][]syncrun.Record{records[:half], records[half:]} {
		n, err := h.sift(ctx, part)
		if bad += n; err != nil {
			return bad, err
		}
	}
	return bad, nil
}

// probe tells what would become of records.
func (h *hand) probe(ctx context.Context, records []syncrun.Record) (taken ports.Taken, err error) {
	if len(records) == 0 {
		return taken, nil
	}
	err = h.Unit.InTx(ctx, h.run.Project, func(s ports.SyncStores) error {
		if taken, err = h.Taker.Take(ctx, s, h.taking(), records); err != nil {
			return err
		}
		return errProbe
	})
	if errors.Is(err, errProbe) {
		err = nil
	}
	return taken, err
}

// unexplained reports whether a transaction may have failed because of what was to be written: neither the
// database was away, nor is it the run's own affair.
func unexplained(err error) bool {
	switch {
	case err == nil, errors.Is(err, errLost), errors.Is(err, syncrun.ErrCircle), errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return false
	}
	switch fault.KindOf(err) {
	case fault.Unavailable, fault.NotFound, fault.Limited:
		return false
	}
	return !fault.Is(err, integration.ErrDisconnected().Code)
}
