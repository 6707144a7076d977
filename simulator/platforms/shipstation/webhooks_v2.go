package shipstation

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/haggle-commerce/haggle/simulator/platforms/internal/host"
)

// Webhooks of API V2.

var eventsV2 = []string{
	"batch_processed_v2", "fulfillment_canceled_v2", "fulfillment_rejected_v2", "fulfillment_shipped_v2", labelCreated, "shipment_created_v2", "track_event_v2",
}

// labelCreated is the event of a new label.
const labelCreated = "label_created_v2"

func (s *Platform) hooksV2(*host.Call) host.Answer {
	list := []any{}
	for _, h := range s.Hooks.List() {
		if h.Secret == v2 {
			list = append(list, map[string]any{"webhook_id": hookID(h.Number), "url": h.URL, "event": labelCreated, "name": ""})
		}
	}
	return host.OK(list)
}

func hookID(number int) string { return fmt.Sprintf("se-%d", shipHook(number)) }

// subscribeV2 accepts all documented events, but only labels have webhooks.
func (s *Platform) subscribeV2(c *host.Call) host.Answer {
	var asked struct{ URL, Event string }
	if !host.ReadJSON(c.Content, &asked) || asked.URL == "" || !slices.Contains(eventsV2, asked.Event) {
		return refuseV2(http.StatusBadRequest, "field_value_required", "url and a known event are required.")
	}
	topic := asked.Event
	if topic == labelCreated { // called together with those of V1
		topic = shipNotify
	}
	h := s.Hooks.Add(host.Hook{
		Topic:  topic,
		URL:    asked.URL,
		Secret: v2,
		Base:   s.Host.Address(host.ShipStation, c.Request),
	})
	return host.OK(map[string]any{"webhook_id": hookID(h.Number), "url": h.URL, "event": asked.Event})
}

func (s *Platform) unsubscribeV2(c *host.Call) host.Answer {
	number, err := strconv.Atoi(strings.TrimPrefix(c.PathValue("id"), "se-"))
	if err != nil || !s.Hooks.Remove(number-shipHook(0)) {
		return refuseV2(http.StatusNotFound, "not_found", "The webhook was not found.")
	}
	return host.Answer{Status: http.StatusNoContent}
}
