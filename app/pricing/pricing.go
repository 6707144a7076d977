// Package pricing prices what a buyer wants to buy: by the tokens of accepted quotes, else at list price. Carts and checkouts
// have the same prices and the same refusals by it.
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

// Request is what is to be priced. Without items it is what the token covers.
type Request struct {
	Session   id.Session
	TokenHash string // covers each item that it fits; "" for none
	Items     []Item
}

// Item is one line as the buyer wants it. A nil price is whatever the token, or the list, says. Line is that of a
// checkout which is revised; 0: a new one.
type Item struct {
	Line      int
	Product   id.Product
	Variant   id.Variant
	Quantity  int
	Price     *money.Amount
	TokenHash string
}

// Lines prices the items: by the tokens that cover them, the others at list price. A line of before that an item names
// keeps its id, and the price that was agreed for it.
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
	tokens.spend(kept)
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
			lines[i] = keep(l, item, mismatch.In("items").At(i))
			lines[i].Digital = variant.Digital // the buyer agrees to the new totals
			continue
		}
		lines[i] = tokens.line(product, variant, item, r.TokenHash, mismatch.In("items").At(i))
		lines[i].ID = item.Line
	}
	if err := check.Err(); err != nil {
		return nil, err
	}
	tokens.unused(r, mismatch)
	tokens.alone(lines, mismatch)
	return lines, asMismatch(mismatch.Err())
}

// asMismatch gives a wrong price its own code (decisions 10).
func asMismatch(err error) error {
	if e, ok := err.(*fault.Error); ok {
		e.Code, e.Message = "price_mismatch", "A price is neither the agreed one nor the list price."
	}
	return err
}

// Match has items that name no line and no token keep a line of before that is about the same, each one: what is agreed in the
// same quantity, or else what is at list price.
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

// keptLines are the lines of before whose agreed prices items keep, by the index of the item. Each item may name a line,
// and no two the same. An item that names one gets its variant.
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
			return nil, fault.Field(itemField(i, "line_id"), "is the line of another item already")
		case before[at].Product != item.Product, !item.Variant.IsZero() && before[at].Variant != item.Variant:
			return nil, fault.Field(itemField(i, "line_id"), "is a line of another product or variant; leave it out for a new line")
		}
		named[item.Line] = true
		items[i].Variant = before[at].Variant
		if !before[at].Quote.IsZero() && item.TokenHash == "" {
			kept[i] = before[at]
		}
	}
	return kept, nil
}
