// Package agent is an example of a merchant's own agent: an HTTP handler for the four agent events of the remote agent
// contract. It checks signatures, answers by simple rules, and misbehaves on command. It shares no type with the server
// that calls it. rules.go is all that a real handler needs.
//
//	s, err := agent.Start("127.0.0.1:0", agent.Config{Secret: "whsec_…"})
//	defer s.Close()                  // s.URL + "/agent" serves all four events
//
// [Open] returns the same handler as an [http.Handler]. It serves events at every path but those of the control endpoints.
//
// # Control
//
// The control endpoints speak JSON and need no authentication. Each has a Go method on [Agent].
//
//	GET   /control/state   the mode, and how many requests of each event came, were refused for their signature, and answered
//	GET   /control/last    the last requests as they came, up to 100, the newest last
//	POST  /control/mode    {"mode": "leak"}; see [Modes]
package agent

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/haggle-commerce/haggle/simulator/receiver"
	"github.com/haggle-commerce/haggle/simulator/script"
)

// Modes are the ways to behave.
var Modes = []string{
	honest,   // concedes in equal steps from the opening to the floor, and accepts offers that reach the next step
	nonsense, // invalid answers of twenty kinds, one after the other, for every event
	hang,     // never answers
	slow,     // honest, after 1.9 s
	refuse,   // 500
	undercut, // forbidden prices one after the other: under the floor, zero, negative, above list, far below the last
	gouge,    // asks for a higher price each time
	leak,     // honest, but its text reveals the floor and the cost, each time in other words
	flap,     // fails every other request
}

const (
	honest   = "honest"
	nonsense = "nonsense"
	hang     = "hang"
	slow     = "slow"
	refuse   = "refuse"
	undercut = "undercut"
	gouge    = "gouge"
	leak     = "leak"
	flap     = "flap"
)

// Config configures the handler. The zero value is honest and accepts unsigned requests.
type Config struct {
	Secret string // whsec_…; "": signatures are not checked
	Mode   string
}

// State counts the requests so far.
type State struct {
	Mode     string         `json:"mode"`
	Events   map[string]int `json:"events"`   // requests by type, including refused ones
	Unsigned int            `json:"unsigned"` // requests refused because of their signature
	Answered int            `json:"answered"` // requests answered in the current mode
}

// Agent is the handler. It is safe for concurrent use.
type Agent struct {
	secret string

	mu    sync.Mutex
	state State
	turn  int // answers in the current mode
	last  []json.RawMessage
}

const (
	kept        = 100     // requests kept for Last
	largestBody = 4 << 20 // bytes of a request body
)

// Open returns a handler.
func Open(c Config) (*Agent, error) {
	a := &Agent{secret: c.Secret, state: State{Events: map[string]int{}}}
	if c.Mode == "" {
		c.Mode = honest
	}
	return a, a.Behave(c.Mode)
}

// Behave sets the mode and restarts its sequence of answers.
func (a *Agent) Behave(mode string) error {
	if !slices.Contains(Modes, mode) {
		return fmt.Errorf("mode must be one of %s", strings.Join(Modes, ", "))
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.state.Mode, a.turn = mode, 0
	return nil
}

// State returns the counts so far.
func (a *Agent) State() State {
	a.mu.Lock()
	defer a.mu.Unlock()
	state := a.state
	state.Events = map[string]int{}
	for kind, n := range a.state.Events {
		state.Events[kind] = n
	}
	return state
}

// Last returns the last requests as they arrived, the newest last.
func (a *Agent) Last() []json.RawMessage {
	a.mu.Lock()
	defer a.mu.Unlock()
	return append([]json.RawMessage{}, a.last...)
}

// ServeHTTP serves the events and the control endpoints.
func (a *Agent) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, largestBody))
	switch {
	case err != nil:
		fail(w, http.StatusRequestEntityTooLarge, "the body cannot be read")
	case strings.HasPrefix(r.URL.Path, "/control/"):
		a.control(w, r, body)
	case r.Method != http.MethodPost:
		fail(w, http.StatusMethodNotAllowed, "POST an event")
	default:
		a.event(w, r, body)
	}
}

func (a *Agent) event(w http.ResponseWriter, r *http.Request, body []byte) {
	var asked request
	if json.Unmarshal(body, &asked) != nil || asked.ID == "" {
		fail(w, http.StatusBadRequest, "the body is no event")
		return
	}
	if err := a.verify(r, asked, body); err != nil {
		a.note(asked.Type, nil, func(s *State) { s.Unsigned++ })
		fail(w, http.StatusUnauthorized, err.Error())
		return
	}
	mode, turn := a.note(asked.Type, body, func(s *State) { s.Answered++ })
	a.behave(w, r, asked, mode, turn)
}

// verify checks the signature and the age of its timestamp.
func (a *Agent) verify(r *http.Request, asked request, body []byte) error {
	if a.secret == "" {
		return nil
	}
	return receiver.Verify(a.secret, receiver.Request{
		Event:  receiver.Event{ID: asked.ID},
		Header: r.Header,
		Body:   body,
		At:     time.Now(),
	})
}

func (a *Agent) note(kind string, body []byte, change func(*State)) (mode string, turn int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.state.Events) < kept || a.state.Events[kind] > 0 {
		a.state.Events[kind]++
	}
	change(&a.state)
	if body == nil {
		return a.state.Mode, a.turn
	}
	a.last = append(a.last, body)
	a.last = a.last[max(0, len(a.last)-kept):]
	a.turn++
	return a.state.Mode, a.turn - 1
}

func (a *Agent) control(w http.ResponseWriter, r *http.Request, body []byte) {
	switch r.Method + " " + r.URL.Path {
	case "GET /control/state":
		script.Write(w, http.StatusOK, a.State())
	case "GET /control/last":
		script.Write(w, http.StatusOK, map[string]any{"data": a.Last()})
	case "POST /control/mode":
		var wanted struct{ Mode string }
		err := json.Unmarshal(body, &wanted)
		if err == nil {
			err = a.Behave(wanted.Mode)
		}
		if err != nil {
			fail(w, http.StatusUnprocessableEntity, err.Error())
			return
		}
		script.Write(w, http.StatusOK, a.State())
	default:
		fail(w, http.StatusNotFound, "there is no such control")
	}
}

func fail(w http.ResponseWriter, status int, text string) {
	script.Write(w, status, map[string]string{"error": text})
}

// Server is a handler that listens on its own address.
type Server struct {
	*Agent
	*script.Server
}

// Start listens on addr; "127.0.0.1:0" picks a free port. The caller must close the server.
func Start(addr string, config Config) (*Server, error) {
	a, err := Open(config)
	if err != nil {
		return nil, err
	}
	s, err := script.Serve(addr, a)
	if err != nil {
		return nil, err
	}
	return &Server{a, s}, nil
}
