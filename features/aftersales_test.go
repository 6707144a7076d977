package features

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/haggle-commerce/haggle/simulator/acp"
	"github.com/haggle-commerce/haggle/simulator/exchange"
)

func (w *world) hasOrderedUnderName(name string) error {
	if err := w.arrivesFor(1, w.product.Name, ""); err != nil {
		return err
	}
	w.shopper.address.Name = name
	if err := w.checksOut(); err != nil {
		return err
	}
	return w.paysSuccessfully()
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

func (w *world) lastBodyContains(text string, want bool) error {
	if page := string(w.recorder.last().body); strings.Contains(page, text) != want {
		return fmt.Errorf("the receipt is %s", page)
	}
	return nil
}

// receiptIsInert checks that the page's policy forbids scripts and subresources, and that the page references none.
func (w *world) receiptIsInert() error {
	header := w.recorder.last().header
	var wrong error
	policy := header.Get("Content-Security-Policy")
	if !strings.Contains(policy, "default-src 'none'") || strings.Contains(policy, "script-src") || strings.Contains(policy, "unsafe") {
		wrong = fmt.Errorf("its policy is %q", policy)
	}
	if kind := header.Get("Content-Type"); !strings.HasPrefix(kind, "text/html") {
		wrong = errors.Join(wrong, fmt.Errorf("it is %q", kind))
	}
	for _, tag := range []string{"<script", "<img", "<link", "<iframe"} {
		wrong = errors.Join(wrong, w.lastBodyContains(tag, false))
	}
	return wrong
}

func (w *world) returnsItems(quantity int, name string) error {
	return w.act(func(b *shopper) {
		b.Product.ProductID = w.products[name].ID
		b.Variant.ID = w.products[name].Variants[0].ID
		b.SendBack(quantity, "Too large")
	})
}

func (w *world) returnsConcurrently(quantity int, name string, times int) {
	request := acp.ReturnRequest{
		OrderID: w.shopper.Finalized.Order.ID, Items: []acp.ReturnItem{{ProductID: w.products[name].ID, Quantity: quantity}},
	}
	w.runConcurrently(times, func(int) error {
		_, err := w.shopper.client.CreateReturn(w.ctx, request)
		return err
	})
}

func (w *world) returnReadsTheSame() error {
	before := w.recorder.last().value()
	if _, err := w.shopper.client.Return(w.ctx, w.shopper.Return.ReturnID); err != nil {
		return err
	}
	if now := w.recorder.last().value(); !equalJSON(before, now) {
		return fmt.Errorf("it reads %s, it was %s", encode(now), encode(before))
	}
	return nil
}

func (w *world) extendsSession(minutes int) error {
	return w.act(func(b *shopper) { b.ReadSession().Extend(minutes) })
}

// sessionEndsLater rounds to minutes because some time passes between reading and extending the session.
func (w *world) sessionEndsLater(minutes int) error {
	if w.refusal != nil {
		return w.refusal
	}
	before, after := w.shopper.Session.ExpiresAt, w.shopper.Extended.NewExpiresAt
	if got := after.Sub(before).Round(time.Minute); got != time.Duration(minutes)*time.Minute {
		return fmt.Errorf("it ends %s later", got)
	}
	return nil
}
