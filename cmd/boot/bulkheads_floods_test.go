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

// One merchant's webhook receivers hang, or a crowd floods one merchant's searches or imports, and the other merchant's
// requests are all served.

// noticeable is the least p99 that counts as slow. Below it, the p99 of a busy machine may double by itself. Beside a
// flood, which keeps all processors busy, no p99 counts as slow: what counts is that each request is served.
const noticeable = 2 * time.Second

// calm is a merchant's requests, and their p99 while nobody else asked.
type calm struct {
	*testing.T
	side      int // how many requests are under way at a time
	n, status int
	of        func(i int) *http.Request
	p99       time.Duration
	flooded   bool
}

// calmly sends n requests, some side by side. All must succeed.
func calmly(t *testing.T, side, n, status int, of func(i int) *http.Request) *calm {
	t.Helper()
	c := &calm{
		T:      t,
		side:   side,
		n:      n,
		status: status,
		of:     of,
	}
	c.p99 = c.ask()
	return c
}

func (c *calm) ask() time.Duration {
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
	for range c.side {
		all.Go(func() {
			for r := range requests {
				began, status := time.Now(), c.send(r)
				for again := 0; c.flooded && status == http.StatusServiceUnavailable && again < mostAgain; again++ {
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

// mostAgain is how often a request is sent again that found no place beside a flood. Where processors are scarce, one second
// may be too short for a place that is the merchant's own to be free again. Without places of its own, four of five
// requests find none: that shows however often they are sent.
const mostAgain = 4

// send returns the answer's status; 0: there was none.
func (c *calm) send(r *http.Request) int {
	again := r.Clone(r.Context())
	if r.GetBody != nil {
		again.Body, _ = r.GetBody() // of bytes: it cannot fail
	}
	answer, err := http.DefaultClient.Do(again)
	if err != nil {
		return 0
	}
	answer.Body.Close()
	return answer.StatusCode
}

// undisturbed sends the requests again, while others ask.
func (c *calm) undisturbed() {
	c.Helper()
	c.within(c.ask(), "the other merchant's requests")
}

func (c *calm) within(busy time.Duration, what string) {
	c.Helper()
	c.Logf("p99 of %s: %s, %s when it was quiet", what, busy, c.p99)
	if !c.flooded && busy > max(2*c.p99, noticeable) {
		c.Errorf("p99 of %s: %s, %s when it was quiet", what, busy, c.p99)
	}
}

func p99(times []time.Duration) time.Duration {
	slices.Sort(times)
	return times[(len(times)-1)*99/100]
}

// flood keeps n requests under way until stop, which counts the answers by status. It returns once as many are answered.
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

// two are shops of two merchants.
func two(t *testing.T, app *boot.App) (first, second stand) {
	t.Helper()
	made, err := app.IssueKey(t.Context(), boot.KeyRequest{
		Name:       "other",
		Scopes:     []string{"*"},
		NewAccount: "Other",
	})
	if err != nil {
		t.Fatal(err)
	}
	return standAt(t, app, "first"), standOf(merchant{t, app.URL(), made.Secret}, "second")
}

func (s stand) search(i int) *http.Request {
	return request(s.T, "POST", s.acp+"/acp/search", fmt.Sprintf(`{"query": "bright lantern for a long night, number %d"}`, i))
}

func (s stand) manage(method, path, body string) *http.Request {
	r := request(s.T, method, s.url+path, body)
	r.Header.Set("Authorization", "Bearer "+s.key)
	r.Header.Set("X-Project-ID", s.id())
	return r
}

// everyday is what a shop's buyers and its merchant do.
func (s stand) everyday(i int) *http.Request {
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

// products are a batch of a thousand, the same ones with other texts and prices in each version.
func products(version int) string {
	list := make([]map[string]any, 1000)
	for i := range list {
		list[i] = map[string]any{
			"name": fmt.Sprintf("Lantern %d", i), "sku": fmt.Sprintf("F-%d", i), "price": 50 + version, "category": "lights", "quantity": 5,
			"description": fmt.Sprintf("A bright lantern for a long night, model %d of series %d", i, version),
		}
	}
	text, _ := json.Marshal(map[string]any{"products": list}) // of strings and numbers
	return string(text)
}

func onTwoShops(t *testing.T, test func(t *testing.T, first, second stand)) {
	t.Helper()
	t.Parallel()
	for _, engine := range boottest.Engines {
		t.Run(engine.Name, func(t *testing.T) {
			t.Parallel()
			app := boottest.Start(t, engine.URL(t), func(c *boot.Config) { c.AllowLoopback = true })
			first, second := two(t, app)
			test(t, first, second)
		})
	}
}

func TestAFloodOfSearchesCostsNobodyElse(t *testing.T) {
	onTwoShops(t, func(t *testing.T, first, second stand) {
		first.call(200, "POST", "/v1/catalog/products/batch", products(0), first.project)
		quiet := calmly(t, 4, 100, 200, second.everyday)
		quiet.flooded = true
		stop := flood(t, 400, func(ctx context.Context, worker, i int) *http.Request {
			return first.search(worker + i).WithContext(ctx)
		})
		quiet.undisturbed()
		t.Logf("the flood: %v", stop())
	})
}

func TestAFloodOfImportsCostsNobodyElse(t *testing.T) {
	onTwoShops(t, func(t *testing.T, first, second stand) {
		batches := []string{products(0), products(1)}
		quiet := calmly(t, 4, 100, 200, second.everyday)
		quiet.flooded = true
		stop := flood(t, 20, func(ctx context.Context, worker, i int) *http.Request {
			return first.manage("POST", "/v1/catalog/products/batch", batches[(worker+i)%2]).WithContext(ctx)
		})
		quiet.undisturbed()
		t.Logf("the flood: %v", stop())
	})
}

// Twelve receivers of one merchant do not answer, and events wait for all of them.
func TestHangingReceiversCostNobodyElse(t *testing.T) {
	onTwoShops(t, func(t *testing.T, first, second stand) {
		h := hang(t, everything, nil)
		heard, err := receiver.Start()
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { heard.Close() })
		subscribe := func(s stand, url string) {
			s.call(201, "POST", "/v1/event-subscriptions", fmt.Sprintf(`{"url": %q, "event_types": ["quote.accepted"]}`, url), s.project)
		}
		const events, slow = 30, 28 // slow receivers of one merchant have so many places
		buys := func(s stand) func(i int) *http.Request {
			return func(int) *http.Request {
				return request(t, "POST", s.acp+"/acp/quote", fmt.Sprintf(`{"product_id": %q, "quantity": 1, "offer_price": 100}`, s.product))
			}
		}
		subscribe(second, heard.URL())
		quiet := calmly(t, 4, events, 200, buys(second))
		came, err := heard.Wait("quote.accepted", events, 30*time.Second)
		if err != nil {
			t.Fatal(err)
		}
		deliveries := &calm{T: t, p99: p99(lags(came))}

		for i := range 12 {
			subscribe(first, fmt.Sprintf("%s/%d", h.url, i))
		}
		neighbour(t, events, 200, buys(first))
		eventually(t, "receivers that do not answer", func() bool { return h.waits.Load() >= slow })
		quiet.undisturbed()
		if came, err = heard.Wait("quote.accepted", 2*events, 30*time.Second); err != nil {
			t.Fatal(err)
		}
		deliveries.within(p99(lags(came[events:])), "deliveries to the other merchant")
	})
}
