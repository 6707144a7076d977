package script

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"time"
)

const largestOrder = 1 << 20 // bytes

// Show serves a route without a request body.
func Show(mux *http.ServeMux, pattern string, shown func() any) {
	mux.HandleFunc(pattern, func(w http.ResponseWriter, _ *http.Request) { Write(w, http.StatusOK, shown()) })
}

// Take serves a route that takes JSON. It answers 422 if the JSON is invalid or work returns an error.
func Take[T any](mux *http.ServeMux, pattern string, work func(T) (any, error)) {
	mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
		var order T
		var shown any
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, largestOrder))
		if err == nil && json.Unmarshal(body, &order) != nil {
			err = errors.New("the body is not the JSON that is expected here")
		}
		if err == nil {
			shown, err = work(order)
		}
		if err != nil {
			Write(w, http.StatusUnprocessableEntity, map[string]any{"error": err.Error()})
			return
		}
		Write(w, http.StatusOK, shown)
	})
}

// Write writes a JSON answer.
func Write(w http.ResponseWriter, status int, body any) {
	text, err := json.Marshal(body)
	if err != nil {
		status, text = http.StatusInternalServerError, []byte(`{}`)
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(text)
}

// Server is a look-alike that listens on its own address.
type Server struct {
	URL    string // http://127.0.0.1:port
	server *http.Server
}

// Serve listens on addr; "127.0.0.1:0" picks a free port. The caller must close the server.
func Serve(addr string, handler http.Handler) (*Server, error) {
	listener, err := net.Listen("tcp", addr)
	if err != nil {
		return nil, fmt.Errorf("look-alike: %w", err)
	}
	s := &Server{URL: "http://" + listener.Addr().String(), server: &http.Server{Handler: handler, ReadHeaderTimeout: 5 * time.Second}}
	go func() { _ = s.server.Serve(listener) }()
	return s, nil
}

// Close stops the server at once and cuts pending requests.
func (s *Server) Close() error { return s.server.Close() }
