// Package pricing prices items by the tokens of accepted quotes, and otherwise at list price. Carts and checkouts share it, so
// that they have the same prices and errors. It reads and writes no storage.
package pricing

import (
	"slices"

	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/ports"
)

// Request has the items to price. Without items, the items that the token covers are priced.
type Request struct {
	Session   id.Session
	TokenHash string // applies to each item that it covers; "": none
	Items     []Item
}

// Item is one requested line. A nil price accepts the token's price or the list price. Line is the number of a line of the
// checkout or cart that is revised; 0: a new line.
type Item struct {
	Line      int
	Product   id.Product
	Variant   id.Variant
	Quantity  int
	Price     *money.Amount
	TokenHash string
}

// Lines prices the items by the tokens that cover them, and the others at list price. An item that names a line of before
// keeps the line's id and agreed price.
func Lines(r Request, known ports.Basket, before []checkout.Line) ([]checkout.Line, error) {
	tokens, err := tokensOf(r, known, before)
	if err != nil {
		return nil, err
	}
	if len(r.Items) == 0 && r.TokenHash != "" {
		r.Items = tokens.items(r.TokenHash)
	}
	if len(r.Items) > checkout.MaxLines {
		return nil, fault.Field("items", "must have 1 to 50 items")
	}
	products := make(map[id.Product]*catalog.Product, len(known.Products))
	for _, product := range known.Products {
		products[product.ID] = product
	}
	r.Items = slices.Clone(r.Items)
	kept, err := keptLines(r.Items, before)
	if err != nil {
		return nil, err
	}
	tokens.markUsed(kept)
	check, mismatch := fault.NewCheck(), fault.NewCheck()
	lines := make([]checkout.Line, len(r.Items))
	for i, item := range r.Items {
		product := products[item.Product]
		if product == nil {
			return nil, fault.Missing("product")
		}
		if item.Variant.IsZero() {
			item.Variant = tokens.variant(item, r.TokenHash)
		}
		variant, ok := product.Variant(item.Variant)
		switch {
		case !ok && !item.Variant.IsZero():
			return nil, product.NoVariant()
		case !ok:
			check.In("items").At(i).That(false, "variant_id", product.VariantRequired())
			continue
		}
		item.Variant = variant.ID
		if l, ok := kept[i]; ok {
			lines[i] = keepLine(l, item, mismatch.In("items").At(i))
			lines[i].Digital = variant.Digital // the buyer sees the new totals
			continue
		}
		lines[i] = tokens.line(product, variant, item, r.TokenHash, mismatch.In("items").At(i))
		lines[i].ID = item.Line
	}
	if err := check.Err(); err != nil {
		return nil, err
	}
	tokens.checkUsed(r, mismatch)
	checkBundles(tokens, lines, mismatch)
	return lines, asMismatch(mismatch.Err())
}

// asMismatch sets the code price_mismatch (features/PROTOCOL.md#checkout).
func asMismatch(err error) error {
	if e, ok := err.(*fault.Error); ok {
		e.Code, e.Message = "price_mismatch", "A price is neither the agreed one nor the list price."
	}
	return err
}

// Match assigns lines of before to the items that name neither a line nor a token. An item gets an agreed line of the same
// product, variant and quantity, or else one at list price of the same product and variant. Each line is assigned once.
func Match(items []Item, before []checkout.Line) []Item {
	items, taken := slices.Clone(items), map[int]bool{}
	for _, item := range items {
		taken[item.Line] = true
	}
	for _, agreed := range []bool{true, false} {
		for i, item := range items {
			if item.Line != 0 || item.TokenHash != "" {
				continue
			}
			at := slices.IndexFunc(before, func(l checkout.Line) bool {
				return !taken[l.ID] && l.Product == item.Product && (item.Variant.IsZero() || l.Variant == item.Variant) &&
					l.Quote.IsZero() != agreed && (!agreed || l.Quantity == item.Quantity)
			})
			if at >= 0 {
				items[i].Line, taken[before[at].ID] = before[at].ID, true
			}
		}
	}
	return items
}

// keptLines returns the lines of before whose agreed prices items keep, by the index of the item. No two items may name the same
// line. It sets the variant of items that name a line.
func keptLines(items []Item, before []checkout.Line) (map[int]checkout.Line, error) {
	kept, named := map[int]checkout.Line{}, map[int]bool{}
	for i, item := range items {
		if item.Line == 0 {
			continue
		}
		at := slices.IndexFunc(before, func(l checkout.Line) bool { return l.ID == item.Line })
		switch {
		case at < 0:
			return nil, fault.Field(itemField(i, "line_id"), "is not a line of this checkout")
		case named[item.Line]:
			return nil, fault.Field(itemField(i, "line_id"), "is the line of another item")
		case before[at].Product != item.Product, !item.Variant.IsZero() && before[at].Variant != item.Variant:
			return nil, fault.Field(itemField(i, "line_id"), "is a line of another product or variant; omit it for a new line")
		}
		named[item.Line] = true
		items[i].Variant = before[at].Variant
		if !before[at].Quote.IsZero() && item.TokenHash == "" {
			kept[i] = before[at]
		}
	}
	return kept, nil
}
