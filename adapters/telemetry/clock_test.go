package telemetry_test

import (
	"context"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/adapters/telemetry"
)

func TestMetrics_ClockSkew(t *testing.T) {
	t.Parallel()
	m := telemetry.NewMetrics("1.2.3")
	m.ClockSkew(func() map[string]time.Duration {
		return map[string]time.Duration{"database": -1500 * time.Millisecond, "stripe": 90 * time.Second}
	})
	wantLines(t, scrape(t, m), `haggle_clock_skew_seconds{against="database"} -1.5`, `haggle_clock_skew_seconds{against="stripe"} 90`)
}

// A warning is reported in addition to the checks, and does not make the server unready.
func TestHealth_Warn(t *testing.T) {
	t.Parallel()
	h, message, fails := telemetry.NewHealth(quiet(), nil), "", error(nil)
	h.Check("database", "no answer", func(context.Context) error { return fails })
	h.Warn("stripe clock", func() string { return message })
	wantProbe(t, h, 200, "ok\n")
	message = "its clock is 75s ahead"
	wantProbe(t, h, 200, "ok\nwarning: stripe clock: its clock is 75s ahead\n")
	if code, body, _ := probe(h, "application/json"); code != 200 || body !=
		`{"status":"ok","checks":[{"name":"database","status":"ok"},{"name":"stripe clock","status":"warning","message":"its clock is 75s ahead"}]}`+"\n" {
		t.Errorf("%d %s", code, body)
	}
	fails = errSecret
	wantProbe(t, h, 503, "database: no answer\nwarning: stripe clock: its clock is 75s ahead\n")
}
