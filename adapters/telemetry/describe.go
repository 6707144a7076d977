package telemetry

import (
	"cmp"
	"maps"
	"slices"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
)

// prefix is the prefix of the program's own metrics.
const prefix = "haggle_"

// Description describes a metric.
type Description struct {
	Name, Kind, Help string
	Labels           []string
}

// Describe lists the program's own metrics by name, also those that have no series yet.
func (m *Metrics) Describe() []Description {
	all := slices.Clone(m.described)
	slices.SortFunc(all, func(a, b Description) int { return cmp.Compare(a.Name, b.Name) })
	return slices.CompactFunc(all, func(a, b Description) bool { return a.Name == b.Name })
}

func (m *Metrics) describe(name, kind, help string, labels ...string) (full string) {
	m.described = append(m.described, Description{
		Name:   prefix + name,
		Kind:   kind,
		Help:   help,
		Labels: labels,
	})
	return prefix + name
}

func (m *Metrics) counters(name, help string, labels ...string) *prometheus.CounterVec {
	name = m.describe(name, "counter", help, labels...)
	return promauto.With(m.registry).NewCounterVec(prometheus.CounterOpts{Name: name, Help: help}, labels)
}

func (m *Metrics) gauges(name, help string, labels ...string) *prometheus.GaugeVec {
	name = m.describe(name, "gauge", help, labels...)
	return promauto.With(m.registry).NewGaugeVec(prometheus.GaugeOpts{Name: name, Help: help}, labels)
}

func (m *Metrics) histograms(name, help string, labels ...string) *prometheus.HistogramVec {
	name = m.describe(name, "histogram", help, labels...)
	return promauto.With(m.registry).NewHistogramVec(prometheus.HistogramOpts{
		Name:    name,
		Help:    help,
		Buckets: durations,
	}, labels)
}

// gauge describes a gauge that is read at each scrape: see scrape.
func (m *Metrics) gauge(name, help string, labels ...string) *prometheus.Desc {
	return prometheus.NewDesc(m.describe(name, "gauge", help, labels...), help, labels, nil)
}

// gaugeOf and counterOf register a metric whose value a function returns. Several may share a name with different label
// values.
func (m *Metrics) gaugeOf(name, help string, labels prometheus.Labels, read func() int) {
	name = m.describe(name, "gauge", help, slices.Sorted(maps.Keys(labels))...)
	promauto.With(m.registry).NewGaugeFunc(prometheus.GaugeOpts{
		Name:        name,
		Help:        help,
		ConstLabels: labels,
	},
		func() float64 { return float64(read()) })
}

func (m *Metrics) counterOf(name, help string, labels prometheus.Labels, read func() int64) {
	name = m.describe(name, "counter", help, slices.Sorted(maps.Keys(labels))...)
	promauto.With(m.registry).NewCounterFunc(prometheus.CounterOpts{
		Name:        name,
		Help:        help,
		ConstLabels: labels,
	},
		func() float64 { return float64(read()) })
}
