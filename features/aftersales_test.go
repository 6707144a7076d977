package features

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/haggle-commerce/haggle/simulator/acp"
	"github.com/haggle-commerce/haggle/simulator/exchange"
)

// aftersalesContext reads receipts and returns goods.
type aftersalesContext struct{ *scenario }

func (c *aftersalesContext) hasOrderedUnderName(name string) error {
	if err := c.checkouts.arrivesFor(1, c.product.Name, ""); err != nil {
		return err
	}
	c.shopper.address.Name = name
	if err := c.checkouts.checksOut(); err != nil {
		return err
	}
	return c.checkouts.paysSuccessfully()
}

func (c *aftersalesContext) opensReceipt() error {
	path, ours := strings.CutPrefix(c.shopper.Finalized.ReceiptURL, c.app.URL())
	if !ours {
		return fmt.Errorf("the receipt is at %q", c.shopper.Finalized.ReceiptURL)
	}
	return c.attempt(func() error {
		response, err := c.connection.Do(c.ctx, exchange.Request{Method: "GET", Path: path})
		if err == nil && !response.OK() {
			return acp.ErrorOf(response)
		}
		return err
	})
}

// receiptIsInert checks that the page's policy forbids scripts and subresources, and that the page references none.
func (c *aftersalesContext) receiptIsInert() error {
	header := c.recorder.last().header
	var wrong error
	policy := header.Get("Content-Security-Policy")
	if !strings.Contains(policy, "default-src 'none'") || strings.Contains(policy, "script-src") || strings.Contains(policy, "unsafe") {
		wrong = fmt.Errorf("its policy is %q", policy)
	}
	if kind := header.Get("Content-Type"); !strings.HasPrefix(kind, "text/html") {
		wrong = errors.Join(wrong, fmt.Errorf("it is %q", kind))
	}
	for _, tag := range []string{"<script", "<img", "<link", "<iframe"} {
		wrong = errors.Join(wrong, c.lastBodyContains(tag, false))
	}
	return wrong
}

func (c *aftersalesContext) returnsItems(quantity int, name string) error {
	return c.act(func(b *shopper) {
		b.Product.ProductID = c.products[name].ID
		b.Variant.ID = c.products[name].Variants[0].ID
		b.SendBack(quantity, "Too large")
	})
}

func (c *aftersalesContext) returnsConcurrently(quantity int, name string, times int) {
	request := acp.ReturnRequest{
		OrderID: c.shopper.Finalized.Order.ID, Items: []acp.ReturnItem{{ProductID: c.products[name].ID, Quantity: quantity}},
	}
	c.runConcurrently(times, func(int) error {
		_, err := c.shopper.client.CreateReturn(c.ctx, request)
		return err
	})
}

func (c *aftersalesContext) returnReadsTheSame() error {
	before := c.recorder.last().value()
	if _, err := c.shopper.client.Return(c.ctx, c.shopper.Return.ReturnID); err != nil {
		return err
	}
	if now := c.recorder.last().value(); !equalJSON(before, now) {
		return fmt.Errorf("it reads %s, it was %s", encode(now), encode(before))
	}
	return nil
}

// cancellationProofs are bodies of requests to cancel an order, by the steps' words for what they prove it with.
var cancellationProofs = map[string]string{
	"its token":               `{"manage_token": "$manage_token", "reason": "Ordered twice"}`,
	"its own session":         `{"session_id": "$session"}`,
	"nothing":                 `{}`,
	"the order's id":          `{"manage_token": "$order"}`,
	"a made-up token":         `{"manage_token": "om_made_up"}`,
	"another order's token":   `{"manage_token": "$remembered_manage_token"}`,
	"another buyer's session": `{"session_id": "$remembered_session"}`,
}

// cancelsWith cancels the order as a buyer. If that is not refused, it checks the answer.
func (c *aftersalesContext) cancelsWith(proof string) error {
	body, known := cancellationProofs[proof]
	if !known {
		return fmt.Errorf("nobody cancels with %s", proof)
	}
	err := c.buyerSends("POST", "/acp/orders/$order/cancel", body)
	if err != nil || c.refusal != nil {
		return err
	}
	return errors.Join(c.statusIs(200), c.answerShows("order.status", `"canceled"`))
}

// idShowsNoBuyer reads the order and its receipt without the manage token, then with it.
func (c *aftersalesContext) idShowsNoBuyer() error {
	const buyer = "A. Buyer"
	read := func(path string) error {
		return errors.Join(c.buyerSends("GET", path, ""), c.unexpectedRefusal())
	}
	return errors.Join(
		read("/acp/orders/$order"),
		c.answerShows(
			"order.id", `"$order"`,
			"summary.total", `205.99`,
			"order.manage_token", "absent",
			"receipt_url", "absent",
			"payment.method", `"psp_spt"`,
		),
		c.lastBodyContains(buyer, false),
		read("/acp/orders/$order/receipt"),
		c.lastBodyContains("205.99", true),
		c.lastBodyContains(buyer, false),
		read("/acp/orders/$order?manage_token=$manage_token"),
		c.answerShows("receipt_url", "matches /receipt/rc_", "payment.method", "present"),
	)
}

func (c *aftersalesContext) productIsNotReturnable(name string) error {
	if _, err := c.buyerClient(c.shop.Slug).Product(c.ctx, acp.ProductRequest{ProductID: c.products[name].ID}); err != nil {
		return err
	}
	return c.answerShows("returns.allowed", "false", "returns.window_days", "0")
}

func (c *aftersalesContext) extendsSession(minutes int) error {
	return c.act(func(b *shopper) { b.ReadSession().Extend(minutes) })
}

// sessionEndsLater rounds to minutes because some time passes between reading and extending the session.
func (c *aftersalesContext) sessionEndsLater(minutes int) error {
	if c.refusal != nil {
		return c.refusal
	}
	before, after := c.shopper.Session.ExpiresAt, c.shopper.Extended.NewExpiresAt
	if got := after.Sub(before).Round(time.Minute); got != time.Duration(minutes)*time.Minute {
		return fmt.Errorf("it ends %s later", got)
	}
	return nil
}
