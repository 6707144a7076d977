package telemetry

import (
	"context"

	"github.com/prometheus/client_golang/prometheus"
)

// SetAside shows how much background work is set aside because it cannot be read or made the program panic. While
// count fails the metric is absent, and haggle_scrape_errors_total rises.
func (m *Metrics) SetAside(count func(context.Context) (map[string]int, error)) {
	m.registry.MustRegister(&setAside{
		count: count, errors: m.scrapeErrors,
		work: prometheus.NewDesc("haggle_jobs_set_aside", "Background work set aside until it can be read, by queue.", []string{"queue"}, nil),
	})
}

type setAside struct {
	count  func(context.Context) (map[string]int, error)
	errors prometheus.Counter
	work   *prometheus.Desc
}

// Describe is for Prometheus.
func (s *setAside) Describe(ch chan<- *prometheus.Desc) { ch <- s.work }

// Collect asks the database.
func (s *setAside) Collect(ch chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), lagTimeout)
	defer cancel()
	counts, err := s.count(ctx)
	if err != nil {
		s.errors.Inc()
		return
	}
	for queue, n := range counts {
		ch <- prometheus.MustNewConstMetric(s.work, prometheus.GaugeValue, float64(n), queue)
	}
}
