package features

import (
	"errors"
	"fmt"
	"slices"

	"github.com/haggle-commerce/haggle/simulator/acp"
	"github.com/haggle-commerce/haggle/simulator/decimal"
)

const goodToken = "spt_sandbox_ok"

func (w *world) arrivesFor(quantity int, name, label string) error {
	if err := w.startBuyer(); err != nil {
		return err
	}
	return w.view(name, label, quantity)
}

func (w *world) arrivesAndAgrees(quantity int, name, price string) error {
	if err := w.startBuyer(); err != nil {
		return err
	}
	return w.agrees(quantity, name, price)
}

func (w *world) agrees(quantity int, name, price string) error {
	if err := w.view(name, "", quantity); err != nil {
		return err
	}
	if err := w.offers(price); err != nil {
		return err
	}
	return w.acceptsAt(price)
}

func (w *world) isAtCheckout(quantity int, name string) error {
	if err := w.arrivesFor(quantity, name, ""); err != nil {
		return err
	}
	return w.mustAct(func(b *shopper) { b.InitCheckoutAtList(b.address) })
}

func (w *world) isAtCheckoutWithTwo(first int, one string, second int, other string) error {
	if err := w.arrivesFor(first, one, ""); err != nil {
		return err
	}
	items := []acp.CheckoutItem{
		{ProductID: w.products[one].ID, Quantity: first}, {ProductID: w.products[other].ID, Quantity: second},
	}
	return w.mustAct(func(b *shopper) { b.InitCheckoutWith(acp.InitRequest{Items: items, ShippingAddress: b.address}) })
}

func (w *world) areAtCheckout(buyers int, name string) error {
	for range buyers {
		if err := w.isAtCheckout(1, name); err != nil {
			return err
		}
		w.checkoutQueue = append(w.checkoutQueue, w.shopper)
	}
	return nil
}

func (w *world) hasOrdered(quantity int, name string) error {
	if err := w.isAtCheckout(quantity, name); err != nil {
		return err
	}
	return w.paysSuccessfully()
}

func (w *world) paysSuccessfully() error {
	if err := w.pays(acp.PSPToken, goodToken); err != nil {
		return err
	}
	return w.paymentSucceeds()
}

func (w *world) paysDeclined(times int) error {
	for range times {
		if err := w.pays(acp.PSPToken, "spt_sandbox_decline_do_not_honor"); err != nil {
			return err
		}
		if answer := w.shopper.Finalized; w.refusal != nil || !answer.RetryAllowed || answer.CheckoutStatus != "pending" {
			return errOr(w.refusal, fmt.Sprintf("retry_allowed %v, checkout %s", answer.RetryAllowed, answer.CheckoutStatus))
		}
	}
	return nil
}

func (w *world) paymentIsRefused(status int, code string) error {
	if err := w.pays(acp.PSPToken, goodToken); err != nil {
		return err
	}
	return w.isRefused(status, code)
}

// checksOut opens a checkout at the agreed price or, without an agreement, at the list price of the product in view.
func (w *world) checksOut() error {
	return w.act(func(b *shopper) {
		if b.Agreement != nil {
			b.InitCheckout(b.address)
			return
		}
		b.InitCheckoutAtList(b.address)
	})
}

func (w *world) checksOutAt(price string) error {
	amount, err := decimal.Parse(price)
	if err != nil {
		return err
	}
	return w.act(func(b *shopper) {
		item := acp.CheckoutItem{
			ProductID:       b.Product.ProductID,
			Quantity:        b.Quantity,
			NegotiatedPrice: &amount,
		}
		b.InitCheckoutWith(acp.InitRequest{
			CheckoutToken:   b.token(),
			Items:           []acp.CheckoutItem{item},
			ShippingAddress: b.address,
		})
	})
}

func (b *shopper) token() string {
	if b.Agreement == nil {
		return ""
	}
	return b.Agreement.Token
}

func (w *world) checksOutTo(country, state string) error {
	w.shopper.address.Country, w.shopper.address.State = country, state
	return w.checksOut()
}

func (w *world) checksOutWithToken(quantity int, name string) error {
	item := acp.CheckoutItem{ProductID: w.products[name].ID, Quantity: quantity}
	return w.act(func(b *shopper) {
		b.InitCheckoutWith(acp.InitRequest{
			CheckoutToken:   b.token(),
			Items:           []acp.CheckoutItem{item},
			ShippingAddress: b.address,
		})
	})
}

func (w *world) checksOutLines(lines int, name string) error {
	item := acp.CheckoutItem{ProductID: w.products[name].ID, Quantity: 1}
	return w.act(func(b *shopper) {
		b.InitCheckoutWith(acp.InitRequest{Items: slices.Repeat([]acp.CheckoutItem{item}, lines), ShippingAddress: b.address})
	})
}

func (w *world) pays(method, token string) error {
	w.recordOrder()
	return w.act(func(b *shopper) { b.Pay(method, token) })
}

// recordOrder records the buyer's current order before it pays again.
func (w *world) recordOrder() {
	if w.shopper != nil && w.shopper.Paid() {
		w.recordedIDs = []string{w.shopper.Finalized.Order.ID}
	}
}

func (w *world) paysForShipping(option string) error {
	return w.act(func(b *shopper) { b.PayShipping(acp.PSPToken, goodToken, option) })
}

func (w *world) paysWithNote(characters int) error {
	return w.act(func(b *shopper) {
		b.Notes = randomLetters(characters)
		b.Pay(acp.PSPToken, goodToken)
	})
}

func (w *world) paysForRemembered() error {
	return w.buyerSends("POST", "/acp/checkout/finalize",
		`{"checkout_id": "$remembered_checkout", "payment": {"method": "psp_spt", "token": "spt_sandbox_ok"}}`)
}

func (w *world) paysAgain() error {
	w.recordOrder()
	return w.act(func(b *shopper) { b.FinalizeAgain() })
}

func (w *world) paysConcurrently(times int) {
	found := make([]string, times)
	request := acp.FinalizeRequest{
		CheckoutID: w.shopper.Checkout.CheckoutID, Payment: acp.Payment{Method: acp.PSPToken, Token: goodToken},
	}
	w.runConcurrently(times, func(i int) error {
		answer, err := w.shopper.client.Finalize(w.ctx, request)
		found[i] = answer.Order.ID
		return err
	})
	w.recordedIDs = found
}

func (w *world) allPayConcurrently() {
	w.runConcurrently(len(w.checkoutQueue), func(i int) error {
		b := w.checkoutQueue[i]
		b.Pay(acp.PSPToken, goodToken)
		return b.TakeErr()
	})
}

func (w *world) paymentSucceeds() error {
	if w.refusal != nil {
		return w.refusal
	}
	if answer := w.shopper.Finalized; !w.shopper.Paid() || answer.Payment.Status != "succeeded" || answer.Order.ID == "" {
		return fmt.Errorf("the answer is %s: %+v", answer.Status, answer.Error)
	}
	return nil
}

func (w *world) sameOrder() error {
	if err := w.paymentSucceeds(); err != nil {
		return err
	}
	if id := w.shopper.Finalized.Order.ID; len(w.recordedIDs) != 1 || w.recordedIDs[0] != id {
		return fmt.Errorf("order %s after %v", id, w.recordedIDs)
	}
	return nil
}

func (w *world) allSameOrder() error {
	if err := errors.Join(w.concurrentErrs...); err != nil {
		return err
	}
	if distinct := slices.Compact(slices.Sorted(slices.Values(w.recordedIDs))); len(distinct) != 1 || distinct[0] == "" {
		return fmt.Errorf("the orders are %q", distinct)
	}
	return nil
}

func (w *world) answerHasRetryAfter() error {
	answer := w.recorder.last()
	return errors.Join(
		checkValue(answer.value(), "retry_after", "at least 1"),
		checkValue(map[string]any{"Retry-After": answer.header.Get("Retry-After")}, "Retry-After", "matches ^[1-9]"),
	)
}

func (w *world) orderHolds(quantity int, name, which string) error {
	if err := w.paymentSucceeds(); err != nil {
		return err
	}
	items := w.shopper.Finalized.Summary.Items
	for _, item := range items {
		if item.Name == name && item.Quantity == quantity {
			return isPrice(item.Price, w.agreedPrice(which).String())
		}
	}
	return fmt.Errorf("it holds %+v", items)
}
