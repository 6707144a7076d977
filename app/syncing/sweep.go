package syncing

import (
	"context"
	"fmt"
	"time"

	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/syncrun"
	"github.com/haggle-commerce/haggle/ports"
)

const (
	// sweepChunk is how many records are removed in one transaction.
	sweepChunk = 500
	// minPlausible is the number of records below which all of them may be gone.
	minPlausible = 20
)

// sweep removes some of the records that a full sync has not found: it archives products and deletes customers' data. It
// refuses to remove more than half of a platform's records.
func (cr *claimedRun) sweep(ctx context.Context) error {
	var changed []id.Product
	var emptied string
	err := cr.write(ctx, func(ctx context.Context, s ports.SyncStores) (*syncrun.Run, error) {
		if _, err := lockIntegration(ctx, s, cr.importScope()); err != nil {
			return nil, err
		}
		step := cr.run.Current()
		of := ports.RecordSet{
			Project:     cr.run.Project,
			Integration: cr.run.Integration,
			Resource:    step.Resource,
		}
		list, missing, all, err := s.ExternalRecords.NotSeenIn(ctx, of, cr.run.ID, sweepChunk)
		if err != nil {
			return nil, err
		}
		if cr.run.Preview {
			all += step.Created // a sync would have stored these
		}
		changed, emptied = nil, ""
		if all >= minPlausible && 2*missing > all {
			emptied = fmt.Sprintf("The platform no longer has %d of %d %s. This is implausible, so nothing was removed.", missing, all, step.Resource)
			return nil, errEmptied
		}
		gone, reported := cr.splitReported(list)
		removed := len(gone)
		var found []syncrun.Change
		if cr.run.Preview { // count and list what would be removed, and mark it so that it is skipped
			for _, c := range gone {
				reported = append(reported, c.Remote)
			}
			if found, err = cr.storeArchivals(ctx, s, gone); err != nil {
				return nil, err
			}
		} else if removed, changed, err = cr.remove(ctx, s, gone); err != nil {
			return nil, err
		}
		if len(reported) > 0 {
			if err := s.ExternalRecords.MarkSeen(ctx, of, cr.run.ID, reported); err != nil {
				return nil, err
			}
		}
		return cr.update(ctx, s, func(r *syncrun.Run, until, now time.Time) error {
			r.CountChanges(found)
			return r.Sweep(removed, missing > len(list), until, now)
		})
	})
	if emptied != "" {
		return cr.fail(ctx, emptied)
	}
	if err == nil {
		cr.notifyChanged(ctx, changed)
	}
	return err
}

// splitReported separates records that are gone from those that the platform reported by webhook since the run started. The run may
// already have passed their page by then.
func (cr *claimedRun) splitReported(list []*syncrun.ExternalRecord) (gone []*syncrun.ExternalRecord, reported []string) {
	for _, c := range list {
		if c.UpdatedAt.Before(cr.run.StartedAt) {
			gone = append(gone, c)
		} else {
			reported = append(reported, c.Remote)
		}
	}
	return gone, reported
}

// remove archives or deletes what the external records refer to, and returns how many records these are.
func (cr *claimedRun) remove(ctx context.Context, s ports.SyncStores, gone []*syncrun.ExternalRecord) (int, []id.Product, error) {
	if len(gone) == 0 {
		return 0, nil, nil
	}
	now := cr.Clock.Now()
	products, changed, err := cr.archive(ctx, s, gone, now)
	if err != nil {
		return 0, nil, err
	}
	for _, c := range gone {
		c.Take(syncrun.Record{
			Resource: c.Resource,
			Remote:   c.Remote,
			Deleted:  true,
		}, products[c.Local], syncrun.Fingerprints{}, now)
		c.Customer, c.Email = nil, ""
	}
	return len(gone), changed, s.ExternalRecords.Save(ctx, gone)
}

// archive archives the products of the records. It returns all of these products by id, and the ids of those that were active.
func (cr *claimedRun) archive(ctx context.Context, s ports.SyncStores, gone []*syncrun.ExternalRecord, now time.Time) (map[string]*catalog.Product, []id.Product, error) {
	var keys ports.ProductKeys
	for _, c := range gone {
		if c.Resource == syncrun.Products && c.Local != "" {
			keys.IDs = append(keys.IDs, id.Stored[id.Product](c.Local))
		}
	}
	products := map[string]*catalog.Product{}
	if len(keys.IDs) == 0 {
		return products, nil, nil
	}
	var changed []id.Product
	failed, err := s.Products.Upsert(ctx, cr.run.Project, keys, func(known ports.KnownProducts) (writes []ports.ProductWrite) {
		changed = nil
		for _, name := range keys.IDs {
			ours := known.ByID[name]
			if ours == nil {
				continue
			}
			products[name.String()] = ours
			if next, _, err := ours.Update(archived, ids{cr.Entropy}, now); err == nil && ours.Status != catalog.Archived {
				products[name.String()] = next
				changed, writes = append(changed, name), append(writes, ports.ProductWrite{Product: next})
			}
		}
		return writes
	})
	for _, err := range failed {
		return nil, nil, err
	}
	return products, changed, err
}
