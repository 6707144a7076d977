package market_test

import (
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/haggle-commerce/haggle/domain/market"
	"github.com/haggle-commerce/haggle/domain/money"
)

// bought has the two prices of one buyer, in minor units; 0: it left.
type bought struct{ before, after int64 }

func lot(item market.Item, costed bool, monthly int, populations ...[]bought) market.Lot {
	l := market.Lot{
		Item:    item,
		Costed:  costed,
		Monthly: monthly,
	}
	for _, buyers := range populations {
		var p market.Pair
		for _, b := range buyers {
			p.Add(market.Outcome{Price: b.before}, market.Outcome{Price: b.after}, item)
			l.Worths = append(l.Worths, max(b.before, b.after))
		}
		l.Pairs = append(l.Pairs, p)
	}
	return l
}

func dollars(minor int64) money.Amount { return money.Of(minor, money.USD) }

func compare(t *testing.T, lots ...market.Lot) market.Comparison {
	t.Helper()
	c, err := market.Compare(lots, money.USD)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// Two products: one has three times as many negotiations, and the other has no known cost.
func TestCompare(t *testing.T) {
	t.Parallel()
	tent := lot(market.Item{List: 100_00, Cost: 50_00}, true, 3, []bought{{90_00, 95_00}, {80_00, 0}}, []bought{{0, 85_00}, {0, 0}})
	mug := lot(market.Item{List: 10_00}, false, 1, []bought{{10_00, 9_00}, {0, 0}}, []bought{{0, 9_00}, {0, 0}})
	c := compare(t, tent, mug)
	margins := []money.Amount{dollars(17500_00), dollars(20000_00)}
	want := market.Contrast{
		Before: market.Earned{
			Deals:    4_375, // (3·2 + 1·1) of (3·4 + 1·4)
			Discount: 147,   // 3·30.00 of 3·200.00 + 10.00
			Revenue:  dollars(32500_00),
			Margin:   &margins[0], // 70.00 from four buyers
			Monthly:  &market.MonthlyEarned{Revenue: dollars(130_00), Margin: pointer(dollars(52_50))},
		},
		After: market.Earned{
			Deals:    5_000,
			Discount: 100, // 3·20.00 + 2.00 of 3·200.00 + 20.00
			Revenue:  dollars(34875_00),
			Margin:   &margins[1],
			Monthly:  &market.MonthlyEarned{Revenue: dollars(139_50), Margin: pointer(dollars(60_00))},
		},
	}
	if !reflect.DeepEqual(c.Contrast, want) {
		t.Errorf("before %+v, after %+v", c.Before, c.After)
		t.Errorf("want   %+v, after %+v", want.Before, want.After)
	}
	if c.Monthly != 4 || c.Uncosted != 1 || len(c.Populations) != 2 || len(c.Lots) != 2 {
		t.Errorf("%+v", c)
	}
	if c.Gain.Margin != dollars(2500_00) || c.MonthlyGain.Margin != dollars(7_50) {
		t.Errorf("gains %+v, %+v", c.Gain, c.MonthlyGain)
	}
	// The gains are 5.00 and −30.00 in one population, 35.00 and 0.00 in the other: s²/n is 306.25 for each. Half of
	// the root of their sum is the standard error, 12.374, and the interval is 24.254 on each side, per buyer.
	if c.Gain.Low != dollars(2500_00-24253_77) || c.Gain.High != dollars(2500_00+24253_77) {
		t.Errorf("an interval from %s to %s", c.Gain.Low, c.Gain.High)
	}
	if c.Lots[1].Posted != nil || c.Lots[1].Before.Margin != nil || c.Lots[1].Before.Monthly.Margin != nil {
		t.Errorf("a margin without a cost: %+v", c.Lots[1])
	}
	// Three of four buyers would pay 80.00, which gives a margin of 30.00 from each.
	if p := c.Lots[0].Posted; p.Price != dollars(80_00) || *p.Earned.Margin != dollars(22500_00) || *c.Posted.Margin != dollars(22500_00) {
		t.Errorf("%+v", p)
	}
}

// Without a record all products have the same weight, and there are no monthly figures.
func TestCompare_withoutRecord(t *testing.T) {
	t.Parallel()
	item := market.Item{List: 100_00, Cost: 50_00}
	c := compare(t, lot(item, true, 0, []bought{{60_00, 0}, {0, 0}}), lot(item, true, 0, []bought{{0, 0}, {0, 0}}))
	if c.Before.Deals != 2_500 || *c.Before.Margin != dollars(2500_00) || c.Before.Monthly != nil || c.MonthlyGain != nil {
		t.Errorf("%+v", c)
	}
}

// If no cost is known there is no margin, no gain and no posted price.
func TestCompare_withoutCost(t *testing.T) {
	t.Parallel()
	c := compare(t, lot(market.Item{List: 100_00}, false, 2, []bought{{60_00, 70_00}, {0, 0}}))
	if c.Before.Margin != nil || c.Gain != nil || c.MonthlyGain != nil || c.Posted != nil || c.Uncosted != 1 || c.Before.Revenue != dollars(30000_00) {
		t.Errorf("%+v", c)
	}
}

// Products without negotiations still count if others have some.
func TestCompare_unasked(t *testing.T) {
	t.Parallel()
	item := market.Item{List: 100_00, Cost: 50_00}
	c := compare(t, lot(item, true, 1, []bought{{60_00, 0}, {0, 0}}), lot(item, true, 0, []bought{{80_00, 0}, {0, 0}}))
	if *c.Before.Margin != dollars(10000_00) || *c.Before.Monthly.Margin != dollars(5_00) {
		t.Errorf("%+v", c.Before)
	}
}

func TestCompare_tooLarge(t *testing.T) {
	t.Parallel()
	item := market.Item{List: 1 << 60, Cost: 1}
	if _, err := market.Compare([]market.Lot{lot(item, true, 1_000_000, []bought{{1 << 60, 1 << 60}})}, money.USD); err == nil {
		t.Error("a sum that is no amount")
	}
}

// The interval of a known difference contains it in about 95 of 100 runs.
func TestCompare_interval(t *testing.T) {
	t.Parallel()
	random, inside := rand.New(rand.NewPCG(1, 2)), 0
	item := market.Item{List: 100_00, Cost: 50_00}
	for range 1_000 {
		var buyers [2][]bought
		for k := range buyers {
			for range 200 {
				price := 60_00 + random.Int64N(40_00)
				b := bought{before: price, after: price + 1_00} // one dollar more from each, but a tenth leaves
				if random.IntN(10) == 0 {
					b.after = 0
				}
				buyers[k] = append(buyers[k], b)
			}
		}
		// The mean is 0.9 · 1.00 − 0.1 · (79.995 − 50.00) per buyer.
		const truth = 900_00 - 2_999_50
		if g := compare(t, lot(item, true, 0, buyers[0], buyers[1])).Gain; g.Low.Minor() <= truth && truth <= g.High.Minor() {
			inside++
		}
	}
	if inside < 925 || inside > 975 {
		t.Errorf("%d of 1,000 intervals contain the difference", inside)
	}
}

func pointer[T any](v T) *T { return &v }
