package shopify

import "math"

// Amounts of an order. Shopify documents what each sum contains (docs/api/admin-graphql/latest/objects/Order, api_version
// 2026-10) but not how fractions of a cent are rounded. Here each tax and discount is rounded half up.

func share(cents int64, rate float64) int64 { return int64(math.Floor(float64(cents)*rate + 0.5)) }

// price returns the tax in cents on an amount. Shopify does not document the tax of a tax line without priceSet.
func (t tax) price(base int64, included bool) int64 {
	if !t.unpriced {
		return t.cents
	}
	if included {
		return share(base, t.rate/(1+t.rate))
	}
	return share(base, t.rate)
}

func (p *purchase) items() (sum int64) {
	for _, l := range p.lines {
		sum += l.cents * int64(l.quantity)
	}
	return sum
}

func (p *purchase) subtotal() int64 { return p.items() + p.extra - p.discount }

func (p *purchase) shippingCost() (sum int64) {
	if p.freeShipping {
		return 0
	}
	for _, l := range p.shippingLines {
		sum += l.cents
	}
	return sum
}

// allTaxes returns the taxes of the order, its lines and its shipping with their amounts.
func (p *purchase) allTaxes() (list []tax) {
	priced := func(t tax, base int64) tax {
		t.cents, t.unpriced = t.price(base, p.taxesIncluded), false
		return t
	}
	for _, t := range p.taxes {
		list = append(list, priced(t, p.subtotal()))
	}
	for _, l := range p.lines {
		for _, t := range l.taxes {
			list = append(list, priced(t, l.cents*int64(l.quantity)))
		}
	}
	for _, l := range p.shippingLines {
		for _, t := range l.taxes {
			list = append(list, priced(t, l.cents))
		}
	}
	return list
}

func (p *purchase) tax() (sum int64) {
	for _, t := range p.allTaxes() {
		sum += t.cents
	}
	return sum
}

func (p *purchase) total() int64 {
	total := p.subtotal() + p.shippingCost()
	if !p.taxesIncluded {
		total += p.tax()
	}
	return total
}

// lineTaxes returns a line's taxes: its own, or its share of the order's. "Tax lines specified on the order are split
// across the taxable line items in the created order" (OrderCreateOrderInput.taxLines, api_version 2026-10).
func (p *purchase) lineTaxes(k int) (list []tax) {
	l := p.lines[k]
	for _, t := range l.taxes {
		t.cents, t.unpriced = t.price(l.cents*int64(l.quantity), p.taxesIncluded), false
		list = append(list, t)
	}
	if len(p.taxes) == 0 || !l.taxable {
		return list
	}
	var before, whole int64
	for j, other := range p.lines {
		if other.taxable {
			whole += other.cents * int64(other.quantity)
			if j < k {
				before += other.cents * int64(other.quantity)
			}
		}
	}
	if whole == 0 {
		return list
	}
	upTo := func(cents, part int64) int64 { return share(cents, float64(part)/float64(whole)) }
	for _, t := range p.taxes {
		cents := t.price(p.subtotal(), p.taxesIncluded)
		t.cents = upTo(cents, before+l.cents*int64(l.quantity)) - upTo(cents, before)
		t.unpriced = false
		list = append(list, t)
	}
	return list
}

func (p *purchase) lineTax(k int) (sum int64) {
	for _, t := range p.lineTaxes(k) {
		sum += t.cents
	}
	return sum
}

// lineValue returns the price of pieces of a line after the order's discount, and their tax.
func (p *purchase) lineValue(k, quantity int) (subtotal, taxed int64) {
	l := p.lines[k]
	subtotal = l.cents * int64(quantity)
	if items := p.items(); items > 0 && p.discount > 0 {
		subtotal -= share(p.discount, float64(subtotal)/float64(items))
	}
	return subtotal, share(p.lineTax(k), float64(quantity)/float64(l.quantity))
}

// received returns the money that was paid, refunded the money that was refunded.
func (p *purchase) received() (sum int64) {
	for _, t := range p.transactions {
		if t.status == "SUCCESS" && (t.kind == "SALE" || t.kind == "CAPTURE") {
			sum += t.cents
		}
	}
	return sum
}

func (p *purchase) refunded() (sum int64) {
	for _, t := range p.transactions {
		if t.status == "SUCCESS" && t.kind == "REFUND" {
			sum += t.cents
		}
	}
	return sum
}

// refundedOf returns the refunded amount of one payment.
func (p *purchase) refundedOf(parent int) (sum int64) {
	for _, t := range p.transactions {
		if t.status == "SUCCESS" && t.kind == "REFUND" && t.parent == parent {
			sum += t.cents
		}
	}
	return sum
}

// withdrawn returns the value of refunded and removed pieces: for each refund its items and shipping, or its money if
// that is more. Shopify does not document it in this detail.
func (p *purchase) withdrawn() (sum int64) {
	if p.seeded && !p.touched() {
		return 0
	}
	if p.cancelled > 0 {
		return p.total()
	}
	for _, r := range p.refunds {
		sum += max(p.worth(r), p.moneyOf(r))
	}
	return min(sum, p.total())
}

// touched reports whether a seeded order was changed.
func (p *purchase) touched() bool { return p.financial == "" }

func (p *purchase) worth(r *refund) (sum int64) {
	sum = r.shipping
	for _, l := range r.lines {
		sum += l.subtotal
		if !p.taxesIncluded {
			sum += l.tax
		}
	}
	return sum
}

func (p *purchase) moneyOf(r *refund) (sum int64) {
	for _, t := range p.transactions {
		for _, id := range r.movements {
			if t.id == id && t.status == "SUCCESS" {
				sum += t.cents
			}
		}
	}
	return sum
}

// financialStatus returns the given status, or derives it from the transactions: "If not specified, then this will be
// derived through the given transactions" (OrderCreateOrderInput.financialStatus, api_version 2026-10). Without
// transactions it is PENDING here, which is not documented.
func (p *purchase) financialStatus() string {
	if p.financial != "" {
		return p.financial
	}
	authorized, voided := false, false
	for _, t := range p.transactions {
		authorized = authorized || t.kind == "AUTHORIZATION" && t.status == "SUCCESS"
		voided = voided || t.kind == "VOID" && t.status == "SUCCESS"
	}
	received, refunded := p.received(), p.refunded()
	switch {
	case refunded > 0 && refunded >= received:
		return "REFUNDED"
	case refunded > 0:
		return "PARTIALLY_REFUNDED"
	case voided:
		return "VOIDED"
	case received >= p.total() && (received > 0 || p.total() == 0):
		return "PAID"
	case received > 0:
		return "PARTIALLY_PAID"
	case authorized:
		return "AUTHORIZED"
	case p.cancelled > 0:
		return "VOIDED"
	}
	return "PENDING"
}

func (p *purchase) fulfillmentStatus() string {
	sent, left := 0, 0
	for _, l := range p.lines {
		sent, left = sent+l.sent, left+l.unfulfilled()
	}
	switch {
	case sent > 0 && left == 0:
		return "FULFILLED"
	case sent > 0:
		return "PARTIALLY_FULFILLED"
	case p.fulfillment != "":
		return p.fulfillment
	}
	return "UNFULFILLED"
}
