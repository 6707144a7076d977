package telemetry

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// Health answers an orchestrator's liveness and readiness probes. Probes see the names of checks and the messages given with
// them. The cause of a failure is logged, once per change of the check's state.
type Health struct {
	log      *slog.Logger
	now      func() time.Time
	draining atomic.Bool

	mu      sync.Mutex
	checks  []check
	warners []warner
	failing map[string]bool
}

type warner struct {
	name string
	look func() string
}

type check struct {
	name, message string
	run           func(context.Context) error
}

// finding is the result of a check, as probes see it.
type finding struct {
	Name    string `json:"name"`
	Status  string `json:"status"`
	Message string `json:"message,omitempty"`

	cause error
}

const (
	statusOK      = "ok"
	statusWarning = "warning" // a problem outside of the server, which can serve requests
	statusFailing = "failing"
)

// checksTimeout is the timeout of all checks together.
const checksTimeout = 2 * time.Second

// NewHealth returns a Health without checks, which is healthy. now is the clock for loops; nil is the machine's clock.
func NewHealth(log *slog.Logger, now func() time.Time) *Health {
	if now == nil {
		now = time.Now
	}
	return &Health{
		log:     log,
		now:     now,
		failing: make(map[string]bool),
	}
}

// Check adds a check. Probes see message if run fails, such as "no answer". run must respect its context and may be called
// concurrently.
func (h *Health) Check(name, message string, run func(context.Context) error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.checks = append(h.checks, check{name, message, run})
}

// Warn adds the result of look to every response, unless it is empty. It does not make the server unready. look must not
// block.
func (h *Health) Warn(name string, look func() string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.warners = append(h.warners, warner{name, look})
}

// Draining makes the server unready permanently, so that it gets no new requests while it stops.
func (h *Health) Draining() { h.draining.Store(true) }

// Live answers ok, because the process runs.
func (*Health) Live(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("ok\n")) }

// Ready answers 200 and ok, or 503 and a line for each failing check, both followed by a line for each warning. If the client
// accepts JSON, it answers with all checks as JSON.
func (h *Health) Ready(w http.ResponseWriter, r *http.Request) {
	// A canceled probe must not make checks fail.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(r.Context()), checksTimeout)
	defer cancel()
	findings := []finding{{
		Name:    "server",
		Status:  statusFailing,
		Message: "shutting down",
	}}
	if !h.draining.Load() {
		findings = h.examine(ctx)
	}
	w.Header().Set("Cache-Control", "no-store")
	if acceptsJSON(r.Header) {
		writeJSON(w, findings)
		return
	}
	writeText(w, findings)
}

// examine runs all checks concurrently. A check without a result in time fails.
func (h *Health) examine(ctx context.Context) []finding {
	h.mu.Lock()
	checks, warners := h.checks[:len(h.checks):len(h.checks)], h.warners[:len(h.warners):len(h.warners)]
	h.mu.Unlock()
	results := make([]chan error, len(checks))
	for i, c := range checks {
		results[i] = make(chan error, 1)
		go func() { results[i] <- c.run(ctx) }()
	}
	findings := make([]finding, len(checks))
	for i, c := range checks {
		findings[i] = c.judge(within(ctx, results[i]))
	}
	h.logChanges(ctx, findings)
	for _, w := range warners {
		if message := w.look(); message != "" {
			findings = append(findings, finding{
				Name:    w.name,
				Status:  statusWarning,
				Message: message,
			})
		}
	}
	return findings
}

var errNoResult = errors.New("no result in time")

func within(ctx context.Context, result <-chan error) error {
	select {
	case err := <-result:
		return err
	case <-ctx.Done():
	}
	select {
	case err := <-result: // it arrived while an earlier check was waited for
		return err
	default:
		return errNoResult
	}
}

func (c check) judge(err error) finding {
	if err != nil {
		return finding{
			Name:    c.name,
			Status:  statusFailing,
			Message: c.message,
			cause:   err,
		}
	}
	return finding{Name: c.name, Status: statusOK}
}

// logChanges logs what changed since the last examination.
func (h *Health) logChanges(ctx context.Context, findings []finding) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, f := range findings {
		failing := f.cause != nil
		if failing == h.failing[f.Name] {
			continue
		}
		h.failing[f.Name] = failing
		if failing {
			h.log.WarnContext(ctx, "not ready", "check", f.Name, "error", f.cause)
		} else {
			h.log.InfoContext(ctx, "ready again", "check", f.Name)
		}
	}
}

func verdict(findings []finding) (status string, code int) {
	for _, f := range findings {
		if f.Status == statusFailing {
			return statusFailing, http.StatusServiceUnavailable
		}
	}
	return statusOK, http.StatusOK
}

func acceptsJSON(h http.Header) bool {
	return strings.Contains(strings.ToLower(strings.Join(h.Values("Accept"), ",")), "application/json")
}

func writeJSON(w http.ResponseWriter, findings []finding) {
	status, code := verdict(findings)
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	// The error means that the client has disconnected.
	_ = json.NewEncoder(w).Encode(struct {
		Status string    `json:"status"`
		Checks []finding `json:"checks"`
	}{status, findings})
}

func writeText(w http.ResponseWriter, findings []finding) {
	status, code := verdict(findings)
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.WriteHeader(code)
	if status == statusOK {
		fmt.Fprintln(w, status)
	}
	for _, f := range findings {
		switch f.Status {
		case statusFailing:
			fmt.Fprintf(w, "%s: %s\n", f.Name, f.Message)
		case statusWarning:
			fmt.Fprintf(w, "warning: %s: %s\n", f.Name, f.Message)
		}
	}
}
