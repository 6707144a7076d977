package simulator_test

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/haggle-commerce/haggle/simulator"
	"github.com/haggle-commerce/haggle/simulator/internal/shoptest"
)

func run(t *testing.T, tamper func(string, shoptest.Answer), buyers int) (simulator.Report, string) {
	t.Helper()
	report, err := simulator.Run(context.Background(), simulator.Config{
		URL:     shoptest.New(t, tamper).URL,
		Project: "demo",
		Buyers:  buyers,
		Seed:    7,
	})
	if err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	if err := report.Write(&text); err != nil {
		t.Fatal(err)
	}
	return report, text.String()
}

func TestRun_honestShop(t *testing.T) {
	t.Parallel()
	report, text := run(t, nil, 200)
	if !report.OK() {
		t.Fatal(text)
	}
	if report.Buyers != 200 || report.Orders == 0 || report.Declines == 0 || report.Deals == 0 || report.Rejections == 0 {
		t.Error(text)
	}
	if report.Outcomes[simulator.Bought] != report.Orders || report.Outcomes[simulator.WalkedAway] == 0 {
		t.Errorf("every buyer who bought has one order\n%s", text)
	}
	if report.Problems["409 token_redeemed"] == 0 {
		t.Errorf("nobody tried a used token\n%s", text)
	}
	for _, endpoint := range []string{
		"GET /.well-known/acp/manifest.json", "POST /acp/search", "GET /acp/products/{id}", "POST /acp/availability",
		"POST /acp/quote", "POST /acp/checkout/init", "POST /acp/checkout/finalize", "GET /acp/sessions/{id}",
		"POST /acp/sessions/{id}/extend", "GET /acp/orders/{id}", "POST /acp/returns",
	} {
		if !strings.Contains(text, endpoint) {
			t.Errorf("nobody called %s", endpoint)
		}
	}
}

func TestRun_sameSeed(t *testing.T) {
	t.Parallel()
	first, _ := run(t, nil, 60)
	second, _ := run(t, nil, 60)
	if first.Deals != second.Deals || first.Discount != second.Discount || first.Rounds != second.Rounds ||
		first.Requests != second.Requests || first.Declines != second.Declines {
		t.Errorf("first %+v\nsecond %+v", first, second)
	}
}

func TestRun_dishonestShop(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		tamper func(endpoint string, answer shoptest.Answer)
		said   string
	}{
		"overcharges": {func(_ string, answer shoptest.Answer) {
			if payment, paid := answer["payment"].(shoptest.Answer); paid {
				payment["amount"] = 999
			}
		}, "the order's amount is the checkout's total: 999 was paid"},
		"gives two buyers one order": {func(endpoint string, answer shoptest.Answer) {
			if order, made := answer["order"].(shoptest.Answer); made && endpoint == "POST /acp/checkout/finalize" {
				order["id"] = "ord_1"
			}
		}, "an order has one buyer: ord_1"},
		"breaks its document": {func(endpoint string, answer shoptest.Answer) {
			if endpoint == "GET /acp/orders/{id}" {
				answer["order"] = "gone"
			}
		}, "OpenAPI: GET /p/demo/acp/orders/"},
		"shows its cards": {func(endpoint string, answer shoptest.Answer) {
			if endpoint == "GET /acp/products/{id}" {
				answer["pricing"] = shoptest.Answer{"floor": 80}
			}
		}, "no answer shows floor, target, cost or margin: GET /acp/products/{id}"},
		"answers in another shape": {func(endpoint string, answer shoptest.Answer) {
			if endpoint == "POST /acp/checkout/init" {
				answer["summary"] = "see below"
			}
		}, "Failed (seed 7, buyer "},
	}
	for name, c := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			report, text := run(t, c.tamper, 20)
			if report.OK() || !strings.Contains(text, c.said) {
				t.Errorf("nobody said %q\n%s", c.said, text)
			}
			if strings.Contains(text, "spt_sandbox") {
				t.Error("a payment token is in the report")
			}
		})
	}
}

func TestRun_progress(t *testing.T) {
	t.Parallel()
	var calls []int
	_, err := simulator.Run(context.Background(), simulator.Config{
		URL:         shoptest.New(t, nil).URL,
		Project:     "demo",
		Buyers:      9,
		Concurrency: 3,
		Progress:    func(done, total int) { calls = append(calls, done*100+total) },
	})
	if err != nil || len(calls) != 9 || calls[0] != 109 || calls[8] != 909 {
		t.Errorf("%v, %v", calls, err)
	}
}

func TestRun_errors(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(context.Background())
	if _, err := simulator.Run(ctx, simulator.Config{URL: "http://127.0.0.1:1"}); !errors.Is(err, simulator.ErrConfig) {
		t.Errorf("without a project: %v", err)
	}
	if _, err := simulator.Run(ctx, simulator.Config{URL: "http://127.0.0.1:1", Project: "demo"}); err == nil {
		t.Error("nobody is there, and nothing is wrong")
	}
	empty := shoptest.New(t, func(_ string, answer shoptest.Answer) { delete(answer, "categories") })
	if _, err := simulator.Run(ctx, simulator.Config{URL: empty.URL, Project: "demo"}); err == nil {
		t.Error("nothing is for sale, and nothing is wrong")
	}
	shop := shoptest.New(t, nil)
	stop := func(int, int) { cancel() }
	report, err := simulator.Run(ctx, simulator.Config{
		URL:      shop.URL,
		Project:  "demo",
		Buyers:   500,
		Progress: stop,
	})
	if !errors.Is(err, context.Canceled) || report.Buyers == 0 || report.Buyers > 100 || report.FailureCount > 0 {
		t.Errorf("after a stop: %d buyers, %d failures, %v", report.Buyers, report.FailureCount, err)
	}
}
