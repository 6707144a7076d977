package provider_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/simulator/provider"
)

// world is a look-alike with a real listener, and a merchant that calls it with net/http.
type world struct {
	t      *testing.T
	config provider.Config
	p      *provider.Provider
	server *httptest.Server
	stop   context.CancelFunc
	done   chan struct{}
	bearer string // PayPal access token
}

const secretKey = "sk_test_merchant"

func newWorld(t *testing.T, change ...func(*provider.Config)) *world {
	t.Helper()
	w := &world{t: t, config: provider.Config{
		Ledger:       filepath.Join(t.TempDir(), "ledger"),
		Hang:         5 * time.Second,
		WebhookPause: 5 * time.Millisecond,
	}}
	for _, c := range change {
		c(&w.config)
	}
	w.start()
	t.Cleanup(func() { w.crash() })
	return w
}

func (w *world) start() {
	w.t.Helper()
	p, err := provider.Open(w.config)
	if err != nil {
		w.t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	w.p, w.stop, w.done = p, stop, make(chan struct{})
	go func() {
		defer close(w.done)
		if err := p.Run(ctx); err != nil {
			w.t.Error(err)
		}
	}()
	w.server = httptest.NewServer(p.Handler())
}

// crash stops the provider without closing it.
func (w *world) crash() {
	w.server.CloseClientConnections()
	w.server.Close()
	w.stop()
	<-w.done
}

func (w *world) restart() {
	w.t.Helper()
	w.crash()
	w.start()
}

type response struct {
	status int
	header http.Header
	text   string
	body   map[string]any
	err    error
}

// at returns a value in the JSON by a path such as "error.payment_intent.status" or "data.0.id".
func (r response) at(path string) any {
	var value any = r.body
	for part := range strings.SplitSeq(path, ".") {
		switch v := value.(type) {
		case map[string]any:
			value = v[part]
		case []any:
			var n int
			if _, err := fmt.Sscan(part, &n); err != nil || n >= len(v) {
				return nil
			}
			value = v[n]
		default:
			return nil
		}
	}
	return value
}

func (r response) str(path string) string { return fmt.Sprint(r.at(path)) }

func (r response) length(path string) int {
	values, _ := r.at(path).([]any)
	return len(values)
}

func (w *world) do(method, path, body string, header map[string]string) response {
	request, err := http.NewRequest(method, w.server.URL+path, strings.NewReader(body))
	if err != nil {
		w.t.Fatal(err)
	}
	for name, value := range header {
		request.Header.Set(name, value)
	}
	client := &http.Client{Timeout: 30 * time.Second, Transport: &http.Transport{DisableKeepAlives: true}}
	answer, err := client.Do(request)
	if err != nil {
		return response{err: err}
	}
	defer func() { _ = answer.Body.Close() }()
	content, err := io.ReadAll(answer.Body)
	r := response{
		status: answer.StatusCode,
		header: answer.Header,
		text:   string(content),
		err:    err,
	}
	if jsonErr := json.Unmarshal(content, &r.body); jsonErr != nil && r.err == nil && len(content) > 0 {
		r.err = jsonErr
	}
	return r
}

// stripe posts a form; it sends a GET if form is nil.
func (w *world) stripe(path, key string, form url.Values) response {
	header := map[string]string{"Authorization": "Bearer " + secretKey}
	if form == nil {
		return w.do("GET", path, "", header)
	}
	header["Content-Type"] = "application/x-www-form-urlencoded"
	if key != "" {
		header["Idempotency-Key"] = key
	}
	return w.do("POST", path, form.Encode(), header)
}

func (w *world) control(path, body string) response { return w.do("POST", path, body, nil) }

func (w *world) granted(script string) string {
	w.t.Helper()
	r := w.control("/lookalike/tokens", `{"kind":"stripe","currency":"usd","max_amount":100000,"script":"`+script+`"}`)
	if r.status != 200 {
		w.t.Fatalf("token: %d %s", r.status, r.text)
	}
	return r.str("token")
}

func buying(token string, amount int) url.Values {
	return url.Values{"amount": {fmt.Sprint(amount)}, "currency": {"usd"}, "confirm": {"true"}, "payment_method_types[0]": {"card"},
		"payment_method_data[shared_payment_granted_token]": {token}, "metadata[checkout]": {"chk_1"}, "expand[0]": {"latest_charge"}}
}

func (w *world) charge(key, token string, amount int) response {
	return w.stripe("/v1/payment_intents", key, buying(token, amount))
}

// taken returns the captured and refunded totals of the ledger, in USD.
func (w *world) taken() (captured, refunded int) {
	w.t.Helper()
	r := w.do("GET", "/ledger", "", nil)
	if r.status != 200 {
		w.t.Fatalf("ledger: %d %s %v", r.status, r.text, r.err)
	}
	amount := func(name string) int {
		n, _ := r.at("totals.USD." + name).(float64)
		return int(n)
	}
	return amount("captured"), amount("refunded")
}

func (w *world) mustHaveTaken(captured, refunded int) {
	w.t.Helper()
	if c, r := w.taken(); c != captured || r != refunded {
		w.t.Errorf("captured %d and refunded %d, want %d and %d", c, r, captured, refunded)
	}
}

func (r response) must(t *testing.T, status int, facts ...string) response {
	t.Helper()
	if r.err != nil || r.status != status {
		t.Fatalf("status %d (%v), want %d: %s", r.status, r.err, status, r.text)
	}
	for i := 0; i < len(facts); i += 2 {
		if got := r.str(facts[i]); got != facts[i+1] {
			t.Errorf("%s is %q, want %q in %s", facts[i], got, facts[i+1], r.text)
		}
	}
	return r
}

func TestOpen_afterCrash(t *testing.T) {
	w := newWorld(t)
	token := w.granted("rate_limited:1")
	w.charge("k1", token, 500).must(t, 429)
	first := w.charge("k1", token, 500).must(t, 200, "status", "succeeded")
	w.stripe("/v1/refunds", "r1", url.Values{"payment_intent": {first.str("id")}, "amount": {"200"}}).must(t, 200)
	w.control("/lookalike/faults", `{"fault":"error_before","operation":"charge"}`).must(t, 200)
	w.restart()

	w.mustHaveTaken(500, 200)
	again := w.charge("k1", token, 500).must(t, 200, "id", first.str("id"))
	if again.header.Get("Idempotent-Replayed") != "true" || again.text != first.text {
		t.Errorf("a repeat after the crash: %s", again.text)
	}
	w.charge("k2", token, 500).must(t, 500)
	w.charge("k2", token, 500).must(t, 400, "error.code", "token_already_used")
	w.stripe("/v1/refunds?limit=1", "", nil).must(t, 200, "data.0.amount", "200", "has_more", "false")
	w.mustHaveTaken(500, 200)
}

func TestOpen_tornLastLine(t *testing.T) {
	w := newWorld(t)
	w.charge("k1", w.granted(""), 500).must(t, 200)
	w.crash()
	whole, err := os.ReadFile(w.config.Ledger)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(strings.TrimSuffix(string(whole), "\n"), "\n")
	last := lines[len(lines)-1]
	for _, torn := range []string{last[:len(last)/2], last, "\x00\x00\x00\n"} {
		if err := os.WriteFile(w.config.Ledger, []byte(strings.Join(lines[:len(lines)-1], "")+torn), 0o600); err != nil {
			t.Fatal(err)
		}
		w.start()
		w.mustHaveTaken(0, 0) // the charge's line was never complete
		w.charge("k1", w.granted(""), 700).must(t, 200)
		w.restart()
		w.mustHaveTaken(700, 0)
		w.crash()
	}
	if err := os.WriteFile(w.config.Ledger, []byte("{\n"+string(whole)), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := provider.Open(w.config); err == nil {
		t.Error("a ledger damaged in the middle was opened")
	}
	if err := os.Remove(w.config.Ledger); err != nil {
		t.Fatal(err)
	}
	w.start()
}

func TestProvider_Claim_concurrentSameKey(t *testing.T) {
	w := newWorld(t)
	token := w.granted("slow:100")
	statuses := make([]int, 16)
	var all sync.WaitGroup
	for i := range statuses {
		all.Go(func() {
			r := w.charge("same", token, 900)
			if statuses[i] = r.status; r.status == 409 && r.str("error.code") != "idempotency_key_in_use" {
				t.Errorf("409 with %s", r.text)
			}
		})
	}
	all.Wait()
	for _, status := range statuses {
		if status != 200 && status != 409 {
			t.Errorf("status %d", status)
		}
	}
	w.charge("same", token, 900).must(t, 200, "status", "succeeded")
	w.mustHaveTaken(900, 0)
}

// Concurrent charges under different keys cannot use a single-use token twice.
func TestCreateIntent_concurrentKeys(t *testing.T) {
	w := newWorld(t)
	token := w.granted("")
	var all sync.WaitGroup
	for i := range 16 {
		all.Go(func() { w.charge(fmt.Sprint("key", i), token, 900) })
	}
	all.Wait()
	w.mustHaveTaken(900, 0)
}
