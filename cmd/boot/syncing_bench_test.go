package boot_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"github.com/haggle-commerce/haggle/cmd/boot/boottest"
	"github.com/haggle-commerce/haggle/simulator/platforms"
)

// BenchmarkSync imports 50,000 products, in short mode 1,000, of a merchant's own system into an empty shop, with the system and the server on the same
// cores, and polls the progress meanwhile. peak-MB is the peak of the heap, including about 40 MB of the system.
func BenchmarkSync(b *testing.B) {
	products := 50_000
	if testing.Short() {
		products = 1000
	}
	for _, engine := range boottest.Engines {
		b.Run(engine.Name, func(b *testing.B) {
			system, err := platforms.Start("127.0.0.1:0", platforms.Config{Products: products})
			if err != nil {
				b.Fatal(err)
			}
			defer system.Close()
			var peak uint64
			for b.Loop() {
				b.StopTimer()
				n := newEventShop(b, engine)
				integration := n.connectCustom(system.URL + "/custom")
				runtime.GC()
				b.StartTimer()
				run := n.post(integration+"/sync", `{"resources": ["products"]}`)["sync_id"].(string)
				for seen := 0; ; time.Sleep(100 * time.Millisecond) {
					now := n.get(integration + "/sync/" + run)
					total := int(now["resources"].(map[string]any)["products"].(map[string]any)["total"].(float64))
					var memory runtime.MemStats
					runtime.ReadMemStats(&memory)
					peak = max(peak, memory.HeapAlloc)
					if total < seen {
						b.Fatalf("%d products after %d", total, seen)
					}
					if seen = total; now["status"] != "running" {
						if now["status"] != "completed" || total != products {
							b.Fatalf("%v", now)
						}
						break
					}
				}
			}
			b.ReportMetric(float64(products*b.N)/b.Elapsed().Seconds(), "products/s")
			b.ReportMetric(float64(peak>>20), "peak-MB")
		})
	}
}

// BenchmarkWebhookIntake has a platform send signed webhooks about its stock, sixteen at a time. Each is stored before it is
// answered, and processed in the background.
func BenchmarkWebhookIntake(b *testing.B) {
	for _, engine := range boottest.Engines {
		b.Run(engine.Name, func(b *testing.B) {
			n := newEventShop(b, engine)
			c := openCaller(b)
			integration := n.connectCustom(c.system.URL)
			c.endpoint = n.post(integration+"/webhooks", `{"topic": "inventory_levels/update"}`)["endpoint"].(string)
			var mu sync.Mutex
			var times []time.Duration
			calls := make(chan int, b.N)
			for i := range b.N {
				calls <- i
			}
			close(calls)
			var all sync.WaitGroup
			b.ResetTimer()
			for range 16 {
				all.Go(func() {
					for i := range calls {
						took := c.call(b, i)
						mu.Lock()
						times = append(times, took)
						mu.Unlock()
					}
				})
			}
			all.Wait()
			slices.Sort(times)
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "calls/s")
			b.ReportMetric(float64(times[len(times)/2].Microseconds())/1000, "p50-ms")
			b.ReportMetric(float64(times[len(times)*99/100].Microseconds())/1000, "p99-ms")
		})
	}
}

// connectCustom connects a merchant's own system and returns the integration's path.
func (n *eventShop) connectCustom(address string) string {
	n.tb.Helper()
	made := n.post("/v1/integrations/connect/api-key", fmt.Sprintf(
		`{"type": "custom", "credentials": {"api_key": "custom-key"}, "config": {"base_url": %q}}`, address))
	return "/v1/integrations/" + made["id"].(string)
}

// get sends a GET request of the merchant and returns the response.
func (n *eventShop) get(path string) (value map[string]any) {
	n.tb.Helper()
	request, err := http.NewRequestWithContext(n.tb.Context(), http.MethodGet, n.url+path, http.NoBody)
	if err != nil {
		n.tb.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+boottest.Key)
	request.Header.Set("X-Project-ID", n.project)
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		n.tb.Fatal(err)
	}
	defer answer.Body.Close()
	if err := json.NewDecoder(answer.Body).Decode(&value); err != nil || answer.StatusCode != http.StatusOK {
		n.tb.Fatalf("GET %s: %d (%v)", path, answer.StatusCode, err)
	}
	return value
}

// caller is a merchant's system that sends webhooks.
type caller struct {
	system   *httptest.Server
	client   *http.Client
	secret   string
	endpoint string
}

func openCaller(b *testing.B) *caller {
	c := &caller{client: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 64}}}
	c.system = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		if r.URL.Path == "/webhooks" {
			var asked struct{ Secret string }
			_ = json.NewDecoder(r.Body).Decode(&asked) // without a secret no signature verifies
			c.secret = asked.Secret
			_, _ = io.WriteString(w, `{"id": "1"}`)
			return
		}
		_, _ = io.WriteString(w, `{"id": "own", "name": "Own", "currency": "USD"}`)
	}))
	b.Cleanup(c.system.Close)
	return c
}

// call sends a webhook about the stock of one of a hundred items and returns how long the response took.
func (c *caller) call(b *testing.B, i int) time.Duration {
	signer, err := standardwebhooks.NewWebhook(c.secret)
	if err != nil {
		b.Error(err)
		return 0
	}
	now := time.Now()
	body := fmt.Appendf(nil, `{"type": "inventory_levels/update", "timestamp": %q, "data": {"id": "M:main", "updated_at": %[1]q, "sku": "M", "quantity": %d}}`,
		now.UTC().Format(time.RFC3339Nano), i%100)
	name := fmt.Sprintf("msg_%d", i)
	signature, err := signer.Sign(name, now, body)
	if err != nil {
		b.Error(err)
		return 0
	}
	request, err := http.NewRequestWithContext(b.Context(), http.MethodPost, c.endpoint, bytes.NewReader(body))
	if err != nil {
		b.Error(err)
		return 0
	}
	request.Header.Set("Webhook-Id", name)
	request.Header.Set("Webhook-Timestamp", fmt.Sprint(now.Unix()))
	request.Header.Set("Webhook-Signature", signature)
	answer, err := c.client.Do(request)
	if err != nil {
		b.Error(err)
		return 0
	}
	defer answer.Body.Close()
	if text, _ := io.ReadAll(answer.Body); answer.StatusCode != http.StatusOK {
		b.Errorf("%d %s", answer.StatusCode, text)
	}
	return time.Since(now)
}
