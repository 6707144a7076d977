package journey

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// buyer sends the five requests of a journey. It does as little work of its own as possible, because it shares the server's
// cores.
type buyer struct {
	urls   []string // the shop's URL at each replica
	client *http.Client
	number *atomic.Int64 // number of journeys so far
	hot    string        // the only product to buy; "": one of those that were found

	mu        sync.Mutex
	finalizes []time.Duration // including retries of refused ones
	refused   map[int]int     // responses by status that were retried
}

func newBuyer(slug string, replicas ...string) *buyer {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.MaxIdleConnsPerHost = 512
	transport.IdleConnTimeout = 30 * time.Second // the server closes idle connections after 60 s
	b := &buyer{
		client:  &http.Client{Transport: transport},
		number:  &atomic.Int64{},
		refused: map[int]int{},
	}
	for _, url := range replicas {
		b.urls = append(b.urls, url+"/p/"+slug)
	}
	return b
}

// run makes n journeys, atOnce concurrently, and returns the first error.
func (b *buyer) run(n, atOnce int) error {
	var left atomic.Int64
	left.Store(int64(n))
	failed := make(chan error, atOnce)
	var all sync.WaitGroup
	for i := range atOnce {
		url := b.urls[i%len(b.urls)]
		all.Go(func() {
			for left.Add(-1) >= 0 {
				if err := b.journey(url); err != nil {
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

// first returns a product that the search finds.
func (b *buyer) first() (string, error) {
	var found searched
	err := b.send(sender{url: b.urls[0], address: "10.255.255.255"}, "POST", "/acp/search", fmt.Sprintf(`{"query": %q}`, words[0]), &found)
	if err != nil || len(found.Results) == 0 {
		return "", fmt.Errorf("nothing found for %q: %w", words[0], err)
	}
	return found.Results[0].ProductID, nil
}

// journey searches, opens a product, agrees on a price, opens a checkout and pays.
func (b *buyer) journey(url string) error {
	n := b.number.Add(1)
	from := sender{url: url, address: fmt.Sprintf("10.%d.%d.%d", n>>16&255, n>>8&255, n&255)}
	var found searched
	query := words[n%int64(len(words))]
	if fresh {
		query += strings.Repeat(" ", int(n%1000)) // more queries than the search index caches
	}
	if err := b.send(from, "POST", "/acp/search", fmt.Sprintf(`{"query": %q}`, query), &found); err != nil {
		return err
	}
	if len(found.Results) == 0 {
		return fmt.Errorf("nothing found for %q", query)
	}
	product := cmp.Or(b.hot, found.Results[n%int64(len(found.Results))].ProductID)
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
	began := time.Now()
	err = b.send(from, "POST", "/acp/checkout/finalize", fmt.Sprintf(
		`{"checkout_id": %q, "payment": {"method": "psp_spt", "token": "spt_sandbox_ok"}, "buyer_email": "buyer@example.com"}`, checkout.ID), &paid)
	if err == nil && paid.Status != "success" {
		err = fmt.Errorf("finalize ended with %q", paid.Status)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.finalizes = append(b.finalizes, time.Since(began))
	return err
}

// sender is the destination of requests and the address that they come from.
type sender struct {
	url, address string
	header       http.Header // further headers
}

// mostRefused is how often one request is retried.
const mostRefused = 100

// send sends one request and retries it as long as the server is too busy. It decodes the response into a struct, or discards
// it if into is nil.
func (b *buyer) send(from sender, method, path, body string, into any) error {
	for tries := 1; ; tries++ {
		status, wait, text, err := b.once(from, method, path, body)
		switch {
		case err != nil:
			return err
		case (status == http.StatusServiceUnavailable || status == http.StatusTooManyRequests) && tries < mostRefused:
			b.mu.Lock()
			b.refused[status]++
			b.mu.Unlock()
			time.Sleep(wait)
			continue
		case status >= 300:
			return fmt.Errorf("%s %s: %d %s", method, path, status, text)
		case into == nil:
			return nil
		}
		return json.Unmarshal(text, into)
	}
}

func (b *buyer) once(from sender, method, path, body string) (status int, wait time.Duration, text []byte, err error) {
	r, err := http.NewRequest(method, from.url+path, bytes.NewBufferString(body))
	if err != nil {
		return 0, 0, nil, err
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("X-Forwarded-For", from.address)
	maps.Copy(r.Header, from.header)
	answer, err := b.client.Do(r)
	if err != nil {
		return 0, 0, nil, err
	}
	defer answer.Body.Close()
	seconds, _ := strconv.Atoi(answer.Header.Get("Retry-After"))
	text, err = io.ReadAll(answer.Body)
	return answer.StatusCode, time.Duration(seconds) * time.Second, text, err
}

// forget discards what was recorded so far.
func (b *buyer) forget() {
	b.finalizes = nil
	clear(b.refused)
}

// report reports the duration of finalizes, and how many requests the server refused.
func (b *buyer) report(tb *testing.B) {
	slices.Sort(b.finalizes)
	for _, percent := range []int{50, 99} {
		at := b.finalizes[(len(b.finalizes)-1)*percent/100]
		tb.ReportMetric(float64(at.Microseconds())/1000, fmt.Sprintf("finalize-p%d-ms", percent))
	}
	refused := 0
	for _, status := range slices.Sorted(maps.Keys(b.refused)) {
		tb.ReportMetric(float64(b.refused[status]), fmt.Sprintf("status-%d", status))
		refused += b.refused[status]
	}
	tb.ReportMetric(float64(refused), "refused")
}

func must(tb testing.TB, err error) {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
}
