package boot_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"testing"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"github.com/haggle-commerce/haggle/cmd/boot"
	"github.com/haggle-commerce/haggle/cmd/boot/boottest"
	"github.com/haggle-commerce/haggle/simulator/receiver"
)

// eventShop is a client of a server with one shop, which subscribes to events and causes them.
type eventShop struct {
	tb                testing.TB
	url, project, acp string
	product           string
}

func newEventShop(tb testing.TB, engine boottest.Engine) *eventShop {
	tb.Helper()
	app := boottest.Start(tb, engine.URL(tb), func(c *boot.Config) { c.AllowLoopback = true })
	n := &eventShop{tb: tb, url: app.URL()}
	n.project = n.post("/v1/projects", `{"name":"News","slug":"news"}`)["id"].(string)
	n.acp = "/p/news/acp"
	n.product = n.post("/v1/catalog/products", `{"name":"Mug","sku":"M","price":10,"category":"mugs","quantity":1000000}`)["id"].(string)
	return n
}

func (n *eventShop) post(path, body string) map[string]any {
	n.tb.Helper()
	request, err := http.NewRequestWithContext(n.tb.Context(), http.MethodPost, n.url+path, bytes.NewReader([]byte(body)))
	if err != nil {
		n.tb.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Authorization", "Bearer "+boottest.Key)
	if n.project != "" {
		request.Header.Set("X-Project-ID", n.project)
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		n.tb.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	var value map[string]any
	if err == nil && len(text) > 0 {
		err = json.Unmarshal(text, &value)
	}
	if err != nil || answer.StatusCode > 299 {
		n.tb.Fatalf("POST %s: %d %s (%v)", path, answer.StatusCode, text, err)
	}
	return value
}

// subscribe starts a receiver and subscribes it to events of a type.
func (n *eventShop) subscribe(kind string) (r *receiver.Receiver, secret string) {
	n.tb.Helper()
	r, err := receiver.Start()
	if err != nil {
		n.tb.Fatal(err)
	}
	n.tb.Cleanup(func() { r.Close() })
	made := n.post("/v1/event-subscriptions", fmt.Sprintf(`{"url":%q,"event_types":[%q]}`, r.URL(), kind))
	return r, made["secret"].(string)
}

// acceptQuotes causes count events quote.accepted, a hundred a second.
func (n *eventShop) acceptQuotes(count int) {
	n.tb.Helper()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for range count {
		<-tick.C
		n.post(n.acp+"/quote", `{"product_id":"`+n.product+`","quantity":1,"offer_price":10}`)
	}
}

func lags(requests []receiver.Request) []time.Duration {
	list := make([]time.Duration, len(requests))
	for i, r := range requests {
		list[i] = r.At.Sub(r.Event.CreatedAt)
	}
	slices.Sort(list)
	return list
}

// Many deliveries wait for receivers that fail or are slow. A fast receiver still gets its events within 8 s.
func TestOpenPublishing_slowReceivers(t *testing.T) {
	t.Parallel()
	for _, engine := range boottest.Engines {
		t.Run(engine.Name, func(t *testing.T) {
			t.Parallel()
			n := newEventShop(t, engine)
			for i := range 12 {
				dead, _ := n.subscribe("*")
				dead.AnswerAlways([]int{500, 200}[i%2], 9*time.Second)
			}
			n.acceptQuotes(30) // 360 deliveries to the dead
			live, secret := n.subscribe("quote.accepted")
			n.acceptQuotes(30)
			came, err := live.Wait("quote.accepted", 30, 20*time.Second)
			if err != nil {
				t.Fatal(err)
			}
			if worst := lags(came)[len(came)-1]; worst > 8*time.Second {
				t.Errorf("one arrived %s late: it waited for the dead", worst)
			}
			official, err := standardwebhooks.NewWebhook(secret)
			if err == nil {
				err = official.Verify(came[0].Body, came[0].Header)
			}
			if err != nil {
				t.Error(err)
			}
		})
	}
}

// BenchmarkPublishing measures how long events take to arrive at a rate of a hundred a second.
func BenchmarkPublishing(b *testing.B) {
	for _, engine := range boottest.Engines {
		b.Run(engine.Name, func(b *testing.B) {
			n := newEventShop(b, engine)
			live, _ := n.subscribe("*")
			count := 0
			for b.Loop() {
				n.acceptQuotes(1)
				count++
			}
			came, err := live.Wait("quote.accepted", count, 30*time.Second)
			if err != nil {
				b.Fatal(err)
			}
			all := lags(came)
			b.ReportMetric(float64(all[len(all)*99/100].Milliseconds()), "p99-ms")
			b.ReportMetric(float64(all[len(all)/2].Milliseconds()), "p50-ms")
		})
	}
}
