package embeddings

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
)

func (e *Embeddings) routeControl() {
	e.control("GET /control/state", func([]byte) (any, error) { return e.State(), nil })
	e.control("GET /control/texts", func([]byte) (any, error) { return map[string]any{"data": e.Texts()}, nil })
	e.control("GET /control/faults", func([]byte) (any, error) { return map[string]any{"data": e.Faults()}, nil })
	e.control("POST /control/faults", func(body []byte) (any, error) {
		var f Fault
		if json.Unmarshal(body, &f) != nil {
			return nil, errors.New("the body is not the JSON that is expected here")
		}
		err := e.Fault(f)
		return map[string]any{"data": e.Faults()}, err
	})
	e.control("DELETE /control/faults", func([]byte) (any, error) {
		e.ClearFaults()
		return map[string]any{}, nil
	})
}

func (e *Embeddings) control(pattern string, work func(body []byte) (any, error)) {
	e.mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 1<<20))
		var shown any
		if err == nil {
			shown, err = work(body)
		}
		if err != nil {
			write(w, http.StatusUnprocessableEntity, map[string]any{"error": err.Error()})
			return
		}
		write(w, http.StatusOK, shown)
	})
}

// Fault orders a fault.
func (e *Embeddings) Fault(f Fault) error { return e.faults.add(f) }

// Faults are those that have not been met yet.
func (e *Embeddings) Faults() []Fault { return e.faults.list() }

// ClearFaults ends them.
func (e *Embeddings) ClearFaults() { e.faults.clear() }
