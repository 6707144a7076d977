package telemetry

import (
	"context"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/negotiation"
	"github.com/haggle-commerce/haggle/ports"
)

// business has the metrics of negotiations, payments, orders and searches, summed over all shops.
type business struct {
	negotiations *prometheus.CounterVec // status
	payments     *prometheus.CounterVec // result

	orders    *prometheus.CounterVec // currency
	sales     *prometheus.CounterVec // currency
	discounts *prometheus.CounterVec // currency

	searches prometheus.Observer
}

var _ ports.Meter = (*Metrics)(nil)

func (m *Metrics) newBusiness() business {
	return business{
		negotiations: m.counters("negotiations_total", "Answers to offers, by status; accept is a deal.", "status"),
		payments:     m.counters("payments_total", "Payment attempts with a known outcome, by result.", "result"),
		orders:       m.counters("orders_total", "Orders placed.", "currency"),
		sales: m.counters("sales_minor_units_total",
			"Sum of order totals including shipping and tax, in minor units of the currency.", "currency"),
		discounts: m.counters("discounts_minor_units_total",
			"Sum of the discounts from list prices in orders, in minor units of the currency.", "currency"),
		searches: m.histograms("search_duration_seconds",
			"Duration of search queries, including the embedding of the query.").WithLabelValues(),
	}
}

// outcomeLabels maps outcomes to values of the label status.
var outcomeLabels = map[negotiation.Outcome]string{
	negotiation.OutcomeQuoted:    "quote",
	negotiation.OutcomeAccepted:  "accept",
	negotiation.OutcomeCountered: "counter_offer",
	negotiation.OutcomeRejected:  "reject",
}

// Negotiated counts an answer to an offer.
func (m *Metrics) Negotiated(o negotiation.Outcome) {
	m.business.negotiations.WithLabelValues(outcomeLabels[o]).Inc()
}

// QuoteExpired counts an offer on an expired quote.
func (m *Metrics) QuoteExpired() { m.business.negotiations.WithLabelValues("expired").Inc() }

// Paid counts a payment attempt with a final result.
func (m *Metrics) Paid(result string) { m.business.payments.WithLabelValues(result).Inc() }

// Sold counts an order.
func (m *Metrics) Sold(total, discount money.Amount) {
	currency := total.Currency().Code()
	m.business.orders.WithLabelValues(currency).Inc()
	m.business.sales.WithLabelValues(currency).Add(float64(total.Minor()))
	m.business.discounts.WithLabelValues(currency).Add(float64(discount.Minor()))
}

// Searched counts a query that the index answered.
func (m *Metrics) Searched(took time.Duration) { m.business.searches.Observe(took.Seconds()) }

// SearchIndexes registers gauges of the search indexes' memory and number.
func (m *Metrics) SearchIndexes(bytes func() int64, indexes func() int) {
	m.gaugeOf("search_index_bytes", "Approximate memory used by the search indexes of all shops.", nil, func() int { return int(bytes()) })
	m.gaugeOf("search_indexes", "Shops whose search index is in memory.", nil, indexes)
}

// syncAgesKept is how long the ages of syncs are cached. Reading them queries every integration, and alerts on them allow for
// minutes.
const syncAgesKept = 30 * time.Second

// SyncAges registers gauges of the time since the last sync of integrations, by type. It reads at most every half a minute;
// in between, the ages grow with time.
func (m *Metrics) SyncAges(read func(context.Context) ([]ports.SyncAge, error)) {
	oldest := m.gauge("sync_age_seconds",
		"Longest time since the last completed sync of an integration, or since its connection.", "type")
	count := m.gauge("integrations", "Connected integrations that can be synchronized.", "type")
	var (
		mu    sync.Mutex // held while reading, so that concurrent scrapes read once
		asked time.Time
		ages  []ports.SyncAge
	)
	m.scrape(func(ctx context.Context, set setGauge) error {
		mu.Lock()
		defer mu.Unlock()
		if asked.IsZero() || time.Since(asked) >= syncAgesKept {
			found, err := read(ctx)
			if err != nil {
				return err
			}
			ages, asked = found, time.Now()
		}
		for _, a := range ages {
			set(oldest, (a.Oldest + time.Since(asked)).Seconds(), a.Type)
			set(count, float64(a.Integrations), a.Type)
		}
		return nil
	}, oldest, count)
}
