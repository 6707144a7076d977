package shipstation

import (
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"

	"github.com/haggle-commerce/haggle/simulator/platforms/internal/host"
)

var shipEvents = []string{"ORDER_NOTIFY", "ITEM_ORDER_NOTIFY", "SHIP_NOTIFY", "ITEM_SHIP_NOTIFY", "FULFILLMENT_SHIPPED", "FULFILLMENT_REJECTED"}

const shipNotify = "SHIP_NOTIFY"

func (s *Platform) subscribe(c *host.Call) host.Answer {
	var asked struct {
		URL   string `json:"target_url"`
		Event string `json:"event"`
	}
	if !host.ReadJSON(c.Content, &asked) || asked.URL == "" || !slices.Contains(shipEvents, asked.Event) {
		return s.Refuse(http.StatusBadRequest, "The request is invalid: target_url and a known event are required.")
	}
	h := s.Hooks.Add(host.Hook{
		Topic: asked.Event,
		URL:   asked.URL,
		Base:  s.Host.Address(host.ShipStation, c.Request),
	})
	return host.Answer{Status: http.StatusCreated, Body: map[string]any{"id": shipHook(h.Number)}}
}

func shipHook(number int) int { return 123 + number }

func (s *Platform) listHooks(*host.Call) host.Answer {
	list := []any{}
	for _, h := range s.Hooks.List() {
		list = append(list, map[string]any{
			"IsLabelAPIHook": false, "WebHookID": shipHook(h.Number), "SellerID": 100000, "StoreID": nil, "HookType": h.Topic, "MessageFormat": "Json",
			"Url": h.URL, "Name": "", "BulkCopyBatchID": nil, "BulkCopyRecordID": nil, "Active": true, "WebhookLogs": []any{}, "Seller": nil, "Store": nil,
		})
	}
	return host.OK(map[string]any{"webhooks": list})
}

func (s *Platform) unsubscribe(c *host.Call) host.Answer {
	number, err := strconv.Atoi(c.PathValue("id"))
	if err != nil || !s.Hooks.Remove(number-shipHook(0)) {
		return s.Refuse(http.StatusNotFound, "The webhook was not found.")
	}
	return host.Answer{Status: http.StatusNoContent}
}

// news returns a webhook body, which has a URL for shipments but not the shipments.
func news(h host.Hook, batch string) any {
	if h.Secret == v2 {
		return newsV2(h, batch)
	}
	return map[string]any{
		"resource_url":  h.Base + "/shipments?batchId=" + url.QueryEscape(batch) + "&includeShipmentItems=False",
		"resource_type": shipNotify,
	}
}

// notify calls the webhooks for a label in the background.
func (s *Platform) notify(number int) {
	s.mu.Lock()
	batch := s.shipments[number].batch
	s.mu.Unlock()
	for _, h := range s.Hooks.List() {
		if h.Topic != shipNotify {
			continue
		}
		body, _ := json.Marshal(news(h, batch))
		d := host.Delivery{
			Hook:   h,
			ID:     host.DeliveryID(),
			Topic:  h.Topic,
			Body:   body,
			Signed: body,
		}
		s.Host.Calls.Go(func() {
			wait := 100 * time.Millisecond
			for range 5 {
				if status := s.Host.Post(s.Host.Stop, s.Side, d); status/100 == 2 || s.Host.Stop.Err() != nil {
					return
				}
				select {
				case <-time.After(wait):
				case <-s.Host.Stop.Done():
				}
				wait *= 2
			}
		})
	}
}

// announce ships waiting orders and emits each of them. Forged bodies name another host.
func (s *Platform) announce(ask host.Webhooks, emit host.Teller) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.seed()
	m := host.NewMaker(ask.Seed, 4000)
	service := shipServices[1]
	for range ask.Count {
		n, found := host.Some(m, len(s.orders), func(n int) bool { return s.orders[n].status == "awaiting_shipment" })
		if !found {
			if n, found = host.Some(m, len(s.orders), func(int) bool { return true }); !found {
				return
			}
		}
		number, _ := s.ship(n, labelRequest{
			PackageCode:  "package",
			Confirmation: "none",
			ShipDate:     s.Host.Config.Now().In(pacific).Format(time.DateOnly),
		}, service)
		batch := s.shipments[number].batch
		emit(host.Changed{
			Topic: shipNotify,
			ID:    s.orders[n].key,
			Index: number,
		}, s.Host.Config.Now(),
			func(h host.Hook) any { return news(h, batch) },
			func(h host.Hook) any { h.Base = "http://elsewhere.example.com"; return news(h, batch) })
	}
}
