package platforms

import (
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"
)

var shipEvents = []string{"ORDER_NOTIFY", "ITEM_ORDER_NOTIFY", "SHIP_NOTIFY", "ITEM_SHIP_NOTIFY", "FULFILLMENT_SHIPPED", "FULFILLMENT_REJECTED"}

const shipNotify = "SHIP_NOTIFY"

func (s *shipstation) subscribe(c *call) answer {
	var asked struct {
		URL   string `json:"target_url"`
		Event string `json:"event"`
	}
	if !readJSON(c.body, &asked) || asked.URL == "" || !slices.Contains(shipEvents, asked.Event) {
		return s.refuse(http.StatusBadRequest, "The request is invalid: target_url and a known event are required.")
	}
	h := s.hooks.add(hook{Topic: asked.Event, URL: asked.URL, Base: s.p.url(ShipStation, c.Request)})
	return answer{status: http.StatusCreated, body: map[string]any{"id": shipHook(h.Number)}}
}

func shipHook(number int) int { return 123 + number }

func (s *shipstation) listHooks(*call) answer {
	list := []any{}
	for _, h := range s.hooks.list() {
		list = append(list, map[string]any{
			"IsLabelAPIHook": false, "WebHookID": shipHook(h.Number), "SellerID": 100000, "StoreID": nil, "HookType": h.Topic, "MessageFormat": "Json",
			"Url": h.URL, "Name": "", "BulkCopyBatchID": nil, "BulkCopyRecordID": nil, "Active": true, "WebhookLogs": []any{}, "Seller": nil, "Store": nil,
		})
	}
	return ok(map[string]any{"webhooks": list})
}

func (s *shipstation) unsubscribe(c *call) answer {
	number, err := strconv.Atoi(c.PathValue("id"))
	if err != nil || !s.hooks.remove(number-shipHook(0)) {
		return s.refuse(http.StatusNotFound, "The webhook was not found.")
	}
	return answer{status: http.StatusNoContent}
}

// news names shipments by an address and carries none of them.
func news(h hook, batch string) any {
	return map[string]any{
		"resource_url":  h.Base + "/shipments?batchId=" + url.QueryEscape(batch) + "&includeShipmentItems=False",
		"resource_type": shipNotify,
	}
}

// notify tells of a label in the background.
func (s *shipstation) notify(number int) {
	s.mu.Lock()
	batch := s.shipments[number].batch
	s.mu.Unlock()
	for _, h := range s.hooks.list() {
		if h.Topic != shipNotify {
			continue
		}
		body, _ := json.Marshal(news(h, batch))
		d := delivery{hook: h, id: deliveryID(), topic: h.Topic, body: body, signed: body}
		s.p.calls.Go(func() {
			wait := 100 * time.Millisecond
			for range 5 {
				if status := s.p.post(s.p.stop, s.side, d); status/100 == 2 || s.p.stop.Err() != nil {
					return
				}
				select {
				case <-time.After(wait):
				case <-s.p.stop.Done():
				}
				wait *= 2
			}
		})
	}
}

// announce ships orders that wait for it, and tells of each. A forged call names another host.
func (s *shipstation) announce(ask Webhooks, tell func(c Changed, at time.Time, body, forged func(hook) any)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.seed()
	m := newMaker(ask.Seed, 4000)
	service := shipServices[1]
	for range ask.Count {
		n, found := some(m, len(s.orders), func(n int) bool { return s.orders[n].status == "awaiting_shipment" })
		if !found {
			if n, found = some(m, len(s.orders), func(int) bool { return true }); !found {
				return
			}
		}
		number, _ := s.ship(n, labelRequest{PackageCode: "package", Confirmation: "none", ShipDate: s.p.config.Now().In(pacific).Format(time.DateOnly)}, service)
		batch := s.shipments[number].batch
		tell(Changed{Topic: shipNotify, ID: s.orders[n].key, index: number}, s.p.config.Now(),
			func(h hook) any { return news(h, batch) },
			func(h hook) any { h.Base = "http://elsewhere.example.com"; return news(h, batch) })
	}
}
