package simulating

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/haggle-commerce/haggle/domain/market"
)

// Config is what a run is of.
type Config struct {
	Seed        uint64
	Buyers      int   // in each population
	List        int64 // price, in minor units
	Populations []market.Population
	Tactics     []market.Tactic // the market: in equal parts
	Apart       []market.Tactic // beside it, each with the buyers of one of these parts
	Habits      market.Habits   // zero: the usual ones
	HeedHints   bool            // buyers use the hints of rejections
	Seller      market.Seller
	// SellerOf is the seller that a population meets; nil: all meet Seller.
	SellerOf func(market.Population) market.Seller
	Workers  int                              // negotiations at one time; zero: as many as processors, for a seller in this process
	Secrets  func(market.Item) market.Secrets // nil: nobody knows
	Least    int64                            // no price may be under it, whatever the floor; zero: not known
	Settings []Setting                        // what the report tells of the seller
	// Each is told how every negotiation ended, in order, once its population is over. It may be nil.
	Each func(Ended)
	// Progress is told how many negotiations are over, one call at a time. It may be nil.
	Progress func(done, total int)
}

// Ended is a negotiation that is over.
type Ended struct {
	Population, Strategy string
	Number               int // of the buyer: its V, first offer and deadline follow from it, whatever its strategy
	market.Outcome
}

// Setting is something that the report shows.
type Setting struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// Bounds of a run: fewer buyers tell nothing, and a list price of fewer minor units nothing of discounts.
const (
	fewestBuyers = 10
	mostBuyers   = 1_000_000
	lowestList   = 100
	highestList  = 1_000_000_000_000
)

func (c Config) check() error {
	switch {
	case c.Seller == nil:
		return errors.New("there is no seller")
	case c.Buyers < fewestBuyers || c.Buyers > mostBuyers:
		return fmt.Errorf("there must be %d to %d buyers", fewestBuyers, mostBuyers)
	case c.List < lowestList || c.List >= highestList:
		return fmt.Errorf("the list price must be at least %d and under %d minor units", lowestList, highestList)
	case len(c.Populations) == 0 || len(c.Tactics) == 0:
		return errors.New("there must be a population and a strategy")
	}
	if err := c.Habits.Check(); err != nil {
		return err
	}
	names := map[string]bool{}
	for _, t := range slices.Concat(c.Tactics, c.Apart) {
		if names[t.Name] {
			return fmt.Errorf("the strategy %s is named twice", t.Name)
		}
		names[t.Name] = true
	}
	for _, p := range c.Populations {
		if names[p.Name()] {
			return fmt.Errorf("the population %s is named twice", p.Name())
		}
		names[p.Name()] = true
	}
	return nil
}

// Run sends every population to the seller, and compares.
func Run(ctx context.Context, c Config) (*Report, error) {
	if c.Habits == (market.Habits{}) {
		c.Habits = market.UsualHabits()
	}
	if err := c.check(); err != nil {
		return nil, err
	}
	m := &run{Config: c, part: c.Buyers / len(c.Tactics)}
	m.total = len(c.Populations) * (c.Buyers + len(c.Apart)*m.part)
	g := m.gathering()
	for _, p := range c.Populations {
		visits := m.visits(p)
		for _, v := range visits {
			if err := m.let(ctx, v); err != nil {
				return nil, err
			}
		}
		g.take(p, visits)
		m.each(p, visits)
	}
	return g.close(), nil
}

func (m *run) each(p market.Population, visits []*visit) {
	if m.Each == nil {
		return
	}
	for _, v := range visits {
		for i, o := range v.outcomes {
			m.Each(Ended{p.Name(), v.tactic(i).Name, v.number(i), o})
		}
	}
}

// run is a run under way.
type run struct {
	Config
	part  int // buyers of one tactic
	total int

	telling sync.Mutex
	done    int
}

// visit is a group of buyers of one population, and how they fared.
type visit struct {
	population market.Population
	tactics    []market.Tactic // one for each in turn
	first      int             // number of the first buyer, and step to the next
	step       int
	outcomes   []market.Outcome
	estimates  [][market.MostRounds]int64 // of the floor after each round, if it is probed for; else nil
}

func (v *visit) tactic(i int) market.Tactic { return v.tactics[i%len(v.tactics)] }
func (v *visit) number(i int) int           { return v.first + i*v.step }

// visits are the market's, and one of each tactic apart: with the linear buyers, or the first where there are none.
func (m *run) visits(p market.Population) []*visit {
	all := []*visit{m.visit(p, m.Tactics, 0, 1, m.Buyers)}
	slot := max(0, slices.IndexFunc(m.Tactics, func(t market.Tactic) bool { return t.Name == "linear" }))
	for _, t := range m.Apart {
		all = append(all, m.visit(p, []market.Tactic{t}, slot, len(m.Tactics), m.part))
	}
	return all
}

func (m *run) visit(p market.Population, tactics []market.Tactic, first, step, buyers int) *visit {
	v := &visit{
		population: p,
		tactics:    tactics,
		first:      first,
		step:       step,
		outcomes:   make([]market.Outcome, buyers),
	}
	if m.Secrets != nil && slices.ContainsFunc(tactics, func(t market.Tactic) bool { return t.Probes }) {
		v.estimates = make([][market.MostRounds]int64, buyers)
	}
	return v
}

// crew is how many goroutines negotiate, and how many negotiations each takes on at a time: many where the seller is
// in this process, one by one where it is waited for.
func (m *run) crew() (workers, portion int) {
	if m.Workers > 0 {
		return m.Workers, 1
	}
	return runtime.GOMAXPROCS(0), 500
}

// let has all buyers of a visit negotiate.
func (m *run) let(ctx context.Context, v *visit) error {
	var next atomic.Int64
	var all sync.WaitGroup
	workers, portion := m.crew()
	for range workers {
		all.Go(func() {
			random, r := newStream(m.Seed, v.population.Name()), m.rules(v)
			for ctx.Err() == nil {
				begin := int(next.Add(int64(portion))) - portion
				if begin >= len(v.outcomes) {
					return
				}
				end := min(begin+portion, len(v.outcomes))
				for i := begin; i < end; i++ {
					v.outcomes[i] = m.one(r, v, i, random)
				}
				m.tell(end - begin)
			}
		})
	}
	all.Wait()
	return ctx.Err()
}

func (m *run) tell(more int) {
	m.telling.Lock()
	defer m.telling.Unlock()
	m.done += more
	if m.Progress != nil {
		m.Progress(m.done, m.total)
	}
}

func (m *run) one(r *market.Rules, v *visit, i int, random stream) market.Outcome {
	random.start(v.number(i))
	buyer := v.population.Draw(random.Rand, m.Habits, m.List)
	return r.Haggle(i, buyer, v.tactic(i), random.Rand)
}

func (m *run) rules(v *visit) *market.Rules {
	item := v.population.Item(m.List)
	r := &market.Rules{
		Seller: m.sellerOf(v.population),
		Item:   item,
		Firm:   m.Habits.Firm,
		Floor:  max(m.secrets(item).Floor, m.Least),
		Heed:   m.HeedHints,
	}
	if v.estimates != nil {
		r.Watch = func(i, round int, s market.Step) {
			if !s.Took && v.tactic(i).Probes {
				v.estimates[i][round-1] = s.Estimate
			}
		}
	}
	return r
}

func (m *run) sellerOf(p market.Population) market.Seller {
	if m.SellerOf != nil {
		return m.SellerOf(p)
	}
	return m.Seller
}

// secrets are zero where nobody knows.
func (m *run) secrets(item market.Item) market.Secrets {
	if m.Secrets == nil {
		return market.Secrets{}
	}
	return m.Secrets(item)
}
