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
	// chunk is how many records are removed in one transaction.
	chunk = 500
	// few are so little records that all may be gone.
	few = 20
)

// sweep removes some of what a full reading has not found: products are archived, customers forgotten. A
// platform that has lost more than half of what it had is not believed.
func (h *hand) sweep(ctx context.Context) error {
	var changed []id.Product
	var emptied string
	err := h.write(ctx, func(ctx context.Context, s ports.SyncStores) (*syncrun.Run, error) {
		if _, err := hold(ctx, s, h.taking()); err != nil {
			return nil, err
		}
		step := h.run.Current()
		of := ports.CopiesOf{
			Project:     h.run.Project,
			Integration: h.run.Integration,
			Resource:    step.Resource,
		}
		list, unseen, all, err := s.Copies.Unseen(ctx, of, h.run.ID, chunk)
		if err != nil {
			return nil, err
		}
		if h.run.Preview {
			all += step.Created // a sync has stored them by now
		}
		changed, emptied = nil, ""
		if all >= few && 2*unseen > all {
			emptied = fmt.Sprintf("The platform no longer has %d of %d %s. That is hard to believe, so nothing was removed.", unseen, all, step.Resource)
			return nil, errEmptied
		}
		gone, heard := h.since(list)
		removed := len(gone)
		var found []syncrun.Change
		if h.run.Preview { // what would be removed is counted and listed, and not looked at again
			for _, c := range gone {
				heard = append(heard, c.Remote)
			}
			if found, err = h.listGone(ctx, s, gone); err != nil {
				return nil, err
			}
		} else if removed, changed, err = h.remove(ctx, s, gone); err != nil {
			return nil, err
		}
		if len(heard) > 0 {
			if err := s.Copies.See(ctx, of, h.run.ID, heard); err != nil {
				return nil, err
			}
		}
		return h.update(ctx, s, func(r *syncrun.Run, until, now time.Time) error {
			r.CountChanges(found)
			return r.Sweep(removed, unseen > len(list), until, now)
		})
	})
	if emptied != "" {
		return h.fail(ctx, emptied)
	}
	if err == nil {
		h.tell(ctx, changed)
	}
	return err
}

// since tells what is gone from what the platform has told of by itself since the run started: the reading
// may have been past its place by then.
func (h *hand) since(list []*syncrun.Copy) (gone []*syncrun.Copy, heard []string) {
	for _, c := range list {
		if c.UpdatedAt.Before(h.run.StartedAt) {
			gone = append(gone, c)
		} else {
			heard = append(heard, c.Remote)
		}
	}
	return gone, heard
}

// remove takes what copies are of out of what is here, and tells how many they were.
func (h *hand) remove(ctx context.Context, s ports.SyncStores, gone []*syncrun.Copy) (int, []id.Product, error) {
	if len(gone) == 0 {
		return 0, nil, nil
	}
	now := h.Clock.Now()
	products, changed, err := h.archive(ctx, s, gone, now)
	if err != nil {
		return 0, nil, err
	}
	for _, c := range gone {
		c.Take(syncrun.Record{
			Resource: c.Resource,
			Remote:   c.Remote,
			Deleted:  true,
		}, products[c.Local], syncrun.Prints{}, now)
		c.Customer, c.Email = nil, ""
	}
	return len(gone), changed, s.Copies.Save(ctx, gone)
}

// archive takes the copies' products off the shelves. It returns them by id, and those that were on.
func (h *hand) archive(ctx context.Context, s ports.SyncStores, gone []*syncrun.Copy, now time.Time) (map[string]*catalog.Product, []id.Product, error) {
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
	failed, err := s.Products.Upsert(ctx, h.run.Project, keys, func(known ports.KnownProducts) (writes []ports.ProductWrite) {
		changed = nil
		for _, name := range keys.IDs {
			ours := known.ByID[name]
			if ours == nil {
				continue
			}
			products[name.String()] = ours
			if next, _, err := ours.Update(archived, ids{h.Entropy}, now); err == nil && ours.Status != catalog.Archived {
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
