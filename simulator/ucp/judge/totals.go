package judge

import "slices"

// The types of totals that the specification defines.
const (
	subtotal      = "subtotal"
	itemsDiscount = "items_discount"
	discount      = "discount"
	fulfillment   = "fulfillment"
	tax           = "tax"
	total         = "total"
)

// sums are the amounts of a list of totals by type.
type sums struct {
	of    map[string]int64
	count map[string]int
}

// totals checks that a list of totals adds up, and returns its sums.
func (r *report) totals(path string, entries []any) sums {
	sum := sums{of: map[string]int64{}, count: map[string]int{}}
	var rest int64
	for i, entry := range entries {
		kind := text(object(entry)["type"])
		sum.of[kind] += amount(entry)
		sum.count[kind]++
		if kind != total {
			rest += amount(entry)
		}
		r.subLines(at(path, i), object(entry))
	}
	for _, once := range []string{subtotal, total} {
		r.require(sum.count[once] <= 1, path, "%d entries of type %s, one is right", sum.count[once], once)
	}
	if sum.count[total] == 1 && len(entries) > 1 {
		r.require(rest == sum.of[total], path, "all but the total add up to %d, the total is %d", rest, sum.of[total])
	}
	return sum
}

// subLines checks that the parts of an entry add up to it.
func (r *report) subLines(path string, entry map[string]any) {
	lines, itemized := entry["lines"].([]any)
	if !itemized {
		return
	}
	var sum int64
	for _, line := range lines {
		sum += amount(line)
	}
	r.require(sum == amount(entry), path+".lines", "they add up to %d, the entry is %d", sum, amount(entry))
}

// allTotals checks the totals of a cart, checkout or order and of its lines, and that they agree.
func (r *report) allTotals(priced bool) {
	sum := r.totals("$.totals", list(r.root["totals"]))
	for _, once := range []string{subtotal, total} {
		r.require(sum.count[once] == 1, "$.totals", "there must be one entry of type %s, there are %d", once, sum.count[once])
	}
	lines := list(r.root["line_items"])
	var subtotals, discounts int64
	whole, nested := len(lines) > 0, false
	for i, line := range lines {
		path := at("$.line_items", i)
		own := r.totals(path+".totals", list(object(line)["totals"]))
		subtotals += own.of[subtotal]
		discounts += own.of[itemsDiscount]
		whole = whole && own.count[subtotal] == 1
		nested = nested || object(line)["parent_id"] != nil
		if priced {
			r.linePrice(path, object(line), own)
		}
	}
	if whole && !nested {
		r.require(subtotals == sum.of[subtotal], "$.totals", "the lines' subtotals add up to %d, the subtotal is %d", subtotals, sum.of[subtotal])
		r.require(discounts == sum.of[itemsDiscount] || sum.count[itemsDiscount] == 0 && discounts == 0, "$.totals",
			"the lines' items_discount add up to %d, it is %d", discounts, sum.of[itemsDiscount])
	}
	if r.judge.house {
		r.houseTotals(list(r.root["totals"]), sum)
	}
}

// linePrice checks that a line of whole items costs price × quantity before reductions.
func (r *report) linePrice(path string, line map[string]any, sum sums) {
	item := object(line["item"])
	price, priced := integer(item["price"])
	quantity, counted := integer(line["quantity"])
	if !priced || !counted || item["quantity_unit"] != nil || item["unit_price"] != nil || sum.count[subtotal] != 1 {
		return
	}
	r.require(price*quantity == sum.of[subtotal], path+".totals", "%d × %d is not the subtotal %d", quantity, price, sum.of[subtotal])
}

// houseTotals checks which totals Haggle shows, and their order.
func (r *report) houseTotals(entries []any, sum sums) {
	order := []string{subtotal, itemsDiscount, fulfillment, tax, total}
	last := -1
	for i, entry := range entries {
		kind := text(object(entry)["type"])
		place := slices.Index(order, kind)
		r.require(place > last, at("$.totals", i)+".type", "%q is out of order, or is not one of %v", kind, order)
		last = max(last, place)
	}
	if len(entries) > 0 && sum.count[tax] == 0 && sum.count[fulfillment] == 0 {
		label := text(object(entries[len(entries)-1])["display_text"])
		r.require(label == "Estimated total", "$.totals", "without tax and fulfillment the total is an estimate, display_text is %q", label)
	}
}
