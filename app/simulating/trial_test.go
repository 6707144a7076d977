package simulating_test

import (
	"context"
	"errors"
	"reflect"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/app/simulating"
	"github.com/haggle-commerce/haggle/domain/market"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/negotiation"
	"github.com/haggle-commerce/haggle/domain/project"
)

func preset(name string) negotiation.Policy {
	for _, p := range negotiation.Presets() {
		if p.Name == name {
			return p.Policy.Under(project.DefaultSettings())
		}
	}
	panic(name)
}

// tent returns the signals of a tent at list 100.00 that costs 50.00.
func tent() negotiation.Signals {
	list, cost := money.Of(100_00, money.USD), money.Of(50_00, money.USD)
	return negotiation.Signals{
		List:       list,
		Cost:       &cost,
		Negotiable: true,
		Quantity:   1,
		Stock:      20,
		CartValue:  money.Zero(money.USD),
	}
}

func trial(before, after string, buyers int) simulating.Trial {
	return simulating.Trial{
		Seed:     7,
		Buyers:   buyers,
		Worths:   market.Distributions(),
		Before:   preset(before),
		After:    preset(after),
		Products: []simulating.TrialProduct{{Name: "tent", Signals: tent(), Monthly: 30}},
		Currency: money.USD,
		Workers:  2,
	}
}

func TestTrial_workers(t *testing.T) {
	t.Parallel()
	var first market.Comparison
	for workers := 1; workers <= 3; workers++ {
		c := trial("balanced", "clear_stock", 1_000)
		c.Workers = workers
		done := 0
		c.Progress = func(n int) { done = n }
		got, err := c.Run(t.Context())
		if err != nil || done != c.Negotiations() || done != 10_000 {
			t.Fatalf("%d of %d negotiations, %v", done, c.Negotiations(), err)
		}
		if workers == 1 {
			first = got
		}
		if !reflect.DeepEqual(got, first) {
			t.Errorf("%d workers: %+v, want %+v", workers, got, first)
		}
	}
}

// The same policy earns the same from the same buyers, to the cent.
func TestTrial_samePolicy(t *testing.T) {
	t.Parallel()
	c := trial("balanced", "balanced", 500)
	got, err := c.Run(t.Context())
	zero := money.Zero(money.USD)
	if err != nil || !reflect.DeepEqual(got.Before, got.After) || *got.Gain != (market.Gain{
		Margin: zero,
		Low:    zero,
		High:   zero,
	}) {
		t.Errorf("%+v, %v", got, err)
	}
	if got.Before.Deals < 3_000 || got.Before.Discount < 30 {
		t.Errorf("%+v", got.Before)
	}
}

// The presets differ in deals and discounts as their names say, for the buyers of market.Measured.
func TestTrial_presets(t *testing.T) {
	t.Parallel()
	c := trial("keep_margin", "balanced", 2_000)
	firm, err := c.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	c = trial("balanced", "clear_stock", 2_000)
	soft, err := c.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	keep, balanced, stock := firm.Before, firm.After, soft.After
	if !(keep.Deals < balanced.Deals && balanced.Deals < stock.Deals) {
		t.Errorf("deals of 10,000: %d, %d, %d", keep.Deals, balanced.Deals, stock.Deals)
	}
	if !(keep.Discount < balanced.Discount && balanced.Discount < stock.Discount) {
		t.Errorf("discounts: %v, %v, %v", keep.Discount, balanced.Discount, stock.Discount)
	}
	if !reflect.DeepEqual(soft.Before, balanced) {
		t.Errorf("the balanced policy earns %+v, and beside another one %+v", balanced, soft.Before)
	}
}

func TestTrial_stops(t *testing.T) {
	t.Parallel()
	ctx, stop := context.WithCancel(t.Context())
	c := trial("balanced", "clear_stock", 5_000)
	c.Products = append(c.Products, c.Products[0], c.Products[0], c.Products[0])
	var stopped time.Time
	c.Progress = func(int) {
		if stopped.IsZero() {
			stopped = time.Now()
			stop()
		}
	}
	if _, err := c.Run(ctx); !errors.Is(err, context.Canceled) || time.Since(stopped) > time.Second {
		t.Errorf("%v after %s", err, time.Since(stopped))
	}
}

func BenchmarkTrial(b *testing.B) {
	for range b.N {
		c := trial("balanced", "clear_stock", 5_000)
		c.Workers = 1
		if _, err := c.Run(b.Context()); err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(float64(c.Negotiations()), "negotiations/op")
	}
}
