package telemetry_test

import (
	"bytes"
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil/promlint"

	"github.com/haggle-commerce/haggle/adapters/telemetry"
	"github.com/haggle-commerce/haggle/domain/negotiation"
)

// scrape returns the page that Prometheus reads.
func scrape(t *testing.T, m *telemetry.Metrics) string {
	t.Helper()
	answer := httptest.NewRecorder()
	m.Handler().ServeHTTP(answer, httptest.NewRequest("GET", "/metrics", nil))
	if answer.Code != http.StatusOK {
		t.Fatalf("a scrape answers %d: %s", answer.Code, answer.Body)
	}
	return answer.Body.String()
}

func wantLines(t *testing.T, page string, lines ...string) {
	t.Helper()
	for _, line := range lines {
		if !strings.Contains("\n"+page, "\n"+line+"\n") {
			name, _, _ := strings.Cut(line, "{")
			t.Errorf("there is no line %s\namong %s", line, about(page, strings.Fields(name)[0]))
		}
	}
}

func wantNone(t *testing.T, page, name string) {
	t.Helper()
	if found := about(page, name); found != "" {
		t.Errorf("%s is there: %s", name, found)
	}
}

func about(page, name string) string {
	var found strings.Builder
	for line := range strings.Lines(page) {
		if strings.HasPrefix(line, name) {
			found.WriteString(line)
		}
	}
	return found.String()
}

const capability = "chk_7zq4hx0000000000000000000"

// Requests are counted by route. Labels never contain a path.
func TestMetrics_ObserveRequest(t *testing.T) {
	t.Parallel()
	m := telemetry.NewMetrics("1.2.3")
	mux := http.NewServeMux()
	mux.HandleFunc("GET /checkouts/{id}", func(http.ResponseWriter, *http.Request) {})
	mux.HandleFunc("/", http.NotFound)
	for method, path := range map[string]string{
		"GET": "/checkouts/" + capability, "HEAD": "/checkouts/" + capability, "POST": "/" + capability, "BREW" + capability: "/x",
	} {
		r := httptest.NewRequest(method, path, nil)
		answer := httptest.NewRecorder()
		mux.ServeHTTP(answer, r)
		m.ObserveRequest(r.Method, r.Pattern, answer.Code, 3*time.Millisecond)
	}
	m.ObserveRequest("GET", "GET /checkouts/{id}", 0, 20*time.Second) // wrote nothing
	m.ObserveRequest("GET", "", 503, time.Millisecond)
	page := scrape(t, m)
	wantLines(t, page,
		`haggle_http_requests_total{method="GET",route="/checkouts/{id}",status="200"} 2`,
		`haggle_http_requests_total{method="HEAD",route="/checkouts/{id}",status="200"} 1`,
		`haggle_http_requests_total{method="POST",route="unmatched",status="404"} 1`,
		`haggle_http_requests_total{method="OTHER",route="unmatched",status="404"} 1`,
		`haggle_http_requests_total{method="GET",route="unmatched",status="503"} 1`,
		`haggle_http_request_duration_seconds_bucket{method="GET",route="/checkouts/{id}",le="0.0025"} 0`,
		`haggle_http_request_duration_seconds_bucket{method="GET",route="/checkouts/{id}",le="0.005"} 1`,
		`haggle_http_request_duration_seconds_bucket{method="GET",route="/checkouts/{id}",le="10"} 1`,
		`haggle_http_request_duration_seconds_count{method="GET",route="/checkouts/{id}"} 2`,
	)
	if strings.Contains(page, capability) {
		t.Error("an id is among the metrics")
	}
}

func TestMetrics_InFlight(t *testing.T) {
	t.Parallel()
	m := telemetry.NewMetrics("1.2.3")
	wantLines(t, scrape(t, m), "haggle_http_requests_in_flight 0")
	h := m.InFlight(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		wantLines(t, scrape(t, m), "haggle_http_requests_in_flight 1")
		panic("gone")
	}))
	func() {
		defer func() { _ = recover() }()
		h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "/", nil))
	}()
	wantLines(t, scrape(t, m), "haggle_http_requests_in_flight 0")
}

func TestMetrics_counters(t *testing.T) {
	t.Parallel()
	for line, happens := range map[string]func(*telemetry.Metrics){
		`haggle_negotiations_total{status="quote"} 1`:              func(m *telemetry.Metrics) { m.Negotiated(negotiation.OutcomeQuoted) },
		`haggle_negotiations_total{status="accept"} 1`:             func(m *telemetry.Metrics) { m.Negotiated(negotiation.OutcomeAccepted) },
		`haggle_negotiations_total{status="counter_offer"} 1`:      func(m *telemetry.Metrics) { m.Negotiated(negotiation.OutcomeCountered) },
		`haggle_negotiations_total{status="reject"} 1`:             func(m *telemetry.Metrics) { m.Negotiated(negotiation.OutcomeRejected) },
		`haggle_negotiations_total{status="expired"} 1`:            func(m *telemetry.Metrics) { m.QuoteExpired() },
		`haggle_payments_total{result="declined"} 1`:               func(m *telemetry.Metrics) { m.Paid("declined") },
		`haggle_rate_limit_refusals_total{api="acp"} 1`:            func(m *telemetry.Metrics) { m.RateLimitRefused("acp") },
		`haggle_rate_limit_fallbacks_total 1`:                      func(m *telemetry.Metrics) { limits(m, false, 1) },
		`haggle_rate_limit_degraded 1`:                             func(m *telemetry.Metrics) { limits(m, true, 0) },
		`haggle_shed_total{lane="finalize"} 1`:                     func(m *telemetry.Metrics) { m.Shed("finalize") },
		`haggle_idempotent_replays_total 1`:                        func(m *telemetry.Metrics) { m.IdempotentReplayed() },
		`haggle_background_runs_total{loop="sync",result="ok"} 1`:  func(m *telemetry.Metrics) { m.BackgroundRan("sync", nil) },
		`haggle_background_runs_total{loop="x",result="failed"} 1`: func(m *telemetry.Metrics) { m.BackgroundRan("x", errors.New("no")) },
	} {
		m := telemetry.NewMetrics("1.2.3")
		if strings.Contains(scrape(t, m), "\n"+line+"\n") {
			t.Errorf("%s before it happened", line)
		}
		happens(m)
		wantLines(t, scrape(t, m), line)
	}
}

func TestMetrics_RateLimits_recovery(t *testing.T) {
	t.Parallel()
	m, degraded := telemetry.NewMetrics("1.2.3"), true
	m.RateLimits(func() bool { return degraded }, func() int64 { return 0 })
	wantLines(t, scrape(t, m), "haggle_rate_limit_degraded 1")
	degraded = false
	wantLines(t, scrape(t, m), "haggle_rate_limit_degraded 0")
}

func limits(m *telemetry.Metrics, degraded bool, alone int64) {
	m.RateLimits(func() bool { return degraded }, func() int64 { return alone })
}

func TestMetrics_BackgroundRan_lastSuccess(t *testing.T) {
	t.Parallel()
	m := telemetry.NewMetrics("1.2.3")
	m.BackgroundRan("sync", errors.New("no"))
	wantNone(t, scrape(t, m), "haggle_background_last_success_timestamp_seconds")
	m.BackgroundRan("sync", nil)
	if got := about(scrape(t, m), `haggle_background_last_success_timestamp_seconds{loop="sync"} 1.`); got == "" {
		t.Error("a success leaves no timestamp")
	}
}

type unreachable struct{}

func (unreachable) Connect(context.Context) (driver.Conn, error) { return nil, errors.New("no server") }
func (unreachable) Driver() driver.Driver                        { return nil }

func TestMetrics_Database(t *testing.T) {
	t.Parallel()
	m := telemetry.NewMetrics("1.2.3")
	for name, size := range map[string]int{"read": 8, "write": 1} {
		db := sql.OpenDB(unreachable{})
		defer db.Close()
		db.SetMaxOpenConns(size)
		m.Database(name, db, func() int { return size + 1 })
	}
	page := scrape(t, m)
	wantLines(t, page, `haggle_build_info{goversion="`+runtime.Version()+`",version="1.2.3"} 1`,
		`go_sql_max_open_connections{db_name="read"} 8`, `go_sql_max_open_connections{db_name="write"} 1`,
		`haggle_database_waiting{db_name="read"} 9`, `haggle_database_waiting{db_name="write"} 2`)
	for _, name := range []string{"go_goroutines ", "process_start_time_seconds "} {
		if about(page, name) == "" && (runtime.GOOS == "linux" || name[0] == 'g') {
			t.Errorf("there is no %s", name)
		}
	}
}

// Names and help texts follow Prometheus' conventions.
func TestMetrics_promlint(t *testing.T) {
	t.Parallel()
	m := telemetry.NewMetrics("1.2.3")
	m.Outbox(func(context.Context) (int, time.Time, error) { return 0, time.Time{}, nil }, time.Now)
	m.ObserveRequest("GET", "GET /x", 200, time.Second)
	m.BackgroundRan("sync", nil)
	problems, err := promlint.New(bytes.NewBufferString(scrape(t, m))).Lint()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range problems {
		if strings.HasPrefix(p.Metric, "haggle_") {
			t.Errorf("%s: %s", p.Metric, p.Text)
		}
	}
}

func BenchmarkObserveRequest(b *testing.B) {
	m := telemetry.NewMetrics("1.2.3")
	b.ReportAllocs()
	for b.Loop() {
		m.ObserveRequest("POST", "POST /p/{slug}/acp/quote", 200, 3*time.Millisecond)
	}
}
