package tuning_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/haggle-commerce/haggle/app/tuning"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/negotiation"
)

// session returns the id of session n.
func session(n uint64) id.Session {
	var bits [16]byte
	for i := range 8 {
		bits[i] = byte(n >> (8 * i))
	}
	return id.New[id.Session](bits)
}

// sold returns a negotiation in a session of its own, about an item at list 100.00 that costs 50.00. A price of zero is no deal.
func sold(price float64) tuning.Record {
	cost := amount(50_00)
	return tuning.Record{
		Session: session(rand.Uint64()),
		Signals: negotiation.Signals{
			List:     amount(100_00),
			Cost:     &cost,
			Quantity: 1,
		},
		Price: price,
	}
}

// costless is sold for an item of unknown cost.
func costless(price float64) tuning.Record {
	r := sold(price)
	r.Signals.Cost = nil
	return r
}

func times(n int, all ...tuning.Record) (records []tuning.Record) {
	for range n {
		for _, r := range all {
			r.Session = session(rand.Uint64())
			records = append(records, r)
		}
	}
	return records
}

func TestCompare(t *testing.T) {
	t.Parallel()
	c := tuning.Compare(times(100, sold(.9), sold(0)), times(100, sold(.8), sold(.8)))
	near := func(what string, got, want, off float64) {
		if math.Abs(got-want) > off {
			t.Errorf("%s is %v, want %v", what, got, want)
		}
	}
	near("deals of the holdout", c.Held.Deals, .5, 1e-9)
	near("price of the holdout", c.Held.Price, .9, 1e-9)
	near("margin of the holdout", c.Held.Margin, .2, 1e-9)
	near("margin in force", c.Served.Margin, .3, 1e-9)
	near("gain", c.Gain, .1, 1e-9)
	near("error", c.Error, math.Sqrt(200*.2*.2)/200, .001) // .4 and 0 are .2 from their mean
	if c.Held.Negotiations != 200 || !c.Better(tuning.Sure) || c.Worse(0) || !c.Known() {
		t.Errorf("%+v", c)
	}
	back := tuning.Compare(times(100, sold(.8), sold(.8)), times(100, sold(.9), sold(0)))
	if !back.Worse(tuning.Sure) || back.Better(0) || math.Abs(back.Gain+c.Gain) > 1e-9 {
		t.Errorf("the other way round %+v", back)
	}
}

func TestCompare_tooLittleData(t *testing.T) {
	t.Parallel()
	visited := times(200, sold(.6))
	for i := range visited { // two buyers who haggle over a hundred things each
		visited[i].Session = session(uint64(i % 2))
	}
	few := append(times(4, sold(.9)), times(96, sold(0))...)
	for name, c := range map[string]tuning.Comparison{
		"nothing":             tuning.Compare(nil, nil),
		"no holdout":          tuning.Compare(nil, times(200, sold(.9))),
		"nobody in force":     tuning.Compare(times(200, sold(.9)), nil),
		"few held":            tuning.Compare(times(99, sold(.6)), times(200, sold(.9))),
		"few in force":        tuning.Compare(times(200, sold(.6)), times(99, sold(.9))),
		"the same":            tuning.Compare(times(50, sold(.9), sold(0)), times(50, sold(0), sold(.9))),
		"hardly another":      tuning.Compare(times(50, sold(.9), sold(0)), times(50, sold(.91), sold(0))),
		"four deals":          tuning.Compare(few, times(100, sold(0))),
		"one known cost":      tuning.Compare(append(times(99, costless(.9)), sold(.9)), times(100, sold(.6))),
		"no known cost in it": tuning.Compare(times(100, costless(.9)), times(100, sold(.6))),
		"two sessions":        tuning.Compare(times(50, sold(.9), sold(0)), visited),
	} {
		if c.Better(tuning.Near) || c.Worse(tuning.Near) {
			t.Errorf("%s: %+v", name, c)
		}
	}
	if tuning.Compare(nil, times(200, sold(.9))).Known() || tuning.Compare(times(100, costless(.9)), times(100, sold(.6))).Known() {
		t.Error("something is known of nobody")
	}
}

// An item at ten times the list price weighs ten times as much, and one of unknown cost nothing if other costs are known.
func TestCompare_weighsByMoney(t *testing.T) {
	t.Parallel()
	cost := amount(500_00)
	dear := tuning.Record{Signals: negotiation.Signals{
		List:     amount(1000_00),
		Cost:     &cost,
		Quantity: 1,
	}, Price: .6}
	c := tuning.Compare(append(times(10, sold(.9)), dear, costless(.9)), times(12, sold(.9)))
	if want := (10*.4 + 10*.1) / 20; math.Abs(c.Held.Margin-want) > 1e-9 {
		t.Errorf("margin %v, want %v", c.Held.Margin, want)
	}
	free := tuning.Compare(times(1, costless(.9)), times(1, costless(.9)))
	if math.Abs(free.Held.Margin-.9) > 1e-9 || free.Gain != 0 {
		t.Errorf("without costs %+v", free)
	}
}
