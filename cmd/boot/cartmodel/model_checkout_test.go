package cartmodel

import "slices"

// price returns the lines of a checkout for items. Items may refer to lines of the previous version.
func (m *model) price(items []wanted, before *paper) (lines []bought, last int, codes []string) {
	has := func(deal int) bool {
		return before != nil && slices.ContainsFunc(before.lines, func(l bought) bool { return l.deal == deal })
	}
	if codes := m.badTokens(items, has); codes != nil {
		return nil, 0, codes
	}
	if before != nil {
		last = before.lastLine
	}
	named := map[int]bool{}
	var priced []cartLine
	wrong := false
	for _, w := range items {
		l := bought{
			id:       w.line,
			product:  w.product,
			quantity: w.quantity,
			deal:     w.deal,
		}
		l.unit, l.original = m.charged(max(l.deal, none), l.product)
		if w.line != 0 {
			at := slices.IndexFunc(before.lines, func(l bought) bool { return l.id == w.line })
			if at < 0 || named[w.line] || before.lines[at].product != w.product {
				return nil, 0, []string{"validation_error"}
			}
			named[w.line] = true
			if was := before.lines[at]; was.deal != none && w.deal == none {
				wrong = wrong || was.quantity != w.quantity
				l = was
			}
		} else {
			last++
			l.id = last
		}
		lines = append(lines, l)
		priced = append(priced, cartLine{
			product:  l.product,
			quantity: l.quantity,
			deal:     l.deal,
		})
	}
	if wrong || m.mismatched(priced, withTokens(items)) {
		return nil, 0, []string{"price_mismatch"}
	}
	return lines, last, nil
}

// fill writes lines and an address to a checkout.
func (m *model) fill(p *paper, lines []bought, last int, state string) {
	p.lines, p.lastLine, p.state = lines, last, state
	p.revision++
	p.status = "ready"
	if p.declined > 0 {
		p.status = "pending"
	}
	if state == "" {
		p.status, p.option = "incomplete", ""
	} else if p.option == "" {
		p.option = "standard"
	}
	p.until = m.shop.now.Add(payableFor)
	if end := p.created.Add(payableMost); p.until.After(end) {
		p.until = end
	}
}

// ofCart returns the cart's checkout that has not ended, or nil.
func (m *model) ofCart() *paper {
	for _, p := range m.papers {
		if p.fromCart && (p.lives(m.shop.now) || p.status == "processing") {
			return p
		}
	}
	return nil
}

// cartItems returns the items for a checkout of the cart. Items that are already in the checkout keep their lines.
func (m *model) cartItems(p *paper) []wanted {
	kept := map[int]bool{}
	items := make([]wanted, len(m.cart))
	for i, l := range m.cart {
		items[i] = wanted{
			product:  l.product,
			quantity: l.quantity,
			deal:     l.deal,
		}
		if p == nil {
			continue
		}
		for _, b := range p.lines {
			if !kept[b.id] && b.product == l.product && b.deal == l.deal && (l.deal == none || b.quantity == l.quantity) {
				items[i].line, items[i].deal, kept[b.id] = b.id, none, true
				break
			}
		}
	}
	return items
}

// paid completes a checkout.
func (m *model) paid(at int) {
	p := m.papers[at]
	p.status = "completed"
	var sold []int // at list price
	for _, l := range p.lines {
		if l.deal != none {
			m.deals[l.deal].redeemed, m.deals[l.deal].claimed = at, none
		} else {
			sold = append(sold, l.product)
		}
	}
	m.cart = slices.DeleteFunc(m.cart, func(l cartLine) bool {
		if l.deal != none {
			return m.deals[l.deal].redeemed != none
		}
		return p.fromCart && slices.Contains(sold, l.product)
	})
}

// release releases what an attempt reserved.
func (m *model) putBack(at int) {
	for product, pieces := range m.papers[at].needs() {
		m.shop.stock[product] += pieces
	}
	for _, d := range m.deals {
		if d.claimed == at {
			d.claimed = none
		}
	}
}
