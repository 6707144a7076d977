package cartmodel

import (
	"reflect"
	"time"

	"pgregory.net/rapid"

	"github.com/haggle-commerce/haggle/app/purchase"
	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/ports"
)

// finalize tries to pay a checkout. Before an attempt in flight is retried, its lease has expired.
func (h *history) finalize() {
	at, ok := h.some()
	if !ok {
		return
	}
	token := rapid.SampledFrom([]string{pays, pays, declines, forbids, losesPaid, loses}).Draw(h.T, "token")
	option := rapid.SampledFrom([]string{"", "", "express"}).Draw(h.T, "option")
	h.pay(at, token, option)
}

func (h *history) pay(at int, token, option string) {
	p := h.papers[at]
	if p.status == "processing" {
		h.shop.wait(time.Minute)
		h.takeUp(at, rapid.Bool().Draw(h.T, "same token"))
		return
	}
	codes := h.unpayable(at)
	result, err := h.shop.purchase.Finalize(ports.NewOutbound(h.ctx), h.shop.project, purchase.FinalizeRequest{
		Checkout: p.id,
		Method:   project.SharedPaymentToken,
		Token:    token,
		Option:   option,
	})
	lost := codes == nil && p.status != "completed" && (token == losesPaid || token == loses)
	if lost {
		codes = []string{"payment_unresolved"}
	}
	done := h.judge("pay: "+token, err, codes...)
	if p.status == "completed" {
		if placed, ok := result.(purchase.Placed); done && (!ok || placed.Order.Checkout != p.id) {
			h.fatal("a paid checkout answers %#v", result)
		}
		h.compare(at)
		return
	}
	if done || lost {
		h.claim(at, token, option)
	}
	if done {
		h.outcome(at, result)
	}
	if p.seen(h.shop.now) == "expired" {
		p.status = "expired"
	}
	h.compare(at)
}

// unpayable returns the error codes of a checkout that cannot be paid now.
func (h *history) unpayable(at int) []string {
	p := h.papers[at]
	switch status := p.seen(h.shop.now); status {
	case "completed":
		return nil
	case "incomplete", "canceled", "expired":
		return []string{"checkout_" + status}
	}
	recent := 0
	for _, declined := range h.declines {
		if declined.After(h.shop.now.Add(-checkout.DeclineWindow)) {
			recent++
		}
	}
	if recent >= checkout.MostDeclined {
		return []string{"too_many_declines"}
	}
	var codes []string
	for product, pieces := range p.needs() {
		if pieces > h.shop.stock[product] {
			codes = []string{"out_of_stock"}
		}
	}
	if codes != nil {
		return codes
	}
	for _, l := range p.lines {
		if l.deal != none && (h.deals[l.deal].redeemed != none || h.deals[l.deal].claimed != none && h.deals[l.deal].claimed != at) {
			return []string{"token_redeemed"}
		}
	}
	return nil
}

func (h *history) claim(at int, token, option string) {
	p := h.papers[at]
	if option != "" && option != p.option {
		p.option = option
		p.revision++
	}
	p.status, p.token = "processing", token
	p.attempt++
	for product, pieces := range p.needs() {
		h.shop.stock[product] -= pieces
	}
	for _, l := range p.lines {
		if l.deal != none {
			h.deals[l.deal].claimed = at
		}
	}
}

// outcome records the result of an attempt: a decline or an order.
func (h *history) outcome(at int, result purchase.Result) {
	p := h.papers[at]
	switch r := result.(type) {
	case purchase.Placed:
		if r.Order.Checkout != p.id {
			h.fatal("the order is of another checkout")
		}
		if stored, _, err := h.shop.purchase.Get(h.ctx, h.shop.project, purchase.Named{Checkout: p.id}); r.Checkout != nil && (err != nil || !reflect.DeepEqual(r.Checkout.Snapshot(), stored.Snapshot())) {
			h.fatal("the payment's checkout is %+v, and the stored one %+v, %v", r.Checkout.Snapshot(), stored.Snapshot(), err)
		}
		h.paid(at)
	case purchase.Declined:
		p.declined++
		h.declines = append(h.declines, h.shop.now)
		h.putBack(at)
		p.status = "pending"
		if p.token == forbids || p.declined >= checkout.MaxDeclines {
			p.status = "canceled"
		}
	default:
		h.fatal("the payment became %#v", result)
	}
}

// retryUnresolved retries an attempt without a response, with the same or another token. It must not charge a second time.
func (h *history) takeUp(at int, same bool) {
	p, token := h.papers[at], declines
	if same {
		token = p.token
	}
	result, err := h.shop.purchase.Finalize(ports.NewOutbound(h.ctx), h.shop.project, purchase.FinalizeRequest{
		Checkout: p.id,
		Method:   project.SharedPaymentToken,
		Token:    token,
	})
	if _, charged := h.shop.gateway.charged[checkout.AttemptKey(p.id, p.attempt)]; charged && p.token == losesPaid {
		if h.judge("take up what was charged", err) {
			h.outcome(at, result)
		}
	} else {
		h.anew(at, token, result, err)
	}
	h.compare(at)
}

// checkNextAttempt checks the next attempt after one that charged nothing.
func (h *history) anew(at int, token string, result purchase.Result, err error) {
	p := h.papers[at]
	h.putBack(at)
	p.status = "ready"
	if p.declined > 0 {
		p.status = "pending"
	}
	codes := h.unpayable(at)
	payable := codes == nil
	if payable && token == loses {
		codes = []string{"payment_unresolved"}
	}
	done := h.judge("take up what was not charged: "+token, err, codes...)
	if payable {
		h.claim(at, token, "")
	}
	if done {
		h.outcome(at, result)
	}
	if p.seen(h.shop.now) == "expired" {
		p.status = "expired"
	}
}

// compare reads a checkout and compares its sums.
func (h *history) compare(at int) {
	h.Helper()
	p := h.papers[at]
	c, o, err := h.shop.purchase.Get(h.ctx, h.shop.project, purchase.Named{Checkout: p.id})
	if err != nil {
		h.fatal("checkout %d cannot be read: %v", at, err)
	}
	s := c.Snapshot()
	if s.Status.String() != p.seen(h.shop.now) || s.Revision != p.revision || s.FromCart != p.fromCart || s.Declines != p.declined || (o != nil) != (p.status == "completed") {
		h.fatal("checkout %d is %s in revision %d with %d declines, of the cart %v; want %+v", at, s.Status, s.Revision, s.Declines, s.FromCart, p)
	}
	if len(s.Lines) != len(p.lines) {
		h.fatal("checkout %d has %+v, want %+v", at, s.Lines, p.lines)
	}
	for i, want := range p.lines {
		l, deal := s.Lines[i], h.quoteOf(want.deal)
		if l.ID != want.id || h.shop.productOf(l.Product) != want.product || l.Quantity != want.quantity || l.Quote != deal ||
			l.Unit.Minor() != want.unit || l.Original.Minor() != want.original {
			h.fatal("checkout %d: line %d is %+v, want %+v", at, i, l, want)
		}
	}
	subtotal, savings, shipping, tax := p.totals()
	if s.Subtotal.Minor() != subtotal || s.Savings.Minor() != savings || c.Shipping().Minor() != shipping || s.Tax.Minor() != tax ||
		c.Total().Minor() != subtotal+shipping+tax || !p.until.Equal(s.ValidUntil) {
		h.fatal("checkout %d: %s saves %s, + %s + %s until %s, want %d saves %d, + %d + %d until %s",
			at, s.Subtotal, s.Savings, c.Shipping(), s.Tax, s.ValidUntil, subtotal, savings, shipping, tax, p.until)
	}
	if cents, ok := h.shop.gateway.charged[checkout.AttemptKey(p.id, p.attempt)]; ok && cents != subtotal+shipping+tax {
		h.fatal("checkout %d: %d was charged, want %d", at, cents, subtotal+shipping+tax)
	}
}
