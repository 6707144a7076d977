package host

import (
	"encoding/json"
	"time"
)

// Event is a webhook topic with its payload at the time of the event.
type Event struct {
	Topic string
	Body  map[string]any
}

// announcements is how often a webhook is called until it is answered with 2xx. Platforms try for hours; the look-alikes
// give up sooner.
const announcements = 4

// Announce calls the webhooks of events in the background, those of one call in order. Calls of different changes are not
// ordered. The caller must hold the shop's lock, so that webhooks have the state that was committed.
func (s *Side) Announce(events []Event) {
	var all []Delivery
	for _, e := range events {
		for _, h := range s.Hooks.List() {
			if h.Topic != e.Topic || h.Status != "" {
				continue
			}
			d := Delivery{
				Hook:  h,
				ID:    DeliveryID(),
				Topic: h.Topic,
				At:    s.Host.Config.Now(),
			}
			d.Body, _ = json.Marshal(h.only(e.Body)) // cannot fail: maps and strings
			d.Signed = d.Body
			all = append(all, d)
		}
	}
	if len(all) == 0 {
		return
	}
	s.Host.Calls.Go(func() {
		for _, d := range all {
			s.announceOne(d)
		}
	})
}

func (s *Side) announceOne(d Delivery) {
	wait := 100 * time.Millisecond
	for range announcements {
		if status := s.Host.Post(s.Host.Stop, s, d); status/100 == 2 {
			return
		}
		select {
		case <-time.After(wait):
		case <-s.Host.Stop.Done():
			return
		}
		wait *= 2
	}
}
