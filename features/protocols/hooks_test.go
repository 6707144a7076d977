package protocols

import (
	"context"
	"crypto/ecdsa"
	"database/sql"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/cmd/boot/boottest"
	"github.com/haggle-commerce/haggle/simulator/merchant"
	"github.com/haggle-commerce/haggle/simulator/receiver"
	"github.com/haggle-commerce/haggle/simulator/ucp"
	"github.com/haggle-commerce/haggle/simulator/ucp/judge"
	"github.com/haggle-commerce/haggle/simulator/ucp/schema"
	"github.com/haggle-commerce/haggle/simulator/ucp/signature"
)

// deliveryPatience is longer than the first retry of a delivery takes on a busy machine.
const deliveryPatience = 60 * time.Second

// listener is an agent that buys and receives webhooks about its orders. It caches the shop's profile as long as it may.
type listener struct {
	shop     *shop
	platform *platform
	receiver *receiver.Receiver
	agent    *ucpBuyer
	database *sql.DB
	keys     map[string]*ecdsa.PublicKey // of the cached profile
}

// TestOrderHooks lets an agent order over UCP and over MCP and receive webhooks at the URL in its profile: when the order is
// placed, shipped and refunded, while the shop's keys are rotated. The agent verifies every delivery with its cached profile.
func TestOrderHooks(t *testing.T) {
	onEngines(t, func(t *testing.T, engine boottest.Engine) {
		database := engine.URL(t)
		s := openShop(t, serve(t, database, besides), "USD", 10_000)
		for _, transport := range []ucp.Transport{ucp.REST, ucp.MCP} {
			t.Run(string(transport), func(t *testing.T) {
				r, err := receiver.Start()
				must(t, err)
				t.Cleanup(func() { _ = r.Close() })
				l := &listener{
					shop:     s,
					receiver: r,
					platform: openPlatform(t, r.URL()),
					database: boottest.Inspect(t, database),
				}
				l.agent = s.agent(t, schema.V20260825, transport, l.platform.as)
				l.readKeys(t)
				l.follow(t)
			})
		}
	})
}

// follow places an order and receives its events.
func (l *listener) follow(t *testing.T) {
	l.receiver.Answer(http.StatusInternalServerError)
	order := l.order(t)
	first := l.receive(t, 2)
	if id := first[0].Header.Get("Webhook-Id"); id == "" || id != first[1].Header.Get("Webhook-Id") {
		t.Errorf("a retry has the id %q, and the first attempt %q", first[1].Header.Get("Webhook-Id"), id)
	}
	l.shop.sends(t, "POST", "/v1/orders/"+order+"/fulfillment", merchant.Shipping{
		Status:      "shipped",
		Carrier:     "DHL",
		TrackingURL: "https://example.com/1",
	}, nil)
	l.receive(t, 3)

	// The clock advances until the next key may sign and the agent's cached profile has expired. Then the key is rotated
	// between two attempts of one delivery.
	l.moveClock(t)
	l.readKeys(t)
	l.receiver.Answer(http.StatusServiceUnavailable)
	payment, err := l.shop.acp().client.Order(t.Context(), order)
	must(t, err)
	l.shop.sends(t, "POST", "/v1/finance/payments/"+payment.Payment.ID+"/refund", map[string]any{"amount": 1.5}, nil)
	l.receive(t, 4)
	l.shop.sends(t, "POST", "/v1/signing-keys/rotate", nil, nil)
	all := l.receive(t, 5)
	if signers := l.verify(t, all); len(signers) != 2 {
		t.Errorf("it was signed with %v", signers)
	}
	rising(t, all)
	l.leaves(t, order)
}

// order buys over the agent's protocol.
func (l *listener) order(t *testing.T) string {
	t.Helper()
	got, err := l.agent.open(t.Context(), cart{
		lines: []line{{item: l.shop.items[0], quantity: 2}},
		to:    places[1],
		way:   atOnce,
	})
	must(t, err)
	done, err := l.agent.pay(t.Context(), got.id, "", "spt_sandbox_ok")
	if err != nil || done.status != ucp.Completed {
		t.Fatalf("%+v, %v", done, err)
	}
	return done.order
}

// receive waits for a number of requests and verifies each.
func (l *listener) receive(t *testing.T, n int) []receiver.Request {
	t.Helper()
	came, err := l.receiver.Wait("", n, deliveryPatience)
	if err != nil || len(came) != n {
		t.Fatalf("%d requests came, want %d: %v", len(came), n, err)
	}
	l.verify(t, came)
	return came
}

// verify verifies requests with the agent's keys, and returns the ids of the keys that signed them.
func (l *listener) verify(t *testing.T, came []receiver.Request) []string {
	t.Helper()
	var signers []string
	for i, one := range came {
		kid, err := l.genuine(one)
		if err == nil {
			err = judge.New(schema.V20260825).House().Answer(judge.OrderWebhook, nil, one.Body)
		}
		for _, secret := range []string{firstName, lastName, "ada@example.com", "Main St", "Springfield"} {
			if strings.Contains(string(one.Body), secret) {
				err = errors.Join(err, fmt.Errorf("%q is told", secret))
			}
		}
		if err != nil {
			t.Errorf("delivery %d: %v in %s", i, err, one.Body)
		}
		signers = append(signers, kid)
	}
	slices.Sort(signers)
	return slices.Compact(signers)
}

// genuine verifies one request: its digest, its signature and the components that the signature covers.
func (l *listener) genuine(came receiver.Request) (kid string, err error) {
	input := came.Header.Get("Signature-Input")
	for _, name := range []string{"webhook-id", "webhook-timestamp"} {
		if !strings.Contains(input, `"`+name+`"`) {
			err = errors.Join(err, fmt.Errorf("%s is not signed", name))
		}
	}
	_, after, _ := strings.Cut(input, `;keyid="`)
	kid, _, _ = strings.Cut(after, `"`)
	if agent := came.Header.Get("UCP-Agent"); agent != fmt.Sprintf("profile=%q", "https://"+publicHost+ucp.ProfilePath(l.shop.slug, schema.V20260825)) {
		err = errors.Join(err, fmt.Errorf("it says to be from %s", agent))
	}
	return kid, errors.Join(err, signature.Verify(signature.Message{
		Method:    http.MethodPost,
		Authority: came.Host,
		Path:      came.Path,
		Query:     came.Query,
		Header:    came.Header,
		Body:      came.Body,
	}, l.keys))
}

// readKeys reloads the shop's profile, as an agent does whose cache has expired.
func (l *listener) readKeys(t *testing.T) {
	t.Helper()
	published := l.shop.agent(t, schema.V20260825, ucp.REST).client.Profile.Keys
	l.keys = map[string]*ecdsa.PublicKey{}
	for _, jwk := range published {
		key, err := signature.PublicKey(jwk.X, jwk.Y)
		must(t, err)
		l.keys[jwk.Kid] = key
	}
	if len(l.keys) < 2 {
		t.Fatalf("the shop publishes %+v", published)
	}
}

// moveClock lets ten minutes pass for the shop's keys.
func (l *listener) moveClock(t *testing.T) {
	t.Helper()
	n, err := boottest.AgeSigningKeys(l.database, l.shop.project, 10*time.Minute)
	if err != nil || n == 0 {
		t.Fatalf("%d keys, %v", n, err)
	}
}

// rising checks the times of the events in whole seconds: they do not decrease, and a retry has the time of the first attempt.
func rising(t *testing.T, all []receiver.Request) {
	t.Helper()
	times, ids, last := map[string]int64{}, map[string]bool{}, int64(0)
	for i, one := range all {
		id := one.Header.Get("Webhook-Id")
		at, err := strconv.ParseInt(one.Header.Get("Webhook-Timestamp"), 10, 64)
		must(t, err)
		switch {
		case ids[id] && times[id] != at:
			t.Errorf("delivery %d: the time of the event was %d, and is %d", i, times[id], at)
		case !ids[id] && at < last:
			t.Errorf("delivery %d: the time of the event is %d, and that of the one before %d", i, at, last)
		}
		times[id], ids[id], last = at, true, max(last, at)
	}
	if len(ids) != 3 {
		t.Errorf("%d events were told", len(ids))
	}
}

// leaves makes the agent respond with 410 Gone, after which nothing more is sent.
func (l *listener) leaves(t *testing.T, order string) {
	t.Helper()
	l.receiver.AnswerAlways(http.StatusGone, 0)
	l.shop.sends(t, "POST", "/v1/orders/"+order+"/fulfillment", merchant.Shipping{Status: "delivered"}, nil)
	l.receive(t, 6)
	l.awaitEnded(t, order)
	payment, err := l.shop.acp().client.Order(t.Context(), order)
	must(t, err)
	l.shop.sends(t, "POST", "/v1/finance/payments/"+payment.Payment.ID+"/refund", map[string]any{"amount": 2}, nil)

	// The event of another order of this agent comes after the refund of the first one was handled.
	l.order(t)
	came, err := l.receiver.Wait("", 7, deliveryPatience)
	if err != nil {
		t.Fatal(err)
	}
	l.verify(t, came)
	for _, one := range came[6:] {
		if strings.Contains(string(one.Body), order) {
			t.Errorf("the agent is gone, and was told %s", one.Body)
		}
	}
}

// awaitEnded waits until the order's webhook has ended.
func (l *listener) awaitEnded(t *testing.T, order string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), deliveryPatience)
	defer cancel()
	for ctx.Err() == nil {
		var shown struct {
			Hook struct {
				Status string `json:"status"`
			} `json:"order_webhook"`
		}
		if l.shop.sends(t, "GET", "/v1/orders/"+order, nil, &shown); shown.Hook.Status == "ended" {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
	t.Fatal("the hook did not end")
}
