package journey

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
)

// buyer sends the five requests of a journey with as little work of its own as possible, since it runs on the
// server's cores.
type buyer struct {
	url    string // of the shop
	client *http.Client
	number *atomic.Int64 // of journeys so far
}

func newBuyer(url, slug string) *buyer {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.MaxIdleConnsPerHost = 128
	return &buyer{
		url:    url + "/p/" + slug,
		client: &http.Client{Transport: transport},
		number: &atomic.Int64{},
	}
}

// run makes n journeys, so many at once, and returns the first error.
func (b *buyer) run(n, atOnce int) error {
	var left atomic.Int64
	left.Store(int64(n))
	failed := make(chan error, atOnce)
	var all sync.WaitGroup
	for range atOnce {
		all.Go(func() {
			for left.Add(-1) >= 0 {
				if err := b.journey(); err != nil {
					failed <- err
					return
				}
			}
		})
	}
	all.Wait()
	close(failed)
	return <-failed
}

var words = []string{"lantern", "camping tent", "wool blanket", "kettle", "running shoes", "garden chair", "desk lamp", "backpack"}

type searched struct {
	SessionID string `json:"session_id"`
	Results   []struct {
		ProductID string `json:"product_id"`
	} `json:"results"`
}

type quoted struct {
	Status        string      `json:"status"`
	CheckoutToken string      `json:"checkout_token"`
	FinalPrice    json.Number `json:"final_price"`
}

const address = `{"name": "A. Buyer", "line1": "1 Main St", "city": "Springfield", "state": "IL", "postal_code": "62701", "country": "US"}`

// journey searches, looks at a product, agrees on a price, opens a checkout and pays.
func (b *buyer) journey() error {
	n := b.number.Add(1)
	from := fmt.Sprintf("10.%d.%d.%d", n>>16&255, n>>8&255, n&255)
	var found searched
	if err := b.send(from, "POST", "/acp/search", fmt.Sprintf(`{"query": %q}`, words[n%int64(len(words))]), &found); err != nil {
		return err
	}
	if len(found.Results) == 0 {
		return fmt.Errorf("nothing found for %q", words[n%int64(len(words))])
	}
	product := found.Results[n%int64(len(found.Results))].ProductID
	if err := b.send(from, "GET", "/acp/products/"+product+"?session_id="+found.SessionID, "", nil); err != nil {
		return err
	}
	var quote quoted
	ask := fmt.Sprintf(`{"session_id": %q, "product_id": %q, "quantity": 1, "offer_price": %s}`, found.SessionID, product, offered)
	if err := b.send(from, "POST", "/acp/quote", ask, &quote); err != nil {
		return err
	}
	if quote.CheckoutToken == "" {
		return fmt.Errorf("an offer of %s was answered by %q", offered, quote.Status)
	}
	var checkout struct {
		ID string `json:"checkout_id"`
	}
	err := b.send(from, "POST", "/acp/checkout/init", fmt.Sprintf(
		`{"session_id": %q, "checkout_token": %q, "items": [{"product_id": %q, "quantity": 1, "negotiated_price": %s}], "shipping_address": %s, "billing_same_as_shipping": true}`,
		found.SessionID, quote.CheckoutToken, product, quote.FinalPrice, address), &checkout)
	if err != nil {
		return err
	}
	var paid struct {
		Status string `json:"status"`
	}
	err = b.send(from, "POST", "/acp/checkout/finalize", fmt.Sprintf(
		`{"checkout_id": %q, "payment": {"method": "psp_spt", "token": "spt_sandbox_ok"}, "buyer_email": "buyer@example.com"}`, checkout.ID), &paid)
	if err == nil && paid.Status != "success" {
		err = fmt.Errorf("finalize ended with %q", paid.Status)
	}
	return err
}

// send sends one request and reads the answer into a struct, or drops it where that is nil.
func (b *buyer) send(from, method, path, body string, into any) error {
	r, err := http.NewRequest(method, b.url+path, bytes.NewBufferString(body))
	if err != nil {
		return err
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("X-Forwarded-For", from)
	answer, err := b.client.Do(r)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	switch {
	case err != nil:
		return err
	case answer.StatusCode >= 300:
		return fmt.Errorf("%s %s: %d %s", method, path, answer.StatusCode, text)
	case into == nil:
		return nil
	}
	return json.Unmarshal(text, into)
}

func must(tb testing.TB, err error) {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
}
