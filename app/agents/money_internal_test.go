package agents

import (
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/app/tuning"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/negotiation"
)

// volumeOf returns the volume of negotiations about an item of 100.00, one after each of the given ages.
func volumeOf(now time.Time, quantity int, ages ...time.Duration) (v volume) {
	list := money.Of(100_00, money.USD)
	for _, age := range ages {
		v.add([]negotiation.Entry{{
			At:     now.Add(-age),
			Item:   negotiation.Item{Quantity: quantity},
			Bounds: negotiation.RehydrateBounds(list, list, list, list),
		}})
	}
	return v
}

func TestVolume_gain(t *testing.T) {
	t.Parallel()
	const day = 24 * time.Hour
	now := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	proposal := tuning.Proposal{Gain: tuning.Interval{
		Mean: .02,
		Low:  -.01,
		High: .05,
	}}
	for name, c := range map[string]struct {
		of                  volume
		negotiations        int
		low, expected, high int64
	}{
		"a month":     {volumeOf(now, 1, day, 30*day), 2, -2_00, 4_00, 10_00},
		"a day":       {volumeOf(now, 1, day), 30, -30_00, 60_00, 150_00},
		"two months":  {volumeOf(now, 1, 60*day, day, day, day), 2, -2_00, 4_00, 10_00},
		"two pieces":  {volumeOf(now, 2, day, 30*day), 2, -4_00, 8_00, 20_00},
		"half a cent": {volumeOf(now, 1, 80*day), 0, -38, 75, 1_88}, // 37.5, 75 and 187.5 cents
	} {
		got := c.of.gain(proposal, money.USD, now)
		want := GainPerMonth{
			Negotiations: c.negotiations,
			Low:          money.Of(c.low, money.USD),
			Expected:     money.Of(c.expected, money.USD),
			High:         money.Of(c.high, money.USD),
		}
		if got == nil || *got != want {
			t.Errorf("%s: %+v, want %+v", name, got, want)
		}
	}
	huge := volumeOf(now, 1, day)
	huge.list = 1e18
	for name, v := range map[string]volume{"none": {}, "less than a day": volumeOf(now, 1, day-1), "too large": huge} {
		if got := v.gain(proposal, money.USD, now); got != nil {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

func TestVolume_replayed(t *testing.T) {
	t.Parallel()
	const day = 24 * time.Hour
	now := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	revenue := func(costed int, revenue, margin int64) negotiation.Revenue {
		return negotiation.Revenue{
			Deals:   3,
			Revenue: money.Of(revenue, money.USD),
			Costed:  costed,
			Margin:  money.Of(margin, money.USD),
		}
	}
	v := volumeOf(now, 1, 10*day, day)
	got := v.replayed(negotiation.Replayed{
		Before:   revenue(2, 300_00, 100_00),
		Certain:  revenue(2, 200_00, 90_01),
		Possible: revenue(2, 400_00, 120_00),
	}, now)
	if want := (ReplayPerMonth{
		Negotiations: 6,
		Margin:       true,
		Certain:      money.Of(-29_97, money.USD),
		Possible:     money.Of(60_00, money.USD),
	}); got.PerMonth == nil || *got.PerMonth != want {
		t.Errorf("%+v, want %+v", got.PerMonth, want)
	}
	got = v.replayed(negotiation.Replayed{
		Before:   revenue(0, 300_00, 0),
		Certain:  revenue(0, 200_00, 0),
		Possible: revenue(0, 400_00, 0),
	}, now)
	if m := got.PerMonth; m == nil || m.Margin || m.Certain != money.Of(-300_00, money.USD) || m.Possible != money.Of(300_00, money.USD) {
		t.Errorf("without costs: %+v", m)
	}
	short := volumeOf(now, 1, day-1)
	if got = short.replayed(negotiation.Replayed{Negotiations: 1}, now); got.PerMonth != nil || got.Negotiations != 1 {
		t.Errorf("%+v", got)
	}
}
