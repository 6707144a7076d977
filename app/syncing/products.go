package syncing

import (
	"context"
	"maps"
	"slices"

	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/patch"
	"github.com/haggle-commerce/haggle/domain/syncrun"
	"github.com/haggle-commerce/haggle/ports"
)

// offer is a platform's product on its way into the catalogue.
type offer struct {
	*item
	ours  *catalog.Product // nil: there is none
	next  *catalog.Product // as it will be; nil: there will be none either
	here  syncrun.Prints   // of ours
	kept  syncrun.Prints
	write bool
	// conflicts are fields that both sides have changed.
	conflicts []syncrun.FieldChange
	failed    string
	// taken means that the sku is another record's, which may be about to go.
	taken bool
}

// takeProducts takes what is gone first: its sku may be another record's now.
func (b *batch) takeProducts(ctx context.Context) error {
	items, err := b.open(ctx, syncrun.Products, true)
	if err != nil {
		return err
	}
	var gone, here []*offer
	for _, one := range items {
		if o := (&offer{item: one}); one.record.Deleted {
			gone = append(gone, o)
		} else {
			here = append(here, o)
		}
	}
	if err := b.takeOffers(ctx, gone); err != nil {
		return err
	}
	return b.takeOffers(ctx, here)
}

func (b *batch) takeOffers(ctx context.Context, offers []*offer) error {
	if len(offers) == 0 {
		return nil
	}
	if err := b.writeProducts(ctx, offers); err != nil {
		return err
	}
	var copies []*syncrun.Copy
	for _, o := range offers {
		if o.failed != "" {
			b.fail(o.at, o.failed)
			if o.taken {
				b.outcomes[o.at].Verdict = syncrun.Unknown
			}
			continue
		}
		b.outcomes[o.at].Verdict = o.verdict()
		b.listOffer(o)
		if o.write {
			b.changed = append(b.changed, o.next.ID)
		}
		if o.after.Take(o.record, o.next, o.kept, b.now); !o.same() {
			copies = append(copies, o.after)
		}
	}
	if err := b.save(ctx, copies); err != nil {
		return err
	}
	return b.nameItems(ctx, offers)
}

func (o *offer) verdict() syncrun.Verdict {
	switch {
	case !o.write:
		return syncrun.Unchanged
	case o.ours == nil:
		return syncrun.Created
	}
	return syncrun.Updated
}

// same reports whether the copy is as it was.
func (o *offer) same() bool {
	x, y := o.before, o.after
	return x != nil && x.Digest == y.Digest && x.Prints == y.Prints && x.Local == y.Local && x.Removed == y.Removed && x.At.Equal(y.At)
}

// writeProducts stores the products. A product that is found by its sku may be another record's already,
// which the copies tell: then they are asked before anything is written.
func (b *batch) writeProducts(ctx context.Context, offers []*offer) error {
	owners := map[id.Product]string{}
	for {
		var strangers []string
		var written []*offer
		failed, err := b.Products.Upsert(ctx, b.Project.ID, keysOf(offers), func(known ports.KnownProducts) []ports.ProductWrite {
			strangers, written = b.decide(offers, known, owners)
			writes := make([]ports.ProductWrite, len(written))
			for i, o := range written {
				writes[i].Product = o.next
			}
			return writes
		})
		if err != nil {
			return err
		}
		for i, err := range failed {
			written[i].failed = words(err)
		}
		if len(strangers) == 0 {
			return nil
		}
		list, err := b.Copies.Of(ctx, b.copies(syncrun.Products), strangers)
		if err != nil {
			return err
		}
		for _, name := range strangers {
			owners[id.Stored[id.Product](name)] = ""
		}
		for _, c := range list {
			owners[id.Stored[id.Product](c.Local)] = c.Remote
		}
	}
}

func keysOf(offers []*offer) (keys ports.ProductKeys) {
	for _, o := range offers {
		if p := o.record.Product; p != nil && !o.record.Deleted && p.SKU != "" {
			keys.SKUs = append(keys.SKUs, p.SKU)
		}
		if o.after.Local != "" {
			keys.IDs = append(keys.IDs, id.Stored[id.Product](o.after.Local))
		}
	}
	return keys
}

// decide says what is written, or which products somebody must be asked about first.
func (b *batch) decide(offers []*offer, known ports.KnownProducts, owners map[id.Product]string) (strangers []string, written []*offer) {
	skus := map[string]string{} // the records that have them
	for _, o := range offers {
		o.ours, o.next, o.kept, o.write, o.failed = known.ByID[id.Stored[id.Product](o.after.Local)], nil, syncrun.Prints{}, false, ""
		o.taken, o.conflicts = false, nil
		if o.record.Deleted {
			b.archive(o)
		} else if stranger := b.match(o, known, owners, skus); stranger != "" {
			strangers = append(strangers, stranger)
			continue
		} else if o.failed == "" {
			b.draft(o)
		}
		if o.failed == "" && !o.record.Deleted {
			skus[o.record.Product.SKU] = o.record.Remote
		}
		if o.write {
			written = append(written, o)
		}
	}
	if len(strangers) > 0 {
		return strangers, nil
	}
	return nil, written
}

// match finds our product of a record that has none yet, by its sku. A product of which it is not known
// whose it is comes back.
func (b *batch) match(o *offer, known ports.KnownProducts, owners map[id.Product]string, skus map[string]string) (stranger string) {
	sku := o.record.Product.SKU
	if other, taken := skus[sku]; taken {
		o.failed = "The sku " + sku + " is record " + other + "'s already."
		return ""
	}
	if o.ours != nil || known.BySKU[sku] == nil {
		return ""
	}
	found := known.BySKU[sku]
	owner, asked := owners[found.ID]
	switch {
	case !asked:
		return found.ID.String()
	case owner != "" && owner != o.record.Remote:
		o.failed, o.taken = "The sku "+sku+" is record "+owner+"'s already.", true
	default:
		o.ours = found
	}
	return ""
}

// draft makes the product as the platform has it, what was edited here excepted.
func (b *batch) draft(o *offer) {
	d, err := o.record.Product.Draft(b.Project.Settings.Currency)
	switch {
	case err != nil:
	case o.ours == nil:
		o.write = true
		o.next, _, err = catalog.Create(b.Project.ID, d, b.Project.Settings.Currency, b.ids, b.now)
	default:
		all := d
		if !b.Full {
			d, o.kept = o.after.Keep(d, o.ours)
		}
		b.update(o, d)
		b.compare(o, all)
		return
	}
	if err != nil {
		o.failed, o.write = words(err), false
	}
}

func (b *batch) update(o *offer, d catalog.Draft) {
	next, _, err := o.ours.Update(d, b.ids, b.now)
	o.here = syncrun.PrintsOf(o.ours)
	switch {
	case err != nil:
		o.failed = words(err)
	case next.SKU == o.ours.SKU && syncrun.PrintsOf(next) == o.here:
		o.next = o.ours
	default:
		o.next, o.write = next, true
	}
}

// archive takes what is gone at the platform off the shelves. Orders and quotes still name it.
func (b *batch) archive(o *offer) {
	if o.ours != nil {
		b.update(o, archived)
	}
}

var archived = catalog.Draft{Status: patch.To(catalog.Archived.String())}

// nameItems notes what the platform calls the stock of the products' variants.
func (b *batch) nameItems(ctx context.Context, offers []*offer) error {
	named := map[string]catalog.Variant{}
	for _, o := range offers {
		if o.failed != "" || o.record.Deleted {
			continue
		}
		items := o.record.Product.ItemsOf()
		for _, v := range o.next.Variants {
			if name := items[v.SKU]; name != "" && len(name) <= longestName && storable(name) {
				named[name] = v
			}
		}
	}
	names := slices.Sorted(maps.Keys(named))
	known, err := b.known(ctx, syncrun.Items, names)
	if err != nil {
		return err
	}
	var copies []*syncrun.Copy
	for _, name := range names {
		v, c := named[name], known[name]
		if c == nil {
			c = &syncrun.Copy{
				Project:     b.Project.ID,
				Integration: b.Integration,
				Resource:    syncrun.Items,
				Remote:      name,
			}
		}
		if c.Local != v.ID.String() || c.SKU != v.SKU || c.Removed {
			c.Local, c.SKU, c.Removed = v.ID.String(), v.SKU, false
			copies = append(copies, c)
		}
	}
	return b.save(ctx, copies)
}
