package wire

import (
	"context"
	"log/slog"
	"math"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"
)

// RequestLog is which requests have a line in the log.
type RequestLog string

const (
	AllRequests    RequestLog = "all"
	FailedRequests RequestLog = "errors" // those whose status is 400 or more
	NoRequests     RequestLog = "off"
)

// wants reports whether a request that was answered with this status has a line.
func (l RequestLog) wants(status int) bool {
	return l == AllRequests || l == FailedRequests && status >= http.StatusBadRequest
}

// noted is what the steps of a request find out about it, for its line in the log. Calls of a message may be worked on at
// once.
type noted struct {
	mu      sync.Mutex
	project string
	caller  string
}

// NoteProject says which project a request is about, by its id. A request that is about several is about the last one.
func NoteProject(ctx context.Context, project string) {
	if r := requestOf(ctx); r != nil {
		r.noted.mu.Lock()
		r.noted.project = project
		r.noted.mu.Unlock()
	}
}

// NoteCaller says who sends a request: the id of a key or of a member, or the profile of an agent that proved it. It is
// never a secret.
func NoteCaller(ctx context.Context, caller string) {
	if r := requestOf(ctx); r != nil {
		r.noted.mu.Lock()
		r.noted.caller = caller
		r.noted.mu.Unlock()
	}
}

// methods are those that a log line names. A client may make up others.
var methods = []string{
	http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodOptions,
}

// logRequest writes the line of a request that was answered. It names the route, and never the path: paths hold ids that are
// capabilities.
func (w Watch) logRequest(r *http.Request, rq *request, status int, took time.Duration) {
	if status == 0 {
		status = http.StatusOK // the handler wrote nothing
	}
	if !w.Requests.wants(status) || !w.Log.Enabled(r.Context(), slog.LevelInfo) {
		return
	}
	method, route := r.Method, r.Pattern
	if !slices.Contains(methods, method) {
		method = "OTHER"
	}
	if _, path, found := strings.Cut(route, " "); found {
		route = path
	}
	if route == "" || route == "/" {
		route = "unmatched"
	}
	rq.noted.mu.Lock()
	project, caller := rq.noted.project, rq.noted.caller
	rq.noted.mu.Unlock()
	line := make([]slog.Attr, 0, 7)
	line = append(line,
		slog.String("method", method),
		slog.String("route", route),
		slog.Int("status", status),
		slog.Float64("duration_ms", math.Round(float64(took.Microseconds()))/1000),
	)
	if project != "" {
		line = append(line, slog.String("project", project))
	}
	if caller != "" {
		line = append(line, slog.String("caller", caller))
	}
	w.Log.LogAttrs(r.Context(), slog.LevelInfo, "request", append(line, slog.String("request_id", rq.id))...)
}
