package providercontract

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/ports"
	standin "github.com/haggle-commerce/haggle/simulator/provider"
)

const merchant = "sk_test_merchant"

// offset is the system clock plus an adjustable offset.
type offset struct{ ahead atomic.Int64 }

func (c *offset) Now() time.Time      { return time.Now().Add(time.Duration(c.ahead.Load())).UTC() }
func (c *offset) set(d time.Duration) { c.ahead.Store(int64(d)) }

// fakeProvider is a simulated provider with its own clock, and a transport that can lose responses and run out of time.
type fakeProvider struct {
	*standin.Provider
	url         string
	clock, ours *offset
	losing      atomic.Bool
	mu          sync.Mutex
	left        int // requests until the time is over; 0 means no limit
	outOfTime   func()
	asked       []string
	deliveries  chan delivery
	receivedAt  string
}

type delivery struct {
	header  http.Header
	payload []byte
}

func open(t *testing.T, c standin.Config) *fakeProvider {
	t.Helper()
	l := &fakeProvider{
		clock:      &offset{},
		ours:       &offset{},
		deliveries: make(chan delivery, 64),
	}
	c.Ledger, c.Now = filepath.Join(t.TempDir(), "ledger"), l.clock.Now
	p, err := standin.Open(c)
	if err != nil {
		t.Fatal(err)
	}
	l.Provider = p
	server := httptest.NewServer(p.Handler())
	receiver := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		l.deliveries <- delivery{r.Header, body}
	}))
	l.url, l.receivedAt = server.URL, receiver.URL
	t.Cleanup(func() {
		server.CloseClientConnections()
		server.Close()
		receiver.Close()
		p.Close()
	})
	return l
}

func (l *fakeProvider) client() *http.Client { return &http.Client{Transport: l} }

// RoundTrip loses responses to requests that move money, and runs out of time.
func (l *fakeProvider) RoundTrip(r *http.Request) (*http.Response, error) {
	l.mu.Lock()
	l.asked = append(l.asked, r.Method+" "+r.URL.Path)
	if l.left > 0 {
		if l.left--; l.left == 0 {
			l.outOfTime()
		}
	}
	l.mu.Unlock()
	answer, err := http.DefaultTransport.RoundTrip(r)
	if err != nil || !l.losing.Load() || r.Method != http.MethodPost || strings.HasSuffix(r.URL.Path, "/token") {
		return answer, err
	}
	_, _ = io.Copy(io.Discard, answer.Body)
	answer.Body.Close()
	return nil, errors.New("the answer was lost")
}

func (l *fakeProvider) count(request string) (n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, a := range l.asked {
		if a == request {
			n++
		}
	}
	return n
}

// control posts to one of the simulator's own endpoints.
func (l *fakeProvider) control(t *testing.T, path string, body map[string]any) map[string]any {
	t.Helper()
	encoded, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := http.Post(l.url+"/lookalike/"+path, "application/json", bytes.NewReader(encoded))
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	var decoded map[string]any
	if err := json.NewDecoder(answer.Body).Decode(&decoded); err != nil || answer.StatusCode != http.StatusOK {
		t.Fatalf("%s: %d %v, %v", path, answer.StatusCode, decoded, err)
	}
	return decoded
}

func (l *fakeProvider) token(t *testing.T, script string) string {
	return l.control(t, "tokens", map[string]any{"kind": "stripe", "seller": standin.StripeAccount(merchant), "script": script, "uses": -1})["id"].(string)
}

func (l *fakeProvider) agreement(t *testing.T, script string) string {
	return l.control(t, "agreements", map[string]any{"seller": standin.PayPalMerchant("client"), "script": script})["id"].(string)
}

// taken counts the successful charges.
func (l *fakeProvider) taken(t *testing.T) (n int) {
	t.Helper()
	answer, err := http.Get(l.url + "/ledger")
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	var books struct{ Charges []struct{ Status string } }
	if err := json.NewDecoder(answer.Body).Decode(&books); err != nil {
		t.Fatal(err)
	}
	for _, c := range books.Charges {
		if c.Status == "succeeded" {
			n++
		}
	}
	return n
}

func request(method project.PaymentMethod, token string, attempt int, since time.Time) ports.ChargeRequest {
	of := id.New[id.Checkout]([16]byte{7})
	return ports.ChargeRequest{
		Project:  id.New[id.Project]([16]byte{8}),
		Checkout: of,
		Token:    token,
		Charge: checkout.Charge{
			Key:    checkout.AttemptKey(of, attempt),
			Amount: money.Of(4990, money.USD),
			Method: method,
			Since:  since,
		},
	}
}

// target is a provider under test: the simulator, or a provider's own test mode.
type target struct {
	url     string
	key     string // Stripe's secret key, or PayPal's access token
	look    *fakeProvider
	payable string // a payment method that succeeds, such as pm_card_visa
}

// stripeTargets returns the simulator and, with PROVIDER_CONTRACT, Stripe's test mode.
func stripeTargets(t *testing.T) map[string]target {
	l := open(t, standin.Config{})
	all := map[string]target{"look-alike": {l.url, merchant, l, "pm_card_visa"}}
	if os.Getenv("PROVIDER_CONTRACT") == "" {
		return all
	}
	switch key := os.Getenv("STRIPE_TEST_KEY"); {
	case strings.HasPrefix(key, "sk_test_"), strings.HasPrefix(key, "rk_test_"):
		all["stripe"] = target{"https://api.stripe.com", key, nil, "pm_card_visa"}
	case key != "":
		t.Fatal("STRIPE_TEST_KEY is no key of Stripe's test mode: it must begin sk_test_ or rk_test_")
	}
	return all
}

// paypalTargets returns the simulator and, with PROVIDER_CONTRACT, PayPal's sandbox, which live credentials cannot access.
func paypalTargets(t *testing.T) map[string]target {
	l := open(t, standin.Config{})
	all := map[string]target{"look-alike": {l.url, "", l, ""}}
	if client := os.Getenv("PAYPAL_TEST_CLIENT"); client != "" && os.Getenv("PROVIDER_CONTRACT") != "" {
		all["paypal"] = target{"https://api-m.sandbox.paypal.com", "", nil, ""}
	}
	for name, at := range all {
		client, secret := "client", "secret"
		if at.look == nil {
			client, secret = os.Getenv("PAYPAL_TEST_CLIENT"), os.Getenv("PAYPAL_TEST_SECRET")
		}
		r, _ := http.NewRequest(http.MethodPost, at.url+"/v1/oauth2/token", strings.NewReader("grant_type=client_credentials"))
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.SetBasicAuth(client, secret)
		given := do(t, r)
		if at.key, _ = given.body["access_token"].(string); at.key == "" {
			t.Fatalf("%s gives no access token: %d", name, given.status)
		}
		all[name] = at
	}
	return all
}

type reply struct {
	status int
	header http.Header
	body   map[string]any
}

// at returns the value at a path of names in the response.
func (r reply) at(path ...string) string {
	var value any = r.body
	for _, name := range path {
		inner, _ := value.(map[string]any)
		value = inner[name]
	}
	text, _ := value.(string)
	return text
}

func do(t *testing.T, r *http.Request) reply {
	t.Helper()
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Error(err)
		return reply{}
	}
	defer answer.Body.Close()
	given := reply{status: answer.StatusCode, header: answer.Header}
	_ = json.NewDecoder(answer.Body).Decode(&given.body)
	return given
}

// form sends a request in Stripe's format, with an idempotency key unless it is "".
func (s target) form(t *testing.T, method, path, key string, values map[string]string) reply {
	t.Helper()
	encoded := url.Values{}
	for name, value := range values {
		encoded.Set(name, value)
	}
	var body io.Reader
	if method == http.MethodPost {
		body = strings.NewReader(encoded.Encode())
	} else {
		path += "?" + encoded.Encode()
	}
	r, err := http.NewRequest(method, s.url+path, body)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+s.key)
	if body != nil {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	if key != "" {
		r.Header.Set("Idempotency-Key", key)
	}
	return do(t, r)
}

// json sends a request in PayPal's format.
func (s target) json(t *testing.T, method, path, key string, value any) reply {
	t.Helper()
	var body io.Reader
	if value != nil {
		encoded, err := json.Marshal(value)
		if err != nil {
			t.Fatal(err)
		}
		body = bytes.NewReader(encoded)
	}
	r, err := http.NewRequest(method, s.url+path, body)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+s.key)
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Prefer", "return=representation")
	if key != "" {
		r.Header.Set("PayPal-Request-Id", key)
	}
	return do(t, r)
}

// fresh returns an unused key.
func fresh(t *testing.T) string {
	return strings.ReplaceAll(t.Name(), "/", "-")[:min(40, len(t.Name()))] + "-" + cmp.Or(time.Now().UTC().Format("20060102T150405.000000000"), "")
}
