package boot_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/haggle-commerce/haggle/cmd/boot"
	"github.com/haggle-commerce/haggle/cmd/boot/boottest"
)

// logLines collects log lines in JSON.
type logLines struct {
	mu  sync.Mutex
	out bytes.Buffer
}

func (l *logLines) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.out.Write(b)
}

// withMessage returns the lines whose message begins with message, and the text of all lines.
func (l *logLines) withMessage(t *testing.T, message string) (found []map[string]any, text string) {
	t.Helper()
	l.mu.Lock()
	defer l.mu.Unlock()
	for line := range strings.Lines(l.out.String()) {
		var fields map[string]any
		if err := json.Unmarshal([]byte(line), &fields); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		if strings.HasPrefix(fields["msg"].(string), message) {
			found = append(found, fields)
		}
	}
	return found, l.out.String()
}

// serveLogged starts a server whose log is collected. It runs until stop is called.
func serveLogged(t *testing.T, change func(*boot.Config)) (app *boot.App, lines *logLines, stop func()) {
	t.Helper()
	config := boot.Config{
		Addr:         "127.0.0.1:0",
		OpsAddr:      "127.0.0.1:0",
		DatabaseURL:  sqlite(t),
		Env:          "sandbox",
		BootstrapKey: boottest.Key,
		LogFormat:    "json",
	}
	change(&config)
	lines = &logLines{}
	app, err := boot.New(t.Context(), config, config.Logger(lines))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- app.Run(ctx) }()
	stop = sync.OnceFunc(func() {
		cancel()
		if err := <-done; err != nil {
			t.Errorf("the server ended with: %v", err)
		}
		if err := app.Close(); err != nil {
			t.Error(err)
		}
	})
	t.Cleanup(stop)
	return app, lines, stop
}

// A log line has the request's method, route, status, project and caller, as ids, and no secrets.
func TestRequestLog(t *testing.T) {
	t.Parallel()
	app, lines, stop := serveLogged(t, func(*boot.Config) {})
	shop, err := app.Demo(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	r := request(t, "GET", app.URL()+"/v1/catalog/categories", "")
	r.Header.Set("Authorization", "Bearer "+shop.Key)
	r.Header.Set("X-Project-ID", shop.Project.String())
	send(t, r).expect(t, http.StatusOK)
	send(t, request(t, "POST", shop.ACP+"/acp/search", `{"query": "planted"}`)).expect(t, http.StatusOK)
	get(t, app.URL()+"/nowhere").expect(t, http.StatusNotFound)
	stop()
	requests, text := lines.withMessage(t, "request")
	if len(requests) != 3 {
		t.Fatalf("%d lines:\n%s", len(requests), text)
	}
	for i, want := range []map[string]any{
		{"method": "GET", "route": "/v1/catalog/categories", "status": 200.0, "project": shop.Project.String()},
		{"method": "POST", "route": "/p/{slug}/acp/search", "status": 200.0, "project": shop.Project.String(), "caller": nil},
		{"route": "unmatched", "status": 404.0, "project": nil},
	} {
		for field, value := range want {
			if requests[i][field] != value {
				t.Errorf("line %d: %s is %v, want %v", i, field, requests[i][field], value)
			}
		}
	}
	if caller, _ := requests[0]["caller"].(string); !strings.HasPrefix(caller, "key_") {
		t.Errorf("the caller is %q", caller)
	}
	for _, secret := range []string{shop.Key, boottest.Key, "planted"} {
		if strings.Contains(text, secret) {
			t.Errorf("%s is in the log", secret)
		}
	}
}

// A log line has the trace id of its request.
func TestRequestLog_trace(t *testing.T) {
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:1") // there is no collector
	app, lines, stop := serveLogged(t, func(*boot.Config) {})
	r := request(t, "GET", app.URL()+"/nowhere", "")
	r.Header.Set("Traceparent", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01")
	send(t, r).expect(t, http.StatusNotFound)
	stop()
	if requests, text := lines.withMessage(t, "request"); len(requests) != 1 || requests[0]["trace_id"] != "4bf92f3577b34da6a3ce929d0e0e4736" {
		t.Errorf("%s", text)
	}
}

// The first line has the version. The line about stopping has the number of requests in flight.
func TestRun_firstAndLastLines(t *testing.T) {
	t.Parallel()
	app, lines, stop := serveLogged(t, func(c *boot.Config) { c.RequestLog = "off" })
	openShop(t, app.URL(), boottest.Key, "lamps")
	conn, _ := sendSearchHeader(t, strings.TrimPrefix(app.URL(), "http://"), "/p/lamps/acp/search")
	var stopped sync.WaitGroup
	stopped.Go(stop)
	eventually(t, "the server stops", func() bool { found, _ := lines.withMessage(t, "stopping"); return len(found) == 1 })
	if _, err := io.WriteString(conn, searchBody); err != nil {
		t.Fatal(err)
	}
	stopped.Wait()
	started, text := lines.withMessage(t, "started")
	stopping, _ := lines.withMessage(t, "stopping")
	last, _ := lines.withMessage(t, "stopped")
	if len(started) != 1 || started[0]["version"] != boot.Version || len(last) != 1 {
		t.Errorf("%s", text)
	}
	if len(stopping) != 1 || stopping[0]["requests_in_flight"] != 1.0 {
		t.Errorf("stopping: %v\n%s", stopping, text)
	}
	if requests, _ := lines.withMessage(t, "request"); len(requests) != 0 {
		t.Errorf("requests are logged: %v", requests)
	}
}

// Profiles are on the operations address only, if they are enabled, and never include the command line.
func TestServeProfiles(t *testing.T) {
	t.Parallel()
	for setting, want := range map[string]int{"": http.StatusNotFound, "off": http.StatusNotFound, "on": http.StatusOK} {
		app := boottest.Start(t, sqlite(t), func(c *boot.Config) { c.Profiling = setting })
		for _, path := range []string{"/debug/pprof/", "/debug/pprof/heap", "/debug/pprof/goroutine?debug=1", "/debug/pprof/symbol"} {
			get(t, app.OpsURL()+path).expect(t, want)
		}
		get(t, app.OpsURL()+"/debug/pprof/cmdline").expect(t, http.StatusNotFound)
		get(t, app.URL()+"/debug/pprof/").expect(t, http.StatusNotFound)
	}
}

func TestConfig_observation(t *testing.T) {
	t.Parallel()
	for want, change := range map[string]func(*boot.Config){
		`HAGGLE_REQUEST_LOG is "some": it must be all, errors or off`: func(c *boot.Config) { c.RequestLog = "some" },
		`HAGGLE_PPROF is "yes": it must be on or off`:                 func(c *boot.Config) { c.Profiling = "yes" },
	} {
		config := boot.Config{Env: "sandbox", DatabaseURL: "sqlite://x"}
		change(&config)
		if err := config.Check(); err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
}
