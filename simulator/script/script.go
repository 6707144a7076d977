// Package script is what look-alikes of outside services have in common: the faults that they are told to have, the
// routes of their control, and a server. What an answer says, whole or spoilt, is the look-alike's own.
//
//	type Service struct {
//		*script.Script   // script.New(script.Kinds("garbled")): takes orders for faults
//		…
//	}
//
//	f := s.Meet(text)                // in a handler: the fault that the request meets, if any
//	if f.Befalls(w, r, replies) {    // such as "hang", which every service can have
//		return
//	}
//	…                                // answers, spoilt where f.Kind is "garbled"
//
// [Script.Route] serves /control/faults: GET for those not met yet, POST a [Fault] to order one, DELETE to clear all.
package script

import (
	"cmp"
	"fmt"
	"net/http"
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

// Script is the faults that requests are to meet, oldest first. It is safe for concurrent use.
type Script struct {
	kinds  []string
	mu     sync.Mutex
	faults []*Fault
}

// New is a script without faults, which takes those of the kinds.
func New(kinds []string) *Script { return &Script{kinds: kinds} }

// Fault orders a fault.
func (s *Script) Fault(f Fault) error {
	if !slices.Contains(s.kinds, f.Kind) {
		return fmt.Errorf("kind must be one of %s", strings.Join(s.kinds, ", "))
	}
	if f.Status != 0 && (f.Status < 200 || f.Status > 599) {
		return fmt.Errorf("status must be 200 to 599")
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

// Faults are those that have not been met yet.
func (s *Script) Faults() []Fault {
	s.mu.Lock()
	defer s.mu.Unlock()
	list := []Fault{}
	for _, f := range s.faults {
		list = append(list, *f)
	}
	return list
}

// ClearFaults ends them.
func (s *Script) ClearFaults() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults = nil
}

// Meet is the oldest fault that applies now to a request of these texts; its zero value is none. Asking counts as meeting.
func (s *Script) Meet(texts ...string) Fault {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, f := range s.faults {
		switch {
		case !slices.ContainsFunc(texts, func(text string) bool { return strings.Contains(text, f.Match) }) && f.Match != "":
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

// Route serves the orders for faults.
func (s *Script) Route(mux *http.ServeMux) {
	list := func() any { return map[string]any{"data": s.Faults()} }
	Show(mux, "GET /control/faults", list)
	Take(mux, "POST /control/faults", func(f Fault) (any, error) {
		err := s.Fault(f)
		return list(), err
	})
	Show(mux, "DELETE /control/faults", func() any {
		s.ClearFaults()
		return map[string]any{}
	})
}
