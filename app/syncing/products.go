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

// productImport is a platform's product that is being imported.
type productImport struct {
	*recordImport
	ours  *catalog.Product     // our product; nil: none
	next  *catalog.Product     // the product after the import; nil: none
	here  syncrun.Fingerprints // prints of ours
	kept  syncrun.Fingerprints
	write bool
	// conflicts are fields that both sides have changed.
	conflicts []syncrun.FieldChange
	failed    string
	// skuTaken means that another record has the SKU. That record may be about to be deleted.
	skuTaken bool
}

// importProducts imports deleted records first, because another record may now have their SKU.
func (b *batch) importProducts(ctx context.Context) error {
	items, err := b.open(ctx, syncrun.Products, true)
	if err != nil {
		return err
	}
	var gone, here []*productImport
	for _, one := range items {
		if o := (&productImport{recordImport: one}); one.record.Deleted {
			gone = append(gone, o)
		} else {
			here = append(here, o)
		}
	}
	if err := b.importAll(ctx, gone); err != nil {
		return err
	}
	return b.importAll(ctx, here)
}

func (b *batch) importAll(ctx context.Context, imports []*productImport) error {
	if len(imports) == 0 {
		return nil
	}
	if err := b.writeProducts(ctx, imports); err != nil {
		return err
	}
	var toSave []*syncrun.ExternalRecord
	for _, o := range imports {
		if o.failed != "" {
			b.fail(o.at, o.failed)
			if o.skuTaken {
				b.outcomes[o.at].Verdict = syncrun.Unknown
			}
			continue
		}
		b.outcomes[o.at].Verdict = o.verdict()
		b.listProduct(o)
		if o.write {
			b.changed = append(b.changed, o.next.ID)
		}
		if o.after.Take(o.record, o.next, o.kept, b.now); !o.unchanged() {
			toSave = append(toSave, o.after)
		}
	}
	if err := b.save(ctx, toSave); err != nil {
		return err
	}
	return b.saveItems(ctx, imports)
}

func (o *productImport) verdict() syncrun.Verdict {
	switch {
	case !o.write:
		return syncrun.Unchanged
	case o.ours == nil:
		return syncrun.Created
	}
	return syncrun.Updated
}

// unchanged reports whether the external record is unchanged.
func (o *productImport) unchanged() bool {
	x, y := o.before, o.after
	return x != nil && x.Digest == y.Digest && x.Prints == y.Prints && x.Local == y.Local && x.Removed == y.Removed && x.At.Equal(y.At)
}

// writeProducts stores the products. A product that is found by its SKU may belong to another record. In that case
// writeProducts looks up the owners before it writes anything.
func (b *batch) writeProducts(ctx context.Context, imports []*productImport) error {
	owners := map[id.Product]string{}
	for {
		var unknownOwners []string
		var written []*productImport
		failed, err := b.Products.Upsert(ctx, b.Project.ID, keysOf(imports), func(known ports.KnownProducts) []ports.ProductWrite {
			unknownOwners, written = b.decide(imports, known, owners)
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
			written[i].failed = problemText(err)
		}
		if len(unknownOwners) == 0 {
			return nil
		}
		list, err := b.ExternalRecords.Of(ctx, b.recordSet(syncrun.Products), unknownOwners)
		if err != nil {
			return err
		}
		for _, name := range unknownOwners {
			owners[id.Stored[id.Product](name)] = ""
		}
		for _, c := range list {
			owners[id.Stored[id.Product](c.Local)] = c.Remote
		}
	}
}

func keysOf(imports []*productImport) (keys ports.ProductKeys) {
	for _, o := range imports {
		if p := o.record.Product; p != nil && !o.record.Deleted && p.SKU != "" {
			keys.SKUs = append(keys.SKUs, p.SKU)
		}
		if o.after.Local != "" {
			keys.IDs = append(keys.IDs, id.Stored[id.Product](o.after.Local))
		}
	}
	return keys
}

// decide returns the products to write, or those whose owners must be looked up first.
func (b *batch) decide(imports []*productImport, known ports.KnownProducts, owners map[id.Product]string) (unknownOwners []string, written []*productImport) {
	skus := map[string]string{} // SKU -> id of the record that has it
	for _, o := range imports {
		o.ours, o.next, o.kept, o.write, o.failed = known.ByID[id.Stored[id.Product](o.after.Local)], nil, syncrun.Fingerprints{}, false, ""
		o.skuTaken, o.conflicts = false, nil
		if o.record.Deleted {
			b.archive(o)
		} else if unknownOwner := b.match(o, known, owners, skus); unknownOwner != "" {
			unknownOwners = append(unknownOwners, unknownOwner)
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
	if len(unknownOwners) > 0 {
		return unknownOwners, nil
	}
	return nil, written
}

// match finds, by SKU, our product for a record that has none yet. If the product's owner is not known, match returns the
// product's id.
func (b *batch) match(o *productImport, known ports.KnownProducts, owners map[id.Product]string, skus map[string]string) (unknownOwner string) {
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
		o.failed, o.skuTaken = "The sku "+sku+" is record "+owner+"'s already.", true
	default:
		o.ours = found
	}
	return ""
}

// draft makes the product from the platform's record, except for the fields that were edited here.
func (b *batch) draft(o *productImport) {
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
		o.failed, o.write = problemText(err), false
	}
}

func (b *batch) update(o *productImport, d catalog.Draft) {
	next, _, err := o.ours.Update(d, b.ids, b.now)
	o.here = syncrun.PrintsOf(o.ours)
	switch {
	case err != nil:
		o.failed = problemText(err)
	case next.SKU == o.ours.SKU && syncrun.PrintsOf(next) == o.here:
		o.next = o.ours
	default:
		o.next, o.write = next, true
	}
}

// archive archives a product that the platform has deleted. Orders and quotes may still refer to it.
func (b *batch) archive(o *productImport) {
	if o.ours != nil {
		b.update(o, archived)
	}
}

var archived = catalog.Draft{Status: patch.To(catalog.Archived.String())}

// saveItems stores the platform's ids of the stock items of the products' variants.
func (b *batch) saveItems(ctx context.Context, imports []*productImport) error {
	named := map[string]catalog.Variant{}
	for _, o := range imports {
		if o.failed != "" || o.record.Deleted {
			continue
		}
		items := o.record.Product.ItemsOf()
		for _, v := range o.next.Variants {
			if name := items[v.SKU]; name != "" && len(name) <= maxRemoteID && storable(name) {
				named[name] = v
			}
		}
	}
	names := slices.Sorted(maps.Keys(named))
	known, err := b.findRecords(ctx, syncrun.Items, names)
	if err != nil {
		return err
	}
	var toSave []*syncrun.ExternalRecord
	for _, name := range names {
		v, c := named[name], known[name]
		if c == nil {
			c = &syncrun.ExternalRecord{
				Project:     b.Project.ID,
				Integration: b.Integration,
				Resource:    syncrun.Items,
				Remote:      name,
			}
		}
		if c.Local != v.ID.String() || c.SKU != v.SKU || c.Removed {
			c.Local, c.SKU, c.Removed = v.ID.String(), v.SKU, false
			toSave = append(toSave, c)
		}
	}
	return b.save(ctx, toSave)
}
