package features

import (
	"fmt"
	"testing"
)

// opensShopWithReceiver opens a shop on a server that may send events to this machine.
func (a *apiTest) opensShopWithReceiver() {
	a.Helper()
	a.useServer(a.server.loopback)
	a.opensShopSelling(product{
		name:  "Trail Tent",
		price: "100.00",
		stock: "7",
	})
}

func TestCreateEventSubscription_secretShownOnce(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.opensShopWithReceiver()
		a.must(a.events.subscribes(`["order.completed", "return.requested"]`))
		a.answers(201)
		a.shows(
			"id", `matches ^sub_`,
			"url", `"$hook"`,
			"event_types", `["order.completed", "return.requested"]`,
			"status", `"active"`,
			"disabled_reason", `null`,
			"secret", `matches ^whsec_[A-Za-z0-9+/=]{32,}$`,
		)
		a.asMerchant("GET /v1/event-subscriptions/$subscription")
		a.shows("url", `"$hook"`, "secret", `absent`)
		a.asMerchant("GET /v1/event-subscriptions")
		a.shows(
			"data.*.id", `["$subscription"]`,
			"data.0.secret", `absent`,
			"meta.total", `1`,
		)
	})
}

func TestUpdateEventSubscription_thenDelete(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.opensShopWithReceiver()
		a.must(a.events.isSubscribed(`["*"]`))
		a.asMerchant(`PATCH /v1/event-subscriptions/$subscription {"event_types": ["quote.accepted"], "description": "Stock desk"}`)
		a.shows(
			"event_types", `["quote.accepted"]`,
			"description", `"Stock desk"`,
			"secret", `absent`,
		)
		a.asMerchant("DELETE /v1/event-subscriptions/$subscription")
		a.answers(204)
		a.merchantIsRefused([]rejection{
			{"GET /v1/event-subscriptions/$subscription", "404 subscription_not_found", ""},
			{"GET /v1/event-subscriptions/$subscription/deliveries", "404 subscription_not_found", ""},
		})
	})
}

func TestCreateEventSubscription_refusals(t *testing.T) {
	a := newAPITest(t)
	a.opensShopWithReceiver()
	for _, row := range []struct{ url, types, field string }{
		{``, `["*"]`, "url"},
		{`example.com/hook`, `["*"]`, "url"},
		{`http://example.com/hook`, `["*"]`, "url"},
		{`ftp://example.com/hook`, `["*"]`, "url"},
		{`https://ada:pw@example.com`, `["*"]`, "url"},
		{`https://example.com:99999/`, `["*"]`, "url"},
		{`https://10.0.0.1/hook`, `["*"]`, "url"},
		{`https://169.254.169.254/latest`, `["*"]`, "url"},
		{`https://[fd00::1]/hook`, `["*"]`, "url"},
		{`https://[::ffff:10.0.0.1]/hook`, `["*"]`, "url"},
		{`https://[64:ff9b::a00:1]/hook`, `["*"]`, "url"},
		{`https://[2002:a00:1::]/hook`, `["*"]`, "url"},
		{`https://198.18.0.1/hook`, `["*"]`, "url"},
		{`https://192.0.2.1/hook`, `["*"]`, "url"},
		{`https://255.255.255.255/hook`, `["*"]`, "url"},
		{`https://①⓪.⓪.⓪.①/hook`, `["*"]`, "url"},
		{`https://DB.INTERNAL./hook`, `["*"]`, "url"},
		{`https://2130706433/hook`, `["*"]`, "url"},
		{`https://example.com/hook`, `[]`, "event_types"},
		{`https://example.com/hook`, `["order.lost"]`, "event_types.0"},
		{`https://example.com/hook`, `["ping"]`, "event_types.0"},
		{`https://example.com/hook`, `["order.completed", "*"]`, "event_types.1"},
		{`https://example.com/hook`, `["order.completed","order.completed"]`, "event_types.1"},
	} {
		a.asMerchant("POST /v1/event-subscriptions", fmt.Sprintf(`{"url": "%s", "event_types": %s}`, row.url, row.types))
		a.refused("422 validation_error", row.field)
	}
}

func TestListEventSubscriptions_scopes(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.opensShopWithReceiver()
		a.must(a.events.isSubscribed(`["*"]`))
		a.must(a.keys.hasKey("catalogue", `{"scopes": ["catalog:write"], "project_ids": ["$shop"]}`))
		a.must(a.keys.hasKey("reader", `{"scopes": ["events:read"], "project_ids": ["$shop"]}`))
		for _, row := range []struct{ key, request string }{
			{"catalogue", "GET /v1/event-subscriptions"},
			{"catalogue", "GET /v1/events"},
			{"reader", "DELETE /v1/event-subscriptions/$subscription"},
			{"reader", "POST /v1/event-subscriptions/$subscription/rotate-secret"},
		} {
			a.asHolder(row.key, row.request)
			a.refused("403 insufficient_scope")
		}
	})
}

func TestGetEventSubscription_otherShop(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.opensShopWithReceiver()
		a.must(a.events.isSubscribed(`["*"]`))
		a.must(a.events.switchesShop())
		a.merchantIsRefused([]rejection{
			{"GET /v1/event-subscriptions/$subscription", "404 subscription_not_found", ""},
			{`PATCH /v1/event-subscriptions/$subscription {"status": "disabled"}`, "404 subscription_not_found", ""},
			{"DELETE /v1/event-subscriptions/$subscription", "404 subscription_not_found", ""},
			{"POST /v1/event-subscriptions/$subscription/rotate-secret", "404 subscription_not_found", ""},
			{"POST /v1/event-subscriptions/$subscription/test", "404 subscription_not_found", ""},
			{"GET /v1/event-subscriptions/$subscription/deliveries", "404 subscription_not_found", ""},
		})
	})
}

func TestListEventDeliveries_delivered(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.opensShopWithReceiver()
		a.must(a.events.isSubscribed(`["order.completed"]`))
		a.must(a.checkouts.hasOrdered(2, "Trail Tent"))
		a.must(a.events.eventsArriveSigned(1, "order.completed"))
		data, err := decode(string(a.events.deliveries[0].Event.Data))
		a.must(err)
		a.must(a.checkFields(data, []string{"negotiation_id", `matches ^neg_`, "session_id", `absent`}))

		a.asMerchant("GET /v1/event-subscriptions/$subscription/deliveries?status=delivered")
		a.must(a.events.answerBecomes(5,
			"data.0.type", `"order.completed"`,
			"data.0.event_id", `"$event"`,
			"data.0.attempts", `1`,
			"data.0.last_status_code", `204`,
			"data.0.last_error", `null`,
			"data.0.next_attempt_at", `null`,
			"meta.total", `1`,
		))
		a.asMerchant("GET /v1/events/$event")
		a.shows(
			"id", `"$event"`,
			"type", `"order.completed"`,
			"project_id", `"$shop"`,
		)
	})
}

func TestTestEventSubscription_receiverGone(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.opensShopWithReceiver()
		a.must(a.events.isSubscribed(`["*"]`))
		a.must(a.events.receiverAnswers(410))
		a.must(a.events.sendsTest())
		a.must(a.events.isDisabledAsGone(5))
		a.asMerchant("GET /v1/events?type=subscription.disabled")
		a.shows(
			"data.0.data.subscription_id", `"$subscription"`,
			"data.0.data.reason", `"gone"`,
		)
		a.asMerchant("POST /v1/event-subscriptions/$subscription/test")
		a.refused("409 subscription_disabled")
	})
}
