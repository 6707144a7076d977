package custom_test

import (
	"fmt"
	"net/http"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"github.com/haggle-commerce/haggle/domain/syncrun"
	"github.com/haggle-commerce/haggle/ports"
	"github.com/haggle-commerce/haggle/ports/porttest/adaptertest"
)

func TestConnector_calledConnector(t *testing.T) {
	t.Parallel()
	adaptertest.CalledConnector(t, func(t *testing.T) adaptertest.CalledWorld {
		o, p, s, c := connect(t)
		return adaptertest.CalledWorld{
			CalledConnector: s,
			Connection:      c,
			Platform:        p,
			Topic:           "products/update",
			Hooks: func() int {
				o.mu.Lock()
				defer o.mu.Unlock()
				return len(o.hooks)
			},
			Call: func(t *testing.T, signing string, at time.Time) (ports.Call, string) {
				body := fmt.Sprintf(`{"type":"products/update","timestamp":%q,"data":{"id":"P-1","sku":"MUG","name":"Mug","price":"12.50"}}`,
					at.Format(time.RFC3339Nano))
				return signed(t, signing, "msg_"+strconv.FormatInt(at.UnixMilli(), 10), at, body), "P-1"
			},
		}
	})
}

func signed(t *testing.T, secret, id string, at time.Time, body string) ports.Call {
	t.Helper()
	key, err := standardwebhooks.NewWebhook(secret)
	if err != nil {
		t.Fatal(err)
	}
	signature, err := key.Sign(id, at, []byte(body))
	if err != nil {
		t.Fatal(err)
	}
	header := http.Header{}
	header.Set("webhook-id", id)
	header.Set("webhook-timestamp", strconv.FormatInt(at.Unix(), 10))
	header.Set("webhook-signature", signature)
	return ports.Call{
		Header:  header.Get,
		Payload: []byte(body),
		Now:     at,
	}
}

func TestNews(t *testing.T) {
	t.Parallel()
	_, _, s, c := connect(t)
	for name, test := range map[string]struct {
		topic, data string
		want        syncrun.Record
	}{
		"a level": {"inventory_levels/update", `{"id": "a", "sku": "MUG", "quantity": 3, "updated_at": "2026-03-04T05:06:00Z"}`,
			syncrun.Record{
				Resource:    syncrun.Inventory,
				Remote:      "a",
				At:          changed.Truncate(time.Minute),
				WholeSecond: true,
				Level: &syncrun.Level{
					SKU:      "MUG",
					Location: "main",
					Quantity: 3,
				},
			}},
		"an exact time on a whole second": {"inventory_levels/update", `{"id": "a", "sku": "MUG", "quantity": 3, "updated_at": "2026-03-04T05:06:00.000Z"}`,
			syncrun.Record{
				Resource: syncrun.Inventory,
				Remote:   "a",
				At:       changed.Truncate(time.Minute),
				Level: &syncrun.Level{
					SKU:      "MUG",
					Location: "main",
					Quantity: 3,
				},
			}},
		"a customer without a time": {"customers/create", `{"id": "a", "email": "a@b.c"}`,
			syncrun.Record{
				Resource: syncrun.Customers,
				Remote:   "a",
				At:       changed,
				Customer: &syncrun.Customer{Email: "a@b.c"},
			}},
		"a product that is gone": {"products/delete", `{"id": 5, "updated_at": "2020-03-04T05:06:00Z", "price": 7}`,
			syncrun.Record{
				Resource: syncrun.Products,
				Remote:   "5",
				At:       changed,
				Deleted:  true,
			}},
		"a product that cannot be read": {"products/update", `{"id": 5, "price": []}`,
			syncrun.Record{
				Resource: syncrun.Products,
				Remote:   "5",
				At:       changed,
				Problem:  "It cannot be read: price must be a number.",
			}},
		"something that is gone": {"products/delete", `7`,
			syncrun.Record{
				Resource: syncrun.Products,
				At:       changed,
				Problem:  "It cannot be read: id is required.",
			}},
	} {
		body := fmt.Sprintf(`{"type": %q, "timestamp": "2026-03-04T05:06:07.089Z", "data": %s}`, test.topic, test.data)
		got, err := s.News(ports.NewOutbound(t.Context()), c, test.topic, changed, []byte(body))
		if err != nil || !reflect.DeepEqual(got, []syncrun.Record{test.want}) {
			t.Errorf("%s: %+v, %v, want %+v", name, got, err, test.want)
		}
	}
	for _, body := range []string{``, `[]`, `{}`, `{"type": "orders/create", "timestamp": "now", "data": {}}`, `{"type": "orders/create", "data": null}`} {
		if got, err := s.News(ports.NewOutbound(t.Context()), c, "orders/create", changed, []byte(body)); err == nil {
			t.Errorf("%s: %+v", body, got)
		}
	}
}

// Verify checks the signature only. News checks the body.
func TestVerify_otherBody(t *testing.T) {
	t.Parallel()
	_, _, s, _ := connect(t)
	const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
	stamp, err := s.Verify(signed(t, secret, "msg_1", changed, "hello"), secret)
	if want := (ports.CallStamp{Delivery: "msg_1"}); err != nil || stamp != want {
		t.Errorf("%+v, %v", stamp, err)
	}
	for _, weak := range []string{"", "whsec_", "whsec_%"} {
		empty := signed(t, "whsec_", "msg_1", changed, "hello")
		if stamp, err := s.Verify(empty, weak); err == nil {
			t.Errorf("signed with the secret %q: %+v", weak, stamp)
		}
	}
	if _, err := s.Verify(signed(t, secret, strings.Repeat("x", 201), changed, "hello"), secret); err == nil {
		t.Error("an id of 201 characters is taken")
	}
}
