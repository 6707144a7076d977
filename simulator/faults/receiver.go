package faults

import (
	"encoding/json"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"
)

// Receiver is a merchant's webhook endpoint. It counts the deliveries of each order by path.
type Receiver struct {
	URL    string
	server *http.Server

	mu     sync.Mutex
	orders map[string]map[string]int // path, order, deliveries
}

// NewReceiver starts a receiver on a free port.
func NewReceiver() (*Receiver, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	r := &Receiver{URL: "http://" + listener.Addr().String(), orders: map[string]map[string]int{}}
	r.server = &http.Server{Handler: r, ReadHeaderTimeout: 5 * time.Second}
	go func() { _ = r.server.Serve(listener) }() // ends with Close
	return r, nil
}

// Close stops listening.
func (r *Receiver) Close() { _ = r.server.Close() }

// ServeHTTP accepts a delivery.
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

// Deliveries returns the orders that were delivered to a path, with the number of deliveries of each.
func (r *Receiver) Deliveries(path string) map[string]int {
	r.mu.Lock()
	defer r.mu.Unlock()
	received := map[string]int{}
	for order, n := range r.orders[path] {
		received[order] = n
	}
	return received
}
