package faults

import (
	"encoding/json"
	"fmt"
	"net/http"
	"time"
)

// subscribe creates a subscription to a shop's orders at the harness's receiver.
func (l *harness) subscribe(url string, s shop) error {
	body, err := json.Marshal(map[string]any{"url": l.receiver.URL + "/" + s.slug, "event_types": []string{"order.completed"}})
	if err != nil {
		return err
	}
	response, err := management(url, s.project).Do(l.ctx, http.MethodPost, "/v1/event-subscriptions", nil, body)
	if err == nil && response.Status != http.StatusCreated {
		err = fmt.Errorf("subscribing: %d %s", response.Status, response.Body)
	}
	return err
}

// late is the maximum delay of an event that was claimed by servers that died: two leases and a little more.
const late = 75 * time.Second

// delivered waits until the receiver has as many orders of a shop, including those that buyers were given, and returns what is
// missing or superfluous.
func (l *harness) delivered(s shop, orders int, confirmed []string) (violations []string) {
	deadline := time.Now().Add(late)
	received := l.receiver.Deliveries(s.slug)
	for ; len(received) < orders && time.Now().Before(deadline); received = l.receiver.Deliveries(s.slug) {
		time.Sleep(50 * time.Millisecond)
	}
	if len(received) != orders {
		violations = append(violations, fmt.Sprintf("%d orders were announced to the receiver, want %d", len(received), orders))
	}
	for _, id := range confirmed {
		if id != "" && received[id] == 0 {
			violations = append(violations, fmt.Sprintf("order %s was not announced", id))
		}
	}
	for _, n := range received {
		l.report.Count("order.completed deliveries", n)
	}
	return violations
}
