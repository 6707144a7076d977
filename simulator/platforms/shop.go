package platforms

import (
	"strings"
	"sync"
	"time"
)

// shop is a world that is made when it is first asked for, and how its platform names things.
type shop struct {
	mu     sync.RWMutex
	*world // under mu; nil until filled
	config Config
	stream uint64        // of chance: two platforms hold different data
	unit   time.Duration // of the platform's times
	name   func(topic string, c Changed) string
}

// fill needs the lock.
func (s *shop) fill() {
	if s.world == nil {
		s.world = generate(s.config, s.stream)
	}
}

// read runs work while nothing is changed.
func (s *shop) read(work func(*world)) {
	s.mu.RLock()
	filled := s.world != nil
	if !filled {
		s.mu.RUnlock()
		s.mu.Lock()
		s.fill()
		s.mu.Unlock()
		s.mu.RLock()
	}
	defer s.mu.RUnlock()
	work(s.world)
}

func (s *shop) write(work func(*world)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.fill()
	work(s.world)
}

func (s *shop) tick(now time.Time, previous int64) int64 { return tick(now, previous, s.unit) }

// resourceOf is what a topic is about.
func resourceOf(topic string) string {
	resource, _, _ := strings.Cut(topic, "/")
	if resource == "inventory_levels" {
		return "inventory"
	}
	return resource
}

// page walks n records in the order of their positions, from after the one given, until limit of them will do. next is
// the position of the last one, or negative where nothing follows.
func page(n, after, limit int, will func(int) bool) (found []int, next int) {
	for i := after + 1; i < n; i++ {
		if !will(i) {
			continue
		}
		if len(found) == limit {
			return found, found[limit-1]
		}
		found = append(found, i)
	}
	return found, -1
}

// updated is when what was changed says that it was.
func (s *shop) updated(c Changed) time.Time {
	switch resourceOf(c.Topic) {
	case "products":
		return time.UnixMilli(s.products[c.index].updated)
	case "inventory":
		return time.UnixMilli(s.items[c.index].levels[c.location].updated)
	case "customers":
		return time.UnixMilli(s.customers[c.index].updated)
	}
	return time.UnixMilli(s.orders[c.index].updated)
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
