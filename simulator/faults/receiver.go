package faults

import (
	"encoding/json"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"
)

// Receiver is a merchant's system that events are delivered to. It keeps which orders it heard of, by
// the path that it heard of them at.
type Receiver struct {
	URL    string
	server *http.Server

	mu     sync.Mutex
	orders map[string]map[string]int // path, order, deliveries
}

// NewReceiver listens on a port of its own.
func NewReceiver() (*Receiver, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	r := &Receiver{URL: "http://" + listener.Addr().String(), orders: map[string]map[string]int{}}
	r.server = &http.Server{Handler: r, ReadHeaderTimeout: 5 * time.Second}
	go func() { _ = r.server.Serve(listener) }() // until Close
	return r, nil
}

// Close stops listening.
func (r *Receiver) Close() { _ = r.server.Close() }

// ServeHTTP takes a delivery.
func (r *Receiver) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	var event struct {
		Type string
		Data struct {
			OrderID string `json:"order_id"`
		}
	}
	if err := json.NewDecoder(http.MaxBytesReader(w, request.Body, 1<<20)).Decode(&event); err != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	if event.Type == "order.completed" {
		r.note(strings.TrimPrefix(request.URL.Path, "/"), event.Data.OrderID)
	}
	w.WriteHeader(http.StatusNoContent)
}

func (r *Receiver) note(path, order string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.orders[path] == nil {
		r.orders[path] = map[string]int{}
	}
	r.orders[path][order]++
}

// Heard are the orders that were told at a path, and how often each.
func (r *Receiver) Heard(path string) map[string]int {
	r.mu.Lock()
	defer r.mu.Unlock()
	heard := map[string]int{}
	for order, n := range r.orders[path] {
		heard[order] = n
	}
	return heard
}
