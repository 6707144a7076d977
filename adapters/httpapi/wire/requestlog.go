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

// RequestLog selects the requests that are logged.
type RequestLog string

const (
	AllRequests    RequestLog = "all"
	FailedRequests RequestLog = "errors" // those whose status is 400 or more
	NoRequests     RequestLog = "off"
)

// wants reports whether a request with this status is logged.
func (l RequestLog) wants(status int) bool {
	return l == AllRequests || l == FailedRequests && status >= http.StatusBadRequest
}

// noted has the project and the caller of a request for its log line, as the steps find them. It is safe for concurrent use,
// because the calls of one message may run concurrently.
type noted struct {
	mu      sync.Mutex
	project string
	caller  string
}

// NoteProject notes the id of the project that a request is about. The last one counts.
func NoteProject(ctx context.Context, project string) {
	if r := requestOf(ctx); r != nil {
		r.noted.mu.Lock()
		r.noted.project = project
		r.noted.mu.Unlock()
	}
}

// NoteCaller notes the caller of a request: the id of a key or of a member, or the profile of a verified agent. It is never a
// secret.
func NoteCaller(ctx context.Context, caller string) {
	if r := requestOf(ctx); r != nil {
		r.noted.mu.Lock()
		r.noted.caller = caller
		r.noted.mu.Unlock()
	}
}

// methods lists the methods that log lines name. Clients may make up others.
var methods = []string{
	http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodOptions,
}

// logRequest logs an answered request. It logs the route and not the path, because paths contain ids that are capabilities.
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
