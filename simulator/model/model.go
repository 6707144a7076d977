// Package model is a look-alike of two language model APIs: OpenAI's chat completions and Anthropic's messages. Its
// behaviour decides what it writes: useful text, or anything that a model should not write. It fails on command. It
// shares no type with the server that calls it.
//
//	s, err := model.Start("127.0.0.1:0", model.Config{})
//	defer s.Close()                  // s.URL + "/v1" is OpenAI's base URL, s.URL Anthropic's
//
// or model.Open(config), which returns an http.Handler.
//
//	POST   /v1/chat/completions  {"model", "messages": [{"role", "content"}], "max_tokens" or "max_completion_tokens", "temperature"}
//	POST   /v1/messages          {"model", "system", "messages", "max_tokens", "temperature"}
//	GET    /v1/models            one model; requests may use any other name
//
// A question without a model, a text or (for messages) a limit is answered with 400. Models whose name begins with
// "think" accept no temperature, as real reasoning models do. If Config.Key is set, requests must send it, as a Bearer
// token or as x-api-key.
//
// # Control
//
// The control endpoints speak JSON and need no authentication. Each has a Go method on [Model].
//
//	GET    /control/state      counts of questions and answers
//	GET    /control/questions  the last questions, up to 2,000, the newest last
//	PUT    /control/behaviour  {"behaviour": one of Behaviours}
//	GET    /control/faults     faults still to be applied; POST adds a [Fault], DELETE removes all
package model

import (
	"cmp"
	"net/http"
	"sync"

	"github.com/haggle-commerce/haggle/simulator/script"
)

// Config configures the service. The zero value is ready to use.
type Config struct {
	Key       string                  // "": no key is required
	Behaviour string                  // default Polite
	Answer    func(q Question) string // instead of a behaviour, if it is not nil
}

// Question is one request for a text.
type Question struct {
	API         string   `json:"api"` // "openai" or "anthropic"
	Model       string   `json:"model"`
	System      string   `json:"system"`
	User        string   `json:"user"`
	MaxTokens   int      `json:"max_tokens"`
	Temperature *float64 `json:"temperature"` // nil: not sent
	Body        string   `json:"body"`        // the whole request body
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

// State counts questions and answers.
type State struct {
	Questions int    `json:"questions"`
	Answered  int    `json:"answered"` // in full and according to the behaviour
	Faults    int    `json:"faults"`   // faults applied
	Behaviour string `json:"behaviour"`
}

// Open returns a model. It panics if the behaviour is unknown.
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

// ServeHTTP serves both APIs and the control endpoints.
func (m *Model) ServeHTTP(w http.ResponseWriter, r *http.Request) { m.mux.ServeHTTP(w, r) }

const (
	kept        = 2000 // questions kept for Questions
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

// State returns the counts so far.
func (m *Model) State() State {
	m.mu.Lock()
	defer m.mu.Unlock()
	state := m.state
	state.Behaviour = m.behaviour
	return state
}

// Questions returns the last questions.
func (m *Model) Questions() []Question {
	m.mu.Lock()
	defer m.mu.Unlock()
	return append([]Question{}, m.last...)
}

// Forget resets the counts and the questions.
func (m *Model) Forget() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.state, m.last = State{}, nil
}

// Server is a model that listens on its own address.
type Server struct {
	*Model
	*script.Server
}

// Start listens on addr; "127.0.0.1:0" picks a free port. The caller must close the server.
func Start(addr string, config Config) (*Server, error) {
	m := Open(config)
	s, err := script.Serve(addr, m)
	if err != nil {
		return nil, err
	}
	return &Server{m, s}, nil
}
