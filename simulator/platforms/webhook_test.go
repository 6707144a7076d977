package platforms_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/haggle-commerce/haggle/simulator/platforms"
	"github.com/haggle-commerce/haggle/simulator/receiver"
)

func listen(t *testing.T) *receiver.Receiver {
	t.Helper()
	r, err := receiver.Start()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.Close() })
	return r
}

func signature(key []byte, text string) string {
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(text))
	return base64.StdEncoding.EncodeToString(mac.Sum(nil))
}

func standardGood(secret string, came receiver.Request) bool {
	key, _ := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
	text := came.Header.Get("webhook-id") + "." + came.Header.Get("webhook-timestamp") + "." + string(came.Body)
	return came.Header.Get("webhook-signature") == "v1,"+signature(key, text)
}

func TestCustom_webhookFaults(t *testing.T) {
	s, got := start(t, platforms.Config{}), listen(t)
	_, secret := registerCustom(t, s, "products/update", got.URL())
	registerCustom(t, s, "inventory_levels/update", got.URL())
	var sent platforms.Sent
	r := do(t, "POST", s.URL+"/control/webhooks", `{"platform":"custom","count":60,"duplicate":0.2,"reorder":0.2,"late":0.1,"tamper":0.2,"seed":3}`)
	if err := json.Unmarshal(r.text, &sent); err != nil {
		t.Fatal(err)
	}
	calls := got.Requests("")
	is(t, "calls", len(calls), sent.Sent)
	is(t, "sum", sent.Sent, 60+sent.Duplicated+sent.Tampered)
	good, bad, ids := 0, 0, map[string]int{}
	for _, came := range calls {
		if !standardGood(secret, came) {
			bad++
			continue
		}
		good++
		ids[came.Header.Get("webhook-id")]++
	}
	is(t, "good and bad", good*1000+bad, (60+sent.Duplicated)*1000+sent.Tampered)
	is(t, "deliveries", len(ids), 60)
	is(t, "answered", sent.Answers[204], 60+sent.Duplicated)
	if sent.Duplicated == 0 || sent.Reordered == 0 || sent.Late == 0 || sent.Tampered == 0 {
		t.Errorf("nothing of something: %+v", sent)
	}
	last := calls[len(calls)-1].Event
	is(t, "the last is late", last.Data != nil, true)
}

// The newest delivery of each record, by the record's own time, has the platform's current data.
func TestWebhooks_newest(t *testing.T) {
	s, got := start(t, platforms.Config{Products: 4}), listen(t)
	registerCustom(t, s, "inventory_levels/update", got.URL())
	if _, err := s.Webhooks(t.Context(), platforms.Webhooks{
		Platform: "custom",
		Count:    80,
		Reorder:  0.5,
		Late:     0.3,
		Seed:     5,
	}); err != nil {
		t.Fatal(err)
	}
	type level struct {
		ID      string `json:"id"`
		Updated string `json:"updated_at"`
		Have    int    `json:"quantity"`
	}
	newest, disordered := map[string]level{}, 0
	for _, came := range got.Requests("") {
		var l level
		_ = json.Unmarshal(came.Event.Data, &l)
		if newest[l.ID].Updated > l.Updated {
			disordered++
			continue
		}
		newest[l.ID] = l
	}
	if disordered == 0 {
		t.Error("everything came in order")
	}
	for _, one := range walk(t, s, "inventory", "") {
		if l, known := newest[one["id"].(string)]; known && float64(l.Have) != one["quantity"] {
			t.Errorf("%s: told %d, is %v", l.ID, l.Have, one["quantity"])
		}
	}
}

func TestWebhooks_sameSeed(t *testing.T) {
	received := func() (all []string) {
		s, got := start(t, platforms.Config{}), listen(t)
		registerCustom(t, s, "products/update", got.URL())
		if _, err := s.Webhooks(t.Context(), platforms.Webhooks{
			Platform:  "custom",
			Count:     20,
			Duplicate: 0.3,
			Reorder:   0.3,
			Tamper:    0.3,
			Seed:      11,
		}); err != nil {
			t.Fatal(err)
		}
		for _, came := range got.Requests("") {
			var record struct{ ID, Name string }
			_ = json.Unmarshal(came.Event.Data, &record)
			all = append(all, record.ID+" "+record.Name)
		}
		return all
	}
	is(t, "calls", fmt.Sprint(received()), fmt.Sprint(received()))
}

func TestWebhooks_retries(t *testing.T) {
	s, got := start(t, platforms.Config{}), listen(t)
	registerCustom(t, s, "customers/update", got.URL())
	got.Answer(500, 503)
	sent, err := s.Webhooks(t.Context(), platforms.Webhooks{
		Platform: "custom",
		Count:    1,
		Retries:  3,
		PauseMS:  1,
	})
	if err != nil {
		t.Fatal(err)
	}
	is(t, "retries", sent.Retried, 2)
	is(t, "answer", sent.Answers[204], 1)
	calls := got.Requests("")
	is(t, "the same id", calls[0].Header.Get("webhook-id"), calls[2].Header.Get("webhook-id"))
}

func TestShopify_webhooks(t *testing.T) {
	c, got := connectShopify(t, platforms.Config{}), listen(t)
	create := `mutation($topic: WebhookSubscriptionTopic!, $uri: String!) { webhookSubscriptionCreate(topic: $topic, webhookSubscription: {uri: $uri}) {
		webhookSubscription { id topic uri } userErrors { field message } } }`
	register := func(topic string) any {
		return at(t, c.data(create, object{"topic": topic, "uri": got.URL()}), "webhookSubscriptionCreate")
	}
	for _, topic := range []string{"PRODUCTS_UPDATE", "INVENTORY_LEVELS_UPDATE", "ORDERS_CREATE", "PRODUCTS_DELETE"} {
		is(t, "topic", at(t, register(topic), "webhookSubscription", "topic"), any(topic))
	}
	is(t, "twice", len(at(t, register("ORDERS_CREATE"), "userErrors").([]any)), 1)
	sent, err := c.s.Webhooks(t.Context(), platforms.Webhooks{
		Platform: "shopify",
		Count:    30,
		Tamper:   0.2,
		Seed:     2,
	})
	if err != nil {
		t.Fatal(err)
	}
	topics, forged := map[string]int{}, 0
	for _, came := range got.Requests("") {
		if came.Header.Get("X-Shopify-Hmac-Sha256") != signature([]byte("haggle-sandbox-secret"), string(came.Body)) {
			forged++
			continue
		}
		topic := came.Header.Get("X-Shopify-Topic")
		topics[topic]++
		is(t, "shop", came.Header.Get("X-Shopify-Shop-Domain"), "trailhead-outfitters.myshopify.com")
		checkPayload(t, topic, came.Body)
	}
	is(t, "forged", forged, sent.Tampered)
	is(t, "kinds", len(topics), 4)

	id := at(t, c.data(`{ webhookSubscriptions(first: 10) { nodes { id endpoint { __typename ... on WebhookHttpEndpoint { callbackUrl } } } } }`, nil), "webhookSubscriptions", "nodes", 0, "id")
	remove := `mutation($id: ID!) { webhookSubscriptionDelete(id: $id) { deletedWebhookSubscriptionId userErrors { message } } }`
	is(t, "removed", at(t, c.data(remove, object{"id": id}), "webhookSubscriptionDelete", "deletedWebhookSubscriptionId"), id)
	is(t, "removed again", len(at(t, c.data(remove, object{"id": id}), "webhookSubscriptionDelete", "userErrors").([]any)), 1)
}

func checkPayload(t *testing.T, topic string, body []byte) {
	t.Helper()
	need := map[string][]string{
		"products/update":         {"id", "title", "body_html", "vendor", "product_type", "tags", "status", "updated_at", "variants", "images", "options"},
		"inventory_levels/update": {"inventory_item_id", "location_id", "available", "updated_at"},
		"orders/create":           {"id", "name", "email", "total_price", "currency", "financial_status", "created_at", "updated_at", "line_items"},
		"products/delete":         {"id"},
	}[topic]
	var shown object
	if err := json.Unmarshal(body, &shown); err != nil || need == nil {
		t.Fatalf("%s %.100s: %v", topic, body, err)
	}
	for _, name := range need {
		if _, has := shown[name]; !has {
			t.Errorf("%s without %s", topic, name)
		}
	}
}

func TestShipStation_webhooks(t *testing.T) {
	s, got := start(t, plenty), listen(t)
	ship(t, s, "POST", "/webhooks/subscribe", object{"target_url": got.URL(), "event": "SHIP_NOTIFY"})
	sent, err := s.Webhooks(t.Context(), platforms.Webhooks{
		Platform:  "shipstation",
		Count:     10,
		Tamper:    0.5,
		Duplicate: 0.5,
		Seed:      1,
	})
	if err != nil {
		t.Fatal(err)
	}
	foreign := 0
	for _, came := range got.Requests("") {
		if !strings.Contains(string(came.Body), s.URL+"/shipstation/shipments?batchId=") {
			foreign++
		}
	}
	is(t, "changes", len(sent.Changes), 10)
	is(t, "foreign", foreign, sent.Tampered)
	is(t, "calls", len(got.Requests("")), 10+sent.Duplicated+sent.Tampered)
}

func TestNewOrder_reference(t *testing.T) {
	c := connectShopify(t, platforms.Config{})
	for _, platform := range []string{"shopify", "custom"} {
		first := do(t, "POST", c.s.URL+"/control/orders", object{"platform": platform, "reference": "ord_123"}).object(t)["id"]
		shipped := do(t, "POST", c.s.URL+"/control/orders", object{"platform": platform, "reference": "ord_123", "ship": true}).object(t)["id"]
		is(t, platform, first, shipped)
	}
	list := walk(t, c.s, "orders", "")
	last := list[len(list)-1]
	is(t, "reference", last["reference"], any("ord_123"))
	if at(t, last, "shipment", "tracking_number") == "" {
		t.Error("no tracking number")
	}
	order := at(t, c.data(`{ orders(first: 1, sortKey: UPDATED_AT, reverse: true) { nodes { sourceIdentifier displayFulfillmentStatus } } }`, nil), "orders", "nodes", 0)
	is(t, "Shopify's", fmt.Sprintf("%v %v", at(t, order, "sourceIdentifier"), at(t, order, "displayFulfillmentStatus")), "ord_123 FULFILLED")
}
