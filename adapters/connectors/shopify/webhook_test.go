package shopify_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/adapters/connectors/shopify"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/ports"
)

func TestVerify_stamp(t *testing.T) {
	t.Parallel()
	_, c, _ := connect(t)
	at := time.Date(2026, 3, 1, 12, 0, 0, 123_456_789, time.UTC)
	stamp, err := c.Verify(call("products/update", "b54557e4-bdd9-4b37-8a5f-bf7d70bcd043", at, `{"id":1}`), "")
	want := ports.CallStamp{
		Delivery: stamp.Delivery,
		Topic:    "products/update",
		Store:    store,
		At:       at.Truncate(time.Millisecond),
	}
	if err != nil || stamp != want || len(stamp.Delivery) != 64 {
		t.Errorf("%+v, %v", stamp, err)
	}
	bare := shopify.New(shopify.Config{Clock: fixedClock(noon)})
	if _, err := bare.Verify(call("products/update", "d", at, `{}`), ""); !fault.Is(err, "invalid_signature") {
		t.Errorf("without a secret: %v", err)
	}
}

// The signature does not cover the headers. Verify refuses a call without them, and the delivery depends on the payload and the ids.
func TestVerify_headers(t *testing.T) {
	t.Parallel()
	_, c, _ := connect(t)
	with := func(payload, name, value string) ports.Call {
		real := call("products/update", "d-1", noon, payload)
		return ports.Call{
			Payload: real.Payload,
			Now:     real.Now,
			Header: func(asked string) string {
				if asked == name {
					return value
				}
				return real.Header(asked)
			},
		}
	}
	for name, values := range map[string][]string{
		"X-Shopify-Topic":       {"", "products", "shop/redact"},
		"X-Shopify-Shop-Domain": {""},
	} {
		for _, value := range values {
			if stamp, err := c.Verify(with(`{"id":1}`, name, value), ""); !fault.Is(err, "invalid_signature") {
				t.Errorf("%s is %q: %+v, %v", name, value, stamp, err)
			}
		}
	}
	delivery := func(payload, name, value string) string {
		stamp, err := c.Verify(with(payload, name, value), "")
		if err != nil {
			t.Error(err)
		}
		return stamp.Delivery
	}
	first := delivery(`{"id":1}`, "", "")
	if delivery(`{"id":1}`, "X-Shopify-Webhook-Id", "d-1") != first || delivery(`{"id":1}`, "X-Shopify-Triggered-At", noon.Add(time.Second).Format(time.RFC3339Nano)) != first {
		t.Error("a repeated delivery is taken for another")
	}
	if delivery(`{"id":2}`, "", "") == first || delivery(`{"id":1}`, "X-Shopify-Webhook-Id", "d-2") == first {
		t.Error("deliveries are taken for the same")
	}
	event := delivery(`{"id":1}`, "X-Shopify-Event-Id", "e-1")
	if event == first || delivery(`{"id":1}`, "X-Shopify-Event-Id", "e-2") == event || delivery(`{"id":2}`, "X-Shopify-Event-Id", "e-1") == event {
		t.Error("the event's id does not tell deliveries apart")
	}
}

func TestRegister(t *testing.T) {
	t.Parallel()
	s, c, conn := connect(t)
	ctx := context.Background()
	for topic, name := range map[string]string{"products/update": "PRODUCTS_UPDATE", "inventory_levels/update": "INVENTORY_LEVELS_UPDATE"} {
		remote, signing, err := c.Register(ports.NewOutbound(ctx), conn, topic, "https://h.example/hooks/1")
		if err != nil || signing != "" || s.hooks[name+" https://h.example/hooks/1"] != remote || !strings.Contains(s.asked[len(s.asked)-1], `"fields":[`) {
			t.Errorf("%s: %q, %v, %v", topic, remote, s.hooks, err)
		}
	}
	s.say("WebhookCreate", `{"webhookSubscriptionCreate": {"webhookSubscription": null, "userErrors": [{"message": "Address is invalid"}]}}`)
	if _, _, err := c.Register(ports.NewOutbound(ctx), conn, "orders/create", "https://h.example/hooks/2"); !refused(err) || !strings.Contains(err.Error(), "Address is invalid") {
		t.Error(err)
	}
	s.say("WebhookDelete", `{"webhookSubscriptionDelete": {"userErrors": [{"message": "not now"}]}}`)
	if err := c.Unregister(ports.NewOutbound(ctx), conn, "1"); !refused(err) || !strings.Contains(err.Error(), "not now") {
		t.Error(err)
	}
}
