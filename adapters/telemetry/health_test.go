package telemetry_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/haggle-commerce/haggle/adapters/telemetry"
)

// probe sends a readiness probe, like an orchestrator.
func probe(h *telemetry.Health, accept string) (code int, body, media string) {
	r, answer := httptest.NewRequest("GET", "/readyz", nil), httptest.NewRecorder()
	if accept != "" {
		r.Header.Set("Accept", accept)
	}
	h.Ready(answer, r)
	return answer.Code, answer.Body.String(), answer.Header().Get("Content-Type")
}

func wantProbe(t *testing.T, h *telemetry.Health, code int, body string) {
	t.Helper()
	if gotCode, gotBody, _ := probe(h, ""); gotCode != code || gotBody != body {
		t.Errorf("answers %d %q, want %d %q", gotCode, gotBody, code, body)
	}
}

func quiet() *slog.Logger { return slog.New(slog.DiscardHandler) }

var errSecret = errors.New("dial tcp 10.1.2.3:5432: refused")

func TestHealth_Ready(t *testing.T) {
	t.Parallel()
	works := func(context.Context) error { return nil }
	fails := func(context.Context) error { return errSecret }
	for name, c := range map[string]struct {
		database, index func(context.Context) error
		code            int
		text, json      string
	}{
		"all well": {works, works, 200, "ok\n",
			`{"status":"ok","checks":[{"name":"database","status":"ok"},{"name":"index","status":"ok"}]}`},
		"one fails": {fails, works, 503, "database: no answer\n",
			`{"status":"failing","checks":[{"name":"database","status":"failing","message":"no answer"},{"name":"index","status":"ok"}]}`},
		"both fail": {fails, fails, 503, "database: no answer\nindex: empty\n",
			`{"status":"failing","checks":[{"name":"database","status":"failing","message":"no answer"},{"name":"index","status":"failing","message":"empty"}]}`},
	} {
		h := telemetry.NewHealth(quiet(), nil)
		h.Check("database", "no answer", c.database)
		h.Check("index", "empty", c.index)
		if code, body, media := probe(h, ""); code != c.code || body != c.text || !strings.HasPrefix(media, "text/plain") {
			t.Errorf("%s: %d %q %s", name, code, body, media)
		}
		if code, body, media := probe(h, "text/html, application/json;q=0.9"); code != c.code || body != c.json+"\n" || media != "application/json" {
			t.Errorf("%s: %d %s %s", name, code, body, media)
		}
	}
}

func TestHealth_Ready_logsChanges(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	h := telemetry.NewHealth(slog.New(slog.NewTextHandler(&log, nil)), nil)
	var err error
	h.Check("database", "no answer", func(context.Context) error { return err })
	for _, step := range []struct {
		err  error
		want string
	}{
		{nil, ""}, {errSecret, "level=WARN msg=\"not ready\" check=database error=\"dial tcp 10.1.2.3:5432: refused\"\n"},
		{errSecret, ""}, {nil, "level=INFO msg=\"ready again\" check=database\n"}, {nil, ""},
	} {
		err = step.err
		log.Reset()
		probe(h, "")
		_, got, _ := strings.Cut(log.String(), " ") // without the time
		if got != step.want {
			t.Errorf("logged %q, want %q", got, step.want)
		}
	}
}

func TestHealth_Ready_timeout(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := telemetry.NewHealth(quiet(), nil)
		release := make(chan struct{})
		defer close(release)
		h.Check("deaf", "no answer", func(context.Context) error { <-release; return nil })
		h.Check("slow", "no answer", func(context.Context) error { time.Sleep(1900 * time.Millisecond); return nil })
		h.Check("hangs", "no answer", func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() })
		start := time.Now()
		wantProbe(t, h, 503, "deaf: no answer\nhangs: no answer\n")
		if took := time.Since(start); took != 2*time.Second {
			t.Errorf("took %s", took)
		}
	})
}

func TestHealth_Ready_canceledProbe(t *testing.T) {
	t.Parallel()
	h := telemetry.NewHealth(quiet(), nil)
	h.Check("database", "no answer", func(ctx context.Context) error { return ctx.Err() })
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	answer := httptest.NewRecorder()
	h.Ready(answer, httptest.NewRequestWithContext(ctx, "GET", "/readyz", nil))
	if answer.Code != http.StatusOK {
		t.Errorf("answers %d %s", answer.Code, answer.Body)
	}
}

func TestHealth_Loop_stalled(t *testing.T) {
	t.Parallel()
	now := time.Unix(1_000_000, 0)
	h := telemetry.NewHealth(quiet(), func() time.Time { return now })
	loop := h.Loop("payments", 10*time.Second)
	now = now.Add(10 * time.Second)
	wantProbe(t, h, 200, "ok\n")
	now = now.Add(time.Millisecond)
	wantProbe(t, h, 503, "payments: stalled\n")
	loop.Beat()
	wantProbe(t, h, 200, "ok\n")
	now = now.Add(time.Minute)
	wantProbe(t, h, 503, "payments: stalled\n")
}

func TestHealth_Draining(t *testing.T) {
	t.Parallel()
	h := telemetry.NewHealth(quiet(), nil)
	asked := false
	h.Check("database", "no answer", func(context.Context) error { asked = true; return nil })
	h.Draining()
	wantProbe(t, h, 503, "server: shutting down\n")
	if _, body, _ := probe(h, "application/json"); body != `{"status":"failing","checks":[{"name":"server","status":"failing","message":"shutting down"}]}`+"\n" {
		t.Errorf("answers %s", body)
	}
	answer := httptest.NewRecorder()
	h.Live(answer, httptest.NewRequest("GET", "/livez", nil))
	if asked || answer.Code != 200 || answer.Body.String() != "ok\n" {
		t.Errorf("asked %t; alive: %d %s", asked, answer.Code, answer.Body)
	}
}

func TestHealth_Ready_concurrent(t *testing.T) {
	t.Parallel()
	h := telemetry.NewHealth(quiet(), nil)
	loop := h.Loop("sync", time.Hour)
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() { wantProbe(t, h, 200, "ok\n") })
		all.Go(func() { h.Check("more", "no", func(context.Context) error { return nil }) })
		all.Go(loop.Beat)
	}
	all.Wait()
}
