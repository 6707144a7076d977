package cartmodel

import (
	"slices"
	"time"

	"pgregory.net/rapid"

	"github.com/haggle-commerce/haggle/app/purchase"
	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/ports"
)

// addresses are shipping addresses by state; the one for "" is missing.
var addresses = map[string]checkout.Address{
	"":   {},
	"OR": {Name: "A. Buyer", Line1: "1 Main St", City: "Portland", State: "OR", PostalCode: "97205", Country: "US"},
	"NY": {Name: "A. Buyer", Line1: "1 Broadway", City: "New York", State: "NY", PostalCode: "10004", Country: "US"},
}

func (h *history) state() string {
	return rapid.SampledFrom([]string{"OR", "OR", "NY", ""}).Draw(h.T, "state")
}

func (h *history) request(r purchase.InitRequest, state string) purchase.InitRequest {
	r.Session, r.Address, r.Partial = h.visit, addresses[state], true
	return r
}

func (h *history) init(r purchase.InitRequest) (*purchase.PreparedInit, error) {
	return again(h, h.shop.purchase.Stores, func(ctx ports.Outbound) (*purchase.PreparedInit, error) {
		return h.shop.purchase.PrepareInit(ctx, h.shop.project, r)
	})
}

// full reports whether the session has reached its limit of open checkouts.
func (h *history) full() bool {
	n := 0
	for _, p := range h.papers {
		if p.lives(h.shop.now) || p.status == "processing" {
			n++
		}
	}
	return n >= checkout.MaxOpen
}

// initItems opens a checkout that is independent of the cart.
func (h *history) initItems() {
	if h.visit.IsZero() {
		return
	}
	items, state := h.items(nil), h.state()
	for i := range items {
		items[i].line = 0
	}
	lines, last, codes := h.price(items, nil)
	if codes == nil && h.full() {
		codes = []string{"limit_reached"}
	}
	made, err := h.init(h.request(purchase.InitRequest{Items: h.as(items)}, state))
	if h.judge("init", err, codes...) {
		h.opened(made.Checkout.ID(), false, lines, last, state)
	}
}

func (h *history) opened(of id.Checkout, fromCart bool, lines []bought, last int, state string) {
	p := &paper{
		id:       of,
		fromCart: fromCart,
		created:  h.shop.now,
	}
	h.fill(p, lines, last, state)
	h.papers = append(h.papers, p)
	h.compare(len(h.papers) - 1)
}

// initCart opens the cart's checkout, or updates the open one to the cart.
func (h *history) initCart() {
	if h.visit.IsZero() {
		return
	}
	state, open := h.state(), h.ofCart()
	request := h.request(purchase.InitRequest{FromCart: true}, state)
	if open != nil && state == "" {
		state = open.state
	}
	lines, last, codes := h.price(h.cartItems(open), open)
	same := open != nil && slices.Equal(lines, open.lines) && state == open.state
	switch {
	case len(h.cart) == 0:
		codes = []string{"validation_error"}
	case codes != nil:
	case open == nil && h.full():
		codes = []string{"limit_reached"}
	case open != nil && open.status == "processing" && !same:
		codes = []string{"checkout_processing"}
	}
	made, err := h.init(request)
	if !h.judge("init from the cart", err, codes...) {
		return
	}
	switch {
	case open == nil:
		h.expireCart()
		h.opened(made.Checkout.ID(), true, lines, last, state)
		return
	case made.Checkout.ID() != open.id:
		h.fatal("the cart has a second checkout")
	case !same:
		h.fill(open, lines, last, state)
	}
	h.compare(slices.Index(h.papers, open))
}

// expireCart ends the cart's checkout if it has expired. Only then can the cart have another one.
func (h *history) expireCart() {
	for _, p := range h.papers {
		if p.fromCart && p.seen(h.shop.now) == "expired" {
			p.status = "expired"
		}
	}
}

// some draws a checkout, or returns false if there is none.
func (h *history) some() (int, bool) {
	if len(h.papers) == 0 {
		return 0, false
	}
	newest := len(h.papers) - 1
	if rapid.Bool().Draw(h.T, "newest") {
		return newest, true
	}
	return rapid.IntRange(0, newest).Draw(h.T, "checkout"), true
}

// unchangeable returns the error code of a checkout that cannot be revised, or "".
func (p *paper) unchangeable(now time.Time) string {
	switch status := p.seen(now); status {
	case "processing", "completed", "canceled", "expired":
		return "checkout_" + status
	}
	return ""
}

func (h *history) revise() {
	at, ok := h.some()
	if !ok {
		return
	}
	p, state := h.papers[at], h.state()
	var ids []int
	var items []wanted
	for _, l := range p.lines {
		ids = append(ids, l.id)
		if rapid.IntRange(0, 3).Draw(h.T, "keep") > 0 {
			items = append(items, wanted{
				line:     l.id,
				product:  l.product,
				quantity: l.quantity,
				deal:     none,
			})
		}
	}
	if len(items) == 0 || rapid.Bool().Draw(h.T, "more") {
		items = append(items, h.items(ids)...)
	}
	var before []cartLine
	for _, l := range p.lines {
		before = append(before, cartLine{
			id:       l.id,
			product:  l.product,
			quantity: l.quantity,
			deal:     l.deal,
		})
	}
	lines, last, codes := h.price(matched(items, before), p)
	if code := p.unchangeable(h.shop.now); code != "" {
		codes = []string{code}
	}
	_, err := again(h, h.shop.purchase.Stores, func(ctx ports.Outbound) (*purchase.PreparedRevision, error) {
		return h.shop.purchase.PrepareRevise(ctx, h.shop.project, purchase.ReviseRequest{
			InitRequest: h.request(purchase.InitRequest{Items: h.as(items)}, state), Checkout: p.id,
		})
	})
	if h.judge("revise", err, codes...) {
		h.fill(p, lines, last, state)
	}
	h.compare(at)
}

func (h *history) cancel() {
	at, ok := h.some()
	if !ok {
		return
	}
	p := h.papers[at]
	var codes []string
	switch p.status {
	case "incomplete", "ready", "pending", "canceled":
	default:
		codes = []string{"checkout_" + p.status}
	}
	_, err := h.shop.purchase.Cancel(h.ctx, h.shop.project, purchase.Named{Checkout: p.id})
	if h.judge("cancel", err, codes...) {
		p.status = "canceled"
	}
	h.compare(at)
}
