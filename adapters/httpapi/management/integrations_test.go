package management_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/integration"
	"github.com/haggle-commerce/haggle/domain/syncrun"
	"github.com/haggle-commerce/haggle/ports"
)

// The transaction of the completion is run twice, but the platform's code is redeemed once.
func TestRegister_connectByConsent(t *testing.T) {
	t.Parallel()
	w, o := newIntegrationsFixture(t)
	path := w.connected(t)
	if !o.rerun || len(o.stored) != 1 || len(o.codes) != 1 {
		t.Errorf("stored %d for %d codes", len(o.stored), len(o.codes))
	}
	wants(t, w.call("admin", "GET", path, "", w.in(w.one)), "OK",
		`"config":{"store_domain":"a.myshopify.com","sync_products":true,"sync_orders":true,"sync_customers":true,"write_orders":false,"refused_orders":"keep",`+
			`"offer_unpublished":false,"offer_gift_cards":false,"offer_subscription_only":false}`, `"last_sync":null`,
		`"metrics":{"products_synced":3,"orders_synced":2,"errors_24h":1}`)
	again := w.call("admin", "POST", "/v1/integrations/connect/complete", `{"type": "shopify", "code": "c", "state": "`+strings.Repeat("x", 32)+`", "callback_query": "shop=a.myshopify.com"}`, w.in(w.one))
	wants(t, again, "Bad Request", "invalid_state")
	wants(t, w.call("admin", "POST", "/v1/integrations/connect", `{"type": "stripe"}`, w.in(w.one)), "Unprocessable", `"field":"type"`, `"field":"redirect_uri"`)
	for _, e := range w.logged {
		if text := fmt.Sprintf("%s %s %s", e.Target, e.Before, e.After); strings.Contains(text, "secret-token") || strings.Contains(text, strings.Repeat("x", 32)) {
			t.Errorf("the audit log has %s", text)
		}
	}
}

func TestRegister_updateIntegration(t *testing.T) {
	t.Parallel()
	w, _ := newIntegrationsFixture(t)
	path := w.connected(t)
	change := func(body string) string { return w.call("admin", "PATCH", path, body, w.in(w.one)) }
	wants(t, change(`{"name": "Our shop", "config": {"sync_orders": false}}`), "OK", `"name":"Our shop"`, `"sync_products":true,"sync_orders":false`)
	wants(t, change(`{"config": {"sync_customers": false}}`), `"name":"Our shop"`, `"sync_orders":false,"sync_customers":false`)
	wants(t, change(`{"name": null, "config": {"sync_orders": null}}`), `"name":"Shopify"`, `"sync_orders":true,"sync_customers":false`)
	wants(t, change(`{"config": null}`), `"sync_orders":true,"sync_customers":true`)
	wants(t, change(`{"name": ""}`), "Unprocessable", `"field":"name"`)
	own := w.call("admin", "POST", "/v1/integrations/connect/api-key", `{"type": "custom", "credentials": {"api_key": "k"},
		"config": {"base_url": "https://erp.test", "sync_customers": false}}`, w.in(w.one))
	wants(t, own, "Created", `"config":{"base_url":"https://erp.test","sync_products":true,"sync_orders":true,"sync_customers":false,"write_orders":false,"refused_orders":"keep"}`)
}

func TestRegister_syncs(t *testing.T) {
	t.Parallel()
	w, o := newIntegrationsFixture(t)
	path := w.connected(t) + "/sync"
	get := func(path string) string { return w.call("admin", "GET", path, "", w.in(w.one)) }
	wants(t, w.call("admin", "POST", path, "", w.in(w.one)), "Accepted", `"status":"running","resources":["products","inventory","customers","orders"],"started_at"`)
	wants(t, w.call("admin", "POST", path, `{"resources": ["inventory", "products"], "full_sync": true}`, w.in(w.one)), "Accepted", `"resources":["products","inventory"]`)
	wants(t, w.call("admin", "POST", path, `{"resources": ["moods"]}`, w.in(w.one)), "Unprocessable", `"field":"resources.0"`)
	run := o.runs.list[1]
	_ = run.Advance(syncrun.Counters{
		Created:   2,
		Updated:   1,
		Unchanged: 4,
		Errors:    1,
	}, time.Time{}, "", o.Now(), o.Now())
	one := path + "/" + run.ID.String()
	wants(t, get(one), "OK", `"full_sync":true`, `"products":{"total":8,"created":2,"updated":1,"unchanged":4,"errors":1,"conflicts":0}`, `"completed_at":null,"duration_ms":null,"error":null`)
	wants(t, get(one+"/errors"), "OK", `"resource":"products","record_id":"7","reason":"has no price","at":`, `"total":1`)
	wants(t, w.call("admin", "POST", one+"/cancel", "", w.in(w.one)), "OK", `"status":"canceled"`, `"duration_ms":0`)
	wants(t, get(path+"/history"), "OK", `"data":[{"sync_id":"`, `"total":2`)
	wants(t, get(path+"/sync_1"), "Not Found", "sync_not_found")
	wants(t, get(strings.TrimSuffix(path, "/sync")+"/records?resource=orders"), "OK",
		`"record_id":"1001","resource":"orders","local_id":null,"sku":null`, `"removed":false,"order":{"number":"#1","email":"a@b.test"`, `"reference":null,"canceled":false}`)
	wants(t, get(strings.TrimSuffix(path, "/sync")+"/records"), "Bad Request", `"field":"resource"`)
}

func TestRegister_webhooks(t *testing.T) {
	t.Parallel()
	w, o := newIntegrationsFixture(t)
	path := w.connected(t) + "/webhooks"
	get := func(path string) string { return w.call("admin", "GET", path, "", w.in(w.one)) }
	wants(t, w.call("admin", "POST", path, `{"topic": "products/update", "actions": ["sync_inventory"]}`, w.in(w.one)), "Created",
		`"topic":"products/update","endpoint":"https://haggle.test/hooks/wh_`, `"status":"active","actions":["sync_inventory"],"created_at"`)
	wants(t, get(path), "OK", `"data":[{"id":"wh_`, `"total":1`)
	wants(t, get(path+"/logs?since=1h&status=failed"), "OK", `"status":"failed","error":"down","retry_count":5,"payload_size":9,"received_at"`)
	if want := (ports.LogFilter{Since: o.Now().Add(-time.Hour), Status: integration.Undone}); o.calls.asked[0] != want {
		t.Errorf("asked for %+v", o.calls.asked[0])
	}
	wants(t, get(path+"/logs?since=1w"), "Bad Request", "invalid_request", `"field":"since"`)
	wants(t, get(path+"/logs?status=lost"), "Bad Request", `"field":"status"`)
	wants(t, w.call("admin", "POST", path+"/logs/"+o.calls.call.ID.String()+"/retry", "", w.in(w.one)), "Accepted", `"status":"received"`)
	wants(t, w.call("admin", "DELETE", path+"/"+o.hooks.list[0].ID.String(), "", w.in(w.one)), http.StatusText(http.StatusNoContent))
	wants(t, w.call("admin", "DELETE", path+"/wh_1", "", w.in(w.one)), "Not Found", "webhook_not_found")
}

// A webhook that could not be stored is unregistered at its platform after the transaction.
func TestRegister_webhookNotStored(t *testing.T) {
	t.Parallel()
	w, o := newIntegrationsFixture(t)
	path := w.connected(t) + "/webhooks"
	register := func() string {
		return w.call("admin", "POST", path, `{"topic": "products/update"}`, w.in(w.one))
	}
	o.hooks.down = fault.New(fault.Conflict, "webhook_exists", "Another request was first.")
	wants(t, register(), "Conflict", "webhook_exists")
	if o.caller.registered != 1 || o.caller.unregistered != 1 {
		t.Errorf("%d webhooks were registered, %d unregistered", o.caller.registered, o.caller.unregistered)
	}
	o.hooks.down = nil
	wants(t, register(), "Created")
	if o.caller.registered != 2 || o.caller.unregistered != 1 {
		t.Errorf("a webhook that is stored: %d were registered, %d unregistered", o.caller.registered, o.caller.unregistered)
	}
}
