package features

import (
	"bytes"
	"fmt"
	"net/http"

	"github.com/haggle-commerce/haggle/simulator/acp"
	"github.com/haggle-commerce/haggle/simulator/merchant"
)

const (
	idempotencyHeader = "Idempotency-Key"
	replayedHeader    = "Idempotent-Replayed"
)

// idempotencyContext repeats requests under idempotency keys.
type idempotencyContext struct{ *scenario }

func (c *idempotencyContext) closesShopWithKey(key string) error {
	header := http.Header{idempotencyHeader: {key}, "X-Confirm-Delete": {c.shop.ID}}
	return c.attempt(func() error { return c.send("DELETE", c.shops.shopPath(), "", header) })
}

func (c *idempotencyContext) buyerSendsToOtherShopWithKey(key, method, path, body string) error {
	return c.attempt(func() error {
		header := http.Header{idempotencyHeader: {textOfLength(key)}}
		response, err := c.buyerClient(c.otherShops[0].Slug).Do(c.ctx, method, path, header, []byte(body))
		if err == nil && !response.OK() {
			return acp.ErrorOf(response)
		}
		return err
	})
}

func (c *idempotencyContext) isReplay() error {
	before, err := c.previousAnswer()
	if err != nil {
		return err
	}
	now := c.recorder.last()
	switch {
	case now.status != before.status, !bytes.Equal(now.body, before.body):
		return fmt.Errorf("before: %d %.300s\nnow: %d %.300s", before.status, before.body, now.status, now.body)
	case before.header.Get(replayedHeader) != "", now.header.Get(replayedHeader) != "true":
		return fmt.Errorf("%s was %q and is %q", replayedHeader, before.header.Get(replayedHeader), now.header.Get(replayedHeader))
	case now.header.Get("Content-Type") != before.header.Get("Content-Type"):
		return fmt.Errorf("it was %q and is %q", before.header.Get("Content-Type"), now.header.Get("Content-Type"))
	}
	return nil
}

func (c *idempotencyContext) isNotReplay() error {
	if got := c.recorder.last().header.Get(replayedHeader); got != "" {
		return fmt.Errorf("%s is %q", replayedHeader, got)
	}
	return nil
}

// createsWithKey creates a product, which must answer 201.
func (c *idempotencyContext) createsWithKey(name, key string) error {
	body := fmt.Sprintf(`{"name": %q, "sku": "T-1", "price": 10}`, name)
	return c.sendsSuccessfully("merchant", key, "POST", productsPath, body, http.StatusCreated)
}

// adjustsStockWithKey removes pieces from stock.
func (c *idempotencyContext) adjustsStockWithKey(quantity int, name, key string) error {
	body := fmt.Sprintf(`{"adjustments": [{"sku": %q, "location": "main", "delta": -%d, "reason": "broken"}]}`, c.products[name].SKU, quantity)
	return c.sendsSuccessfully("merchant", key, "POST", inventoryPath+"/adjust", body, http.StatusOK)
}

// paysWithKey pays for the buyer's current checkout.
func (c *idempotencyContext) paysWithKey(key string) error {
	body := `{"checkout_id": "$checkout", "payment": {"method": "psp_spt", "token": "` + goodToken + `"}}`
	return c.sendsSuccessfully("buyer", key, "POST", "/acp/checkout/finalize", body, http.StatusOK)
}

// sendsSuccessfully sends a request under an idempotency key. Its answer must have the status.
func (c *idempotencyContext) sendsSuccessfully(who, key, method, path, body string, status int) error {
	if err := c.sendsWith(http.Header{idempotencyHeader: {key}}, who, method, path, body); err != nil {
		return err
	}
	if err := c.unexpectedRefusal(); err != nil {
		return err
	}
	return c.statusIs(status)
}

func (c *idempotencyContext) createsConcurrentlyWithKey(name, key string, times int) {
	product := merchant.Product{
		Name:  name,
		SKU:   "T-1",
		Price: percent(10),
	}
	c.runConcurrently(times, func(int) error {
		_, err := c.merchant.CreateProduct(c.ctx, product, merchant.IdempotencyKey(key))
		return err
	})
}

func (c *idempotencyContext) paysConcurrentlyWithKey(key string, times int) {
	request := acp.FinalizeRequest{
		CheckoutID: c.shopper.Checkout.CheckoutID, Payment: acp.Payment{Method: acp.PSPToken, Token: goodToken},
		BuyerEmail: "buyer@example.com",
	}
	c.runConcurrently(times, func(int) error {
		_, err := c.shopper.client.Finalize(c.ctx, request, acp.IdempotencyKey(key))
		return err
	})
}

// allGotSameAnswer checks that the concurrent requests got one answer and its replays, or 409 idempotency_in_progress.
func (c *idempotencyContext) allGotSameAnswer() error {
	var first []byte
	replays := 0
	for _, a := range c.recorder.all()[c.concurrentFrom:] {
		switch {
		case a.status == http.StatusConflict, a.status == http.StatusServiceUnavailable:
			// a conflict is checked below; runConcurrently has retried a busy server
		case first == nil:
			first = a.body
		case !bytes.Equal(first, a.body):
			return fmt.Errorf("%.300s\nand %.300s", first, a.body)
		}
		if a.status < 300 && a.header.Get(replayedHeader) == "" {
			replays++
		}
	}
	for _, err := range c.concurrentErrs {
		if err == nil {
			continue
		}
		if err := wantRefusal(err, http.StatusConflict, "idempotency_in_progress"); err != nil {
			return err
		}
	}
	if replays != 1 {
		return fmt.Errorf("%d answers are no replays", replays)
	}
	return nil
}
