package telemetry_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/adapters/telemetry"
	"github.com/haggle-commerce/haggle/ports"
)

// The ages of unresolved payments and refunds have the label provider. While they cannot be read, they are absent.
func TestMetrics_Unresolved(t *testing.T) {
	t.Parallel()
	m := telemetry.NewMetrics("1.2.3")
	var failure error
	m.Unresolved(func(context.Context) ([]ports.UnresolvedAge, error) {
		return []ports.UnresolvedAge{
			{Provider: "stripe", Age: time.Hour + 500*time.Millisecond},
			{Provider: "paypal", Age: time.Second},
			{Provider: "paypal", Age: time.Minute, Refund: true},
		}, failure
	})
	wantLines(t, scrape(t, m), `haggle_payments_unresolved_age_seconds{provider="stripe"} 3600.5`,
		`haggle_payments_unresolved_age_seconds{provider="paypal"} 1`, `haggle_refunds_unresolved_age_seconds{provider="paypal"} 60`)
	failure = errors.New("no database")
	page := scrape(t, m)
	wantNone(t, page, "haggle_payments_unresolved_age_seconds")
	wantNone(t, page, "haggle_refunds_unresolved_age_seconds")
	failure = nil // a scrape may read the error count before its own failure: the next scrape shows it
	wantLines(t, scrape(t, m), "haggle_scrape_errors_total 1")
}
