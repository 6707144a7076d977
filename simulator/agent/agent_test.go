package agent_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/simulator/agent"
)

const secret = "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="

func start(t *testing.T, c agent.Config) *agent.Server {
	t.Helper()
	s, err := agent.Start("127.0.0.1:0", c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// event returns a signed request as the contract describes it.
func event(t *testing.T, url, kind, data, key string, at time.Time) *http.Request {
	t.Helper()
	body := fmt.Sprintf(`{"id": "evt_1", "type": %q, "created_at": "2026-11-21T10:00:00Z", "policy": {"round_cap": 4}, "data": %s}`, kind, data)
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url+"/agent", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	raw, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(key, "whsec_"))
	if err != nil {
		t.Fatal(err)
	}
	mac := hmac.New(sha256.New, raw)
	stamp := strconv.FormatInt(at.Unix(), 10)
	fmt.Fprintf(mac, "evt_1.%s.%s", stamp, body)
	r.Header.Set("webhook-id", "evt_1")
	r.Header.Set("webhook-timestamp", stamp)
	r.Header.Set("webhook-signature", "v1,"+base64.StdEncoding.EncodeToString(mac.Sum(nil)))
	return r
}

func do(t *testing.T, r *http.Request) (int, string) {
	t.Helper()
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer.StatusCode, string(text)
}

func quote(offer string, current string, rounds int) string {
	return fmt.Sprintf(`{"offer": %s, "currency": "USD", "list_price": 100.00, "bounds": {"floor": 80.00, "target": 92.50, "opening": 100.00},
		"standing_price": %s, "progress": {"rounds": %d, "moves": 0, "best_offer": null}}`, offer, current, rounds)
}

// An honest handler concedes in equal steps.
func TestAgent_ServeHTTP_honest(t *testing.T) {
	t.Parallel()
	s := start(t, agent.Config{})
	for _, c := range []struct{ kind, data, want string }{
		{"acp.quote", quote("null", "100.00", 0), `"status":"quote","price":100`},
		{"acp.quote", quote("79.99", "100.00", 0), `{"status":"reject","reasoning"`},
		{"acp.quote", quote("85.00", "100.00", 0), `"status":"counter_offer","price":95,"reasoning":"We can come down to 95.00 USD."`},
		{"acp.quote", quote("86", "95.00", 1), `"status":"counter_offer","price":90`},
		{"acp.quote", quote("86", "82.5", 1), `"status":"accept"`},
		{"acp.quote", quote("80", "85", 9), `"status":"accept"`},
		{"acp.quote", quote("80", "83", 1), `"status":"counter_offer","price":83`},
		{"acp.checkout", `{"session_id": "s", "lines": []}`, `{"approve":true}`},
		{"acp.finalize", `{"checkout_id": "c", "total": 1}`, `{"approve":true}`},
		{"acp.search", `{"limit": 2, "candidates": [{"product_id": "a", "score": 0.9, "in_stock": false},
			{"product_id": "b", "score": 0.1, "in_stock": true}, {"product_id": "c", "score": 0.5, "in_stock": true}]}`,
			`{"results":[{"product_id":"c","reasons":["ready to ship"]},{"product_id":"b","reasons":["ready to ship"]}]}`},
	} {
		status, text := do(t, event(t, s.URL, c.kind, c.data, secret, time.Now()))
		if status != http.StatusOK || !strings.Contains(text, c.want) {
			t.Errorf("%s %s: %d %s", c.kind, c.data, status, text)
		}
	}
}

func TestAgent_Verify_signatures(t *testing.T) {
	t.Parallel()
	s := start(t, agent.Config{Secret: secret})
	now := time.Now()
	old := func(d time.Duration) *http.Request { return event(t, s.URL, "acp.checkout", "{}", secret, now.Add(d)) }
	changed, unsigned, otherID := old(0), old(0), old(0)
	changed.Header.Set("webhook-timestamp", strconv.FormatInt(now.Unix()+1, 10))
	unsigned.Header.Del("webhook-signature")
	otherID.Header.Set("webhook-id", "evt_2")
	for name, c := range map[string]struct {
		r      *http.Request
		status int
	}{
		"right": {old(0), 200}, "a little old": {old(-4 * time.Minute), 200}, "too old": {old(-6 * time.Minute), 401},
		"of the future": {old(6 * time.Minute), 401}, "another time": {changed, 401}, "none": {unsigned, 401}, "another id": {otherID, 401},
		"another secret": {event(t, s.URL, "acp.checkout", "{}", "whsec_"+strings.Repeat("B", 32), now), 401},
	} {
		if status, text := do(t, c.r); status != c.status {
			t.Errorf("%s: %d %s", name, status, text)
		}
	}
	if state := s.State(); state.Unsigned != 6 || state.Answered != 2 || state.Events["acp.checkout"] != 8 {
		t.Errorf("%+v", state)
	}
}

// All kinds of nonsense differ, and each occurs.
func TestKinds_allDiffer(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{"acp.quote", "acp.search", "acp.checkout", "acp.finalize"} {
		s := start(t, agent.Config{Mode: "nonsense"})
		seen := map[string]bool{}
		for range 2 * agent.Kinds {
			status, text := do(t, event(t, s.URL, kind, quote("85", "100", 0), secret, time.Now()))
			if seen[text] = true; status != http.StatusOK {
				t.Errorf("%d %s", status, text)
			}
		}
		if len(seen) != agent.Kinds {
			t.Errorf("%s: %d kinds", kind, len(seen))
		}
	}
}

// A slow handler answers honestly in the end.
func TestModes_slow(t *testing.T) {
	t.Parallel()
	s := start(t, agent.Config{Mode: "slow"})
	began := time.Now()
	status, text := do(t, event(t, s.URL, "acp.quote", quote("85.00", "100.00", 0), secret, began))
	if took := time.Since(began); status != http.StatusOK || !strings.Contains(text, "counter_offer") || took < 1900*time.Millisecond {
		t.Errorf("%d %s after %s", status, text, took)
	}
}

func TestModes(t *testing.T) {
	t.Parallel()
	s := start(t, agent.Config{})
	ask := func() (int, string) {
		return do(t, event(t, s.URL, "acp.quote", quote("85", "95.00", 0), secret, time.Now()))
	}
	price := func() float64 {
		var a struct{ Price float64 }
		_, text := ask()
		if err := json.Unmarshal([]byte(text), &a); err != nil {
			t.Errorf("%s: %v", text, err)
		}
		return a.Price
	}
	behave := func(mode string) {
		if err := s.Behave(mode); err != nil {
			t.Fatal(err)
		}
	}
	behave("gouge")
	if a, b, c := price(), price(), price(); a <= 95 || b <= a || c <= b {
		t.Errorf("%v, %v, %v", a, b, c)
	}
	behave("undercut")
	if a, b, c, d := price(), price(), price(), price(); a != 79.99 || b != 40 || c != .01 || d != -80 {
		t.Errorf("%v, %v, %v, %v", a, b, c, d)
	}
	behave("flap")
	if a, _ := ask(); a != 500 {
		t.Error(a)
	}
	if b, _ := ask(); b != 200 {
		t.Error(b)
	}
	behave("refuse")
	if a, _ := ask(); a != 500 {
		t.Error(a)
	}
	behave("leak")
	if _, text := ask(); !strings.Contains(text, "80.00") || !strings.Contains(text, "counter_offer") {
		t.Error(text)
	}
	if s.Behave("nice") == nil {
		t.Error("an unknown mode is taken")
	}
	behave("hang")
	impatient := &http.Client{Timeout: 50 * time.Millisecond}
	if _, err := impatient.Do(event(t, s.URL, "acp.quote", quote("85", "95", 0), secret, time.Now())); err == nil {
		t.Error("answered")
	}
}
