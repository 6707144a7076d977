package telemetry

import (
	"context"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// Lag is how many events wait to be delivered, and since when the oldest one does: the zero time when
// none waits. It must heed its context.
type Lag func(context.Context) (pending int, oldest time.Time, err error)

const (
	// lagTimeout keeps a slow database from holding up a scrape.
	lagTimeout = time.Second
	// lagKept keeps scrapes, however many, from burdening the database.
	lagKept = 5 * time.Second
)

// Outbox shows how far event delivery is behind, by the clock that events are stamped by. While lag fails its metrics are absent, and
// haggle_scrape_errors_total rises each time that it was asked in vain.
func (m *Metrics) Outbox(lag Lag, now func() time.Time) {
	m.registry.MustRegister(&outbox{
		lag: lag, now: now, errors: m.scrapeErrors,
		pending: prometheus.NewDesc("haggle_outbox_pending", "Events waiting to be delivered.", nil, nil),
		age:     prometheus.NewDesc("haggle_outbox_oldest_seconds", "How long the oldest waiting event has waited.", nil, nil),
	})
}

type outbox struct {
	lag          Lag
	now          func() time.Time
	errors       prometheus.Counter
	pending, age *prometheus.Desc

	mu    sync.Mutex // held while asking, so that scrapes at once ask once
	asked time.Time
	known struct {
		pending int
		oldest  time.Time
		err     error
	}
}

func (o *outbox) Describe(out chan<- *prometheus.Desc) {
	out <- o.pending
	out <- o.age
}

func (o *outbox) Collect(out chan<- prometheus.Metric) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.refresh()
	if o.known.err != nil {
		return
	}
	waited := 0.0
	if o.known.pending > 0 && !o.known.oldest.IsZero() {
		waited = max(0, o.now().Sub(o.known.oldest).Seconds())
	}
	out <- prometheus.MustNewConstMetric(o.pending, prometheus.GaugeValue, float64(o.known.pending))
	out <- prometheus.MustNewConstMetric(o.age, prometheus.GaugeValue, waited)
}

// refresh asks unless the last answer, or failure, is recent.
func (o *outbox) refresh() {
	if !o.asked.IsZero() && time.Since(o.asked) < lagKept {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), lagTimeout)
	defer cancel()
	o.known.pending, o.known.oldest, o.known.err = o.lag(ctx)
	o.asked = time.Now()
	if o.known.err != nil {
		o.errors.Inc()
	}
}
