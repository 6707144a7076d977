// Package script is what look-alikes of outside services share: a list of faults, the control endpoints that change it,
// and a server. Each look-alike writes its own answers, including damaged ones.
//
//	type Service struct {
//		*script.Script   // script.New(script.Kinds("garbled"))
//		…
//	}
//
//	f := s.Meet(text)                // in a handler: the fault that applies to the request, if any
//	if f.Befalls(w, r, replies) {    // a fault such as "hang", which every service can have
//		return
//	}
//	…                                // answers, and damages the answer if f.Kind is "garbled"
//
// [Script.Route] serves /control/faults: GET lists the faults that are still to be applied, POST adds a [Fault], DELETE
// removes all.
package script

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
)

// Fault changes the answers to the next requests.
type Fault struct {
	Kind       string `json:"kind"`
	Times      int    `json:"times,omitempty"`       // default 1; negative: all
	After      int    `json:"after,omitempty"`       // requests that pass first
	Match      string `json:"match,omitempty"`       // only requests whose text contains it
	Millis     int    `json:"ms,omitempty"`          // of slow; default 1000
	Status     int    `json:"status,omitempty"`      // of error; default 500
	RetryAfter int    `json:"retry_after,omitempty"` // seconds, of throttle; default 1
}

// Script is the faults that are still to be applied, oldest first. It is safe for concurrent use.
type Script struct {
	kinds  []string
	mu     sync.Mutex
	faults []*Fault
}

// New returns a script without faults. It accepts faults of these kinds.
func New(kinds []string) *Script { return &Script{kinds: kinds} }

// Fault adds a fault.
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

// Faults returns the faults that are still to be applied.
func (s *Script) Faults() []Fault {
	s.mu.Lock()
	defer s.mu.Unlock()
	list := []Fault{}
	for _, f := range s.faults {
		list = append(list, *f)
	}
	return list
}

// ClearFaults removes all faults.
func (s *Script) ClearFaults() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults = nil
}

// Meet returns the oldest fault that applies to a request with these texts, or the zero Fault. It counts as one
// application.
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

// Route serves the control endpoints of faults.
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
