package hooks_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/adapters/httpapi/hooks"
	"github.com/haggle-commerce/haggle/adapters/httpapi/wire"
	"github.com/haggle-commerce/haggle/app/inbox"
	"github.com/haggle-commerce/haggle/app/payments"
	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/integration"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/order"
	"github.com/haggle-commerce/haggle/ports"
	"github.com/haggle-commerce/haggle/ports/porttest/synctest"
)

// fakePlatform accepts calls whose header X-Platform-Signature is "of " and the body.
type fakePlatform struct{ ports.CalledConnector }

func (fakePlatform) SignatureHeader() string { return "webhook-signature" }

func (fakePlatform) Verify(call ports.Call, _ string) (ports.CallStamp, error) {
	if call.Header("X-Platform-Signature") != "of "+string(call.Payload) {
		return ports.CallStamp{}, fault.New(fault.Unauthenticated, "invalid_signature", "It is wrong.")
	}
	return ports.CallStamp{Delivery: call.Header("X-Platform-Delivery")}, nil
}

// fakeProvider is a payment provider's integration and its webhook reader.
type fakeProvider struct {
	ports.IntegrationsInUse
	webhook, other id.Webhook
	received       []string
	news           ports.PaymentEvent // what each payload reports
	// hang, if set, is called with each payload that is read.
	hang func(payload string)
}

func (p *fakeProvider) ByWebhook(_ context.Context, w id.Webhook) (*integration.Integration, error) {
	if w != p.webhook && w != p.other {
		return nil, fault.Missing("webhook")
	}
	i := &integration.Integration{Type: integration.Stripe, Status: integration.Connected}
	i.Sealed = integration.Seal(i.ID, integration.Credentials{Key: "k", Signing: "s"}, fakeVault{}.Seal)
	return i, nil
}

func (p *fakeProvider) ReadWebhook(_ ports.Outbound, _ ports.PaymentAccount, c ports.Call, _ string) (ports.PaymentEvent, error) {
	if p.hang != nil {
		p.hang(string(c.Payload))
		return ports.PaymentEvent{}, nil
	}
	p.received = append(p.received, string(c.Payload)+" "+c.Header("Stripe-Signature"))
	return p.news, nil
}

type fakeVault struct{}

func (fakeVault) Seal(text []byte, _ string) []byte          { return text }
func (fakeVault) Open(text []byte, _ string) ([]byte, error) { return text, nil }

// fakeLimiter admits left requests.
type fakeLimiter struct {
	ports.Limiter
	mu   sync.Mutex
	left int
}

func (l *fakeLimiter) Peek(context.Context, string, ports.Rate) ports.Verdict {
	l.mu.Lock()
	defer l.mu.Unlock()
	return ports.Verdict{Allowed: l.left > 0, RetryAfter: time.Second}
}

func (l *fakeLimiter) Allow(ctx context.Context, key string, r ports.Rate) ports.Verdict {
	v := l.Peek(ctx, key, r)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.left--
	return v
}

type fixture struct {
	*synctest.World
	provider *fakeProvider
	webhook  *integration.Webhook
	address  string
}

func newFixture(t *testing.T, strikes int) *fixture {
	t.Helper()
	d := &fixture{World: synctest.New(integration.Custom), provider: &fakeProvider{webhook: id.New[id.Webhook]([16]byte{8}), other: id.New[id.Webhook]([16]byte{7})}}
	d.webhook = &integration.Webhook{
		ID:          id.New[id.Webhook]([16]byte{9}),
		Project:     d.Project.ID,
		Integration: d.Integration,
		Type:        integration.Custom,
		Topic:       "products/update",
	}
	replica := d.Replica(0)
	if err := replica.Webhooks().Add(t.Context(), d.webhook); err != nil {
		t.Fatal(err)
	}
	log := slog.New(slog.NewTextHandler(io.Discard, nil))
	mux := http.NewServeMux()
	mux.Handle(hooks.Pattern, hooks.Handler(hooks.Services{
		Receiver: inbox.NewReceiver(inbox.ReceiverConfig{
			Webhooks:  replica.Webhooks(),
			Inbox:     replica.Inbox(),
			Platforms: map[string]ports.CalledConnector{"custom": fakePlatform{}},
			Vault:     fakeVault{},
			Clock:     d,
			Entropy:   &synctest.Entropy{},
			Log:       log,
			Wake:      func() {},
		}),
		PaymentWebhooks: payments.WebhookHandler{
			InUse:   d.provider,
			Readers: map[string]ports.WebhookReader{"stripe": d.provider},
			Vault:   fakeVault{},
		},
		Lane: wire.NewLane(4, 3, nil), Limiter: &fakeLimiter{left: strikes},
		ClientAddress: func(*http.Request) netip.Addr { return netip.MustParseAddr("192.0.2.1") },
	}))
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	d.address = server.URL + hooks.Path
	return d
}

func (d *fixture) post(t *testing.T, webhook id.Webhook, body, signature string) (status int, answer string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, d.address+webhook.String(), strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("X-Platform-Signature", signature)
	r.Header.Set("X-Platform-Delivery", "d1")
	r.Header.Set("Stripe-Signature", "t=1")
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, string(text)
}

// A platform's call is stored byte for byte and answered with 200.
func TestHandler_platformCall(t *testing.T) {
	t.Parallel()
	d := newFixture(t, 10)
	body := `{"bytes":  "as they are"}`
	if status, answer := d.post(t, d.webhook.ID, body, "of "+body); status != http.StatusOK || answer != "" {
		t.Errorf("answered %d %q", status, answer)
	}
	if list := d.Deliveries(); len(list) != 1 || string(list[0].Payload) != body || list[0].Remote != "d1" {
		t.Errorf("stored %+v", list)
	}
}

// A body without a signature in its headers may have 1 MiB.
func TestHandler_longestBody(t *testing.T) {
	t.Parallel()
	d := newFixture(t, 10)
	for size, want := range map[int]int{1 << 20: http.StatusUnauthorized, 1<<20 + 1: http.StatusRequestEntityTooLarge} {
		if status, answer := d.post(t, d.webhook.ID, strings.Repeat("x", size), "wrong"); status != want {
			t.Errorf("%d bytes: %d %s", size, status, answer)
		}
	}
}

// An address that guesses ids of webhooks too often is refused, even if it then finds one.
func TestHandler_limitsGuesses(t *testing.T) {
	t.Parallel()
	d := newFixture(t, 2)
	for n, want := range []int{http.StatusNotFound, http.StatusNotFound, http.StatusTooManyRequests} {
		if status, answer := d.post(t, id.New[id.Webhook]([16]byte{byte(n + 1)}), "x", "wrong"); status != want {
			t.Errorf("%d %s, want %d", status, answer, want)
		}
	}
	d = newFixture(t, 1)
	if status, answer := d.post(t, id.New[id.Webhook]([16]byte{1}), "x", ""); status != http.StatusNotFound || !strings.Contains(answer, "webhook_not_found") {
		t.Errorf("%d %s", status, answer)
	}
	if status, _ := d.post(t, d.webhook.ID, "x", "of x"); status != http.StatusTooManyRequests {
		t.Errorf("unknown addresses do not count: %d", status)
	}
}

// Guesses from an address, which may be a shared proxy, do not keep a platform from calling its webhook.
func TestHandler_guessesFromSameAddress(t *testing.T) {
	t.Parallel()
	d := newFixture(t, 2)
	if status, answer := d.post(t, d.webhook.ID, "x", "of x"); status != http.StatusOK {
		t.Fatalf("%d %s", status, answer)
	}
	for n := range 5 {
		d.post(t, id.New[id.Webhook]([16]byte{byte(n + 1)}), "x", "")
		if status, answer := d.post(t, d.webhook.ID, "x", "wrong"); status != http.StatusUnauthorized {
			t.Errorf("%d %s", status, answer)
		}
	}
	if status, answer := d.post(t, d.webhook.ID, "y", "of y"); status != http.StatusOK {
		t.Errorf("%d %s", status, answer)
	}
}

// A payment provider's call is processed at once and not stored.
func TestHandler_paymentCall(t *testing.T) {
	t.Parallel()
	d := newFixture(t, 10)
	if status, answer := d.post(t, d.provider.webhook, "paid", ""); status != http.StatusOK || answer != "" {
		t.Errorf("answered %d %q", status, answer)
	}
	if got := fmt.Sprint(d.provider.received); got != "[paid t=1]" || len(d.Deliveries()) != 0 {
		t.Errorf("heard %s", got)
	}
}

// Calls of one merchant's provider hold three of four places. A call of another merchant's provider still gets a place.
func TestHandler_laneSharedByMerchants(t *testing.T) {
	t.Parallel()
	d := newFixture(t, 10)
	waiting, release := make(chan struct{}), make(chan struct{})
	d.provider.hang = func(payload string) {
		if payload == "hang" {
			waiting <- struct{}{}
			<-release
		}
	}
	for _, webhook := range []id.Webhook{d.provider.webhook, d.provider.other} {
		if status, answer := d.post(t, webhook, "first", ""); status != http.StatusOK {
			t.Fatalf("%d %s", status, answer)
		}
	}
	var all sync.WaitGroup
	for range 3 {
		all.Go(func() { d.post(t, d.provider.webhook, "hang", "") })
		<-waiting
	}
	if status, answer := d.post(t, d.provider.other, "second", ""); status != http.StatusOK {
		t.Errorf("%d %s", status, answer)
	}
	close(release)
	all.Wait()
}

// noPayment has one payment attempt in flight, and no payment.
type noPayment struct{ payments.Refunds }

func (noPayment) UndecidedAttempts(context.Context, id.Project) ([]*checkout.Checkout, error) {
	return []*checkout.Checkout{checkout.Rehydrate(checkout.Snapshot{
		Status:   checkout.Processing,
		Subtotal: money.Of(50, money.USD),
		Tax:      money.Of(0, money.USD),
	})}, nil
}

func (noPayment) RecordExternalRefund(context.Context, id.Project, order.ExternalRefund) error {
	return fault.Missing("payment")
}

// A refund of a payment that may be undecided is refused, so that the provider repeats the call. The refusal is not logged as an
// error.
func TestHandler_undecidedPayment(t *testing.T) {
	t.Parallel()
	stripe := &fakeProvider{webhook: id.New[id.Webhook]([16]byte{8})}
	stripe.news.External = &order.ExternalRefund{Provider: "re_1", Amount: money.Of(50, money.USD)}
	mux := http.NewServeMux()
	mux.Handle(hooks.Pattern, hooks.Handler(hooks.Services{
		PaymentWebhooks: payments.WebhookHandler{
			InUse:     stripe,
			Readers:   map[string]ports.WebhookReader{"stripe": stripe},
			Vault:     fakeVault{},
			Refunds:   noPayment{},
			Undecided: noPayment{},
		},
		Lane: wire.NewLane(4, 3, nil), Limiter: &fakeLimiter{left: 1},
		ClientAddress: func(*http.Request) netip.Addr { return netip.MustParseAddr("192.0.2.1") },
	}))
	var logged bytes.Buffer
	watched := wire.Handler(mux, wire.Watch{Log: slog.New(slog.NewTextHandler(&logged, nil))})
	for range 3 { // more often than addresses may guess
		answer := httptest.NewRecorder()
		watched.ServeHTTP(answer, httptest.NewRequestWithContext(t.Context(), http.MethodPost, hooks.Path+stripe.webhook.String(), strings.NewReader("{}")))
		if answer.Code != http.StatusConflict || !strings.Contains(answer.Body.String(), "payment_undecided") || logged.Len() > 0 {
			t.Errorf("answered %d %s, logged %q", answer.Code, answer.Body, &logged)
		}
	}
}

// A signed call of a platform may have 16 MiB and all other calls 1 MiB. Only four large bodies are read at a time.
func TestHandler_largeCalls(t *testing.T) {
	t.Parallel()
	d := newFixture(t, 100)
	// The server closes a connection whose body it does not read, and a client that is still sending loses the answer. A client
	// that expects 100-continue sends no body before the server asks for it.
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true, ExpectContinueTimeout: time.Minute}}
	send := func(webhook string, body io.Reader, size int64, signature string) int {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, d.address+webhook, body)
		if err != nil {
			t.Error(err)
			return 0
		}
		r.ContentLength = size
		r.Header.Set("Expect", "100-continue")
		r.Header.Set("X-Platform-Signature", "of "+signature)
		if signature != "" {
			r.Header.Set("webhook-signature", "v1,abc")
		}
		answer, err := client.Do(r)
		if err != nil {
			return 0 // it was cut off
		}
		defer answer.Body.Close()
		return answer.StatusCode
	}
	for name, test := range map[string]struct {
		webhook   string
		size      int
		signature bool
		want      int
	}{
		"unsigned":           {d.webhook.ID.String(), 2 << 20, false, 413},
		"of a payment":       {d.provider.webhook.String(), 2 << 20, true, 413},
		"of nobody":          {id.New[id.Webhook]([16]byte{1}).String(), 2 << 20, true, 413},
		"wrongly signed":     {d.webhook.ID.String(), 2 << 20, true, 401},
		"too large for all":  {d.webhook.ID.String(), 16<<20 + 1, true, 413},
		"as large as can be": {d.webhook.ID.String(), 16 << 20, true, 401},
	} {
		for _, told := range []int64{int64(test.size), -1} {
			signature := ""
			if test.signature {
				signature = "something else"
			}
			if got := send(test.webhook, strings.NewReader(strings.Repeat("x", test.size)), told, signature); got != test.want && (got != 0 || test.want != 413) { // 0: it was cut off
				t.Errorf("%s, length %d: %d, want %d", name, told, got, test.want)
			}
		}
	}
	// Four senders hold their places until their bodies end.
	ends := make(chan struct{})
	var senders sync.WaitGroup
	arrived := make(chan struct{}, 4)
	for range 4 {
		senders.Go(func() {
			beginning := strings.NewReader(strings.Repeat("x", 15<<20)) // more than any buffer on the way
			send(d.webhook.ID.String(), io.MultiReader(beginning, blockedReader{arrived, ends}), -1, "something else")
		})
	}
	for range 4 {
		<-arrived
	}
	// The fifth is refused after 1 MiB and a byte. It has no more, because a client that is still sending loses the answer.
	const large = 1<<20 + 1
	if got := send(d.webhook.ID.String(), strings.NewReader(strings.Repeat("x", large)), large, "something else"); got != 503 {
		t.Errorf("a fifth: %d", got)
	}
	close(ends)
	senders.Wait()
	if got := send(d.webhook.ID.String(), strings.NewReader(strings.Repeat("x", 2<<20)), 2<<20, "something else"); got != 401 {
		t.Errorf("after that: %d", got)
	}
}

// blockedReader is the end of a body. It reports on arrived that it is read, and ends once ends is closed.
type blockedReader struct{ arrived, ends chan struct{} }

func (w blockedReader) Read([]byte) (int, error) {
	w.arrived <- struct{}{}
	<-w.ends
	return 0, io.EOF
}
