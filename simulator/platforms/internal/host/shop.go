package host

import (
	"strings"
	"sync"
	"time"
)

// Shop is a world that is generated at its first use, and the platform's rules for times.
type Shop struct {
	mu     sync.RWMutex
	*World // under mu; nil until filled
	Config Config
	Stream uint64        // of random numbers: platforms hold different data
	Unit   time.Duration // precision of the platform's times
	Name   func(topic string, c Changed) string
}

// fill generates the data. The caller must hold the lock.
func (s *Shop) fill() {
	if s.World == nil {
		s.World = generate(s.Config, s.Stream)
	}
}

// Read runs work under the read lock.
func (s *Shop) Read(work func(*World)) {
	s.mu.RLock()
	filled := s.World != nil
	if !filled {
		s.mu.RUnlock()
		s.mu.Lock()
		s.fill()
		s.mu.Unlock()
		s.mu.RLock()
	}
	defer s.mu.RUnlock()
	work(s.World)
}

func (s *Shop) write(work func(*World)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.fill()
	work(s.World)
}

func (s *Shop) tick(now time.Time, previous int64) int64 { return tick(now, previous, s.Unit) }

// ResourceOf returns the resource of a topic.
func ResourceOf(topic string) string {
	resource, _, _ := strings.Cut(topic, "/")
	if resource == "inventory_levels" {
		return "inventory"
	}
	return resource
}

// Page returns up to limit positions after a given one, of n records, for which will returns true. next is the last
// position, or negative if nothing follows.
func Page(n, after, limit int, will func(int) bool) (found []int, next int) {
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

// updated returns the update time of a changed record.
func (s *Shop) updated(c Changed) time.Time {
	switch ResourceOf(c.Topic) {
	case "products":
		return time.UnixMilli(s.Products[c.Index].Updated)
	case "inventory":
		return time.UnixMilli(s.Items[c.Index].Levels[c.Location].Updated)
	case "customers":
		return time.UnixMilli(s.Customers[c.Index].Updated)
	}
	return time.UnixMilli(s.Orders[c.Index].Updated)
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

func Tally(n int, will func(int) bool) (total int) {
	for i := range n {
		if will(i) {
			total++
		}
	}
	return total
}
