package simulator

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/haggle-commerce/haggle/simulator/acp"
	"github.com/haggle-commerce/haggle/simulator/exchange"
)

const (
	keptIncidents = 20
	excerptLength = 8 // exchanges shown with an incident
)

// tally collects the results of all trips.
type tally struct {
	config Config

	mu         sync.Mutex
	done       int
	totals     Report
	latencies  map[string][]time.Duration
	errors     map[string]int
	strategies map[string]*StrategyRow
	orders     map[string]int // the buyer's number by order
}

func newTally(config Config) *tally {
	return &tally{
		config:     config,
		latencies:  map[string][]time.Duration{},
		errors:     map[string]int{},
		strategies: map[string]*StrategyRow{},
		orders:     map[string]int{},
		totals: Report{
			Seed:     config.Seed,
			Outcomes: map[Outcome]int{},
			Problems: map[string]int{},
		},
	}
}

// add counts a buyer's finished trip.
func (t *tally) add(one *trip) {
	t.measure(one)
	t.mu.Lock()
	defer t.mu.Unlock()
	t.done++
	t.totals.Buyers++
	t.totals.Outcomes[one.outcome]++
	t.addStrategy(one)
	for _, breach := range one.witness.Breaches() {
		t.breach(one, breach)
	}
	if one.outcome == Failed {
		t.totals.FailureCount++
		t.totals.Failures = t.incident(t.totals.Failures, one, one.err.Error())
	}
	t.config.Progress(t.done, t.config.Buyers)
}

func (t *tally) addStrategy(one *trip) {
	name := one.plan.strategyName()
	row := t.strategies[name]
	if row == nil {
		row = &StrategyRow{Strategy: name}
		t.strategies[name] = row
	}
	row.Buyers++
	if one.haggled.Agreed {
		row.Deals++
		row.Discount += one.discount
		row.Rounds += float64(one.haggled.Rounds)
	}
}

// measure counts a trip's calls.
func (t *tally) measure(one *trip) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, m := range one.measured {
		t.totals.Requests++
		t.latencies[m.endpoint] = append(t.latencies[m.endpoint], m.elapsed)
		if m.problem != "" {
			t.totals.Problems[m.problem]++
			t.errors[m.endpoint]++
		}
		switch m.status {
		case acp.CounterOffer:
			t.totals.Counters++
		case acp.Reject:
			t.totals.Rejections++
		case acp.PaymentFailed:
			t.totals.Declines++
		}
		if m.order != "" {
			t.addOrder(one, m.order)
		}
	}
}

// addOrder counts orders by id, because a repeated finalize returns the same order.
func (t *tally) addOrder(one *trip, order string) {
	owner, known := t.orders[order]
	if known && owner != one.plan.number {
		t.breach(one, Breach{Rule: "an order has one buyer", Detail: fmt.Sprintf("%s is buyer %d's too", order, owner)})
	}
	t.orders[order] = one.plan.number
}

func (t *tally) breach(one *trip, breach Breach) {
	t.totals.BreachCount++
	t.totals.Breaches = t.incident(t.totals.Breaches, one, breach.String())
}

func (t *tally) incident(list []Incident, one *trip, what string) []Incident {
	if len(list) >= keptIncidents {
		return list
	}
	return append(list, Incident{
		Seed:    t.config.Seed,
		Buyer:   one.plan.number,
		What:    what,
		Excerpt: one.client.Transcript().Last(excerptLength),
	})
}

// report computes the final report.
func (t *tally) report(elapsed time.Duration) Report {
	t.mu.Lock()
	defer t.mu.Unlock()
	r := t.totals
	r.Elapsed, r.Orders = elapsed, len(t.orders)
	r.Waits, r.Waited = t.config.patience.Waited()
	r.Checked, r.ViolationCount = t.config.Validator.Checked(), t.config.Validator.Count()
	r.Violations = t.config.Validator.Violations()
	for _, row := range t.strategies {
		r.Deals += row.Deals
		r.Discount += row.Discount
		r.Rounds += row.Rounds
		r.Strategies = append(r.Strategies, row.averaged())
	}
	total := StrategyRow{
		Deals:    r.Deals,
		Discount: r.Discount,
		Rounds:   r.Rounds,
	}.averaged()
	r.Discount, r.Rounds = total.Discount, total.Rounds
	slices.SortFunc(r.Strategies, func(a, b StrategyRow) int { return strings.Compare(a.Strategy, b.Strategy) })
	for endpoint, latencies := range t.latencies {
		r.Endpoints = append(r.Endpoints, endpointRow(endpoint, latencies, t.errors[endpoint]))
	}
	slices.SortFunc(r.Endpoints, func(a, b EndpointRow) int { return strings.Compare(a.Endpoint, b.Endpoint) })
	return r
}

// averaged returns the row with averages over its deals in place of sums.
func (row StrategyRow) averaged() StrategyRow {
	if row.Deals > 0 {
		row.Discount /= float64(row.Deals) * basisPoints
		row.Rounds /= float64(row.Deals)
	}
	return row
}

func endpointRow(endpoint string, latencies []time.Duration, errors int) EndpointRow {
	slices.Sort(latencies)
	return EndpointRow{
		Endpoint: endpoint,
		Calls:    len(latencies),
		Errors:   errors,
		P50:      percentile(latencies, 50),
		P95:      percentile(latencies, 95),
		P99:      percentile(latencies, 99),
	}
}

// percentile is the smallest value that percent of the sorted values do not exceed (nearest rank).
func percentile(sorted []time.Duration, percent int) time.Duration {
	if len(sorted) == 0 {
		return 0
	}
	rank := (len(sorted)*percent + 99) / 100
	return sorted[max(0, rank-1)]
}

// Incident is an unexpected event with the seed and buyer that reproduce it.
type Incident struct {
	Seed    uint64
	Buyer   int
	What    string
	Excerpt []exchange.Entry
}
