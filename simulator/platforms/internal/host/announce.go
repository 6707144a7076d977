package host

import (
	"encoding/json"
	"time"
)

// Event is something that is told to the webhooks of its topic, with the payload as it was then.
type Event struct {
	Topic string
	Body  map[string]any
}

// Tries of a webhook that is not answered with 2xx. Platforms try for hours; the look-alikes give up sooner.
const announcements = 4

// Announce calls the webhooks in the background, those of one change one after the other. There is no order between changes.
// It needs the shop's lock, so that what is told is what was done.
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
			d.Body, _ = json.Marshal(h.only(e.Body)) // of maps and texts
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
