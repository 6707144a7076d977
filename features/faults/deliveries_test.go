package faults

import (
	"encoding/json"
	"fmt"
	"net/http"
	"time"
)

// subscribe has a shop's orders told to the lab's receiver.
func (l *lab) subscribe(url string, s shop) error {
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

// late is when an event has reached its receiver that was claimed by servers that died: two leases and a
// little more.
const late = 75 * time.Second

// delivered waits until the receiver has heard of so many orders of a shop, of those that buyers were
// told of among them, and says what is missing or too much.
func (l *lab) delivered(s shop, orders int, told []string) (violations []string) {
	deadline := time.Now().Add(late)
	heard := l.receiver.Heard(s.slug)
	for ; len(heard) < orders && time.Now().Before(deadline); heard = l.receiver.Heard(s.slug) {
		time.Sleep(50 * time.Millisecond)
	}
	if len(heard) != orders {
		violations = append(violations, fmt.Sprintf("%d orders were announced to the receiver, want %d", len(heard), orders))
	}
	for _, id := range told {
		if id != "" && heard[id] == 0 {
			violations = append(violations, fmt.Sprintf("order %s was not announced", id))
		}
	}
	for _, n := range heard {
		l.report.Count("order.completed deliveries", n)
	}
	return violations
}
