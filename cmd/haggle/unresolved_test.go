package main

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/pquerna/otp/totp"

	"github.com/haggle-commerce/haggle/cmd/boot"
	"github.com/haggle-commerce/haggle/cmd/boot/boottest"
	"github.com/haggle-commerce/haggle/simulator/acp"
	"github.com/haggle-commerce/haggle/simulator/exchange"
	"github.com/haggle-commerce/haggle/simulator/merchant"
	"github.com/haggle-commerce/haggle/simulator/provider"
)

// unresolvedShop is a shop with a payment and a refund whose outcome is unknown.
type unresolvedShop struct {
	*testing.T
	url, ops         string
	project          string
	merchant         *merchant.Client
	another          func() // starts another replica
	checkout, refund string
	codes            []string // MFA recovery codes
}

// openUnresolvedShop connects the shop to a provider that stops responding after its first payment.
func openUnresolvedShop(t *testing.T) *unresolvedShop {
	t.Helper()
	p, err := provider.Open(provider.Config{Ledger: filepath.Join(t.TempDir(), "provider.ledger")})
	if err != nil {
		t.Fatal(err)
	}
	var gone atomic.Bool
	listening := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if gone.Load() {
			panic(http.ErrAbortHandler) // closes the connection
		}
		p.Handler().ServeHTTP(w, r)
	}))
	t.Cleanup(func() { listening.Close(); _ = p.Close() })
	database := boottest.Engines[0].URL(t)
	tables := boottest.Inspect(t, database)
	start := func() *boot.App {
		return boottest.Start(t, database, func(c *boot.Config) { c.StripeURL = listening.URL })
	}
	app := start()

	shop := openCrashShop(t, app.URL())
	m := merchant.New(exchange.NewClient(exchange.Config{URL: app.URL()}), boottest.Key, shop.project)
	connected, err := m.ConnectAPIKey(t.Context(), merchant.NewIntegration{Type: "stripe", Credentials: merchant.Credentials{Key: "sk_test_unresolved"}})
	if err != nil {
		t.Fatal(err)
	}
	token := func() string {
		asked, _ := json.Marshal(map[string]string{"kind": "stripe", "seller": connected.Config.AccountID})
		answer, err := http.Post(listening.URL+"/lookalike/tokens", "application/json", bytes.NewReader(asked))
		if err != nil {
			t.Fatal(err)
		}
		defer answer.Body.Close()
		var granted struct{ Token string }
		if err := json.NewDecoder(answer.Body).Decode(&granted); err != nil {
			t.Fatal(err)
		}
		return granted.Token
	}
	first, second, tokens := shop.buyerAtCheckout(t, app.URL()), shop.buyerAtCheckout(t, app.URL()), []string{token(), token()}
	if first.Pay(acp.PSPToken, tokens[0]); !first.Paid() {
		t.Fatal(first.Err())
	}
	gone.Store(true)
	second.Pay(acp.PSPToken, tokens[1])
	if code := acp.CodeOf(second.Err()); code != "payment_unresolved" {
		t.Fatalf("paying without the provider: %v", second.Err())
	}
	refund, err := m.Refund(t.Context(), first.Finalized.Payment.ID, merchant.NewRefund{})
	if err != nil || refund.Status != "pending" {
		t.Fatalf("refunding without the provider: %+v, %v", refund, err)
	}
	s := &unresolvedShop{
		T:        t,
		url:      app.URL(),
		ops:      app.OpsURL(),
		project:  shop.project,
		merchant: m,
		another:  func() { start() },
		checkout: second.Checkout.CheckoutID,
		refund:   refund.ID,
	}
	for _, subject := range []string{s.checkout, s.refund} {
		for deadline := time.Now().Add(time.Minute); ; time.Sleep(20 * time.Millisecond) {
			if aged, err := boottest.Age(tables, subject, time.Hour); err != nil || time.Now().After(deadline) {
				t.Fatalf("%s: %v", subject, err)
			} else if aged {
				break
			}
		}
	}
	enrolled, err := m.EnrolMFA(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	s.codes = enrolled.RecoveryCodes
	code, err := totp.GenerateCode(enrolled.Secret, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := m.ConfirmMFA(t.Context(), code); err != nil {
		t.Fatal(err)
	}
	return s
}

// run runs a command against the server and returns its output.
func (s *unresolvedShop) run(args ...string) (out, said string, err error) {
	s.Helper()
	c := command(s.T, "", slices.Concat([]string{args[0], args[1], "--url", s.url}, args[2:])...)
	c.Env = append(c.Env, "HAGGLE_API_KEY="+boottest.Key)
	var stdout, stderr bytes.Buffer
	c.Stdout, c.Stderr = &stdout, &stderr
	err = c.Run()
	return stdout.String(), stderr.String(), err
}

func (s *unresolvedShop) prints(want string, args ...string) {
	s.Helper()
	if out, said, err := s.run(args...); err != nil || strings.Join(strings.Fields(out), " ") != want {
		s.Errorf("%s\n%v %s\nprinted %s\nwant    %s", args, err, said, out, want)
	}
}

func (s *unresolvedShop) refuses(want string, args ...string) {
	s.Helper()
	if out, said, err := s.run(args...); err == nil || out != "" || !strings.Contains(said, want) {
		s.Errorf("%s\n%v %s\nsaid %s\nwant %s", args, err, out, said, want)
	}
}

// measures expects the metric to be an hour plus at most the test's own time.
func (s *unresolvedShop) measures(what string) {
	s.Helper()
	answer, err := http.Get(s.ops + "/metrics")
	if err != nil {
		s.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	_, value, _ := strings.Cut(string(text), "haggle_"+what+`_unresolved_age_seconds{provider="stripe"} `)
	value, _, _ = strings.Cut(value, "\n")
	if age, parsed := strconv.ParseFloat(value, 64); err != nil || parsed != nil || age < 3600 || age > 2*3600 {
		s.Errorf("the age of %s is %q, %v", what, value, err)
	}
}

// alertsOnce starts another replica, whose background loops run immediately, and expects one alert of each kind, in addition to
// the payment's first event.
func (s *unresolvedShop) alertsOnce() {
	s.Helper()
	s.another()
	for kind, want := range map[string]int{"payment.unresolved": 2, "refund.unresolved": 1} {
		for deadline := time.Now().Add(time.Minute); ; time.Sleep(20 * time.Millisecond) {
			events, err := s.merchant.Events(s.Context(), kind, merchant.Page{})
			if err == nil && events.Meta.Total == want {
				break
			}
			if time.Now().After(deadline) {
				s.Fatalf("%d events %s, %v", events.Meta.Total, kind, err)
			}
		}
	}
}

// payments and refunds list unresolved ones at a running server, and resolve decides them.
func TestPaymentsCmd_unresolved(t *testing.T) {
	t.Parallel()
	s := openUnresolvedShop(t)
	code := func() string {
		next := s.codes[0]
		s.codes = s.codes[1:]
		return "--mfa-code=" + next
	}
	const because = "--reason=Seen in the dashboard"

	out, said, err := s.run("payments", "list", "--project=crash-shop")
	for _, want := range []string{"CHECKOUT", "PROBLEM", s.checkout + "  1", "45.99 USD", "stripe", "1h0m"} {
		if err != nil || !strings.Contains(out, want) {
			t.Errorf("%v %s\nno %q in\n%s", err, said, want, out)
		}
	}
	out, said, err = s.run("refunds", "list", "--project="+s.project)
	for _, want := range []string{"REFUND", "ORDER", s.refund, "45.99 USD", "stripe", "1h0m"} {
		if err != nil || !strings.Contains(out, want) {
			t.Errorf("%v %s\nno %q in\n%s", err, said, want, out)
		}
	}

	s.measures("payments")
	s.measures("refunds")
	s.alertsOnce()

	in := "--project=" + s.project
	s.refuses("--charged=ID or --not-charged", "payments", "resolve", s.checkout, in, because, "--mfa-code=1")
	s.refuses("--not-charged", "payments", "resolve", s.checkout, in, because, "--mfa-code=1", "--charged=pi_1", "--not-charged")
	s.refuses("--reason", "payments", "resolve", s.checkout, in, "--mfa-code=1", "--not-charged")
	s.refuses("--mfa-code", "refunds", "resolve", s.refund, in, because, "--failed")
	s.refuses("--succeeded=ID or --failed", "refunds", "resolve", s.refund, in, because, "--mfa-code=1")
	s.refuses(`no project that the API key can access has the slug "other"`, "payments", "list", "--project=other")
	s.refuses("cannot connect to the server at http://127.0.0.1:1: connection refused (--url)", "payments", "list", in, "--url=http://127.0.0.1:1")
	s.refuses("No such checkout. (checkout_not_found)", "payments", "resolve", "chk_none", in, because, "--mfa-code=1", "--not-charged")
	s.refuses("(mfa_required)", "payments", "resolve", s.checkout, in, because, "--mfa-code=1", "--not-charged")
	s.refuses("provider_charge_id must", "payments", "resolve", s.checkout, in, because, code(), "--charged=ch_1")
	s.refuses("(attempt_stale)", "payments", "resolve", s.checkout, in, because, code(), "--attempt=2", "--not-charged")

	s.prints("Recorded attempt 1 as not charged and released the stock.",
		"payments", "resolve", s.checkout, in, because, code(), "--attempt=1", "--not-charged")
	s.refuses("(payment_decided)", "payments", "resolve", s.checkout, in, because, code(), "--not-charged")
	s.prints("", "payments", "list", in)

	s.refuses("provider_refund_id is required", "refunds", "resolve", s.refund, in, because, code(), "--succeeded=")
	out, said, err = s.run("refunds", "resolve", s.refund, in, because, code(), "--succeeded=re_1")
	if err != nil || !strings.HasPrefix(out, "The refund of 45.99 USD has succeeded. Payment pay_") || !strings.HasSuffix(out, ": 45.99 USD refunded in total.\n") {
		t.Errorf("%v %s\n%s", err, said, out)
	}
	s.prints("", "refunds", "list", in)
}

// HAGGLE_API_KEY is meant for commands at a server, and does not break other commands.
func TestRun_apiKeyInEnvironment(t *testing.T) {
	t.Parallel()
	c := command(t, "sqlite://"+filepath.Join(t.TempDir(), "keys.db"), "migrate")
	c.Env = append(c.Env, "HAGGLE_API_KEY="+boottest.Key)
	c.Stderr = os.Stderr
	if err := c.Run(); err != nil {
		t.Error(err)
	}
}
