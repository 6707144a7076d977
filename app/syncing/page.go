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

// importPage commits a page: its records together with the run's progress, or neither. When the engine stops, importPage still
// finishes the commit.
func (cr *claimedRun) importPage(ctx context.Context, page ports.RecordPage) error {
	err := cr.commit(ctx, page)
	if !maybeBadRecord(err) || ctx.Err() != nil {
		return err
	}
	if err := cr.renewLease(ctx); err != nil {
		return err
	}
	bounded, cancel := context.WithTimeout(ctx, bisectTimeout)
	defer cancel()
	bad, problem := cr.bisect(bounded, page.Records)
	if problem != nil || bad == 0 {
		return err
	}
	return cr.commit(ctx, page)
}

// bisectTimeout bounds the search for bad records. It must be shorter than the lease.
const bisectTimeout = lease / 2

// renewLease renews the lease.
func (cr *claimedRun) renewLease(ctx context.Context) error {
	return cr.write(ctx, func(ctx context.Context, s ports.SyncStores) (*syncrun.Run, error) {
		return cr.update(ctx, s, func(r *syncrun.Run, until, _ time.Time) error {
			r.DueAt = until
			return nil
		})
	})
}

func (cr *claimedRun) commit(ctx context.Context, page ports.RecordPage) error {
	if cr.run.Preview {
		return cr.preview(ctx, page)
	}
	var taken ports.ImportResult
	err := cr.write(ctx, func(ctx context.Context, s ports.SyncStores) (after *syncrun.Run, err error) {
		if taken, err = cr.Importer.Import(ctx, s, cr.importScope(), page.Records); err != nil {
			return nil, err
		}
		return cr.storeProgress(ctx, s, page, taken)
	})
	if err != nil {
		return err
	}
	cr.integration = taken.Integration
	cr.notifyChanged(ctx, taken.Products)
	return failpoint.At(ctx, failpoint.PageCommitted)
}

// preview imports a page in a transaction that is rolled back, and stores only the counters. A full run also marks the records
// that it found, including deleted ones, because it would archive the others.
func (cr *claimedRun) preview(ctx context.Context, page ports.RecordPage) error {
	bounded, cancel := context.WithTimeout(ctx, writeTimeout)
	defer cancel()
	taken, err := cr.tryImport(bounded, page.Records)
	if err != nil {
		return err
	}
	return cr.write(ctx, func(ctx context.Context, s ports.SyncStores) (*syncrun.Run, error) {
		if cr.run.Full {
			for resource, remotes := range seenRemotes(page.Records, true) {
				of := ports.RecordSet{
					Project:     cr.run.Project,
					Integration: cr.run.Integration,
					Resource:    resource,
				}
				if err := s.ExternalRecords.MarkSeen(ctx, of, cr.run.ID, remotes); err != nil {
					return nil, err
				}
			}
		}
		return cr.storeProgress(ctx, s, page, taken)
	})
}

// storeProgress stores the results of a page together with the run's progress.
func (cr *claimedRun) storeProgress(ctx context.Context, s ports.SyncStores, page ports.RecordPage, taken ports.ImportResult) (*syncrun.Run, error) {
	if len(taken.Problems) > 0 {
		if err := s.Runs.Note(ctx, cr.run.Project, cr.run.ID, taken.Problems); err != nil {
			return nil, err
		}
	}
	if page.Restarted && cr.run.Preview { // the records are read again, and the changes listed again
		resource := cr.run.Current().Resource
		if err := s.Changes.Clear(ctx, cr.run.Project, cr.run.Integration, cr.run.ID, resource); err != nil {
			return nil, err
		}
	}
	if err := cr.storeChanges(ctx, s, taken.Changes); err != nil {
		return nil, err
	}
	if err := failpoint.At(ctx, failpoint.PageTaken); err != nil {
		return nil, err
	}
	return cr.update(ctx, s, func(r *syncrun.Run, until, now time.Time) error {
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

func (cr *claimedRun) importScope() ports.ImportScope {
	return ports.ImportScope{
		Project:     cr.project,
		Integration: cr.run.Integration,
		Run:         cr.run.ID,
		Full:        cr.run.Full,
		Preview:     cr.run.Preview,
	}
}

// write runs work in one transaction. If that completes the run, write also stores what follows from its end.
func (cr *claimedRun) write(ctx context.Context, work func(context.Context, ports.SyncStores) (*syncrun.Run, error)) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), writeTimeout)
	defer cancel()
	var after *syncrun.Run
	err := cr.Unit.InTx(ctx, cr.run.Project, func(s ports.SyncStores) (err error) {
		if after, err = work(ctx, s); err != nil {
			return err
		}
		return cr.conclude(ctx, s, after)
	})
	if err != nil {
		return err
	}
	cr.run = after
	cr.logEnd(ctx, after)
	return nil
}

// logEnd logs a run that has ended.
func (cr *claimedRun) logEnd(ctx context.Context, r *syncrun.Run) {
	about := []any{"run", r.ID.String(), "integration", r.Integration.String(), "preview", r.Preview, "took", r.EndedAt.Sub(r.StartedAt)}
	switch r.Status {
	case syncrun.Running:
		return
	case syncrun.Failed:
		cr.Log.WarnContext(ctx, "a sync run has failed", append(about, "error", r.Error)...)
	default:
		cr.Log.InfoContext(ctx, "a sync run has ended", append(about, "status", r.Status.String())...)
	}
	cr.Announced()
}

// update changes the run. It returns errLost if the lease is no longer this worker's.
func (cr *claimedRun) update(ctx context.Context, s ports.SyncStores, change func(r *syncrun.Run, until, now time.Time) error) (*syncrun.Run, error) {
	now := cr.Clock.Now()
	after, err := s.Runs.Update(ctx, cr.run.Project, cr.run.ID, func(r *syncrun.Run) error {
		if r.Status != syncrun.Running || !r.DueAt.Equal(cr.run.DueAt) {
			return errLost
		}
		return change(r, now.Add(lease), now)
	})
	if isRunOver(err) {
		return nil, errLost
	}
	return after, err
}

// isRunOver reports whether err means that a run has ended or is gone, or that another one is active.
func isRunOver(err error) bool {
	return fault.Is(err, syncrun.ErrEnded.Code) || fault.Is(err, "sync_in_progress") || fault.KindOf(err) == fault.NotFound
}

// conclude stores what follows from the end of a run. Previews have no consequences.
func (cr *claimedRun) conclude(ctx context.Context, s ports.SyncStores, r *syncrun.Run) error {
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
			Counts:      eventCounts(r),
			StartedAt:   r.StartedAt,
			EndedAt:     r.EndedAt,
		}
	case syncrun.Failed:
		data = event.SyncFailed{
			Run:         r.ID,
			Integration: r.Integration,
			Error:       r.Error,
			Counts:      eventCounts(r),
			StartedAt:   r.StartedAt,
			EndedAt:     r.EndedAt,
		}
	default:
		return nil
	}
	return s.Events.Announce(ctx, event.New(cr.Entropy.IDBits(), r.Project, r.EndedAt, data))
}

// eventCounts returns the counters of each resource for an event.
func eventCounts(r *syncrun.Run) map[string]event.SyncCount {
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

func (cr *claimedRun) notifyChanged(ctx context.Context, products []id.Product) {
	if len(products) > 0 {
		cr.Changed(context.WithoutCancel(ctx), cr.run.Project, products)
	}
}

// postpone postpones the run. A non-empty failure counts, and too many failures in a row end the run.
func (cr *claimedRun) postpone(ctx context.Context, until time.Time, failure string) error {
	return cr.changeRun(ctx, func(r *syncrun.Run, now time.Time) error { return r.Postpone(until, sanitize(failure), now) })
}

// fail ends the run with an error.
func (cr *claimedRun) fail(ctx context.Context, why string) error {
	return cr.changeRun(ctx, func(r *syncrun.Run, now time.Time) error { return r.Fail(sanitize(why), now) })
}

// changeRun changes only the run. It does not lock the integration, which may be disconnected.
func (cr *claimedRun) changeRun(ctx context.Context, change func(*syncrun.Run, time.Time) error) error {
	return cr.write(ctx, func(ctx context.Context, s ports.SyncStores) (*syncrun.Run, error) {
		return cr.update(ctx, s, func(r *syncrun.Run, _, now time.Time) error { return change(r, now) })
	})
}

// errRollback rolls back a transaction of tryImport.
var errRollback = errors.New("this was a trial")

// bisect finds the records that make the import fail, by bisection, and marks them as unreadable. It stores nothing.
func (cr *claimedRun) bisect(ctx context.Context, records []syncrun.Record) (bad int, err error) {
	if ctx.Err() != nil {
		return 0, ctx.Err()
	}
	_, problem := cr.tryImport(ctx, records)
	switch {
	case problem == nil:
		return 0, nil
	case !maybeBadRecord(problem):
		return 0, problem
	case len(records) == 1:
		records[0].Problem = problemText(problem)
		return 1, nil
	}
	half := len(records) / 2
	for _, part := range [][]syncrun.Record{records[:half], records[half:]} {
		n, err := cr.bisect(ctx, part)
		if bad += n; err != nil {
			return bad, err
		}
	}
	return bad, nil
}

// tryImport returns the results of importing records, without storing them.
func (cr *claimedRun) tryImport(ctx context.Context, records []syncrun.Record) (taken ports.ImportResult, err error) {
	if len(records) == 0 {
		return taken, nil
	}
	err = cr.Unit.InTx(ctx, cr.run.Project, func(s ports.SyncStores) error {
		if taken, err = cr.Importer.Import(ctx, s, cr.importScope(), records); err != nil {
			return err
		}
		return errRollback
	})
	if errors.Is(err, errRollback) {
		err = nil
	}
	return taken, err
}

// maybeBadRecord reports whether a transaction may have failed because of its records: the error is neither an unavailable
// database nor a condition of the run itself.
func maybeBadRecord(err error) bool {
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
