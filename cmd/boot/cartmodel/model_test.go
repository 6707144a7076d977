package cartmodel

import (
	"slices"
	"time"

	"github.com/haggle-commerce/haggle/domain/id"
)

// The model is a second implementation of the rules, with its own arithmetic in cents.

const (
	freeFrom    = 200_00 // free standard shipping
	standard    = 5_99
	express     = 14_99
	taxRate     = 8875 // in New York, in thousandths of a percent
	agreedFor   = 15 * time.Minute
	payableFor  = 30 * time.Minute
	payableMost = 6 * time.Hour
	none        = -1 // no quote, or no checkout
	unknown     = -2 // a token that was never issued
)

// deal is an accepted quote.
type deal struct {
	id       id.Quote
	token    string
	product  int
	quantity int
	price    int64
	list     int64 // when the deal was agreed
	bundled  bool  // together with a piece of the last product
	bundle   int64 // its price
	regular  int64 // its list price at that time
	until    time.Time
	claimed  int // by checkouts in flight
	redeemed int // by completed checkouts
}

// covers returns the agreed price of a piece if the deal covers these goods.
func (d *deal) covers(product, quantity int) (cents int64, ok bool) {
	switch {
	case product == d.product && quantity == d.quantity:
		return d.price, true
	case d.bundled && product == last && quantity == 1:
		return d.bundle, true
	}
	return 0, false
}

// wanted is an item of a request.
type wanted struct {
	line     int
	product  int
	quantity int
	deal     int // the deal whose token it has; none, or unknown
}

// cartLine is a line of the cart.
type cartLine struct {
	id       int
	product  int
	quantity int
	deal     int
}

// bought is a line of a checkout.
type bought struct {
	id             int
	product        int
	quantity       int
	unit, original int64
	deal           int
}

// modelCheckout is a checkout.
type paper struct {
	id       id.Checkout
	fromCart bool
	lines    []bought
	lastLine int
	state    string // a state of the US; "": the address is missing
	option   string
	status   string
	revision int
	declined int
	attempt  int
	token    string // of the attempt in flight
	created  time.Time
	until    time.Time
}

func (p *paper) lives(now time.Time) bool {
	return (p.status == "incomplete" || p.status == "ready" || p.status == "pending") && now.Before(p.until)
}

// seen returns the status that the buyer sees.
func (p *paper) seen(now time.Time) string {
	if (p.status == "incomplete" || p.status == "ready" || p.status == "pending") && !p.lives(now) {
		return "expired"
	}
	return p.status
}

// totals returns a checkout's sums in cents.
func (p *paper) totals() (subtotal, savings, shipping, tax int64) {
	for _, l := range p.lines {
		subtotal += l.unit * int64(l.quantity)
		savings += (l.original - l.unit) * int64(l.quantity)
	}
	if p.state == "" {
		return subtotal, savings, 0, 0
	}
	switch {
	case p.option == "express":
		shipping = express
	case subtotal < freeFrom:
		shipping = standard
	}
	if p.state == "NY" {
		tax = (subtotal*taxRate + 50_000) / 100_000
	}
	return subtotal, savings, shipping, tax
}

// needs returns the pieces of each product in a checkout.
func (p *paper) needs() []int {
	pieces := make([]int, len(prices))
	for _, l := range p.lines {
		pieces[l.product] += l.quantity
	}
	return pieces
}

// model is a buyer's session and its checkouts.
type model struct {
	shop     *shop // clock, list prices and stock
	cart     []cartLine
	lastLine int
	deals    []*deal
	papers   []*paper
	declines []time.Time
}

// agree adds a deal to the cart.
func (m *model) agree(d *deal) {
	m.deals = append(m.deals, d)
	m.put(len(m.deals)-1, d.product, d.quantity)
	if d.bundled {
		m.put(len(m.deals)-1, last, 1)
	}
}

func (m *model) put(deal, product, quantity int) {
	at := none
	for _, agreed := range []bool{true, false} { // an agreed line is dropped before one at list price
		for i, l := range m.cart {
			if l.product == product && (l.deal != none) == agreed && (at == none || l.id < m.cart[at].id) {
				at = i
			}
		}
		if at != none {
			break
		}
	}
	line := cartLine{
		product:  product,
		quantity: quantity,
		deal:     deal,
	}
	if at != none {
		line.id = m.cart[at].id
		m.cart = slices.Delete(m.cart, at, at+1)
	} else {
		m.lastLine++
		line.id = m.lastLine
	}
	m.cart = append(m.cart, line)
}

// charged returns the price of a piece under a deal, and its list price.
func (m *model) charged(deal, product int) (unit, original int64) {
	list := m.shop.list[product]
	if deal == none {
		return list, list
	}
	d := m.deals[deal]
	price, at := d.price, d.list
	if product != d.product {
		price, at = d.bundle, d.regular
	}
	if price >= list {
		return list, list
	}
	return price, at
}

// badTokens returns the error codes for the items' tokens. Tokens that already have a line may have expired.
func (m *model) badTokens(items []wanted, has func(deal int) bool) (codes []string) {
	for _, w := range items {
		switch {
		case w.deal == none:
		case w.deal == unknown:
			codes = append(codes, "validation_error")
		case m.deals[w.deal].redeemed != none:
			codes = append(codes, "token_redeemed")
		case !m.shop.now.Before(m.deals[w.deal].until) && !has(w.deal):
			codes = append(codes, "token_expired")
		}
	}
	return codes
}

// mismatched reports whether lines have prices that were not agreed: a deal's price holds for one line, and a bundle's price
// only together with its item. tokens are the items with a token.
func (m *model) mismatched(lines []cartLine, tokens []wanted) bool {
	for _, w := range tokens {
		if _, ok := m.deals[w.deal].covers(w.product, w.quantity); !ok {
			return true
		}
	}
	type price struct{ deal, product int }
	spent := map[price]bool{}
	for _, l := range lines {
		if l.deal == none {
			continue
		}
		if spent[price{l.deal, l.product}] {
			return true
		}
		spent[price{l.deal, l.product}] = true
	}
	for of := range spent {
		if of.product != m.deals[of.deal].product && !spent[price{of.deal, m.deals[of.deal].product}] {
			return true
		}
	}
	return false
}

func withTokens(items []wanted) (list []wanted) {
	for _, w := range items {
		if w.deal >= 0 {
			list = append(list, w)
		}
	}
	return list
}

// matched assigns items without line and token to the first free line of the same product: one with a deal of the same
// quantity, or else one at list price.
func matched(items []wanted, lines []cartLine) []wanted {
	items, free := slices.Clone(items), map[int]cartLine{}
	for _, l := range lines {
		free[l.id] = l
	}
	for _, w := range items {
		delete(free, w.line)
	}
	take := func(fits func(wanted, cartLine) bool) {
		for i, w := range items {
			for _, l := range lines {
				if _, ok := free[l.id]; ok && w.line == 0 && w.deal == none && l.product == w.product && fits(w, l) {
					items[i].line = l.id
					delete(free, l.id)
					break
				}
			}
		}
	}
	take(func(w wanted, l cartLine) bool { return l.deal != none && l.quantity == w.quantity })
	take(func(_ wanted, l cartLine) bool { return l.deal == none })
	return items
}

// write replaces the cart, or returns the codes of the error.
func (m *model) write(items []wanted) (after []cartLine, last int, codes []string) {
	items = matched(items, m.cart)
	named := map[int]bool{}
	for _, w := range items {
		if w.line != 0 && (named[w.line] || m.line(w.line) == nil) {
			return nil, 0, []string{"validation_error"}
		}
		named[w.line] = true
	}
	if codes := m.badTokens(items, func(int) bool { return false }); codes != nil {
		return nil, 0, codes
	}
	last = m.lastLine
	for _, w := range items {
		line := cartLine{
			id:       w.line,
			product:  w.product,
			quantity: w.quantity,
			deal:     w.deal,
		}
		if before := m.line(w.line); before != nil && w.deal == none {
			line.deal = m.kept(before, w, items)
		}
		if line.id == 0 {
			last++
			line.id = last
		}
		after = append(after, line)
	}
	if m.mismatched(after, withTokens(items)) {
		return nil, 0, []string{"price_mismatch"}
	}
	return after, last, nil
}

// kept returns the deal that a line keeps when it is written back as an item of the cart.
func (m *model) kept(before *cartLine, w wanted, with []wanted) int {
	if before.deal == none || w.product != before.product || w.quantity != before.quantity {
		return none
	}
	d := m.deals[before.deal]
	if !m.shop.now.Before(d.until) {
		return none
	}
	if before.product == d.product {
		return before.deal
	}
	for _, other := range with { // the item that the bundle belongs to
		main := m.line(other.line)
		stays := main != nil && other.deal == none && main.deal == before.deal && main.product == d.product &&
			other.product == main.product && other.quantity == main.quantity
		if stays || other.deal == before.deal && other.product == d.product {
			return before.deal
		}
	}
	return none
}

func (m *model) line(of int) *cartLine {
	for i := range m.cart {
		if m.cart[i].id == of && of != 0 {
			return &m.cart[i]
		}
	}
	return nil
}
