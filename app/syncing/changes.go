package syncing

import (
	"context"
	"slices"

	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/syncrun"
	"github.com/haggle-commerce/haggle/ports"
)

// maxTitle bounds the product name that a list of changes shows, in characters.
const maxTitle = 200

// compare finds the fields that both sides changed since they last agreed, and those in which they agree again. all is the
// platform's draft with every field. Only products that were edited here are compared.
func (b *batch) compare(o *productImport, all catalog.Draft) {
	base := o.after.Prints
	switch {
	case o.failed != "":
	case b.Full:
		if base != (syncrun.Fingerprints{}) && base != o.here {
			o.conflicts = syncrun.Conflicts(base, o.ours, o.next, syncrun.FullSync)
		}
	case o.kept != (syncrun.Fingerprints{}):
		o.kept, o.conflicts = syncrun.CompareKept(o.kept, all, o.ours, b.ids, b.now)
	}
}

// listProduct lists the conflicts of a product. In a preview it also lists what a sync would do to the product.
func (b *batch) listProduct(o *productImport) {
	for _, field := range o.conflicts {
		b.list(o.recordImport, syncrun.Conflict, o.ours, []syncrun.FieldChange{field})
	}
	switch {
	case !b.Preview || !o.write:
	case o.ours == nil:
		b.list(o.recordImport, syncrun.Create, o.next, nil)
	default:
		kind, fields := syncrun.Modify, syncrun.Differences(o.ours, o.next)
		if o.next.Status == catalog.Archived && o.ours.Status != catalog.Archived {
			kind = syncrun.Archive
			fields = slices.DeleteFunc(fields, func(f syncrun.FieldChange) bool { return f.Field == "status" })
		}
		b.list(o.recordImport, kind, o.ours, fields)
	}
}

func (b *batch) list(one *recordImport, kind syncrun.ChangeKind, p *catalog.Product, fields []syncrun.FieldChange) {
	c := syncrun.Change{
		Run:      b.Run,
		Preview:  b.Preview,
		Resource: one.record.Resource,
		Remote:   one.record.Remote,
		Title:    syncrun.Shorten(p.Name, maxTitle),
		Kind:     kind,
		Fields:   fields,
		At:       b.now,
	}
	if kind != syncrun.Create { // a preview does not store the product that it creates, so it has no id
		c.Local = p.ID.String()
	}
	b.changes = append(b.changes, c)
}

// listRecord lists, in a preview, what a sync would do to a record of a customer or an order. The list does not contain its values.
func (b *batch) listRecord(one *recordImport) {
	var kind syncrun.ChangeKind
	switch b.outcomes[one.at].Verdict {
	case syncrun.Created:
		kind = syncrun.Create
	case syncrun.Updated:
		if kind = syncrun.Modify; one.record.Deleted {
			kind = syncrun.Archive
		}
	default:
		return
	}
	if b.Preview {
		b.changes = append(b.changes, syncrun.Change{
			Run:      b.Run,
			Preview:  true,
			Resource: one.record.Resource,
			Remote:   one.record.Remote,
			Local:    one.after.Local,
			Kind:     kind,
			At:       b.now,
		})
	}
}

// storeChanges stores the changes that fit into the run's list.
func (cr *claimedRun) storeChanges(ctx context.Context, s ports.SyncStores, found []syncrun.Change) error {
	listable := cr.run.Listable(found)
	if len(listable) == 0 {
		return nil
	}
	return s.Changes.Add(ctx, cr.run.Project, cr.run.Integration, listable)
}

// storeArchivals lists, in a preview, records that a full sync would remove.
func (cr *claimedRun) storeArchivals(ctx context.Context, s ports.SyncStores, gone []*syncrun.ExternalRecord) ([]syncrun.Change, error) {
	now := cr.Clock.Now()
	found := make([]syncrun.Change, len(gone))
	for i, c := range gone {
		found[i] = syncrun.Change{
			Run:      cr.run.ID,
			Preview:  true,
			Resource: c.Resource,
			Remote:   c.Remote,
			Local:    c.Local,
			Kind:     syncrun.Archive,
			At:       now,
		}
	}
	if err := cr.addTitles(ctx, s, cr.run.Listable(found)); err != nil {
		return nil, err
	}
	return found, cr.storeChanges(ctx, s, found)
}

// addTitles sets the titles of changes of products.
func (cr *claimedRun) addTitles(ctx context.Context, s ports.SyncStores, changes []syncrun.Change) error {
	var keys ports.ProductKeys
	for _, c := range changes {
		if c.Resource == syncrun.Products && c.Local != "" {
			keys.IDs = append(keys.IDs, id.Stored[id.Product](c.Local))
		}
	}
	if len(keys.IDs) == 0 {
		return nil
	}
	_, err := s.Products.Upsert(ctx, cr.run.Project, keys, func(known ports.KnownProducts) []ports.ProductWrite {
		for i := range changes {
			if p := known.ByID[id.Stored[id.Product](changes[i].Local)]; p != nil {
				changes[i].Title = syncrun.Shorten(p.Name, maxTitle)
			}
		}
		return nil
	})
	return err
}
