// Package embeddings is a look-alike of an OpenAI-compatible embeddings endpoint. Its vectors are deterministic, and
// texts that mean the same to a shopper come out close: a small thesaurus (thesaurus.go) gives "couch" and "sofa"
// one direction. It fails as it is told to. It knows nothing of who calls it, and shares no type with it.
//
//	s, err := embeddings.Start("127.0.0.1:0", embeddings.Config{})
//	defer s.Close()                  // s.URL + "/v1" is the base URL
//
// or embeddings.Open(config), which is an http.Handler.
//
//	POST   /v1/embeddings     {"model", "input": text or list of texts, "encoding_format": "float" or "base64", "dimensions"}
//	GET    /v1/models         the one model, as any other name is taken too
//
// An empty text, or more than Config.MaxInputs of them, is 400, as is a text longer than Config.MaxText. With
// Config.Key, requests need it as a Bearer token.
//
// # Control
//
// Without authentication, JSON. Each has a Go method on [Embeddings].
//
//	GET    /control/state     how many requests and texts were asked for, and what of it was answered
//	GET    /control/texts     the last texts that were asked for, up to 1,000, the newest last
//	GET    /control/faults    those not met yet; POST a [Fault] to order one, DELETE to clear all
package embeddings

import (
	"cmp"
	"net/http"
	"sync"

	"github.com/haggle-commerce/haggle/simulator/script"
)

// Config says what the endpoint is like. Its zero value is ready to use.
type Config struct {
	Dims      int    // numbers of a vector; default 64
	Key       string // "": none is asked for
	MaxInputs int    // texts in a request; default 2048
	MaxText   int    // bytes of a text; default 32768
}

// Embeddings is the look-alike. It is safe for concurrent use.
type Embeddings struct {
	*script.Script
	config Config
	mux    *http.ServeMux

	mu    sync.Mutex
	state State
	last  []string
	times map[string]int
}

// State is what was asked for and answered.
type State struct {
	Requests int `json:"requests"` // all of them
	Texts    int `json:"texts"`    // in all of them
	Largest  int `json:"largest"`  // number of texts in one
	Answered int `json:"answered"` // texts whose right vectors were sent
	Faults   int `json:"faults"`   // that were met
}

// Open is ready to serve.
func Open(config Config) *Embeddings {
	config.Dims = cmp.Or(config.Dims, 64)
	config.MaxInputs = cmp.Or(config.MaxInputs, 2048)
	config.MaxText = cmp.Or(config.MaxText, 32<<10)
	e := &Embeddings{
		Script: script.New(kinds),
		config: config,
		mux:    http.NewServeMux(),
		times:  map[string]int{},
	}
	e.mux.HandleFunc("POST /v1/embeddings", e.embed)
	script.Show(e.mux, "GET /v1/models", func() any {
		return map[string]any{"object": "list", "data": []any{map[string]any{"id": "look-alike", "object": "model"}}}
	})
	e.Route(e.mux)
	script.Show(e.mux, "GET /control/state", func() any { return e.State() })
	script.Show(e.mux, "GET /control/texts", func() any { return map[string]any{"data": e.Texts()} })
	return e
}

// ServeHTTP serves the endpoint and its control.
func (e *Embeddings) ServeHTTP(w http.ResponseWriter, r *http.Request) { e.mux.ServeHTTP(w, r) }

const (
	kept        = 1000    // of the last texts
	distinct    = 200_000 // texts that are counted apart
	largestBody = 64 << 20
)

func (e *Embeddings) asked(texts []string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.state.Requests++
	e.state.Texts += len(texts)
	e.state.Largest = max(e.state.Largest, len(texts))
	for _, text := range texts {
		if _, known := e.times[text]; known || len(e.times) < distinct {
			e.times[text]++
		}
	}
	e.last = append(e.last, texts...)
	if over := len(e.last) - kept; over > 0 {
		e.last = append([]string(nil), e.last[over:]...)
	}
}

func (e *Embeddings) note(change func(*State)) {
	e.mu.Lock()
	defer e.mu.Unlock()
	change(&e.state)
}

// State is what has happened so far.
func (e *Embeddings) State() State {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.state
}

// Texts are the last that were asked for.
func (e *Embeddings) Texts() []string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return append([]string{}, e.last...)
}

// Asked is how often a text was asked for.
func (e *Embeddings) Asked(text string) int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.times[text]
}

// Server is the look-alike listening on an address of its own.
type Server struct {
	*Embeddings
	*script.Server
}

// Start serves on the address; "127.0.0.1:0" finds a free port. Close the server in the end.
func Start(addr string, config Config) (*Server, error) {
	e := Open(config)
	s, err := script.Serve(addr, e)
	if err != nil {
		return nil, err
	}
	return &Server{e, s}, nil
}
