package simulator_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/simulator"
	"github.com/haggle-commerce/haggle/simulator/exchange"
	"github.com/haggle-commerce/haggle/simulator/openapi"
)

const golden = `Buyers                4   seed 7, 2s
  bought              2   50.0 %
  walked away         1   25.0 %
  failed              1   25.0 %
Deals                 2   12.5 % off list in 3.5 rounds on average
Rejects               3   and 5 counter-offers
Orders                2   1 payments declined
Requests              50  25 per second
  500 internal_error  1

Strategy   Buyers  Deals  Discount  Rounds
hardliner  1       0      -         -
linear     3       2      12.5 %    3.5

Endpoint         Calls  Errors  p50    p95     p99
POST /acp/quote  10     1       1.5ms  12.3ms  1.23s

1 OpenAPI violations in 50 responses, 1 invariant violations, 1 failed trips

OpenAPI: GET /x -> 200: wrong (request r1)

Invariant (seed 7, buyer 3): counters never rise: 9 after 8
> POST /acp/quote {}
< 200 {"status": "counter_offer"} (1.5ms, request r2)

Failed (seed 7, buyer 4): pay: 500
`

func sample() simulator.Report {
	return simulator.Report{
		Seed:       7,
		Buyers:     4,
		Elapsed:    2 * time.Second,
		Outcomes:   map[simulator.Outcome]int{simulator.Bought: 2, simulator.WalkedAway: 1, simulator.Failed: 1},
		Deals:      2,
		Rejections: 3,
		Counters:   5,
		Discount:   0.125,
		Rounds:     3.5,
		Orders:     2,
		Declines:   1,
		Strategies: []simulator.StrategyRow{
			{Strategy: "hardliner", Buyers: 1}, {Strategy: "linear", Buyers: 3, Deals: 2, Discount: 0.125, Rounds: 3.5},
		},
		Requests: 50,
		Problems: map[string]int{"500 internal_error": 1},
		Endpoints: []simulator.EndpointRow{{
			Endpoint: "POST /acp/quote", Calls: 10, Errors: 1,
			P50: 1500 * time.Microsecond, P95: 12345 * time.Microsecond, P99: 1234 * time.Millisecond,
		}},
		Checked:        50,
		ViolationCount: 1,
		Violations:     []openapi.Violation{{Method: "GET", Path: "/x", Status: 200, Reason: "wrong", RequestID: "r1"}},
		BreachCount:    1,
		Breaches: []simulator.Incident{{Seed: 7, Buyer: 3, What: "counters never rise: 9 after 8", Excerpt: []exchange.Entry{{
			Method: "POST", Path: "/acp/quote", Request: "{}", Status: 200, Response: `{"status": "counter_offer"}`,
			Elapsed: 1500 * time.Microsecond, RequestID: "r2",
		}}}},
		FailureCount: 1,
		Failures:     []simulator.Incident{{Seed: 7, Buyer: 4, What: "pay: 500"}},
	}
}

func TestReport_Write(t *testing.T) {
	t.Parallel()
	var text bytes.Buffer
	if err := sample().Write(&text); err != nil {
		t.Fatal(err)
	}
	if text.String() != golden {
		t.Errorf("got:\n%s\nwant:\n%s", text.String(), golden)
	}
	if sample().OK() || !(simulator.Report{}).OK() {
		t.Error("OK is wrong")
	}
}

func TestReport_Write_waits(t *testing.T) {
	t.Parallel()
	report := sample()
	report.Waits, report.Waited = 37, 12345*time.Millisecond
	var text bytes.Buffer
	if err := report.Write(&text); err != nil {
		t.Fatal(err)
	}
	for _, said := range []string{"Waits                 37  told by the server, 12.3s of all buyers added up\n", "A server started with HAGGLE_ACP_RATE=off is faster.\n"} {
		if !strings.Contains(text.String(), said) {
			t.Errorf("nobody said %q\n%s", said, text.String())
		}
	}
	if strings.Contains(golden, "HAGGLE_ACP_RATE") {
		t.Error("who did not wait is told of it")
	}
}

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("disk full") }

func TestReport_Write_failingWriter(t *testing.T) {
	t.Parallel()
	if err := sample().Write(full{}); err == nil {
		t.Error("no error")
	}
}
