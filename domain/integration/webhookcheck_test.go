package integration_test

import (
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/integration"
)

func TestWebhook_checks(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 28, 12, 0, 0, 0, time.UTC)
	i := &integration.Integration{Type: integration.Shopify, ID: id.New[id.Integration]([16]byte{1})}
	w, err := i.Webhook(id.New[id.Webhook]([16]byte{2}), "products/update", nil, now)
	if err != nil {
		t.Fatal(err)
	}
	pause := func() time.Duration { return w.CheckAt.Sub(now) }
	first := pause()
	if first < 6*time.Hour || first > 6*time.Hour+30*time.Minute {
		t.Errorf("a new one is checked in %s", first)
	}
	if isNew := w.Fail("It is gone.", now); !isNew || w.Status != integration.WebhookFailed || w.Problem != "It is gone." || pause() != first {
		t.Errorf("%v, %+v", isNew, w)
	}
	if w.Fail("It is still gone.", now) {
		t.Error("a failure is new twice")
	}
	w.Restore("7", []byte("sealed"), now.Add(time.Hour))
	if w.Status != integration.WebhookActive || w.Problem != "" || w.Remote != "7" || string(w.Signing) != "sealed" || !w.RestoredAt.Equal(w.CheckedAt) {
		t.Errorf("restored: %+v", w)
	}
	for wait, want := range map[time.Duration]time.Duration{0: 10 * time.Minute, time.Hour: time.Hour, 24 * time.Hour: 6 * time.Hour} {
		if w.CheckAgain(wait, now); pause() != want {
			t.Errorf("after %s it is checked in %s, want %s", wait, pause(), want)
		}
	}
}

func TestWebhook_Resources(t *testing.T) {
	t.Parallel()
	for topic, want := range map[string]int{
		"products/update": 2, "product.updated": 2, "inventory_levels/update": 1, "orders/create": 1, "refunds/create": 1, "order.deleted": 1, "SHIP_NOTIFY": 1,
		"customers/delete": 1, "customer.created": 1, "app/uninstalled": 0,
	} {
		if got := (&integration.Webhook{Topic: topic}).Resources(); len(got) != want {
			t.Errorf("%s: %v", topic, got)
		}
	}
	for _, kind := range integration.Types { // every type
		for _, topic := range kind.Topics() {
			if len((&integration.Webhook{Topic: topic}).Resources()) == 0 {
				t.Errorf("%s of %s is news of nothing", topic, kind)
			}
		}
	}
}
