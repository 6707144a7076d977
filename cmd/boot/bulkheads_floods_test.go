package boot_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/cmd/boot"
	"github.com/haggle-commerce/haggle/cmd/boot/boottest"
	"github.com/haggle-commerce/haggle/simulator/receiver"
)

// In these tests one merchant's webhook receivers hang, or one merchant's searches or imports are flooded. The other merchant's
// requests must all be served.

// slowP99 is the smallest p99 that counts as slow, because below it the p99 of a busy machine may double anyway. During a
// flood, which keeps all processors busy, no p99 counts as slow: each request only has to be served.
const slowP99 = 2 * time.Second

// baseline is a merchant's requests, with their p99 while there were no other requests.
type baseline struct {
	*testing.T
	concurrency int // requests under way at a time
	n, status   int
	of          func(i int) *http.Request
	p99         time.Duration
	flooded     bool
}

// measureBaseline sends n requests, some of them concurrently. All must succeed.
func measureBaseline(t *testing.T, concurrency, n, status int, of func(i int) *http.Request) *baseline {
	t.Helper()
	c := &baseline{
		T:           t,
		concurrency: concurrency,
		n:           n,
		status:      status,
		of:          of,
	}
	c.p99 = c.ask()
	return c
}

func (c *baseline) ask() time.Duration {
	c.Helper()
	requests := make(chan *http.Request, c.n)
	for i := range c.n {
		requests <- c.of(i)
	}
	close(requests)
	var all sync.WaitGroup
	var mu sync.Mutex
	var times []time.Duration
	statuses := map[int]int{}
	for range c.concurrency {
		all.Go(func() {
			for r := range requests {
				began, status := time.Now(), c.send(r)
				for again := 0; c.flooded && status == http.StatusServiceUnavailable && again < maxRetries; again++ {
					status = c.send(r)
				}
				mu.Lock()
				times = append(times, time.Since(began))
				statuses[status]++
				mu.Unlock()
			}
		})
	}
	all.Wait()
	if statuses[c.status] != c.n {
		c.Errorf("of %d requests of the other merchant: %v, want all of them %d", c.n, statuses, c.status)
	}
	return p99(times)
}

// maxRetries is how often a request that was shed during a flood is sent again. On a machine with few processors, a place that
// is reserved for the merchant may not become free within one second. Without reserved places, four of five requests would be
// shed, which the retries do not hide.
const maxRetries = 4

// send returns the response's status, or 0 if there was none.
func (c *baseline) send(r *http.Request) int {
	again := r.Clone(r.Context())
	if r.GetBody != nil {
		again.Body, _ = r.GetBody() // in memory: it cannot fail
	}
	answer, err := http.DefaultClient.Do(again)
	if err != nil {
		return 0
	}
	answer.Body.Close()
	return answer.StatusCode
}

// expectUnaffected sends the requests again during others' requests, and expects all of them to succeed about as fast.
func (c *baseline) expectUnaffected() {
	c.Helper()
	c.expectLatency(c.ask(), "the other merchant's requests")
}

func (c *baseline) expectLatency(busy time.Duration, what string) {
	c.Helper()
	c.Logf("p99 of %s: %s, %s when it was quiet", what, busy, c.p99)
	if !c.flooded && busy > max(2*c.p99, slowP99) {
		c.Errorf("p99 of %s: %s, %s when it was quiet", what, busy, c.p99)
	}
}

func p99(times []time.Duration) time.Duration {
	slices.Sort(times)
	return times[(len(times)-1)*99/100]
}

// flood keeps n requests under way until stop is called, which returns the number of responses by status. flood returns once
// n requests were answered.
func flood(t *testing.T, n int, of func(ctx context.Context, worker, i int) *http.Request) (stop func() map[int]int) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: n}}
	var all sync.WaitGroup
	var mu sync.Mutex
	var answered atomic.Int64
	statuses := map[int]int{}
	for worker := range n {
		all.Go(func() {
			for i := 0; ctx.Err() == nil; i++ {
				answer, err := client.Do(of(ctx, worker, i))
				if err != nil {
					continue // the flood is over
				}
				answer.Body.Close()
				answered.Add(1)
				mu.Lock()
				statuses[answer.StatusCode]++
				mu.Unlock()
			}
		})
	}
	stop = sync.OnceValue(func() map[int]int {
		cancel()
		all.Wait()
		client.CloseIdleConnections()
		return statuses
	})
	t.Cleanup(func() { stop() })
	eventually(t, "answers to the flood", func() bool { return answered.Load() >= int64(n) })
	return stop
}

// twoShops opens shops of two merchants.
func twoShops(t *testing.T, app *boot.App) (first, second testShop) {
	t.Helper()
	made, err := app.IssueKey(t.Context(), boot.KeyRequest{
		Name:       "other",
		Scopes:     []string{"*"},
		NewAccount: "Other",
	})
	if err != nil {
		t.Fatal(err)
	}
	return openTestShop(t, app, "first"), openShopOf(apiClient{t, app.URL(), made.Secret}, "second")
}

func (s testShop) search(i int) *http.Request {
	return request(s.T, "POST", s.acp+"/acp/search", fmt.Sprintf(`{"query": "bright lantern for a long night, number %d"}`, i))
}

func (s testShop) manage(method, path, body string) *http.Request {
	r := request(s.T, method, s.url+path, body)
	r.Header.Set("Authorization", "Bearer "+s.key)
	r.Header.Set("X-Project-ID", s.id())
	return r
}

// mixedRequest returns the i-th of a mix of requests by a shop's buyers and its merchant.
func (s testShop) mixedRequest(i int) *http.Request {
	switch i % 4 {
	case 0:
		return s.search(i)
	case 1:
		return s.offer(i % 20)
	case 2:
		return s.manage("GET", "/v1/catalog/products/"+s.product, "")
	}
	return s.manage("PATCH", "/v1/catalog/products/"+s.product, fmt.Sprintf(`{"description": "Lantern %d"}`, i))
}

// products returns a batch of a thousand products, which have other texts and prices in each version.
func products(version int) string {
	list := make([]map[string]any, 1000)
	for i := range list {
		list[i] = map[string]any{
			"name": fmt.Sprintf("Lantern %d", i), "sku": fmt.Sprintf("F-%d", i), "price": 50 + version, "category": "lights", "quantity": 5,
			"description": fmt.Sprintf("A bright lantern for a long night, model %d of series %d", i, version),
		}
	}
	text, _ := json.Marshal(map[string]any{"products": list}) // strings and numbers cannot fail
	return string(text)
}

func onTwoShops(t *testing.T, test func(t *testing.T, first, second testShop)) {
	t.Helper()
	t.Parallel()
	for _, engine := range boottest.Engines {
		t.Run(engine.Name, func(t *testing.T) {
			t.Parallel()
			app := boottest.Start(t, engine.URL(t), func(c *boot.Config) { c.AllowLoopback = true })
			first, second := twoShops(t, app)
			test(t, first, second)
		})
	}
}

// Buyers flood one shop with searches. Requests of the other merchant and its buyers are all served.
func TestLane_searchFlood(t *testing.T) {
	onTwoShops(t, func(t *testing.T, first, second testShop) {
		first.call(200, "POST", "/v1/catalog/products/batch", products(0), first.project)
		quiet := measureBaseline(t, 4, 100, 200, second.mixedRequest)
		quiet.flooded = true
		stop := flood(t, 400, func(ctx context.Context, worker, i int) *http.Request {
			return first.search(worker + i).WithContext(ctx)
		})
		quiet.expectUnaffected()
		t.Logf("the flood: %v", stop())
	})
}

// One merchant floods the server with imports. Requests of the other merchant and its buyers are all served.
func TestLane_importFlood(t *testing.T) {
	onTwoShops(t, func(t *testing.T, first, second testShop) {
		batches := []string{products(0), products(1)}
		quiet := measureBaseline(t, 4, 100, 200, second.mixedRequest)
		quiet.flooded = true
		stop := flood(t, 20, func(ctx context.Context, worker, i int) *http.Request {
			return first.manage("POST", "/v1/catalog/products/batch", batches[(worker+i)%2]).WithContext(ctx)
		})
		quiet.expectUnaffected()
		t.Logf("the flood: %v", stop())
	})
}

// Twelve receivers of one merchant do not answer, and events wait for all of them. The other merchant's events arrive in time.
func TestOpenPublishing_hangingReceivers(t *testing.T) {
	onTwoShops(t, func(t *testing.T, first, second testShop) {
		h := startHangingServer(t, anyRequest, nil)
		healthy, err := receiver.Start()
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { healthy.Close() })
		subscribe := func(s testShop, url string) {
			s.call(201, "POST", "/v1/event-subscriptions", fmt.Sprintf(`{"url": %q, "event_types": ["quote.accepted"]}`, url), s.project)
		}
		const events, slow = 30, 28 // deliveries under way to slow receivers of one merchant
		buys := func(s testShop) func(i int) *http.Request {
			return func(int) *http.Request {
				return request(t, "POST", s.acp+"/acp/quote", fmt.Sprintf(`{"product_id": %q, "quantity": 1, "offer_price": 100}`, s.product))
			}
		}
		subscribe(second, healthy.URL())
		quiet := measureBaseline(t, 4, events, 200, buys(second))
		came, err := healthy.Wait("quote.accepted", events, 30*time.Second)
		if err != nil {
			t.Fatal(err)
		}
		deliveries := &baseline{T: t, p99: p99(lags(came))}

		for i := range 12 {
			subscribe(first, fmt.Sprintf("%s/%d", h.url, i))
		}
		expectAll(t, events, 200, buys(first))
		eventually(t, "receivers that do not answer", func() bool { return h.waits.Load() >= slow })
		quiet.expectUnaffected()
		if came, err = healthy.Wait("quote.accepted", 2*events, 30*time.Second); err != nil {
			t.Fatal(err)
		}
		deliveries.expectLatency(p99(lags(came[events:])), "deliveries to the other merchant")
	})
}
