package provider_test

import (
	"net/url"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/simulator/provider"
)

// Each script has an expected first answer, an expected answer to a repeat with the same key, and the amount that is
// captured in the end.
func TestNextStep_stripeToken(t *testing.T) {
	for script, want := range map[string]struct {
		first, again func(*testing.T, response)
		taken        int
	}{
		"ok":                         {status(200), replayed(200), 500},
		"decline:insufficient_funds": {status(402), replayed(402), 0},
		"hang_after":                 {broken, replayed(200), 500},
		"error_before:1":             {status(500), status(200), 500},
		"error_kept":                 {status(500), replayed(500), 0},
		"error_after":                {status(500), replayed(500), 500},
		"malformed":                  {halved, replayed(200), 500},
		"rate_limited:1":             {status(429), status(200), 500},
		"in_use:1":                   {status(409), status(200), 500},
		"reset_after":                {broken, replayed(200), 500},
		"slow:20":                    {status(200), replayed(200), 500},
		"in_use:1;slow:5;hang_after": {status(409), broken, 500},
	} {
		t.Run(script, func(t *testing.T) {
			w := newWorld(t, func(c *provider.Config) { c.Hang = 50 * time.Millisecond })
			token := w.granted(script)
			want.first(t, w.charge("k", token, 500))
			want.again(t, w.charge("k", token, 500))
			w.charge("k", token, 500)
			w.mustHaveTaken(want.taken, 0)
		})
	}
}

func status(code int) func(*testing.T, response) {
	return func(t *testing.T, r response) {
		t.Helper()
		r.must(t, code)
		if r.header.Get("Idempotent-Replayed") != "" {
			t.Error("replayed")
		}
		if code == 429 && r.header.Get("Retry-After") == "" {
			t.Error("no Retry-After")
		}
	}
}

func replayed(code int) func(*testing.T, response) {
	return func(t *testing.T, r response) {
		t.Helper()
		r.must(t, code)
		if r.header.Get("Idempotent-Replayed") != "true" {
			t.Error("not replayed")
		}
	}
}

func broken(t *testing.T, r response) {
	t.Helper()
	if r.err == nil || r.status != 0 {
		t.Errorf("an answer came: %d %s", r.status, r.text)
	}
}

func halved(t *testing.T, r response) {
	t.Helper()
	if r.status != 200 || r.err == nil || r.text == "" {
		t.Errorf("%d %v %s", r.status, r.err, r.text)
	}
}

// The provider charges even when the caller has closed the connection.
func TestProvider_Pause_callerGone(t *testing.T) {
	w := newWorld(t)
	token := w.granted("")
	w.control("/lookalike/faults", `{"fault":"slow:3000"}`).must(t, 200)
	done := make(chan response)
	go func() { done <- w.charge("k", token, 500) }()
	eventually(t, "the request at work", func() bool { return w.do("GET", "/lookalike/faults", "", nil).length("faults") == 0 })
	w.server.CloseClientConnections()
	broken(t, <-done)
	var again response
	eventually(t, "the answer", func() bool { again = w.charge("k", token, 500); return again.status != 409 })
	replayed(200)(t, again)
	w.mustHaveTaken(500, 0)
}

func TestAddFault_nextRequests(t *testing.T) {
	w := newWorld(t)
	w.control("/lookalike/faults", `{"fault":"error_before","count":2,"operation":"refund"}`).must(t, 200)
	paid := w.charge("k", w.granted(""), 500).must(t, 200)
	refund := url.Values{"payment_intent": {paid.str("id")}}
	w.stripe("/v1/refunds", "r", refund).must(t, 500)
	w.stripe("/v1/refunds", "r", refund).must(t, 500)
	w.stripe("/v1/refunds", "r", refund).must(t, 200)
	w.mustHaveTaken(500, 500)

	w.control("/lookalike/faults", `{"fault":"rate_limited","count":5,"operation":"list"}`).must(t, 200)
	w.stripe("/v1/payment_intents", "", nil).must(t, 429)
	w.charge("k2", w.granted(""), 500).must(t, 200)
	w.do("DELETE", "/lookalike/faults", "", nil).must(t, 200)
	w.stripe("/v1/payment_intents", "", nil).must(t, 200)
	w.control("/lookalike/faults", `{"fault":"nonsense"}`).must(t, 400)
	w.control("/lookalike/faults", `{"fault":"error_after","operation":"chrage"}`).must(t, 400)
	w.control("/lookalike/tokens", `{"kind":"stripe","skript":"ok"}`).must(t, 400)
}

func TestNextStep_refund(t *testing.T) {
	w := newWorld(t)
	paid := w.charge("k", w.granted("refund.reset_after"), 500).must(t, 200)
	refund := url.Values{"payment_intent": {paid.str("id")}}
	broken(t, w.stripe("/v1/refunds", "r", refund))
	w.stripe("/v1/refunds", "r", refund).must(t, 200)
	w.mustHaveTaken(500, 500)
}

func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for deadline := time.Now().Add(30 * time.Second); time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
		if holds() {
			return
		}
	}
	t.Fatalf("%s: not within 30 s", what)
}
