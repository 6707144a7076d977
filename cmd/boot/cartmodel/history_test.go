package cartmodel

import (
	"context"
	"errors"
	"slices"
	"time"

	"pgregory.net/rapid"

	"github.com/haggle-commerce/haggle/app/baskets"
	"github.com/haggle-commerce/haggle/app/haggling"
	"github.com/haggle-commerce/haggle/app/pricing"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/negotiation"
	"github.com/haggle-commerce/haggle/ports"
)

// history is the random steps of one buyer.
type history struct {
	*rapid.T
	*model
	ctx   context.Context
	visit id.Session
	steps []string
}

// fatal ends a history that deviates from the model.
func (h *history) fatal(format string, args ...any) {
	h.Helper()
	h.Logf("steps: %q", h.steps)
	h.Fatalf(format, args...)
}

// judge compares an error with the codes that the model allows, and reports whether there was no error.
func (h *history) judge(step string, err error, codes ...string) bool {
	h.Helper()
	h.steps = append(h.steps, step)
	var f *fault.Error
	switch {
	case err == nil && len(codes) == 0:
		return true
	case err == nil:
		h.fatal("%s: it was not refused, want %v", step, codes)
	case !errors.As(err, &f) || !slices.Contains(codes, f.Code):
		h.fatal("%s: %v, want %v", step, err, codes)
	}
	return false
}

// again repeats prepare and commit until there is no conflict with another request, as the request pipeline does.
func again[P interface {
	Commit(context.Context, *ports.Stores) error
}](h *history, stores *ports.Stores, prepare func(ports.Outbound) (P, error)) (made P, err error) {
	for range 10 {
		if made, err = prepare(ports.NewOutbound(h.ctx)); err != nil {
			return made, err
		}
		if err = made.Commit(h.ctx, stores); !fault.Is(err, "stale") {
			return made, err
		}
	}
	return made, err
}

// items draws the items of a request. Their lines and tokens may be wrong.
func (h *history) items(lines []int) []wanted {
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) wanted {
		w := wanted{deal: none}
		w.product = rapid.IntRange(0, last).Draw(t, "product")
		w.quantity = rapid.SampledFrom([]int{1, 1, 2, 3, 1000}).Draw(t, "quantity")
		if len(lines) > 0 && rapid.Bool().Draw(t, "named") {
			w.line = rapid.SampledFrom(lines).Draw(t, "line")
		}
		if len(h.deals) > 0 && rapid.IntRange(0, 3).Draw(t, "token") == 0 {
			w.deal = rapid.IntRange(0, len(h.deals)-1).Draw(t, "deal")
			w.product, w.quantity = h.deals[w.deal].product, h.deals[w.deal].quantity
			if h.deals[w.deal].bundled && rapid.Bool().Draw(t, "bundle") {
				w.product, w.quantity = last, 1
			}
		}
		switch rapid.IntRange(0, 40).Draw(t, "mistake") {
		case 0:
			w.deal = unknown
		case 1:
			w.line = 99
		case 2:
			w.quantity = 7
		}
		return w
	}), 1, 4).Draw(h.T, "items")
}

// as converts the model's items to those of a request.
func (h *history) as(items []wanted) []pricing.Item {
	list := make([]pricing.Item, len(items))
	for i, w := range items {
		list[i] = pricing.Item{
			Line:     w.line,
			Product:  h.shop.products[w.product].ID,
			Quantity: w.quantity,
		}
		switch {
		case w.deal == unknown:
			list[i].TokenHash = id.Hash("ct_unknown")
		case w.deal >= 0:
			list[i].TokenHash = id.Hash(h.deals[w.deal].token)
		}
	}
	return list
}

// putCart writes the cart: it changes, removes and adds lines.
func (h *history) putCart() {
	var items []wanted
	for _, l := range h.cart {
		switch rapid.IntRange(0, 5).Draw(h.T, "line") {
		case 0: // removed
		case 1:
			items = append(items, wanted{
				line:     l.id,
				product:  l.product,
				quantity: rapid.IntRange(1, 4).Draw(h.T, "quantity"),
				deal:     none,
			})
		default:
			items = append(items, wanted{
				line:     l.id,
				product:  l.product,
				quantity: l.quantity,
				deal:     none,
			})
		}
	}
	if len(items) == 0 || rapid.Bool().Draw(h.T, "more") {
		var lines []int
		for _, l := range h.cart {
			lines = append(lines, l.id)
		}
		items = append(items, h.items(lines)...)
	}
	h.write("put", items)
}

func (h *history) emptyCart() { h.write("empty", nil) }

func (h *history) write(step string, items []wanted) {
	after, last, codes := h.model.write(items)
	made, err := again(h, h.shop.baskets.Stores, func(ctx ports.Outbound) (*baskets.PreparedPut, error) {
		if items == nil && !h.visit.IsZero() {
			return h.shop.baskets.PrepareCancel(ctx, h.shop.project, baskets.Named{Session: h.visit})
		}
		return h.shop.baskets.PreparePut(ctx, h.shop.project, baskets.PutRequest{Session: h.visit, Items: h.as(items)})
	})
	if !h.judge(step, err, codes...) {
		return
	}
	h.visit, h.cart, h.lastLine = made.Basket.Session.ID, after, last
	h.compareCart(step, &made.Basket)
}

// readCart reads the cart and compares it. Reading keeps the session alive.
func (h *history) readCart() {
	if h.visit.IsZero() {
		return
	}
	b, err := h.shop.baskets.Get(h.ctx, h.shop.project, baskets.Named{Session: h.visit})
	if h.judge("read", err) {
		h.compareCart("read", b)
	}
}

func (h *history) compareCart(step string, b *baskets.Basket) {
	h.Helper()
	if len(b.Lines) != len(h.cart) {
		h.fatal("%s: the cart has %+v, want %+v", step, b.Lines, h.cart)
	}
	var subtotal, savings int64
	for i, want := range h.cart {
		l, unit, original := b.Lines[i], int64(0), int64(0)
		unit, original = h.charged(want.deal, want.product)
		deal := h.quoteOf(want.deal)
		if l.Line != want.id || h.shop.productOf(l.Product) != want.product || l.Quantity != want.quantity || l.Quote != deal ||
			l.Unit.Minor() != unit || l.Original.Minor() != original {
			h.fatal("%s: line %d is %+v, want %+v at %d of %d", step, i, l, want, unit, original)
		}
		subtotal += unit * int64(want.quantity)
		savings += (original - unit) * int64(want.quantity)
	}
	if sum, saved := b.Subtotal(); sum.Minor() != subtotal || saved.Minor() != savings {
		h.fatal("%s: the cart comes to %s and saves %s, want %d and %d", step, sum, saved, subtotal, savings)
	}
	open := id.Checkout{}
	if p := h.ofCart(); p != nil {
		open = p.id
	}
	if b.Checkout != open {
		h.fatal("%s: the cart's checkout is %q, want %q", step, b.Checkout, open)
	}
}

func (h *history) quoteOf(deal int) id.Quote {
	if deal == none {
		return id.Quote{}
	}
	return h.deals[deal].id
}

// haggle makes an offer for a product and accepts the counter-offer, with its bundle if it has one.
func (h *history) haggle() {
	product, quantity := rapid.IntRange(0, last).Draw(h.T, "product"), rapid.IntRange(1, 3).Draw(h.T, "quantity")
	share := rapid.SampledFrom([]int64{100, 97, 95, 88}).Draw(h.T, "share")
	offer := usd(h.shop.list[product] * share / 100)
	r := haggling.Request{Ask: ports.HaggleAsk{
		Session:  h.visit,
		Product:  h.shop.products[product].ID,
		Quantity: quantity,
	}, Offer: &offer}
	answer := h.quote(r)
	if _, countered := answer.Decision.(negotiation.Countered); countered && answer.Quote.Bundle != nil {
		answer = h.quote(haggling.Request{Ask: ports.HaggleAsk{Session: h.visit, Quote: answer.Quote.ID}, AddBundle: true})
	}
	agreed, ok := answer.Decision.(negotiation.Accepted)
	if !ok {
		return
	}
	q := answer.Quote
	d := &deal{
		id:       q.ID,
		token:    answer.Token,
		product:  product,
		quantity: quantity,
		price:    agreed.Price.Minor(),
		list:     q.Bounds.List().Minor(),
		bundled:  q.WithBundle,
		until:    h.shop.now.Add(agreedFor),
		claimed:  none,
		redeemed: none,
	}
	if d.bundled {
		d.bundle, d.regular = q.Bundle.Price.Minor(), q.Bundle.Regular.Minor()
	}
	if d.price > d.list || d.price*5 < d.list*4 || d.list != h.shop.list[product] {
		h.fatal("haggle: %d was agreed on, of %d", d.price, d.list)
	}
	h.agree(d)
}

func (h *history) quote(r haggling.Request) haggling.Answer {
	made, err := again(h, h.shop.haggling.Stores, func(ctx ports.Outbound) (*haggling.PreparedQuote, error) {
		return h.shop.haggling.PrepareQuote(ctx, h.shop.project, r)
	})
	if !h.judge("haggle", err) {
		return haggling.Answer{}
	}
	h.visit = made.Answer.Session
	return made.Answer
}

// wait lets time pass, but not so much that the session ends.
func (h *history) wait() {
	for range rapid.IntRange(1, 4).Draw(h.T, "times") {
		h.shop.wait(time.Duration(rapid.IntRange(1, 9).Draw(h.T, "minutes")) * time.Minute)
		h.readCart()
	}
}

func (h *history) reprice() {
	product := rapid.IntRange(0, last).Draw(h.T, "product")
	h.steps = append(h.steps, "reprice")
	h.shop.reprice(h.ctx, product, prices[product]*rapid.SampledFrom([]int64{80, 100, 130}).Draw(h.T, "percent")/100)
}
