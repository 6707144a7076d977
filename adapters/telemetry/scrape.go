package telemetry

import (
	"context"
	"database/sql"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"

	"github.com/haggle-commerce/haggle/ports"
)

// scrapeTimeout is how long a slow database may delay a scrape.
const scrapeTimeout = time.Second

// scraped are gauges that are read at each scrape. While read fails they are absent, and haggle_scrape_errors_total
// rises.
type scraped struct {
	gauges []*prometheus.Desc
	read   func(context.Context, setGauge) error
	errors prometheus.Counter
}

type setGauge func(gauge *prometheus.Desc, value float64, labels ...string)

func (m *Metrics) scrape(read func(context.Context, setGauge) error, gauges ...*prometheus.Desc) {
	m.registry.MustRegister(scraped{gauges, read, m.scrapeErrors})
}

// Describe implements prometheus.Collector.
func (s scraped) Describe(out chan<- *prometheus.Desc) {
	for _, gauge := range s.gauges {
		out <- gauge
	}
}

// Collect implements prometheus.Collector.
func (s scraped) Collect(out chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), scrapeTimeout)
	defer cancel()
	var all []prometheus.Metric
	err := s.read(ctx, func(gauge *prometheus.Desc, value float64, labels ...string) {
		all = append(all, prometheus.MustNewConstMetric(gauge, prometheus.GaugeValue, value, labels...))
	})
	if err != nil {
		s.errors.Inc()
		return
	}
	for _, metric := range all {
		out <- metric
	}
}

// Lag returns how many events wait to be delivered, and since when the oldest one has been waiting: the zero time if there is
// none. It must respect its context.
type Lag func(context.Context) (pending int, oldest time.Time, err error)

// lagKept is how long the lag is cached, so that frequent scrapes do not load the database.
const lagKept = 5 * time.Second

// Outbox registers gauges of undelivered events. now is the clock of the events' timestamps. It reads the lag at most every
// five seconds, and counts an error each time that this fails.
func (m *Metrics) Outbox(lag Lag, now func() time.Time) {
	var (
		mu      sync.Mutex // held while reading, so that concurrent scrapes read once
		asked   time.Time
		pending int
		oldest  time.Time
		err     error
	)
	waiting := m.gauge("outbox_pending", "Events waiting for delivery.")
	age := m.gauge("outbox_oldest_seconds", "Age of the oldest event waiting for delivery.")
	m.scrape(func(ctx context.Context, set setGauge) error {
		mu.Lock()
		defer mu.Unlock()
		switch fresh := !asked.IsZero() && time.Since(asked) < lagKept; {
		case !fresh:
			pending, oldest, err = lag(ctx)
			if asked = time.Now(); err != nil {
				return err
			}
		case err != nil:
			return nil // counted when it was read
		}
		waited := 0.0
		if pending > 0 && !oldest.IsZero() {
			waited = max(0, now().Sub(oldest).Seconds())
		}
		set(waiting, float64(pending))
		set(age, waited)
		return nil
	}, waiting, age)
}

// SetAside registers gauges of background work that is set aside because it cannot be decoded or caused a panic.
func (m *Metrics) SetAside(count func(context.Context) (map[string]int, error)) {
	work := m.gauge("jobs_set_aside", "Jobs set aside after they could not be read or panicked, by queue. The server retries them.", "queue")
	m.scrape(func(ctx context.Context, set setGauge) error {
		counts, err := count(ctx)
		for queue, n := range counts {
			set(work, float64(n), queue)
		}
		return err
	}, work)
}

// MoneyUnexplained registers gauges of unexplained differences between payment providers' books and ours, for all projects
// together, as of the last comparisons. A series with the value 0 is omitted.
func (m *Metrics) MoneyUnexplained(read func(context.Context) ([]ports.UnexplainedMoney, error)) {
	amount := m.gauge("money_unexplained",
		"Unexplained difference between the payment provider's ledger and ours, in minor units of the currency.", "provider", "currency")
	differences := m.gauge("money_differences",
		"Number of unexplained differences between the payment provider's ledger and ours.", "provider", "currency")
	m.scrape(func(ctx context.Context, set setGauge) error {
		sums, err := read(ctx)
		for _, s := range sums {
			set(amount, float64(s.Amount.Minor()), s.Provider, s.Amount.Currency().Code())
			set(differences, float64(s.Differences), s.Provider, s.Amount.Currency().Code())
		}
		return err
	}, amount, differences)
}

// Unresolved registers gauges of how long the oldest payment attempt and the oldest refund of each provider have been
// unresolved, over all projects. If none is unresolved, there is no series.
func (m *Metrics) Unresolved(read func(context.Context) ([]ports.UnresolvedAge, error)) {
	payments := m.gauge("payments_unresolved_age_seconds", "Age of the oldest payment attempt with an unknown outcome.", "provider")
	refunds := m.gauge("refunds_unresolved_age_seconds", "Age of the oldest refund with an unknown outcome.", "provider")
	m.scrape(func(ctx context.Context, set setGauge) error {
		ages, err := read(ctx)
		for _, a := range ages {
			of := payments
			if a.Refund {
				of = refunds
			}
			set(of, a.Age.Seconds(), a.Provider)
		}
		return err
	}, payments, refunds)
}

// ClockSkew registers gauges of known clock differences in seconds: how far the database's clock is ahead of this machine's,
// and a payment provider's ahead of the database's.
func (m *Metrics) ClockSkew(skews func() map[string]time.Duration) {
	ahead := m.gauge("clock_skew_seconds", "Seconds by which another clock is ahead.", "against")
	m.scrape(func(_ context.Context, set setGauge) error {
		for against, skew := range skews() {
			set(ahead, skew.Seconds(), against)
		}
		return nil
	}, ahead)
}

// Circuits registers gauges of open circuits, that is of remote services that get no requests because they failed, by kind.
func (m *Metrics) Circuits(suspended map[string]func() int) {
	for of, count := range suspended {
		m.gaugeOf("circuits_open", "Open circuit breakers: handlers, models and payment integrations that the server does not call for a while after repeated failures.", prometheus.Labels{"of": of}, count)
	}
}

// RateLimits registers metrics of a limiter: whether its shared store is unreachable, and how many requests it counted
// without it.
func (m *Metrics) RateLimits(degraded func() bool, alone func() int64) {
	m.gaugeOf("rate_limit_degraded", "1 if Redis, the shared store of rate limits, is unreachable; otherwise 0.", nil, func() int {
		if degraded() {
			return 1
		}
		return 0
	})
	m.counterOf("rate_limit_fallbacks_total", "Requests counted locally because Redis was unreachable.", nil, alone)
}

// Waiting registers metrics of a bulkhead, such as that of merchants' handlers: how many requests wait in it, and how many
// were refused because it was full.
func (m *Metrics) Waiting(of string, waiting func() int, refused func() int64) {
	labels := prometheus.Labels{"of": of}
	m.gaugeOf("waiting", "Requests that wait for a third party.", labels, waiting)
	m.counterOf("waiting_refused_total", "Requests rejected because too many requests were waiting for the third party.", labels, refused)
}

// Database registers the metrics of a connection pool, go_sql_… with the label db_name, and how many callers wait for a
// connection now, which go_sql_wait_count_total does not show. Each name may be used once.
func (m *Metrics) Database(name string, db *sql.DB, waiting func() int) {
	m.registry.MustRegister(collectors.NewDBStatsCollector(db, name))
	m.gaugeOf("database_waiting", "Transactions that wait for a database connection.", prometheus.Labels{"db_name": name}, waiting)
}
