package simulator_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/simulator"
	"github.com/haggle-commerce/haggle/simulator/internal/shoptest"
)

// busy is an honest shop that answers every nth request with 429 and a Retry-After of so many seconds.
func busy(t *testing.T, n int64, seconds string) string {
	t.Helper()
	shop, err := url.Parse(shoptest.New(t, nil).URL)
	if err != nil {
		t.Fatal(err)
	}
	proxy := httputil.NewSingleHostReverseProxy(shop)
	var asked atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/openapi.json" || asked.Add(1)%n != 0 {
			proxy.ServeHTTP(w, r)
			return
		}
		id := r.Header.Get("X-Request-Id")
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("X-Request-Id", id)
		w.Header().Set("Retry-After", seconds)
		w.WriteHeader(http.StatusTooManyRequests)
		_, _ = io.WriteString(w, `{"status": "error", "error": "rate_limited", "message": "later", "retry_after": `+seconds+`, "request_id": "`+id+`"}`)
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// Buyers who wait as long as Retry-After says buy the same as buyers without a rate limit.
func TestRun_retryAfter(t *testing.T) {
	t.Parallel()
	undisturbed, _ := run(t, nil, 20)
	report, err := simulator.Run(t.Context(), simulator.Config{
		URL:     busy(t, 40, "1"),
		Project: "demo",
		Buyers:  20,
		Seed:    7,
	})
	if err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	if err := report.Write(&text); err != nil {
		t.Fatal(err)
	}
	if !report.OK() || report.Outcomes[simulator.Limited] > 0 || report.Problems["429 rate_limited"] > 0 {
		t.Errorf("a buyer who waits is as well off as one who needs not\n%s", text.String())
	}
	if report.Orders != undisturbed.Orders || report.Requests != undisturbed.Requests || report.Deals != undisturbed.Deals {
		t.Errorf("waiting changed what they bought\n%s", text.String())
	}
	if report.Waits == 0 || report.Waited < time.Duration(report.Waits)*time.Second || undisturbed.Waits != 0 {
		t.Errorf("%d waits, %s; without a limit %d", report.Waits, report.Waited, undisturbed.Waits)
	}
	if !strings.Contains(text.String(), "HAGGLE_ACP_RATE=off") {
		t.Errorf("nobody is told how to be faster\n%s", text.String())
	}
}

func TestRun_retryAfterTooLong(t *testing.T) {
	t.Parallel()
	report, err := simulator.Run(t.Context(), simulator.Config{
		URL:     busy(t, 40, "3600"),
		Project: "demo",
		Buyers:  20,
		Seed:    7,
	})
	if err != nil {
		t.Fatal(err)
	}
	if !report.OK() || report.Outcomes[simulator.Limited] == 0 || report.Waits > 0 {
		t.Errorf("%d waits, %v", report.Waits, report.Outcomes)
	}
}

func TestRun_canceledWhileWaiting(t *testing.T) {
	t.Parallel()
	url := busy(t, 10, "60")
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	began := time.Now()
	report, err := simulator.Run(ctx, simulator.Config{
		URL:     url,
		Project: "demo",
		Buyers:  50,
		Seed:    7,
	})
	if !errors.Is(err, context.DeadlineExceeded) || report.FailureCount > 0 || time.Since(began) > 20*time.Second {
		t.Errorf("%v after %s, %d failures", err, time.Since(began), report.FailureCount)
	}
}
