package tuning_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/app/tuning"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/negotiation"
)

// honest returns records of buyers with clients of their own, who pay for what they agree on.
func honest(t *testing.T, p negotiation.Policy, buyers []buyer) []tuning.Record {
	t.Helper()
	all := records(t, p, 50_00, buyers)
	for i := range all {
		all[i].Client, all[i].Bought = fmt.Sprint("honest ", i), all[i].Price > 0
	}
	return all
}

// attack returns records of one client that never pays. It splits the difference from two thirds of the list price on, and
// agrees or leaves at random.
func attack(t *testing.T, p negotiation.Policy, n int) []tuning.Record {
	t.Helper()
	random := rand.New(rand.NewPCG(7, 7))
	split := func(b buyer, round int) int64 { return b.worth - (b.worth-b.first)>>(round-1) }
	buyers := make([]buyer, n)
	for i := range buyers {
		worth := int64(66_00 + 1_00*random.IntN(20))
		buyers[i] = buyer{worth, worth * 9 / 10, 3 + random.IntN(4), split}
	}
	all := records(t, p, 50_00, buyers)
	for i := range all {
		all[i].Client = "attacker"
	}
	return all
}

// poor returns a policy whose curve earns little from the buyers of crowd.
func poor() negotiation.Policy {
	p := negotiation.Builtin()
	p.MaxDiscount = 200
	p.Curve.Markup, p.Curve.Give, p.Curve.Take = 1300, [8]money.Percent{0, 20, 40, 60, 80, 100, 100, 100}, [8]money.Percent{}
	return p
}

// 1,500 sessions of one client that buys nothing hardly change what is learned from 300 buyers.
func TestTrust_clientWithoutOrders(t *testing.T) {
	t.Parallel()
	p := poor()
	known := honest(t, p, crowd(300, 1, .88))
	alone := propose(t, known, p)
	mixed := make([]tuning.Record, 0, 1800)
	free := attack(t, p, 1500)
	for i := range known { // five of them for each honest one
		mixed = append(append(mixed, known[i]), free[5*i:5*i+5]...)
	}
	attacked := propose(t, mixed, p)
	t.Logf("gain %+.4f (%+.4f to %+.4f), under attack %+.4f (%+.4f to %+.4f); %+v", alone.Gain.Mean, alone.Gain.Low, alone.Gain.High,
		attacked.Gain.Mean, attacked.Gain.Low, attacked.Gain.High, attacked.Buyers[:3])
	if !alone.Better() || !attacked.Better() || attacked.Gain.Mean < alone.Gain.Mean/2 {
		t.Errorf("the gain is %+.4f from %+.4f on, and under attack %+.4f from %+.4f on", alone.Gain.Mean, alone.Gain.Low, attacked.Gain.Mean, attacked.Gain.Low)
	}
	others := crowd(20000, 2, .88)
	if a, b := margin(alone.Policy, 50_00, others), margin(attacked.Policy, 50_00, others); b < a*.97 {
		t.Errorf("what was learnt earns %.4f of others, and under attack %.4f", a, b)
	}
	for _, s := range attacked.Buyers {
		if s.Manner == tuning.Splitting && s.Share > .15 {
			t.Errorf("%.2f of the buyers are taken to be splitting", s.Share)
		}
	}
}

// A client's sessions count as one, plus some for each of its orders.
func TestSessions(t *testing.T) {
	t.Parallel()
	of := func(n int, client string, bought int) []tuning.Record {
		all := times(n, sold(.9))
		for i := range all {
			all[i].Client, all[i].Bought = client, i < bought
		}
		return all
	}
	own := times(100, sold(.9))
	for i := range own {
		own[i].Client = fmt.Sprint(i)
	}
	join := func(all ...[]tuning.Record) (one []tuning.Record) {
		for _, a := range all {
			one = append(one, a...)
		}
		return one
	}
	for name, c := range map[string]struct {
		records []tuning.Record
		want    int
	}{
		"nobody":                              {nil, 0},
		"nobody knows whose":                  {of(300, "", 0), 300},
		"each its own":                        {own, 100},
		"one client and nobody else":          {of(300, "a", 0), 300},
		"beside others":                       {join(own, of(1500, "a", 0)), 102}, // 101² / (100 + 1500/1500²)
		"one that buys as often as not":       {join(own, of(100, "a", 50)), 108}, // at most four times the mean
		"one that buys one time in a hundred": {join(own, of(500, "a", 5)), 108},
		"one that is bought twice":            {join(own, of(2, "a", 2)), 102},
	} {
		if got := tuning.Sessions(c.records); got < c.want-2 || got > c.want+2 {
			t.Errorf("%s: %d, want %d", name, got, c.want)
		}
	}
}

// A client with many sessions and no order in one arm does not decide a comparison.
func TestCompare_clientWithoutOrders(t *testing.T) {
	t.Parallel()
	arm := func(price float64) []tuning.Record {
		all := times(150, sold(price), sold(0))
		for i := range all {
			all[i].Client, all[i].Bought = fmt.Sprint(price, i), all[i].Price > 0
		}
		return all
	}
	loud := times(1500, sold(.6))
	for i := range loud {
		loud[i].Client = "attacker"
	}
	quiet, shouted := tuning.Compare(arm(.8), arm(.9)), tuning.Compare(arm(.8), append(arm(.9), loud...))
	if !quiet.Better(tuning.Near) || !shouted.Better(tuning.Near) || math.Abs(shouted.Gain-quiet.Gain) > .005 {
		t.Errorf("the gain is %+.4f, and %+.4f where a client talks for free", quiet.Gain, shouted.Gain)
	}
}

// 2,000 sessions that lead to no order, of as many clients in an hour, or of a client with few orders, hardly change what is learned
// from 600 buyers. If they come over all the time, what is learned earns less, but not less than before.
func TestTrust_fakeSessions(t *testing.T) {
	t.Parallel()
	p := poor()
	known := honest(t, p, crowd(600, 1, .88))
	for i := range known { // one every twenty minutes
		known[i].At = noon.Add(time.Duration(i) * 20 * time.Minute)
	}
	alone := propose(t, known, p)
	others := crowd(10000, 2, .88)
	want, before := margin(alone.Policy, 50_00, others), margin(p, 50_00, others)
	for name, c := range map[string]struct {
		apart  time.Duration // between two of them
		client func(int) string
		orders int
		least  float64 // of what is earned without the fakes
	}{
		"many clients, in an hour":        {time.Second, func(i int) string { return fmt.Sprint("fake ", i) }, 0, .97},
		"many clients, over all the time": {6 * time.Minute, func(i int) string { return fmt.Sprint("fake ", i) }, 0, .75},
		"one client with three orders":    {6 * time.Minute, func(int) string { return "fake" }, 3, .97},
	} {
		fake := attack(t, p, 2000)
		for i := range fake {
			fake[i].At, fake[i].Client, fake[i].Bought = noon.Add(time.Duration(i)*c.apart), c.client(i), i < c.orders
		}
		attacked := propose(t, append(slices.Clone(known), fake...), p)
		got := margin(attacked.Policy, 50_00, others)
		t.Logf("%s: earns %.4f of others, %.4f without the fakes, %.4f before; curve %v, %v without", name, got, want, before, attacked.Policy.Curve, alone.Policy.Curve)
		if got < want*c.least || got < before {
			t.Errorf("%s: what was learned earns %.4f of others, without the fakes %.4f, and before %.4f", name, got, want, before)
		}
	}
}
