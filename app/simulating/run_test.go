package simulating

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/haggle-commerce/haggle/domain/market"
)

// splitSeller is a simple seller: it rejects offers under its floor, and else splits the difference to its last price.
type splitSeller struct{ floor float64 }

type splitNegotiation struct{ list, floor, current int64 }

func (h splitSeller) Open(item market.Item) market.Negotiation {
	return &splitNegotiation{item.List, int64(math.Ceil(h.floor * float64(item.List))), item.List}
}

func (h *splitNegotiation) Offer(price int64) market.Answer {
	switch {
	case price >= h.current:
		return market.Answer{Verdict: market.Accepted, Price: min(price, h.list)}
	case price < h.floor:
		return market.Answer{Verdict: market.Rejected, Price: h.floor}
	}
	h.current -= (h.current - price) / 2
	return market.Answer{Verdict: market.Countered, Price: h.current}
}

func (h splitSeller) secrets(item market.Item) market.Secrets {
	floor := int64(math.Ceil(h.floor * float64(item.List)))
	return market.Secrets{Floor: floor, Hint: floor + item.List/50}
}

func config(buyers int) Config {
	h := splitSeller{.8}
	return Config{
		Seed:        1,
		Buyers:      buyers,
		List:        10000,
		Populations: market.Populations(),
		Tactics:     market.Measured(),
		Apart:       market.Others(),
		Seller:      h,
		Secrets:     h.secrets,
		Settings:    []Setting{{"Floor", "<0.8 & no less>"}},
	}
}

func simulated(t *testing.T, c Config) *Report {
	t.Helper()
	r, err := Run(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// The same seed gives the same report on one processor and on two. The test is not parallel, because it changes GOMAXPROCS.
func TestRun_sameSeed(t *testing.T) {
	before := runtime.GOMAXPROCS(1)
	defer runtime.GOMAXPROCS(before)
	alone := asJSON(t, simulated(t, config(2000)))
	runtime.GOMAXPROCS(2)
	both := asJSON(t, simulated(t, config(2000)))
	if alone != both {
		t.Error("two processors found other figures than one")
	}
	c := config(2000)
	c.Seed = 2
	if other := asJSON(t, simulated(t, c)); other == both {
		t.Error("another seed gave the same figures")
	}
}

// The results of a population do not depend on the other populations.
func TestRun_onePopulation(t *testing.T) {
	t.Parallel()
	all, c := simulated(t, config(1000)), config(1000)
	c.Populations, c.Apart = c.Populations[7:8], nil
	alone := simulated(t, c)
	whole := all.Populations[7]
	whole.Strategies, whole.Probing = whole.Strategies[:5], []ProbeRound{}
	if a, b := asJSON(t, alone.Populations[0]), asJSON(t, whole); a != b {
		t.Errorf("alone\n%s\namong others\n%s", a, b)
	}
}

func asJSON(t *testing.T, v any) string {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// listSeller sells at list and does not negotiate.
type listSeller struct{}

func (listSeller) Open(item market.Item) market.Negotiation {
	return &splitNegotiation{item.List, item.List, item.List}
}

// A seller that does not negotiate earns as much as the list price.
func TestRun_listPriceSeller(t *testing.T) {
	t.Parallel()
	c := config(3000)
	c.Seller, c.Secrets = listSeller{}, nil
	for _, p := range simulated(t, c).Populations {
		if p.Policy.Margin != p.List.Margin || p.Policy.DealRate != p.List.DealRate || p.Policy.MeanPrice != 1 || p.Policy.Highest != 0 || p.Secrets != nil || p.BestWithin != nil || p.Policy.OfWithin != nil {
			t.Errorf("%s: %+v, list %+v", p.Name, p.Policy, p.List)
		}
	}
}

func TestReport_sums(t *testing.T) {
	t.Parallel()
	c := config(2003) // not divisible by five
	var last, calls atomic.Int64
	c.Progress = func(done, total int) {
		calls.Add(1)
		if done == total {
			last.Store(int64(total))
		}
	}
	r := simulated(t, c)
	if r.Negotiations != 10*(2003+6*400) || last.Load() != int64(r.Negotiations) || calls.Load() < 10 || !r.OK() {
		t.Errorf("%d negotiations, %d reported in %d calls, broken %v", r.Negotiations, last.Load(), calls.Load(), r.Broken)
	}
	for _, p := range r.Populations {
		buyers, deals, discounts := 0, 0, 0
		for _, s := range p.Strategies[:5] {
			buyers, deals = buyers+s.Buyers, deals+s.Deals
		}
		for _, n := range p.Policy.Discounts {
			discounts += n
		}
		if buyers != 2003 || deals != p.Policy.Deals || discounts != deals || p.Strategies[5].Buyers != 400 {
			t.Errorf("%s: %d buyers, %d deals, %d discounts, %+v", p.Name, buyers, deals, discounts, p.Policy)
		}
		near(t, p.Name+" multiple", p.Policy.OfPosted.Value, p.Policy.Margin/p.Best.Margin, 1e-4)
		near(t, p.Name+" share within limits", p.Policy.OfWithin.Value, p.Policy.Margin/p.OptimumWithin.Margin, 1e-4)
		near(t, p.Name+" share", p.Policy.OfOptimum.Value, p.Policy.Margin/p.Optimum.Margin, 1e-4)
		if p.Optimum.Margin < p.Policy.Margin || p.Optimum.Margin < p.Best.Margin || p.Best.Margin < p.List.Margin || p.Policy.MeanPrice < .8 ||
			p.OptimumWithin.Margin > p.Optimum.Margin || p.OptimumWithin.Margin < p.Policy.Margin || p.BestWithin.Margin > p.Best.Margin ||
			p.BestWithin.Price < .8 || p.Policy.OfWithin.Value < p.Policy.OfOptimum.Value {
			t.Errorf("%s: %+v", p.Name, p)
		}
	}
}

// The report compares probers' estimates with the floor, and their prices with those of linear buyers.
func TestProbing(t *testing.T) {
	t.Parallel()
	r := simulated(t, config(2000))
	if len(r.Probing) != 8 || r.Prober == nil || r.Prober.Buyers != 10*400 {
		t.Fatalf("%+v, %+v", r.Probing, r.Prober)
	}
	for i, p := range r.Probing {
		near(t, "floor", p.Floor, .8, 1e-9)
		near(t, "hint", p.HintDistance, .02, 1e-9)
		if i > 0 && (p.Distance >= r.Probing[i-1].Distance || p.Probers > r.Probing[i-1].Probers) {
			t.Errorf("round %d: off by %f, before %f", p.Round, p.Distance, r.Probing[i-1].Distance)
		}
	}
	if last := r.Probing[8-1]; last.Distance > .005 {
		t.Errorf("eight rounds of bisecting leave %f", last.Distance)
	}
	linear, prober := r.Strategies[1], r.Strategies[6]
	if linear.Strategy != "linear" || prober.Strategy != "prober" || linear.DealRate != r.Prober.LinearDealRate || prober.DealRate != r.Prober.ProberDealRate {
		t.Errorf("%+v is not of\n%+v\n%+v", r.Prober, linear, prober)
	}
}

// The report compares buyers who scout in another session with linear ones.
func TestCompare_crossSession(t *testing.T) {
	t.Parallel()
	r := simulated(t, config(2000))
	c := r.CrossSession
	if c == nil || c.Buyers != 10*400 || c.BothBought == 0 || c.ProberPrice.Error <= 0 || c.LinearPrice.Error <= 0 {
		t.Fatalf("%+v", c)
	}
	near(t, "difference", c.Difference.Value, c.ProberPrice.Value-c.LinearPrice.Value, 1e-5)
}

// cheatingSeller breaks a promise to some buyers.
type cheatingSeller struct{ splitSeller }

func (c cheatingSeller) Open(item market.Item) market.Negotiation {
	return cheatingNegotiation{c.splitSeller.Open(item)}
}

type cheatingNegotiation struct{ market.Negotiation }

func (c cheatingNegotiation) Offer(price int64) market.Answer {
	a := c.Negotiation.Offer(price)
	if a.Verdict == market.Accepted && a.Price%10 == 0 {
		a.Price++
	}
	return a
}

func TestNote_brokenPromise(t *testing.T) {
	t.Parallel()
	c := config(500)
	c.Seller = cheatingSeller{splitSeller{.8}}
	r := simulated(t, c)
	if r.OK() || r.Broken[0].Promise != market.AboveTheOffer.String() || r.Broken[0].Times == 0 || r.Broken[0].First == "" {
		t.Errorf("%+v", r.Broken)
	}
}

func TestRun_invalidOrCanceled(t *testing.T) {
	t.Parallel()
	for says, change := range map[string]func(*Config){
		"buyers":        func(c *Config) { c.Buyers = 9 },
		"list price":    func(c *Config) { c.List = 99 },
		"no seller":     func(c *Config) { c.Seller = nil },
		"a population":  func(c *Config) { c.Populations = nil },
		"and a strateg": func(c *Config) { c.Tactics = nil },
		"named twice":   func(c *Config) { c.Tactics = slices.Concat(c.Tactics, c.Tactics[:1]) },
		"deadlines":     func(c *Config) { c.Habits = market.Habits{Shortest: 3, Longest: 2} },
		"uniform-c50":   func(c *Config) { c.Populations = append(c.Populations, c.Populations[0]) },
	} {
		c := config(100)
		change(&c)
		if _, err := Run(t.Context(), c); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%v, want %s", err, says)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Run(ctx, config(100)); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

func BenchmarkSimpleSeller(b *testing.B) {
	c := config(5000)
	negotiations := 0
	for b.Loop() {
		r, err := Run(b.Context(), c)
		if err != nil {
			b.Fatal(err)
		}
		negotiations += r.Negotiations
	}
	b.ReportMetric(float64(negotiations)/b.Elapsed().Seconds(), "negotiations/s")
}

// silentSeller does not answer second offers.
type silentSeller struct{ splitSeller }

func (s silentSeller) Open(item market.Item) market.Negotiation {
	return &silentNegotiation{Negotiation: s.splitSeller.Open(item)}
}

type silentNegotiation struct {
	market.Negotiation
	offers int
}

func (s *silentNegotiation) Offer(price int64) market.Answer {
	if s.offers++; s.offers > 1 {
		return market.Answer{Verdict: market.NoAnswer}
	}
	return s.Negotiation.Offer(price)
}

func TestRun_noAnswer(t *testing.T) {
	t.Parallel()
	c := config(100)
	c.Seller = silentSeller{splitSeller{.8}}
	lost := 0
	c.Each = func(e Ended) {
		if e.Lost {
			lost++
		}
		if e.Lost && (e.Price > 0 || e.Broken != market.Kept) || !e.Lost && e.Rounds > 1 {
			t.Errorf("%+v", e)
		}
	}
	r := simulated(t, c)
	if lost == 0 || r.Lost != lost || !r.OK() {
		t.Errorf("%d lost, %d reported", lost, r.Lost)
	}
}

// The report does not depend on the number of workers.
func TestRun_workers(t *testing.T) {
	t.Parallel()
	c := config(200)
	alone := asJSON(t, simulated(t, c))
	c.Workers = 7
	if many := asJSON(t, simulated(t, c)); many != alone {
		t.Error("seven workers found other figures")
	}
}

// A price under Config.Least is a broken promise.
func TestConfig_least(t *testing.T) {
	t.Parallel()
	c := config(200)
	c.Secrets, c.Least = nil, 8100
	r := simulated(t, c)
	if len(r.Broken) != 1 || r.Broken[0].Promise != market.UnderTheFloor.String() {
		t.Errorf("%+v", r.Broken)
	}
}
