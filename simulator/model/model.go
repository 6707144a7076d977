// Package model is a look-alike of two language model services: OpenAI's chat completions and Anthropic's messages.
// It writes what its behaviour says: sensible words, or all that a model should not write. It fails as it is told
// to. It knows nothing of who calls it, and shares no type with it.
//
//	s, err := model.Start("127.0.0.1:0", model.Config{})
//	defer s.Close()                  // s.URL + "/v1" is the base URL of the one, s.URL that of the other
//
// or model.Open(config), which is an http.Handler.
//
//	POST   /v1/chat/completions  {"model", "messages": [{"role", "content"}], "max_tokens" or "max_completion_tokens", "temperature"}
//	POST   /v1/messages          {"model", "system", "messages", "max_tokens", "temperature"}
//	GET    /v1/models            the one model, as any other name is taken too
//
// A question without a model, a text or (of messages) a limit is 400. Models whose name begins with "think" take no
// temperature, as those that think do. With Config.Key, requests need it: as a Bearer token, or as x-api-key.
//
// # Control
//
// Without authentication, JSON. Each has a Go method on [Model].
//
//	GET    /control/state      how many questions came, and what was answered
//	GET    /control/questions  the last questions, up to 2,000, the newest last
//	PUT    /control/behaviour  {"behaviour": one of Behaviours}
//	GET    /control/faults     those not met yet; POST a [Fault] to order one, DELETE to clear all
package model

import (
	"cmp"
	"net/http"
	"sync"

	"github.com/haggle-commerce/haggle/simulator/script"
)

// Config says what the service is like. Its zero value is ready to use.
type Config struct {
	Key       string                  // "": none is asked for
	Behaviour string                  // default Polite
	Answer    func(q Question) string // instead of a behaviour, if it is not nil
}

// Question is what was asked.
type Question struct {
	API         string   `json:"api"` // "openai" or "anthropic"
	Model       string   `json:"model"`
	System      string   `json:"system"`
	User        string   `json:"user"`
	MaxTokens   int      `json:"max_tokens"`
	Temperature *float64 `json:"temperature"` // nil: not said
	Body        string   `json:"body"`        // all of it, as it came
}

// Model is the look-alike. It is safe for concurrent use.
type Model struct {
	*script.Script
	config Config
	mux    *http.ServeMux

	mu        sync.Mutex
	behaviour string
	state     State
	last      []Question
}

// State is what was asked and answered.
type State struct {
	Questions int    `json:"questions"`
	Answered  int    `json:"answered"` // in full and as the behaviour says
	Faults    int    `json:"faults"`   // that were met
	Behaviour string `json:"behaviour"`
}

// Open is ready to serve. It panics if there is no such behaviour.
func Open(config Config) *Model {
	m := &Model{
		Script: script.New(Kinds),
		config: config,
		mux:    http.NewServeMux(),
	}
	if err := m.Behave(cmp.Or(config.Behaviour, Polite)); err != nil {
		panic(err)
	}
	m.mux.HandleFunc("POST /v1/chat/completions", m.serve(chat{}))
	m.mux.HandleFunc("POST /v1/messages", m.serve(messages{}))
	script.Show(m.mux, "GET /v1/models", func() any {
		return map[string]any{"object": "list", "data": []any{map[string]any{"id": "look-alike", "object": "model", "type": "model"}}}
	})
	m.Route(m.mux)
	script.Show(m.mux, "GET /control/state", func() any { return m.State() })
	script.Show(m.mux, "GET /control/questions", func() any { return map[string]any{"data": m.Questions()} })
	script.Take(m.mux, "PUT /control/behaviour", func(wanted struct{ Behaviour string }) (any, error) {
		err := m.Behave(wanted.Behaviour)
		return m.State(), err
	})
	return m
}

// ServeHTTP serves both services and their control.
func (m *Model) ServeHTTP(w http.ResponseWriter, r *http.Request) { m.mux.ServeHTTP(w, r) }

const (
	kept        = 2000 // of the last questions
	largestBody = 4 << 20
)

func (m *Model) asked(q Question) (behaviour string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.state.Questions++
	m.last = append(m.last, q)
	if over := len(m.last) - kept; over > 0 {
		m.last = append([]Question(nil), m.last[over:]...)
	}
	return m.behaviour
}

func (m *Model) note(change func(*State)) {
	m.mu.Lock()
	defer m.mu.Unlock()
	change(&m.state)
}

// State is what has happened so far.
func (m *Model) State() State {
	m.mu.Lock()
	defer m.mu.Unlock()
	state := m.state
	state.Behaviour = m.behaviour
	return state
}

// Questions are the last that were asked.
func (m *Model) Questions() []Question {
	m.mu.Lock()
	defer m.mu.Unlock()
	return append([]Question{}, m.last...)
}

// Forget empties the state and the questions.
func (m *Model) Forget() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.state, m.last = State{}, nil
}

// Server is the look-alike listening on an address of its own.
type Server struct {
	*Model
	*script.Server
}

// Start serves on the address; "127.0.0.1:0" finds a free port. Close the server in the end.
func Start(addr string, config Config) (*Server, error) {
	m := Open(config)
	s, err := script.Serve(addr, m)
	if err != nil {
		return nil, err
	}
	return &Server{m, s}, nil
}
