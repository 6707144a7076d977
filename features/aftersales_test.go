package features

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/haggle-commerce/haggle/simulator/acp"
	"github.com/haggle-commerce/haggle/simulator/exchange"
)

func (w *world) orderedByName(name string) error {
	if err := w.comesFor(1, w.product.Name, ""); err != nil {
		return err
	}
	w.shopper.address.Name = name
	if err := w.checksOut(); err != nil {
		return err
	}
	return w.paysWell()
}

func (w *world) opensReceipt() error {
	path, ours := strings.CutPrefix(w.shopper.Finalized.ReceiptURL, w.app.URL())
	if !ours {
		return fmt.Errorf("the receipt is at %q", w.shopper.Finalized.ReceiptURL)
	}
	return w.attempt(func() error {
		response, err := w.connection.Do(w.ctx, exchange.Request{Method: "GET", Path: path})
		if err == nil && !response.OK() {
			return acp.ErrorOf(response)
		}
		return err
	})
}

func (w *world) receiptSays(text string, want bool) error {
	if page := string(w.tape.last().body); strings.Contains(page, text) != want {
		return fmt.Errorf("the receipt is %s", page)
	}
	return nil
}

// receiptIsInert: the page allows no scripts and loads nothing, and has nothing to load.
func (w *world) receiptIsInert() error {
	header := w.tape.last().header
	var wrong error
	policy := header.Get("Content-Security-Policy")
	if !strings.Contains(policy, "default-src 'none'") || strings.Contains(policy, "script-src") || strings.Contains(policy, "unsafe") {
		wrong = fmt.Errorf("its policy is %q", policy)
	}
	if kind := header.Get("Content-Type"); !strings.HasPrefix(kind, "text/html") {
		wrong = errors.Join(wrong, fmt.Errorf("it is %q", kind))
	}
	for _, tag := range []string{"<script", "<img", "<link", "<iframe"} {
		wrong = errors.Join(wrong, w.receiptSays(tag, false))
	}
	return wrong
}

func (w *world) sendsBack(quantity int, name string) error {
	return w.act(func(b *shopper) {
		b.Product.ProductID = w.products[name].ID
		b.Variant.ID = w.products[name].Variants[0].ID
		b.SendBack(quantity, "Too large")
	})
}

func (w *world) sendsBackAtOnce(quantity int, name string, times int) {
	request := acp.ReturnRequest{
		OrderID: w.shopper.Finalized.Order.ID, Items: []acp.ReturnItem{{ProductID: w.products[name].ID, Quantity: quantity}},
	}
	w.atOnce(times, func(int) error {
		_, err := w.shopper.client.CreateReturn(w.ctx, request)
		return err
	})
}

func (w *world) returnReadsTheSame() error {
	before := w.tape.last().value()
	if _, err := w.shopper.client.Return(w.ctx, w.shopper.Return.ReturnID); err != nil {
		return err
	}
	if now := w.tape.last().value(); !same(before, now) {
		return fmt.Errorf("it reads %s, it was %s", encode(now), encode(before))
	}
	return nil
}

func (w *world) extends(minutes int) error {
	return w.act(func(b *shopper) { b.ReadSession().Extend(minutes) })
}

// endsLater allows for the time between reading and extending.
func (w *world) endsLater(minutes int) error {
	if w.refusal != nil {
		return w.refusal
	}
	before, after := w.shopper.Session.ExpiresAt, w.shopper.Extended.NewExpiresAt
	if got := after.Sub(before).Round(time.Minute); got != time.Duration(minutes)*time.Minute {
		return fmt.Errorf("it ends %s later", got)
	}
	return nil
}
