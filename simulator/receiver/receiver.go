// Package receiver is a webhook endpoint: of a merchant's system that gets events, or of an agent that gets order
// updates. It checks signatures by its own reading of Standard Webhooks and RFC 9421, keeps the requests, and fails on
// command.
package receiver

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Event is the body of an event (features/MANAGEMENT.md#events).
type Event struct {
	ID        string          `json:"id"`
	Type      string          `json:"type"`
	CreatedAt time.Time       `json:"created_at"`
	ProjectID string          `json:"project_id"`
	Data      json.RawMessage `json:"data"`
}

// Request is a request that was received, with any answer.
type Request struct {
	Event  Event
	Host   string
	Path   string
	Query  string
	Header http.Header
	Body   []byte
	At     time.Time
	Status int // the answer's status
}

// Receiver is a webhook endpoint on a port of its own.
type Receiver struct {
	server   *http.Server
	address  string
	mu       sync.Mutex
	requests []Request
	answers  []int // to the next requests; then 204
	always   int   // to all requests; 0 means 204
	pause    time.Duration
	news     chan struct{} // closed at each request
}

// Start starts a receiver, which runs until Close.
func Start() (*Receiver, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	r := &Receiver{address: "http://" + l.Addr().String() + "/hook", news: make(chan struct{})}
	r.server = &http.Server{Handler: r, ReadHeaderTimeout: 5 * time.Second}
	go func() { _ = r.server.Serve(l) }() // ends with Close
	return r, nil
}

// URL returns the address for events.
func (r *Receiver) URL() string { return r.address }

// Close stops listening.
func (r *Receiver) Close() error { return r.server.Close() }

// Answer sets the statuses of the next answers, one each.
func (r *Receiver) Answer(statuses ...int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.answers = append(r.answers, statuses...)
}

// AnswerAlways answers all requests with a status, after a pause.
func (r *Receiver) AnswerAlways(status int, pause time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.always, r.pause = status, pause
}

func (r *Receiver) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	body, err := io.ReadAll(io.LimitReader(request.Body, 1<<20))
	if err != nil {
		return
	}
	came := Request{
		Host:   request.Host,
		Path:   request.URL.EscapedPath(),
		Query:  request.URL.RawQuery,
		Header: request.Header.Clone(),
		Body:   body,
		At:     time.Now(),
	}
	_ = json.Unmarshal(body, &came.Event) // the id stays empty if the body is not an event
	status, pause := r.note(came)
	if pause > 0 {
		select {
		case <-time.After(pause):
		case <-request.Context().Done():
		}
	}
	w.WriteHeader(status)
}

func (r *Receiver) note(came Request) (status int, pause time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	status = http.StatusNoContent
	if r.always != 0 {
		status = r.always
	}
	if len(r.answers) > 0 {
		status, r.answers = r.answers[0], r.answers[1:]
	}
	came.Status = status
	r.requests = append(r.requests, came)
	close(r.news)
	r.news = make(chan struct{})
	return status, r.pause
}

// Requests returns the requests of a type, or all if kind is empty.
func (r *Receiver) Requests(kind string) []Request {
	all, _ := r.requestsOf(kind)
	return all
}

func (r *Receiver) requestsOf(kind string) (list []Request, news <-chan struct{}) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, came := range r.requests {
		if kind == "" || came.Event.Type == kind {
			list = append(list, came)
		}
	}
	return list, r.news
}

// Wait waits for n requests of a type, or of any if kind is empty, and returns all of them.
func (r *Receiver) Wait(kind string, n int, patience time.Duration) ([]Request, error) {
	end := time.After(patience)
	for {
		list, news := r.requestsOf(kind)
		if len(list) >= n {
			return list, nil
		}
		select {
		case <-news:
		case <-end:
			return list, fmt.Errorf("%d of %d requests of %q came within %s", len(list), n, kind, patience)
		}
	}
}

// tolerance is the permitted difference between a timestamp and the clock.
const tolerance = 5 * time.Minute

// Verify checks a request against a secret. One of its signatures must match.
func Verify(secret string, came Request) error {
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
	if err != nil || !strings.HasPrefix(secret, "whsec_") {
		return errors.New("the secret is no whsec_ and base64")
	}
	stamp := came.Header.Get("webhook-timestamp")
	seconds, err := strconv.ParseInt(stamp, 10, 64)
	if err != nil {
		return fmt.Errorf("timestamp %q", stamp)
	}
	if off := came.At.Sub(time.Unix(seconds, 0)); off > tolerance || off < -tolerance {
		return fmt.Errorf("the timestamp is off by %s", off)
	}
	if id := came.Header.Get("webhook-id"); id == "" || id != came.Event.ID {
		return fmt.Errorf("webhook-id is %q, the event's id %q", id, came.Event.ID)
	}
	mac := hmac.New(sha256.New, key)
	fmt.Fprintf(mac, "%s.%s.%s", came.Event.ID, stamp, came.Body)
	want := "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
	for _, signature := range strings.Fields(came.Header.Get("webhook-signature")) {
		if hmac.Equal([]byte(signature), []byte(want)) {
			return nil
		}
	}
	return errors.New("no signature is right")
}
