// Package agent is a merchant's own handler of the four agent events, as the contract of remote agents describes it: it
// checks signatures, answers by simple rules of its own, and misbehaves as it is told to. It knows nothing of who calls
// it, and shares no type with it. Read it as an example of a handler: rules.go is all that one needs to have.
//
//	s, err := agent.Start("127.0.0.1:0", agent.Config{Secret: "whsec_…"})
//	defer s.Close()                  // s.URL + "/agent" serves all four events
//
// or agent.Open(config), which is an http.Handler. Any path serves all events but those of the control.
//
// # Control
//
// Without authentication, JSON. Each has a Go method on [Agent].
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
	honest,   // concedes in equal steps from the opening to the floor, and accepts what meets the next of them
	nonsense, // answers that are none, of twenty kinds in turn, for every event
	hang,     // never answers
	slow,     // honest, after 1.9 s
	refuse,   // 500
	undercut, // prices that no shop may take: under the floor, nothing, negative, above list, far below the last, in turn
	gouge,    // asks for more each time
	leak,     // honest, but tells the floor and the cost, each time in other words
	flap,     // fails every other time
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

// Config says what the handler is like. Its zero value is honest and takes unsigned requests.
type Config struct {
	Secret string // whsec_…; "": signatures are not looked at
	Mode   string
}

// State is what happened so far.
type State struct {
	Mode     string         `json:"mode"`
	Events   map[string]int `json:"events"`   // requests by type, those refused included
	Unsigned int            `json:"unsigned"` // requests refused for their signature
	Answered int            `json:"answered"` // requests answered by the mode
}

// Agent is the handler. It is safe for concurrent use.
type Agent struct {
	secret string

	mu    sync.Mutex
	state State
	turn  int // requests that the mode has answered
	last  []json.RawMessage
}

const (
	kept        = 100     // requests
	largestBody = 4 << 20 // bytes of one
)

// Open is ready to serve.
func Open(c Config) (*Agent, error) {
	a := &Agent{secret: c.Secret, state: State{Events: map[string]int{}}}
	if c.Mode == "" {
		c.Mode = honest
	}
	return a, a.Behave(c.Mode)
}

// Behave changes the mode, which begins its turns anew.
func (a *Agent) Behave(mode string) error {
	if !slices.Contains(Modes, mode) {
		return fmt.Errorf("mode must be one of %s", strings.Join(Modes, ", "))
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.state.Mode, a.turn = mode, 0
	return nil
}

// State is what has happened so far.
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

// Last are the last requests as they came, the newest last.
func (a *Agent) Last() []json.RawMessage {
	a.mu.Lock()
	defer a.mu.Unlock()
	return append([]json.RawMessage{}, a.last...)
}

// ServeHTTP serves the events and the control.
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

// verify checks the signature and its age.
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

// Server is the handler listening on an address of its own.
type Server struct {
	*Agent
	*script.Server
}

// Start serves on the address; "127.0.0.1:0" finds a free port. Close the server in the end.
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
