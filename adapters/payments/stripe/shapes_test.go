package stripe

import (
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stripe/stripe-mock/embedded"
	"github.com/stripe/stripe-mock/server"
	"github.com/stripe/stripe-mock/spec"

	"github.com/haggle-commerce/haggle/ports"
)

// Every request is valid according to Stripe's own OpenAPI description. Other tests check the answers, because stripe-mock
// has no state.
func TestProvider_requestSchema(t *testing.T) {
	t.Parallel()
	mock, asked := openMock(t)
	p := New(Config{URL: mock, Clock: clock{}})
	r := request("spt_123")
	for what, ask := range map[string]func() error{
		"charge": func() error { _, err := p.Charge(ports.NewOutbound(t.Context()), account, r); return err },
		"find":   func() error { _, _, err := p.find(t.Context(), account, r.Charge); return err },
		"search": func() error {
			_, _, err := p.search(t.Context(), account, r.Charge.Key)
			return err
		},
		"void":            func() error { return p.void(t.Context(), account, r) },
		"retrieve":        func() error { _, err := p.retrieve(t.Context(), account, "pi_1"); return err },
		"refund":          func() error { _, err := p.Refund(ports.NewOutbound(t.Context()), account, back()); return err },
		"find refund":     func() error { _, err := p.findRefund(t.Context(), account, back()); return err },
		"retrieve refund": func() error { _, err := p.retrieveRefund(t.Context(), account, "re_1"); return err },
		"inspect":         func() error { _, _, err := p.Inspect(ports.NewOutbound(t.Context()), account); return err },
		"register webhook": func() error {
			_, _, err := p.RegisterWebhook(ports.NewOutbound(t.Context()), account, "https://a.example/hooks/1")
			return err
		},
		"remove webhook": func() error { return p.RemoveWebhook(ports.NewOutbound(t.Context()), account, "we_1") },
		"balance": func() error {
			return p.BalanceChanges(ports.NewOutbound(t.Context()), account, ports.StatementRequest{From: since, To: since.Add(time.Hour)},
				func(ports.BalanceChange) error { return nil })
		},
		"statement": func() error {
			return p.Statement(ports.NewOutbound(t.Context()), account, ports.StatementRequest{From: since, To: since.Add(time.Hour)},
				func(ports.Movement) error { return nil })
		},
	} {
		_ = ask() // the mock's answers are unrelated to the request
		if len(asked()) == 0 {
			t.Errorf("%s asked for nothing", what)
		}
		for _, a := range asked() {
			if a.status != http.StatusOK {
				t.Errorf("%s: %s %s gets %d: %s", what, a.method, a.path, a.status, a.body)
			}
		}
		asked = asked.fresh()
	}
}

type exchange struct {
	method, path, body string
	status             int
}

// exchanges returns the exchanges since the last call of fresh.
type exchanges func() []exchange

func (e exchanges) fresh() exchanges {
	known := len(e())
	return func() []exchange { return e()[known:] }
}

func openMock(t *testing.T) (url string, asked exchanges) {
	t.Helper()
	fixtures, err := server.LoadFixtures(embedded.BetaOpenAPIFixtures, "")
	if err != nil {
		t.Fatal(err)
	}
	described, err := server.LoadSpec(embedded.BetaOpenAPISpec, "")
	if err != nil {
		t.Fatal(err)
	}
	// The description requires a type in payment_method_data. A shared token has its own type, and Stripe's guide sends
	// none.
	create := described.Paths["/v1/payment_intents"]["post"].RequestBody.Content["application/x-www-form-urlencoded"].Schema
	create.Properties["payment_method_data"].Required = nil
	maps.DeleteFunc(described.Paths, func(p spec.Path, _ map[spec.HTTPVerb]*spec.Operation) bool {
		return !slices.ContainsFunc([]string{"payment_intents", "refunds", "account", "webhook_endpoints", "balance_transactions"}, func(ours string) bool {
			return p == spec.Path("/v1/"+ours) || strings.HasPrefix(string(p), "/v1/"+ours+"/")
		})
	})
	stub, err := server.NewStubServer(fixtures, described, false, false)
	if err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	var all []exchange
	mock := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		answer := httptest.NewRecorder()
		stub.HandleRequest(answer, r)
		mu.Lock()
		all = append(all, exchange{r.Method, r.URL.Path, answer.Body.String(), answer.Code})
		mu.Unlock()
		w.WriteHeader(answer.Code)
		_, _ = w.Write(answer.Body.Bytes())
	}))
	t.Cleanup(mock.Close)
	return mock.URL, func() []exchange {
		mu.Lock()
		defer mu.Unlock()
		return slices.Clone(all)
	}
}

// The charge and the void of a key share their idempotency key, but have different parameters.
func TestIntentParams_chargeAndVoid(t *testing.T) {
	var seen []string
	p := newProvider(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost && r.URL.Path == "/v1/payment_intents" {
			if err := r.ParseForm(); err != nil {
				t.Error(err)
			}
			seen = append(seen, r.Header.Get("Idempotency-Key")+" "+r.Header.Get("Stripe-Version")+" "+r.Header.Get("Authorization")+" "+r.PostForm.Encode())
		}
		_, _ = w.Write([]byte(`{"object":"list","data":[]}`))
	})
	r := request("spt_123")
	_, _ = p.Charge(ports.NewOutbound(t.Context()), account, r)
	_, _ = p.Resolve(ports.NewOutbound(t.Context()), account, r)
	const of = "%5Bcheckout%5D"
	if len(seen) != 2 || seen[0] == seen[1] {
		t.Fatalf("%q", seen)
	}
	for _, part := range []string{r.Charge.Key + " " + tokenVersion + " Bearer " + account.Key, "amount=4990", "currency=usd", "metadata" + of, "metadata%5Bkey%5D=" + r.Charge.Key} {
		for i, text := range seen {
			if !strings.Contains(text, part) {
				t.Errorf("request %d lacks %s: %s", i, part, text)
			}
		}
	}
	for _, part := range []string{"confirm=true", "payment_method_data%5Bshared_payment_granted_token%5D=spt_123"} {
		if !strings.Contains(seen[0], part) || strings.Contains(seen[1], part) {
			t.Errorf("%s: %q", part, seen)
		}
	}
	if strings.Contains(seen[0], "void") || !strings.Contains(seen[1], "metadata%5Bvoid%5D=true") {
		t.Errorf("void: %q", seen)
	}
}

// A repeated charge has the same bytes as the first request, so that Stripe repeats its answer.
func TestCharge_repeatedBytes(t *testing.T) {
	bodies := map[string]int{}
	p := newProvider(t, func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		bodies[r.Header.Get("Idempotency-Key")+" "+r.Header.Get("Stripe-Version")+" "+string(body)]++
		respond(w, 200, intent("succeeded", ""))
	})
	for i := range 20 {
		r := request("spt_123")
		r.Again = i > 0
		r.Charge.Progress = strings.Repeat("x", i)
		if _, err := p.Charge(ports.NewOutbound(t.Context()), account, r); err != nil {
			t.Fatal(err)
		}
	}
	if len(bodies) != 1 {
		t.Errorf("%d different requests: %v", len(bodies), bodies)
	}
}
