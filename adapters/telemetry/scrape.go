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

// scrapeTimeout keeps a slow database from holding up a scrape.
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

// Describe is for Prometheus.
func (s scraped) Describe(out chan<- *prometheus.Desc) {
	for _, gauge := range s.gauges {
		out <- gauge
	}
}

// Collect is for Prometheus.
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

// Lag is how many events wait to be delivered, and since when the oldest one does: the zero time when
// none waits. It must heed its context.
type Lag func(context.Context) (pending int, oldest time.Time, err error)

// lagKept keeps scrapes, however many, from burdening the database.
const lagKept = 5 * time.Second

// Outbox shows how far event delivery is behind, by the clock that events are stamped by. It asks at most every five
// seconds, and counts an error each time that it asked in vain.
func (m *Metrics) Outbox(lag Lag, now func() time.Time) {
	var (
		mu      sync.Mutex // held while asking, so that scrapes at once ask once
		asked   time.Time
		pending int
		oldest  time.Time
		err     error
	)
	waiting := m.gauge("outbox_pending", "Events waiting to be delivered.")
	age := m.gauge("outbox_oldest_seconds", "How long the oldest waiting event has waited.")
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
			return nil // counted when it was asked
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

// SetAside shows how much background work is set aside because it cannot be read or made the program panic.
func (m *Metrics) SetAside(count func(context.Context) (map[string]int, error)) {
	work := m.gauge("jobs_set_aside", "Background work set aside until it can be read, by queue.", "queue")
	m.scrape(func(ctx context.Context, set setGauge) error {
		counts, err := count(ctx)
		for queue, n := range counts {
			set(work, float64(n), queue)
		}
		return err
	}, work)
}

// MoneyUnexplained shows the money that the books of payment providers and ours do not agree on, of all
// projects, as of the last comparisons: 0 is the absence of a series.
func (m *Metrics) MoneyUnexplained(read func(context.Context) ([]ports.UnexplainedMoney, error)) {
	amount := m.gauge("money_unexplained",
		"Minor units of the currency that a payment provider's books and ours differ by, and nothing explains.", "provider", "currency")
	differences := m.gauge("money_differences",
		"Movements of money that a payment provider's books and ours differ on, and nothing explains.", "provider", "currency")
	m.scrape(func(ctx context.Context, set setGauge) error {
		sums, err := read(ctx)
		for _, s := range sums {
			set(amount, float64(s.Amount.Minor()), s.Provider, s.Amount.Currency().Code())
			set(differences, float64(s.Differences), s.Provider, s.Amount.Currency().Code())
		}
		return err
	}, amount, differences)
}

// Unresolved shows how long the oldest payment attempt and the oldest refund of each provider have been unresolved, of
// all projects: no series means that none is.
func (m *Metrics) Unresolved(read func(context.Context) ([]ports.UnresolvedAge, error)) {
	payments := m.gauge("payments_unresolved_age_seconds", "Age of the oldest payment attempt whose outcome its provider did not tell.", "provider")
	refunds := m.gauge("refunds_unresolved_age_seconds", "Age of the oldest refund whose outcome its provider did not tell.", "provider")
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

// ClockSkew shows how far other clocks are ahead of ours, in seconds, as far as known: the database's of this
// machine's, a payment provider's of the database's.
func (m *Metrics) ClockSkew(skews func() map[string]time.Duration) {
	ahead := m.gauge("clock_skew_seconds", "How far another clock is ahead.", "against")
	m.scrape(func(_ context.Context, set setGauge) error {
		for against, skew := range skews() {
			set(ahead, skew.Seconds(), against)
		}
		return nil
	}, ahead)
}

// Circuits shows how many of those that requests wait for are left alone because they failed, by what they are.
func (m *Metrics) Circuits(suspended map[string]func() int) {
	for of, count := range suspended {
		m.gaugeOf("circuits_open", "Handlers, models and payment integrations that are left alone for a while.", prometheus.Labels{"of": of}, count)
	}
}

// RateLimits shows a limiter: whether its shared memory is out of reach, and how many requests it
// counted without it.
func (m *Metrics) RateLimits(degraded func() bool, alone func() int64) {
	m.gaugeOf("rate_limit_degraded", "1 while the shared memory of rate limits is out of reach.", nil, func() int {
		if degraded() {
			return 1
		}
		return 0
	})
	m.counterOf("rate_limit_fallbacks_total", "Requests counted without the shared memory.", nil, alone)
}

// Waiting shows how many requests wait for others, such as merchants' handlers, and how many found no place to wait.
func (m *Metrics) Waiting(of string, waiting func() int, refused func() int64) {
	labels := prometheus.Labels{"of": of}
	m.gaugeOf("waiting", "Requests that wait for others.", labels, waiting)
	m.counterOf("waiting_refused_total", "Requests beyond their share of those that wait for others.", labels, refused)
}

// Database shows a connection pool, as go_sql_… with the label db_name, and how many wait for a connection, which
// go_sql_wait_count_total does not count. A name is given once.
func (m *Metrics) Database(name string, db *sql.DB, waiting func() int) {
	m.registry.MustRegister(collectors.NewDBStatsCollector(db, name))
	m.gaugeOf("database_waiting", "Transactions that wait for a connection.", prometheus.Labels{"db_name": name}, waiting)
}
