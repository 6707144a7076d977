package telemetry

import (
	"context"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/haggle-commerce/haggle/ports"
)

// MoneyUnexplained shows the money that the books of payment providers and ours do not agree on, of all
// projects, as of the last comparisons: 0 is the absence of a series. While read fails the metrics are
// absent, and haggle_scrape_errors_total rises.
func (m *Metrics) MoneyUnexplained(read func(context.Context) ([]ports.UnexplainedMoney, error)) {
	m.registry.MustRegister(moneyUnexplained{
		read:   read,
		errors: m.scrapeErrors,
		amount: prometheus.NewDesc("haggle_money_unexplained",
			"Minor units of the currency that a payment provider's books and ours differ by, and nothing explains.", []string{"provider", "currency"}, nil),
		count: prometheus.NewDesc("haggle_money_differences",
			"Movements of money that a payment provider's books and ours differ on, and nothing explains.", []string{"provider", "currency"}, nil),
	})
}

// Unresolved shows how long the oldest payment attempt and the oldest refund of each provider have been unresolved, of
// all projects: no series means that none is. While read fails the metrics are absent, and haggle_scrape_errors_total
// rises.
func (m *Metrics) Unresolved(read func(context.Context) ([]ports.UnresolvedAge, error)) {
	m.registry.MustRegister(unresolved{
		read:   read,
		errors: m.scrapeErrors,
		payments: prometheus.NewDesc("haggle_payments_unresolved_age_seconds",
			"Age of the oldest payment attempt whose outcome its provider did not tell.", []string{"provider"}, nil),
		refunds: prometheus.NewDesc("haggle_refunds_unresolved_age_seconds",
			"Age of the oldest refund whose outcome its provider did not tell.", []string{"provider"}, nil),
	})
}

type unresolved struct {
	read              func(context.Context) ([]ports.UnresolvedAge, error)
	errors            prometheus.Counter
	payments, refunds *prometheus.Desc
}

// Describe is for Prometheus.
func (u unresolved) Describe(out chan<- *prometheus.Desc) {
	out <- u.payments
	out <- u.refunds
}

// Collect asks the database.
func (u unresolved) Collect(out chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), lagTimeout)
	defer cancel()
	ages, err := u.read(ctx)
	if err != nil {
		u.errors.Inc()
		return
	}
	for _, a := range ages {
		of := u.payments
		if a.Refund {
			of = u.refunds
		}
		out <- prometheus.MustNewConstMetric(of, prometheus.GaugeValue, a.Age.Seconds(), a.Provider)
	}
}

type moneyUnexplained struct {
	read          func(context.Context) ([]ports.UnexplainedMoney, error)
	errors        prometheus.Counter
	amount, count *prometheus.Desc
}

func (u moneyUnexplained) Describe(out chan<- *prometheus.Desc) {
	out <- u.amount
	out <- u.count
}

func (u moneyUnexplained) Collect(out chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	sums, err := u.read(ctx)
	if err != nil {
		u.errors.Inc()
		return
	}
	for _, s := range sums {
		labels := []string{s.Provider, s.Amount.Currency().Code()}
		out <- prometheus.MustNewConstMetric(u.amount, prometheus.GaugeValue, float64(s.Amount.Minor()), labels...)
		out <- prometheus.MustNewConstMetric(u.count, prometheus.GaugeValue, float64(s.Differences), labels...)
	}
}
