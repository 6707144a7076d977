package provider

import (
	"encoding/json"
	"math/rand/v2"
	"net/http"
	"net/url"
	"slices"

	"github.com/haggle-commerce/haggle/simulator/provider/ledger"
)

// Stripe's webhook endpoints and events, and the deliveries of an event.

func createEndpoint(c *change, call *call) answer {
	form := call.form
	if refused, bad := unknownParam(form, "url", "enabled_events", "api_version", "description", "metadata", "connect"); bad {
		return refused
	}
	address, err := url.Parse(form.Get("url"))
	events := list(form, "enabled_events")
	switch {
	case form.Get("url") == "":
		return missingParam("url")
	case err != nil || address.Host == "":
		return invalid(http.StatusBadRequest, "url_invalid", "url", "Invalid URL: An explicit scheme (such as https) must be provided.")
	case len(events) == 0:
		return missingParam("enabled_events")
	}
	made := ledger.Endpoint{
		ID:          newID("we_1", 23),
		Account:     call.account,
		Live:        call.live,
		URL:         form.Get("url"),
		Secret:      newID("whsec_", 32),
		Events:      events,
		Version:     form.Get("api_version"),
		Description: form.Get("description"),
		Metadata:    object(form, "metadata"),
		Created:     c.seconds(),
	}
	c.entry.Endpoints = append(c.entry.Endpoints, made)
	shown := showEndpoint(made)
	shown["secret"] = made.Secret
	return answer{status: http.StatusOK, body: shown}.began()
}

func (c *change) endpointOf(call *call) (ledger.Endpoint, bool) {
	known, ok := c.Endpoints.Get(call.request.PathValue("id"))
	return known, ok && known.Account == call.account && !known.Deleted
}

func readEndpoint(c *change, call *call) answer {
	known, ok := c.endpointOf(call)
	if !ok {
		return unknownID("webhook endpoint", call.request.PathValue("id"), "")
	}
	return answer{status: http.StatusOK, body: showEndpoint(known)}
}

func deleteEndpoint(c *change, call *call) answer {
	known, ok := c.endpointOf(call)
	if !ok {
		return unknownID("webhook endpoint", call.request.PathValue("id"), "")
	}
	known.Deleted = true
	c.entry.Endpoints = append(c.entry.Endpoints, known)
	return answer{status: http.StatusOK, body: map[string]any{"id": known.ID, "object": "webhook_endpoint", "deleted": true}}
}

func listEndpoints(c *change, call *call) answer {
	return page(call, "webhook endpoint", "/v1/webhook_endpoints", c.Endpoints,
		func(e ledger.Endpoint) bool { return e.Account == call.account && !e.Deleted },
		func(e ledger.Endpoint) int64 { return e.Created }, showEndpoint)
}

func showEndpoint(e ledger.Endpoint) map[string]any {
	return map[string]any{
		"id": e.ID, "object": "webhook_endpoint", "api_version": text(e.Version), "application": nil, "created": e.Created,
		"description": text(e.Description), "enabled_events": e.Events, "livemode": e.Live, "metadata": metadata(e.Metadata),
		"status": "enabled", "url": e.URL,
	}
}

func readEvent(c *change, call *call) answer {
	known, ok := c.Events.Get(call.request.PathValue("id"))
	if !ok || known.Account != call.account {
		return unknownID("event", call.request.PathValue("id"), "")
	}
	return answer{status: http.StatusOK, body: known.Body}
}

func listEvents(c *change, call *call) answer {
	types := list(call.form, "types")
	if only := call.form.Get("type"); only != "" {
		types = append(types, only)
	}
	return page(call, "event", "/v1/events", c.Events,
		func(e ledger.Event) bool {
			return e.Account == call.account && (len(types) == 0 || slices.Contains(types, e.Type))
		},
		func(e ledger.Event) int64 { return e.Created },
		func(e ledger.Event) (body map[string]any) {
			_ = json.Unmarshal(e.Body, &body)
			return body
		})
}

// emit records an event and its deliveries to the subscribed endpoints.
func (c *change) emit(call *call, kind string, about map[string]any) {
	event := ledger.Event{
		ID:      newID("evt_3", 23),
		Account: call.account,
		Type:    kind,
		Created: c.seconds(),
	}
	event.Body, _ = json.Marshal(map[string]any{
		"id": event.ID, "object": "event", "api_version": c.p.config.StripeVersion, "created": event.Created, "livemode": call.live,
		"data": map[string]any{"object": about}, "pending_webhooks": len(c.subscribed(call.account, kind)), "type": kind,
		"request": map[string]any{"id": call.id, "idempotency_key": text(call.key)},
	})
	c.send(event)
}

// subscribed returns an account's endpoints that are subscribed to an event type.
func (c *change) subscribed(account, kind string) (all []ledger.Endpoint) {
	for e := range c.Endpoints.Oldest() {
		if e.Account == account && !e.Deleted && (slices.Contains(e.Events, kind) || slices.Contains(e.Events, "*")) {
			all = append(all, e)
		}
	}
	return all
}

// send records an event and its deliveries.
func (c *change) send(event ledger.Event) {
	c.entry.Events = append(c.entry.Events, event)
	serial := c.Events.Len() + len(c.entry.Events)
	for index, e := range c.subscribed(event.Account, event.Type) {
		c.addDeliveries(event, e, uint64(serial)<<8|uint64(index))
	}
}

// addDeliveries adds the deliveries of an event to one endpoint, as the webhook faults say.
func (c *change) addDeliveries(event ledger.Event, to ledger.Endpoint, serial uint64) {
	m := c.Mischief
	now := c.now.UnixMilli()
	made := ledger.Delivery{
		Event:    event.ID,
		Endpoint: to.ID,
		State:    "pending",
		SinceMS:  now,
		DueMS:    now + m.DelayMS,
	}
	if m.Shuffle > 1 {
		made.State = "held"
	}
	if rand.New(rand.NewPCG(m.Seed, serial)).Float64() < m.Drop {
		made.State = "dropped"
	}
	for n := range max(1, m.Duplicates) + m.Tamper {
		made.ID, made.Place = newID("dlv_", 20), int64(serial)<<8+int64(n)
		made.Tampered = n >= max(1, m.Duplicates)
		c.entry.Deliveries = append(c.entry.Deliveries, made)
		if m.Early && made.State == "pending" {
			c.early = append(c.early, made.ID)
		}
	}
}
