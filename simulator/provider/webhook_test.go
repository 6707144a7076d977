package provider_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
)

// receiver is a merchant's webhook endpoint.
type receiver struct {
	mu     sync.Mutex
	got    []received
	secret string
	answer func(n int) int // status of the n-th answer, from 0
	url    string
}

type received struct {
	id, kind, intent string
	genuine          bool
}

func newReceiver(t *testing.T, w *world, events ...string) *receiver {
	t.Helper()
	r := &receiver{answer: func(int) int { return 200 }}
	server := httptest.NewServer(r)
	t.Cleanup(server.Close)
	r.url = server.URL
	form := url.Values{"url": {server.URL}}
	for i, event := range events {
		form.Set(fmt.Sprintf("enabled_events[%d]", i), event)
	}
	made := w.stripe("/v1/webhook_endpoints", "", form).must(t, 200, "object", "webhook_endpoint", "status", "enabled")
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.secret = made.str("secret"); !strings.HasPrefix(r.secret, "whsec_") {
		t.Fatalf("secret %q", r.secret)
	}
	w.stripe("/v1/webhook_endpoints/"+made.str("id"), "", nil).must(t, 200, "secret", "<nil>")
	return r
}

func (r *receiver) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	body, _ := io.ReadAll(request.Body)
	var event struct {
		ID, Type string
		Data     struct{ Object struct{ ID string } }
	}
	_ = json.Unmarshal(body, &event)
	stamp, signature, _ := strings.Cut(strings.TrimPrefix(request.Header.Get("Stripe-Signature"), "t="), ",v1=")
	r.mu.Lock()
	defer r.mu.Unlock()
	sum := hmac.New(sha256.New, []byte(r.secret))
	_, _ = sum.Write([]byte(stamp + "." + string(body)))
	r.got = append(r.got, received{event.ID, event.Type, event.Data.Object.ID, hex.EncodeToString(sum.Sum(nil)) == signature})
	w.WriteHeader(r.answer(len(r.got) - 1))
}

func (r *receiver) all() []received {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.got)
}

func (r *receiver) await(t *testing.T, n int) []received {
	t.Helper()
	eventually(t, fmt.Sprint(n, " deliveries"), func() bool { return len(r.all()) >= n })
	return r.all()
}

func TestProvider_Send_untilAccepted(t *testing.T) {
	w := newWorld(t)
	r := newReceiver(t, w, "*")
	r.answer = func(n int) int { return map[bool]int{true: 503, false: 204}[n < 2] }
	paid := w.charge("k", w.granted(""), 500).must(t, 200)
	got := r.await(t, 3)
	for _, one := range got {
		if one.kind != "payment_intent.succeeded" || !one.genuine || one.intent != paid.str("id") || one.id != got[0].id {
			t.Errorf("got %+v", one)
		}
	}
	w.stripe("/v1/refunds", "", url.Values{"payment_intent": {paid.str("id")}}).must(t, 200)
	w.stripe("/v1/payment_intents", "", url.Values{"amount": {"100"}, "currency": {"usd"}, "confirm": {"true"}, "payment_method": {"pm_card_chargeDeclined"}}).must(t, 402)
	open := w.stripe("/v1/payment_intents", "", url.Values{"amount": {"100"}, "currency": {"usd"}}).must(t, 200)
	w.stripe("/v1/payment_intents/"+open.str("id")+"/cancel", "", url.Values{}).must(t, 200)
	kinds := []string{}
	for _, one := range r.await(t, 7)[3:] {
		kinds = append(kinds, one.kind)
	}
	if want := []string{"charge.refunded", "refund.created", "refund.updated", "payment_intent.payment_failed", "payment_intent.canceled"}; !slices.Equal(kinds, want) {
		t.Errorf("got %v, want %v", kinds, want)
	}
	w.stripe("/v1/events?type=charge.refunded", "", nil).must(t, 200, "data.0.object", "event", "data.0.data.object.object", "charge", "data.1", "<nil>")
}

func TestProvider_Run_afterCrash(t *testing.T) {
	w := newWorld(t)
	r := newReceiver(t, w, "payment_intent.succeeded")
	w.control("/lookalike/webhooks", `{"delay_ms":300}`).must(t, 200)
	w.charge("k", w.granted(""), 500).must(t, 200)
	w.restart()
	r.await(t, 1)
}

func TestProvider_Send_attempts(t *testing.T) {
	w := newWorld(t)
	w.crash()
	w.config.WebhookAttempts = 3
	w.start()
	refusing, accepting := newReceiver(t, w, "*"), newReceiver(t, w, "*")
	refusing.answer = func(int) int { return 500 }
	w.charge("k", w.granted(""), 500).must(t, 200)
	refusing.await(t, 3)
	w.charge("k2", w.granted(""), 500).must(t, 200)
	refusing.await(t, 6) // three for each event; a fourth attempt of the first event would come earlier
	accepting.await(t, 2)
	byEvent := map[string]int{}
	for _, one := range refusing.all() {
		byEvent[one.id]++
	}
	for id, n := range byEvent {
		if n != 3 {
			t.Errorf("%s was sent %d times", id, n)
		}
	}
}

func TestChange_AddDeliveries_duplicatesAndTampered(t *testing.T) {
	w := newWorld(t)
	r := newReceiver(t, w, "*")
	w.control("/lookalike/webhooks", `{"duplicates":3,"tamper":1}`).must(t, 200)
	w.charge("k", w.granted(""), 500).must(t, 200)
	genuine := 0
	for _, one := range r.await(t, 4) {
		if one.genuine {
			genuine++
		}
	}
	if genuine != 3 {
		t.Errorf("%d of 4 are genuine", genuine)
	}
}

func TestProvider_ShuffleHeld_sameSeed(t *testing.T) {
	shuffled := func(seed int) (places []int) {
		w := newWorld(t)
		r := newReceiver(t, w, "*")
		w.control("/lookalike/webhooks", fmt.Sprintf(`{"shuffle":6,"seed":%d}`, seed)).must(t, 200)
		ids := []string{}
		for i := range 6 {
			ids = append(ids, w.charge(fmt.Sprint(i), w.granted(""), 100).must(t, 200).str("id"))
		}
		for _, one := range r.await(t, 6) {
			places = append(places, slices.Index(ids, one.intent))
		}
		return places
	}
	first, again, other := shuffled(7), shuffled(7), shuffled(8)
	if !slices.Equal(first, again) || slices.Equal(first, other) || slices.IsSorted(first) {
		t.Errorf("seed 7 gave %v and %v, seed 8 %v", first, again, other)
	}
	slices.Sort(first)
	if !slices.Equal(first, []int{0, 1, 2, 3, 4, 5}) {
		t.Errorf("events were lost or repeated: %v", first)
	}
}

func TestProvider_SendEarly(t *testing.T) {
	w := newWorld(t)
	r := newReceiver(t, w, "*")
	w.control("/lookalike/webhooks", `{"early":true}`).must(t, 200)
	for i := range 5 {
		w.charge(fmt.Sprint(i), w.granted(""), 100).must(t, 200)
		if n := len(r.all()); n != i+1 {
			t.Fatalf("after answer %d there were %d webhooks", i+1, n)
		}
	}
}

func TestChange_AddDeliveries_dropped(t *testing.T) {
	w := newWorld(t)
	r := newReceiver(t, w, "*")
	w.control("/lookalike/webhooks", `{"drop":1}`).must(t, 200)
	w.charge("k1", w.granted(""), 100).must(t, 200)
	w.control("/lookalike/webhooks", `{}`).must(t, 200)
	kept := w.charge("k2", w.granted(""), 100).must(t, 200)
	if got := r.await(t, 1); got[0].intent != kept.str("id") {
		t.Errorf("got %+v", got)
	}
	w.stripe("/v1/events", "", nil).must(t, 200, "data.1.type", "payment_intent.succeeded") // the event exists all the same
}
