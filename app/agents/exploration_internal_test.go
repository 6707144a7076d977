package agents

import (
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/app/tuning"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/negotiation"
)

// 20 negotiations in ten days about two pieces at 50.00 are 60 in 30 days, with 6,000.00 at stake. A tenth of that at a loss of at
// most 2 % is 12.00.
func TestExplorationOf(t *testing.T) {
	t.Parallel()
	until := time.Date(2026, 4, 11, 0, 0, 0, 0, time.UTC)
	records := make([]tuning.Record, 20)
	for i := range records {
		records[i].At = until.Add(-time.Duration(i+1) * 12 * time.Hour)
		records[i].Signals = negotiation.Signals{List: money.Of(50_00, money.USD), Quantity: 2}
	}
	usd := func(minor int64) money.Amount { return money.Of(minor, money.USD) }
	for name, c := range map[string]struct {
		records []tuning.Record
		lost    float64
		want    Exploration
	}{
		"a tenth": {records, .02, Exploration{100, 60, usd(12_00)}},
		"no loss": {records, -.02, Exploration{100, 60, usd(0)}},
		"nothing": {nil, .02, Exploration{100, 0, usd(0)}},
	} {
		if got := explorationOf(c.records, 100, c.lost, until, money.USD); got != c.want {
			t.Errorf("%s: %+v, want %+v", name, got, c.want)
		}
	}
}
