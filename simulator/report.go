package simulator

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/haggle-commerce/haggle/simulator/exchange"
	"github.com/haggle-commerce/haggle/simulator/openapi"
)

// shownIncidents is how many incidents of a kind Write prints in full.
const shownIncidents = 5

// Report is the result of a run. Averages are over deals.
type Report struct {
	Seed    uint64
	Buyers  int
	Elapsed time.Duration

	Outcomes   map[Outcome]int
	Deals      int // accepted quotes that a strategy negotiated
	Rejections int // quote answers of that status
	Counters   int
	Discount   float64 // share of the list price: 0.12 for 12 %
	Rounds     float64
	Orders     int
	Declines   int
	Strategies []StrategyRow

	Requests  int
	Waits     int           // how often a buyer waited because the server asked for it
	Waited    time.Duration // by all buyers together
	Endpoints []EndpointRow
	Problems  map[string]int // error answers by status and code, expected ones included

	Checked        int // responses checked against the OpenAPI document
	ViolationCount int
	Violations     []openapi.Violation
	BreachCount    int
	Breaches       []Incident // broken promises that a witness saw
	FailureCount   int
	Failures       []Incident // trips that ended in an unexpected error
}

// StrategyRow is the results of one strategy.
type StrategyRow struct {
	Strategy      string
	Buyers, Deals int
	Discount      float64
	Rounds        float64
}

// EndpointRow is the calls, errors and latencies of one endpoint.
type EndpointRow struct {
	Endpoint      string
	Calls, Errors int
	P50, P95, P99 time.Duration
}

// OK reports whether the run had no violations, no breaches and no failed trips.
func (r Report) OK() bool { return r.ViolationCount == 0 && r.BreachCount == 0 && r.FailureCount == 0 }

// PerSecond is the number of requests per second.
func (r Report) PerSecond() float64 {
	if r.Elapsed <= 0 {
		return 0
	}
	return float64(r.Requests) / r.Elapsed.Seconds()
}

// Write prints the report as tables.
func (r Report) Write(w io.Writer) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	r.writeSummary(table)
	r.writeStrategies(table)
	r.writeEndpoints(table)
	if err := table.Flush(); err != nil {
		return err
	}
	return r.writeVerdict(w)
}

// print writes a line of a table; the tabwriter keeps its error until Flush.
func print(w io.Writer, format string, args ...any) { _, _ = fmt.Fprintf(w, format+"\n", args...) }

func (r Report) writeSummary(w io.Writer) {
	print(w, "Buyers\t%d\tseed %d, %s", r.Buyers, r.Seed, r.Elapsed.Round(time.Millisecond))
	for _, outcome := range []Outcome{Bought, WalkedAway, NothingFound, SoldOut, Limited, Declined, Failed} {
		if count := r.Outcomes[outcome]; count > 0 {
			print(w, "  %s\t%d\t%s", outcome, count, share(count, r.Buyers))
		}
	}
	print(w, "Deals\t%d\t%s off list in %.1f rounds on average", r.Deals, percent(r.Discount), r.Rounds)
	print(w, "Rejects\t%d\tand %d counter-offers", r.Rejections, r.Counters)
	print(w, "Orders\t%d\t%d payments declined", r.Orders, r.Declines)
	print(w, "Requests\t%d\t%.0f per second", r.Requests, r.PerSecond())
	for _, problem := range slices.Sorted(maps.Keys(r.Problems)) {
		print(w, "  %s\t%d", problem, r.Problems[problem])
	}
	if r.Waits > 0 {
		print(w, "Waits\t%d\ttold by the server, %s of all buyers added up", r.Waits, r.Waited.Round(100*time.Millisecond))
	}
}

func (r Report) writeStrategies(w io.Writer) {
	print(w, "\nStrategy\tBuyers\tDeals\tDiscount\tRounds")
	for _, row := range r.Strategies {
		if row.Deals == 0 {
			print(w, "%s\t%d\t%d\t-\t-", row.Strategy, row.Buyers, row.Deals)
			continue
		}
		print(w, "%s\t%d\t%d\t%s\t%.1f", row.Strategy, row.Buyers, row.Deals, percent(row.Discount), row.Rounds)
	}
}

func (r Report) writeEndpoints(w io.Writer) {
	print(w, "\nEndpoint\tCalls\tErrors\tp50\tp95\tp99")
	for _, row := range r.Endpoints {
		print(w, "%s\t%d\t%d\t%s\t%s\t%s", row.Endpoint, row.Calls, row.Errors, brief(row.P50), brief(row.P95), brief(row.P99))
	}
}

// hint says how to run without rate limits.
const hint = "\nThe server limits each buyer's address, and all of these buyers have one.\n" +
	"A server started with HAGGLE_ACP_RATE=off is faster."

func (r Report) writeVerdict(w io.Writer) error {
	var text strings.Builder
	if r.Waits > 0 {
		print(&text, hint)
	}
	print(&text, "\n%d OpenAPI violations in %d responses, %d invariant violations, %d failed trips",
		r.ViolationCount, r.Checked, r.BreachCount, r.FailureCount)
	for _, violation := range r.Violations[:min(len(r.Violations), shownIncidents)] {
		print(&text, "\nOpenAPI: %s", violation)
	}
	writeIncidents(&text, "Invariant", r.Breaches)
	writeIncidents(&text, "Failed", r.Failures)
	_, err := io.WriteString(w, text.String())
	return err
}

func writeIncidents(w io.Writer, kind string, incidents []Incident) {
	for _, incident := range incidents[:min(len(incidents), shownIncidents)] {
		print(w, "\n%s (seed %d, buyer %d): %s", kind, incident.Seed, incident.Buyer, incident.What)
		_ = exchange.Print(w, incident.Excerpt)
	}
}

func share(count, of int) string { return percent(float64(count) / float64(max(1, of))) }

func percent(ratio float64) string { return fmt.Sprintf("%.1f %%", 100*ratio) }

// brief rounds a duration to about three digits.
func brief(d time.Duration) string {
	switch {
	case d >= time.Second:
		return d.Round(10 * time.Millisecond).String()
	case d >= 10*time.Millisecond:
		return d.Round(100 * time.Microsecond).String()
	}
	return d.Round(10 * time.Microsecond).String()
}
