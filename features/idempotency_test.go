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

func (w *world) closesShopWithKey(key string) error {
	header := http.Header{idempotencyHeader: {key}, "X-Confirm-Delete": {w.shop.ID}}
	return w.attempt(func() error { return w.send("DELETE", w.shopPath(), "", header) })
}

func (w *world) buyerSendsToOtherShopWithKey(key, method, path, body string) error {
	return w.attempt(func() error {
		header := http.Header{idempotencyHeader: {textOfLength(key)}}
		response, err := w.buyerClient(w.otherShops[0].Slug).Do(w.ctx, method, path, header, []byte(body))
		if err == nil && !response.OK() {
			return acp.ErrorOf(response)
		}
		return err
	})
}

func (w *world) isReplay() error {
	before, err := w.previousAnswer()
	if err != nil {
		return err
	}
	now := w.recorder.last()
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

func (w *world) isNotReplay() error {
	if got := w.recorder.last().header.Get(replayedHeader); got != "" {
		return fmt.Errorf("%s is %q", replayedHeader, got)
	}
	return nil
}

func (w *world) createsConcurrentlyWithKey(key string, times int) {
	product := merchant.Product{
		Name:  "Tent",
		SKU:   "T-1",
		Price: percent(10),
	}
	w.runConcurrently(times, func(int) error {
		_, err := w.merchant.CreateProduct(w.ctx, product, merchant.IdempotencyKey(key))
		return err
	})
}

func (w *world) paysConcurrentlyWithKey(key string, times int) {
	request := acp.FinalizeRequest{
		CheckoutID: w.shopper.Checkout.CheckoutID, Payment: acp.Payment{Method: acp.PSPToken, Token: goodToken},
		BuyerEmail: "buyer@example.com",
	}
	w.runConcurrently(times, func(int) error {
		_, err := w.shopper.client.Finalize(w.ctx, request, acp.IdempotencyKey(key))
		return err
	})
}

// allGotSameAnswer checks that the concurrent requests got one answer and its replays, or 409 idempotency_in_progress.
func (w *world) allGotSameAnswer() error {
	var first []byte
	replays := 0
	for _, a := range w.recorder.all()[w.concurrentFrom:] {
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
	for _, err := range w.concurrentErrs {
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
