// Package telemetry provides the operator's view of the server: Prometheus metrics, health probes, OpenTelemetry traces and
// logs. None of them ever contains a path, an address, a body or a secret. Paths are left out because ids in them are
// capabilities.
package telemetry

import (
	"net/http"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// Metrics is the program's metrics in a registry of its own. Label values are constants of the program or from a short list
// such as currencies. They never come from a request and never name a project, so the number of series is bounded, however
// many shops there are. Logs, traces and analytics are about single shops.
type Metrics struct {
	registry  *prometheus.Registry
	described []Description

	requests *prometheus.CounterVec   // method, route, status
	took     *prometheus.HistogramVec // method, route
	serving  atomic.Int64             // requests

	business business

	refusals *prometheus.CounterVec // api
	shed     *prometheus.CounterVec // lane
	replays  prometheus.Counter

	runs         *prometheus.CounterVec // loop, result
	lastSuccess  *prometheus.GaugeVec   // loop
	scrapeErrors prometheus.Counter
}

// durations are the histogram's buckets, in seconds: the hot paths take milliseconds, and no request runs longer than 30 s.
var durations = []float64{.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10}

// NewMetrics returns the metrics of this version of the program, including those of Go and of the process.
func NewMetrics(version string) *Metrics {
	registry := prometheus.NewRegistry()
	registry.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	m := &Metrics{registry: registry}
	m.requests = m.counters("http_requests_total", "HTTP requests completed.", "method", "route", "status")
	m.took = m.histograms("http_request_duration_seconds", "Duration of HTTP requests.", "method", "route")
	m.gaugeOf("http_requests_in_flight", "HTTP requests in progress.", nil, m.Serving)

	m.business = m.newBusiness()

	m.refusals = m.counters("rate_limit_refusals_total", "Requests rejected by a rate limit.", "api")
	m.shed = m.counters("shed_total", "Requests rejected because of overload.", "lane")
	m.replays = m.counters("idempotent_replays_total", "Requests that repeated an idempotency key and received the stored response.").WithLabelValues()

	m.runs = m.counters("background_runs_total", "Runs of background work.", "loop", "result")
	m.lastSuccess = m.gauges("background_last_success_timestamp_seconds", "Unix time at which background work last succeeded.", "loop")
	m.scrapeErrors = m.counters("scrape_errors_total", "Failed reads of metrics during scrapes.").WithLabelValues()
	m.gauges("build_info", "Always 1; the labels are the version of haggle and the version of Go.", "version", "goversion").
		WithLabelValues(version, runtime.Version()).Set(1)
	return m
}

// Handler answers scrapes. It omits metrics that cannot be read.
func (m *Metrics) Handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{ErrorHandling: promhttp.ContinueOnError, MaxRequestsInFlight: 4})
}

// InFlight counts the requests that next is serving.
func (m *Metrics) InFlight(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		m.serving.Add(1)
		defer m.serving.Add(-1)
		next.ServeHTTP(w, r)
	})
}

// Serving returns how many requests are in flight.
func (m *Metrics) Serving() int { return int(m.serving.Load()) }

// ObserveRequest counts an answered request. pattern is the mux pattern that matched, "GET /v1/projects/{id}" or "", and never
// a path. status 0 means that the handler wrote nothing, which is a 200.
func (m *Metrics) ObserveRequest(method, pattern string, status int, took time.Duration) {
	method, path := verb(method), route(pattern)
	m.requests.WithLabelValues(method, path, strconv.Itoa(sent(status))).Inc()
	m.took.WithLabelValues(method, path).Observe(took.Seconds())
}

var verbs = []string{
	http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete,
	http.MethodOptions, http.MethodConnect, http.MethodTrace,
}

// verb maps unknown methods, which a client may make up, to one label value.
func verb(method string) string {
	if slices.Contains(verbs, method) {
		return method
	}
	return "OTHER"
}

// route returns a mux pattern without its method. "/" matches requests that no other pattern matches.
func route(pattern string) string {
	if _, path, found := strings.Cut(pattern, " "); found {
		pattern = strings.TrimLeft(path, " \t")
	}
	if pattern == "" || pattern == "/" {
		return "unmatched"
	}
	return pattern
}

func sent(status int) int {
	if status == 0 {
		return http.StatusOK
	}
	return status
}

// RateLimitRefused counts a request of an API over its rate.
func (m *Metrics) RateLimitRefused(api string) { m.refusals.WithLabelValues(api).Inc() }

// Shed counts a request refused because its lane was full.
func (m *Metrics) Shed(lane string) { m.shed.WithLabelValues(lane).Inc() }

// IdempotentReplayed counts a request that was answered with its stored response.
func (m *Metrics) IdempotentReplayed() { m.replays.Inc() }

// BackgroundRan counts a run of a background loop.
func (m *Metrics) BackgroundRan(loop string, err error) {
	if err != nil {
		m.runs.WithLabelValues(loop, "failed").Inc()
		return
	}
	m.runs.WithLabelValues(loop, "ok").Inc()
	m.lastSuccess.WithLabelValues(loop).SetToCurrentTime()
}
