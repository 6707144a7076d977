// Package embeddings is a look-alike of an OpenAI-compatible embeddings endpoint. Its vectors are deterministic, and
// texts with the same meaning for a shopper are close to one another: a small thesaurus (thesaurus.go) maps "couch" and
// "sofa" to one direction. It fails on command. It shares no type with the server that calls it.
//
//	s, err := embeddings.Start("127.0.0.1:0", embeddings.Config{})
//	defer s.Close()                  // s.URL + "/v1" is the base URL
//
// or embeddings.Open(config), which returns an http.Handler.
//
//	POST   /v1/embeddings     {"model", "input": text or list of texts, "encoding_format": "float" or "base64", "dimensions"}
//	GET    /v1/models         one model; requests may use any other name
//
// A request is answered with 400 if a text is empty or longer than Config.MaxText, or if there are more than
// Config.MaxInputs texts. If Config.Key is set, requests must send it as a Bearer token.
//
// # Control
//
// The control endpoints speak JSON and need no authentication. Each has a Go method on [Embeddings].
//
//	GET    /control/state     counts of requests and texts, and of answers
//	GET    /control/texts     the last requested texts, up to 1,000, the newest last
//	GET    /control/faults    faults still to be applied; POST adds a [Fault], DELETE removes all
package embeddings

import (
	"cmp"
	"net/http"
	"sync"

	"github.com/haggle-commerce/haggle/simulator/script"
)

// Config configures the endpoint. The zero value is ready to use.
type Config struct {
	Dims      int    // dimensions; default 64
	Key       string // "": no key is required
	MaxInputs int    // texts per request; default 2048
	MaxText   int    // bytes per text; default 32768
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

// State counts requests and answers.
type State struct {
	Requests int `json:"requests"` // all of them
	Texts    int `json:"texts"`    // in all requests together
	Largest  int `json:"largest"`  // most texts in one request
	Answered int `json:"answered"` // texts whose correct vectors were sent
	Faults   int `json:"faults"`   // faults applied
}

// Open returns an endpoint.
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

// ServeHTTP serves the endpoint and its control endpoints.
func (e *Embeddings) ServeHTTP(w http.ResponseWriter, r *http.Request) { e.mux.ServeHTTP(w, r) }

const (
	kept        = 1000    // texts kept for Texts
	distinct    = 200_000 // texts that Asked counts
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

// State returns the counts so far.
func (e *Embeddings) State() State {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.state
}

// Texts returns the last requested texts.
func (e *Embeddings) Texts() []string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return append([]string{}, e.last...)
}

// Asked returns how often a text was requested.
func (e *Embeddings) Asked(text string) int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.times[text]
}

// Server is an endpoint that listens on its own address.
type Server struct {
	*Embeddings
	*script.Server
}

// Start listens on addr; "127.0.0.1:0" picks a free port. The caller must close the server.
func Start(addr string, config Config) (*Server, error) {
	e := Open(config)
	s, err := script.Serve(addr, e)
	if err != nil {
		return nil, err
	}
	return &Server{e, s}, nil
}
