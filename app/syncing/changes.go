package syncing

import (
	"context"
	"slices"

	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/syncrun"
	"github.com/haggle-commerce/haggle/ports"
)

// longestTitle bounds the name by which a list shows a product, in characters.
const longestTitle = 200

// compare finds the fields that both sides changed since they last agreed, and those in which they agree again. all is the
// platform's draft with every field. It costs something only for products that were edited here.
func (b *batch) compare(o *offer, all catalog.Draft) {
	base := o.after.Prints
	switch {
	case o.failed != "":
	case b.Full:
		if base != (syncrun.Prints{}) && base != o.here {
			o.conflicts = syncrun.Conflicts(base, o.ours, o.next, syncrun.FullSync)
		}
	case o.kept != (syncrun.Prints{}):
		o.kept, o.conflicts = syncrun.CompareKept(o.kept, all, o.ours, b.ids, b.now)
	}
}

// listOffer lists the conflicts of a product and, in a preview, what would become of it.
func (b *batch) listOffer(o *offer) {
	for _, field := range o.conflicts {
		b.list(o.item, syncrun.Conflict, o.ours, []syncrun.FieldChange{field})
	}
	switch {
	case !b.Preview || !o.write:
	case o.ours == nil:
		b.list(o.item, syncrun.Create, o.next, nil)
	default:
		kind, fields := syncrun.Modify, syncrun.Differences(o.ours, o.next)
		if o.next.Status == catalog.Archived && o.ours.Status != catalog.Archived {
			kind = syncrun.Archive
			fields = slices.DeleteFunc(fields, func(f syncrun.FieldChange) bool { return f.Field == "status" })
		}
		b.list(o.item, kind, o.ours, fields)
	}
}

func (b *batch) list(one *item, kind syncrun.ChangeKind, p *catalog.Product, fields []syncrun.FieldChange) {
	c := syncrun.Change{
		Run:      b.Run,
		Preview:  b.Preview,
		Resource: one.record.Resource,
		Remote:   one.record.Remote,
		Title:    syncrun.Shorten(p.Name, longestTitle),
		Kind:     kind,
		Fields:   fields,
		At:       b.now,
	}
	if kind != syncrun.Create { // a product that a preview creates is not stored, so its id is of no use
		c.Local = p.ID.String()
	}
	b.changes = append(b.changes, c)
}

// listRecord lists, in a preview, what would become of a record of a customer or an order. Its values are not stored in the list.
func (b *batch) listRecord(one *item) {
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

// list stores the changes that the run's list has room for.
func (h *hand) list(ctx context.Context, s ports.SyncStores, found []syncrun.Change) error {
	listable := h.run.Listable(found)
	if len(listable) == 0 {
		return nil
	}
	return s.Changes.Add(ctx, h.run.Project, h.run.Integration, listable)
}

// listGone lists, in a preview, records that a full sync would remove.
func (h *hand) listGone(ctx context.Context, s ports.SyncStores, gone []*syncrun.Copy) ([]syncrun.Change, error) {
	now := h.Clock.Now()
	found := make([]syncrun.Change, len(gone))
	for i, c := range gone {
		found[i] = syncrun.Change{
			Run:      h.run.ID,
			Preview:  true,
			Resource: c.Resource,
			Remote:   c.Remote,
			Local:    c.Local,
			Kind:     syncrun.Archive,
			At:       now,
		}
	}
	if err := h.name(ctx, s, h.run.Listable(found)); err != nil {
		return nil, err
	}
	return found, h.list(ctx, s, found)
}

// name gives changes of products their titles.
func (h *hand) name(ctx context.Context, s ports.SyncStores, changes []syncrun.Change) error {
	var keys ports.ProductKeys
	for _, c := range changes {
		if c.Resource == syncrun.Products && c.Local != "" {
			keys.IDs = append(keys.IDs, id.Stored[id.Product](c.Local))
		}
	}
	if len(keys.IDs) == 0 {
		return nil
	}
	_, err := s.Products.Upsert(ctx, h.run.Project, keys, func(known ports.KnownProducts) []ports.ProductWrite {
		for i := range changes {
			if p := known.ByID[id.Stored[id.Product](changes[i].Local)]; p != nil {
				changes[i].Title = syncrun.Shorten(p.Name, longestTitle)
			}
		}
		return nil
	})
	return err
}
