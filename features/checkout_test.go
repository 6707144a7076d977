package features

import (
	"errors"
	"fmt"
	"slices"

	"github.com/haggle-commerce/haggle/simulator/acp"
	"github.com/haggle-commerce/haggle/simulator/decimal"
)

const goodToken = "spt_sandbox_ok"

// checkoutsContext checks out, pays, and checks payments and orders.
type checkoutsContext struct {
	*scenario

	declineReason string // of the latest declined card
}

func (c *checkoutsContext) arrivesFor(quantity int, name, label string) error {
	if err := c.startBuyer(); err != nil {
		return err
	}
	return c.buyers.view(name, label, quantity)
}

func (c *checkoutsContext) arrivesAndAgrees(quantity int, name, price string) error {
	if err := c.startBuyer(); err != nil {
		return err
	}
	return c.agrees(quantity, name, price)
}

func (c *checkoutsContext) agrees(quantity int, name, price string) error {
	if err := c.buyers.view(name, "", quantity); err != nil {
		return err
	}
	if err := c.haggling.offers(price); err != nil {
		return err
	}
	return c.haggling.acceptsAt(price)
}

func (c *checkoutsContext) isAtCheckout(quantity int, name string) error {
	if err := c.arrivesFor(quantity, name, ""); err != nil {
		return err
	}
	return c.mustAct(func(b *shopper) { b.InitCheckoutAtList(b.address) })
}

func (c *checkoutsContext) isAtCheckoutWithTwo(first int, one string, second int, other string) error {
	if err := c.arrivesFor(first, one, ""); err != nil {
		return err
	}
	items := []acp.CheckoutItem{
		{ProductID: c.products[one].ID, Quantity: first}, {ProductID: c.products[other].ID, Quantity: second},
	}
	return c.mustAct(func(b *shopper) { b.InitCheckoutWith(acp.InitRequest{Items: items, ShippingAddress: b.address}) })
}

func (c *checkoutsContext) areAtCheckout(buyers int, name string) error {
	for range buyers {
		if err := c.isAtCheckout(1, name); err != nil {
			return err
		}
		c.buyers.checkoutQueue = append(c.buyers.checkoutQueue, c.shopper)
	}
	return nil
}

func (c *checkoutsContext) hasOrdered(quantity int, name string) error {
	if err := c.isAtCheckout(quantity, name); err != nil {
		return err
	}
	return c.paysSuccessfully()
}

func (c *checkoutsContext) paysSuccessfully() error {
	if err := c.pays(acp.PSPToken, goodToken); err != nil {
		return err
	}
	return c.paymentSucceeds()
}

func (c *checkoutsContext) paysDeclined(times int) error {
	for range times {
		if err := c.pays(acp.PSPToken, "spt_sandbox_decline_do_not_honor"); err != nil {
			return err
		}
		if answer := c.shopper.Finalized; c.refusal != nil || !answer.RetryAllowed || answer.CheckoutStatus != "pending" {
			return errOr(c.refusal, fmt.Sprintf("retry_allowed %v, checkout %s", answer.RetryAllowed, answer.CheckoutStatus))
		}
	}
	return nil
}

// checksOut opens a checkout at the agreed price or, without an agreement, at the list price of the product in view.
func (c *checkoutsContext) checksOut() error {
	return c.act(func(b *shopper) {
		if b.Agreement != nil {
			b.InitCheckout(b.address)
			return
		}
		b.InitCheckoutAtList(b.address)
	})
}

func (c *checkoutsContext) checksOutAt(price string) error {
	amount, err := decimal.Parse(price)
	if err != nil {
		return err
	}
	return c.act(func(b *shopper) {
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

func (c *checkoutsContext) checksOutTo(country, state string) error {
	c.shopper.address.Country, c.shopper.address.State = country, state
	return c.checksOut()
}

func (c *checkoutsContext) checksOutWithToken(quantity int, name string) error {
	item := acp.CheckoutItem{ProductID: c.products[name].ID, Quantity: quantity}
	return c.act(func(b *shopper) {
		b.InitCheckoutWith(acp.InitRequest{
			CheckoutToken:   b.token(),
			Items:           []acp.CheckoutItem{item},
			ShippingAddress: b.address,
		})
	})
}

func (c *checkoutsContext) checksOutLines(lines int, name string) error {
	item := acp.CheckoutItem{ProductID: c.products[name].ID, Quantity: 1}
	return c.act(func(b *shopper) {
		b.InitCheckoutWith(acp.InitRequest{Items: slices.Repeat([]acp.CheckoutItem{item}, lines), ShippingAddress: b.address})
	})
}

func (c *checkoutsContext) pays(method, token string) error {
	c.recordOrder()
	return c.act(func(b *shopper) { b.Pay(method, token) })
}

// recordOrder records the buyer's current order before it pays again.
func (c *checkoutsContext) recordOrder() {
	if c.shopper != nil && c.shopper.Paid() {
		c.recordedIDs = []string{c.shopper.Finalized.Order.ID}
	}
}

func (c *checkoutsContext) paysForShipping(option string) error {
	return c.act(func(b *shopper) { b.PayShipping(acp.PSPToken, goodToken, option) })
}

func (c *checkoutsContext) paysWithNote(characters int) error {
	return c.act(func(b *shopper) {
		b.Notes = randomLetters(characters)
		b.Pay(acp.PSPToken, goodToken)
	})
}

func (c *checkoutsContext) paysForRemembered() error {
	return c.buyerSends("POST", "/acp/checkout/finalize",
		`{"checkout_id": "$remembered_checkout", "payment": {"method": "psp_spt", "token": "spt_sandbox_ok"}}`)
}

func (c *checkoutsContext) paysAgain() error {
	c.recordOrder()
	return c.act(func(b *shopper) { b.FinalizeAgain() })
}

func (c *checkoutsContext) paysConcurrently(times int) {
	found := make([]string, times)
	request := acp.FinalizeRequest{
		CheckoutID: c.shopper.Checkout.CheckoutID, Payment: acp.Payment{Method: acp.PSPToken, Token: goodToken},
	}
	c.runConcurrently(times, func(i int) error {
		answer, err := c.shopper.client.Finalize(c.ctx, request)
		found[i] = answer.Order.ID
		return err
	})
	c.recordedIDs = found
}

func (c *checkoutsContext) allPayConcurrently() {
	c.runConcurrently(len(c.buyers.checkoutQueue), func(i int) error {
		b := c.buyers.checkoutQueue[i]
		b.Pay(acp.PSPToken, goodToken)
		return b.TakeErr()
	})
}

func (c *checkoutsContext) paymentSucceeds() error {
	if c.refusal != nil {
		return c.refusal
	}
	if answer := c.shopper.Finalized; !c.shopper.Paid() || answer.Payment.Status != "succeeded" || answer.Order.ID == "" {
		return fmt.Errorf("the answer is %s: %+v", answer.Status, answer.Error)
	}
	return nil
}

func (c *checkoutsContext) sameOrder() error {
	if err := c.paymentSucceeds(); err != nil {
		return err
	}
	if id := c.shopper.Finalized.Order.ID; len(c.recordedIDs) != 1 || c.recordedIDs[0] != id {
		return fmt.Errorf("order %s after %v", id, c.recordedIDs)
	}
	return nil
}

func (c *checkoutsContext) allSameOrder() error {
	if err := errors.Join(c.concurrentErrs...); err != nil {
		return err
	}
	if distinct := slices.Compact(slices.Sorted(slices.Values(c.recordedIDs))); len(distinct) != 1 || distinct[0] == "" {
		return fmt.Errorf("the orders are %q", distinct)
	}
	return nil
}

func (c *checkoutsContext) answerHasRetryAfter() error {
	answer := c.recorder.last()
	return errors.Join(
		checkValue(answer.value(), "retry_after", "at least 1"),
		checkValue(map[string]any{"Retry-After": answer.header.Get("Retry-After")}, "Retry-After", "matches ^[1-9]"),
	)
}

func (c *checkoutsContext) orderHolds(quantity int, name, which string) error {
	if err := c.paymentSucceeds(); err != nil {
		return err
	}
	items := c.shopper.Finalized.Summary.Items
	for _, item := range items {
		if item.Name == name && item.Quantity == quantity {
			return isPrice(item.Price, c.haggling.agreedPrice(which).String())
		}
	}
	return fmt.Errorf("it holds %+v", items)
}
