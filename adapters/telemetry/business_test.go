package telemetry_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/adapters/telemetry"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/ports"
)

func TestMetrics_Sold(t *testing.T) {
	t.Parallel()
	m := telemetry.NewMetrics("1.2.3")
	m.Sold(money.Of(10_000, money.USD), money.Of(1_250, money.USD))
	m.Sold(money.Of(5_050, money.USD), money.Of(0, money.USD))
	wantLines(t, scrape(t, m),
		`haggle_orders_total{currency="USD"} 2`,
		`haggle_sales_minor_units_total{currency="USD"} 15050`,
		`haggle_discounts_minor_units_total{currency="USD"} 1250`,
	)
}

func TestMetrics_Searched(t *testing.T) {
	t.Parallel()
	m := telemetry.NewMetrics("1.2.3")
	wantLines(t, scrape(t, m), "haggle_search_duration_seconds_count 0")
	m.Searched(3 * time.Millisecond)
	wantLines(t, scrape(t, m), `haggle_search_duration_seconds_bucket{le="0.0025"} 0`, `haggle_search_duration_seconds_bucket{le="0.005"} 1`)
}

// Scrapes query the database once in half a minute, and ages grow meanwhile. A failure is counted, and the query repeated.
func TestMetrics_SyncAges(t *testing.T) {
	t.Parallel()
	m, asked := telemetry.NewMetrics("1.2.3"), 0
	var fails error = errors.New("no answer")
	m.SyncAges(func(context.Context) ([]ports.SyncAge, error) {
		asked++
		return []ports.SyncAge{{Type: "shopify", Integrations: 3, Oldest: time.Hour}}, fails
	})
	page := scrape(t, m)
	wantNone(t, page, "haggle_sync_age_seconds")
	if asked != 1 {
		t.Errorf("asked %d times", asked)
	}
	fails = nil
	for range 3 {
		page = scrape(t, m)
	}
	wantLines(t, page, `haggle_integrations{type="shopify"} 3`, "haggle_scrape_errors_total 1")
	if about(page, `haggle_sync_age_seconds{type="shopify"} 3600.`) == "" || asked != 2 {
		t.Errorf("asked %d times: %s", asked, about(page, "haggle_sync_age_seconds"))
	}
}

func TestMetrics_SearchIndexes(t *testing.T) {
	t.Parallel()
	m := telemetry.NewMetrics("1.2.3")
	m.SearchIndexes(func() int64 { return 1 << 20 }, func() int { return 2 })
	wantLines(t, scrape(t, m), "haggle_search_index_bytes 1.048576e+06", "haggle_search_indexes 2")
}

// Describe lists every metric once, even before it has a series.
func TestMetrics_Describe(t *testing.T) {
	t.Parallel()
	m := telemetry.NewMetrics("1.2.3")
	m.Circuits(map[string]func() int{"a": func() int { return 0 }, "b": func() int { return 0 }})
	found := map[string]telemetry.Description{}
	for _, d := range m.Describe() {
		if _, twice := found[d.Name]; twice || d.Help == "" || d.Kind == "" {
			t.Errorf("%+v", d)
		}
		found[d.Name] = d
	}
	orders := found["haggle_orders_total"]
	if orders.Kind != "counter" || !slices.Equal(orders.Labels, []string{"currency"}) || !slices.Equal(found["haggle_circuits_open"].Labels, []string{"of"}) {
		t.Errorf("%+v", found)
	}
}
