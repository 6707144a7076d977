package embeddings

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"sync"
)

// Fault is what the next requests meet.
type Fault struct {
	Kind       string `json:"kind"`
	Times      int    `json:"times,omitempty"`       // default 1; negative: for good
	After      int    `json:"after,omitempty"`       // so many requests pass first
	Match      string `json:"match,omitempty"`       // only requests with a text that has this in it
	Millis     int    `json:"ms,omitempty"`          // of slow; default 1000
	Status     int    `json:"status,omitempty"`      // of error; default 500
	RetryAfter int    `json:"retry_after,omitempty"` // seconds, of throttle; default 1
}

// Kinds of faults.
const (
	slow       = "slow"        // waits first, and then answers
	failure    = "error"       // 500, or another status
	throttle   = "throttle"    // 429 with Retry-After
	wrongSize  = "wrong_size"  // vectors of half the length
	uneven     = "uneven"      // one vector is shorter than the others
	wrongCount = "wrong_count" // one vector is missing
	wrongIndex = "wrong_index" // all have the index 0
	reversed   = "reversed"    // in the opposite order, with the right indexes: nothing is wrong with it
	zeros      = "zeros"       // vectors of nothing but 0
	notNumber  = "nan"         // NaN, which is no JSON
	huge       = "huge"        // numbers that no float32 holds
	empty      = "empty"       // vectors without numbers
	garbage    = "garbage"     // half of the JSON
	page       = "page"        // an HTML page, with status 200
	endless    = "endless"     // an answer without an end
	lost       = "lost"        // cuts the connection
	hang       = "hang"        // never answers
	elsewhere  = "redirect"    // 307 to another address
)

var kinds = []string{
	slow, failure, throttle, wrongSize, uneven, wrongCount, wrongIndex, reversed, zeros, notNumber, huge, empty, garbage, page,
	endless, lost, hang, elsewhere,
}

// script is the faults that requests are to meet.
type script struct {
	mu     sync.Mutex
	faults []*Fault
}

func (s *script) add(f Fault) error {
	if !slices.Contains(kinds, f.Kind) {
		return fmt.Errorf("kind must be one of %s", strings.Join(kinds, ", "))
	}
	f.Times = cmp.Or(f.Times, 1)
	f.Millis = cmp.Or(f.Millis, 1000)
	f.Status = cmp.Or(f.Status, 500)
	f.RetryAfter = cmp.Or(f.RetryAfter, 1)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults = append(s.faults, &f)
	return nil
}

func (s *script) clear() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults = nil
}

func (s *script) list() []Fault {
	s.mu.Lock()
	defer s.mu.Unlock()
	list := []Fault{}
	for _, f := range s.faults {
		list = append(list, *f)
	}
	return list
}

// meet is the oldest fault that applies to a request's texts now. Asking counts as meeting.
func (s *script) meet(texts []string) Fault {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, f := range s.faults {
		switch {
		case !slices.ContainsFunc(texts, func(text string) bool { return strings.Contains(text, f.Match) }):
		case f.After > 0:
			f.After--
			return Fault{}
		default:
			now := *f
			if f.Times--; f.Times == 0 {
				s.faults = slices.Delete(s.faults, i, i+1)
			}
			return now
		}
	}
	return Fault{}
}
