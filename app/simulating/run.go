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

// Config describes a run.
type Config struct {
	Seed        uint64
	Buyers      int   // in each population
	List        int64 // list price, in minor units
	Populations []market.Population
	Tactics     []market.Tactic // of the market, each for an equal part of the buyers
	Apart       []market.Tactic // further tactics that are not part of the market, each with the buyers of one such part
	Habits      market.Habits   // zero: market.UsualHabits
	HeedHints   bool            // buyers use the hints of rejections
	Seller      market.Seller
	// SellerOf returns the seller for a population; nil: Seller for all.
	SellerOf func(market.Population) market.Seller
	Workers  int                              // concurrent negotiations; zero: as many as processors, for a seller in this process
	Secrets  func(market.Item) market.Secrets // nil: unknown
	Least    int64                            // no price may be under it, besides the floor; zero: unknown
	Settings []Setting                        // what the report shows about the seller
	// Each, if set, is called with every negotiation in order, after its population has ended.
	Each func(Ended)
	// Progress, if set, is called with the number of ended negotiations. Calls do not overlap.
	Progress func(done, total int)
}

// Ended is a negotiation that has ended.
type Ended struct {
	Population, Strategy string
	Number               int // of the buyer; it determines V, first offer and deadline, but not the strategy
	market.Outcome
}

// Setting is a setting of the seller for the report.
type Setting struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// Limits of a run. Results of fewer buyers mean nothing, and a lower list price, in minor units, cannot show discounts.
const (
	minBuyers = 10
	maxBuyers = 1_000_000
	minList   = 100
	maxList   = 1_000_000_000_000
)

func (c Config) check() error {
	switch {
	case c.Seller == nil:
		return errors.New("there is no seller")
	case c.Buyers < minBuyers || c.Buyers > maxBuyers:
		return fmt.Errorf("there must be %d to %d buyers", minBuyers, maxBuyers)
	case c.List < minList || c.List >= maxList:
		return fmt.Errorf("the list price must be at least %d and under %d minor units", minList, maxList)
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

// Run runs the negotiations of every population with the seller and returns the report.
func Run(ctx context.Context, c Config) (*Report, error) {
	if c.Habits == (market.Habits{}) {
		c.Habits = market.UsualHabits()
	}
	if err := c.check(); err != nil {
		return nil, err
	}
	m := &run{Config: c, part: c.Buyers / len(c.Tactics)}
	m.total = len(c.Populations) * (c.Buyers + len(c.Apart)*m.part)
	g := m.newReportBuilder()
	for _, p := range c.Populations {
		groups := m.groups(p)
		for _, v := range groups {
			if err := m.negotiate(ctx, v); err != nil {
				return nil, err
			}
		}
		g.add(p, groups)
		m.each(p, groups)
	}
	return g.finish(), nil
}

// each calls Each for the negotiations of a population.
func (m *run) each(p market.Population, groups []*group) {
	if m.Each == nil {
		return
	}
	for _, v := range groups {
		for i, o := range v.outcomes {
			m.Each(Ended{p.Name(), v.tactic(i).Name, v.number(i), o})
		}
	}
}

// run is a run in progress.
type run struct {
	Config
	part  int // buyers of one tactic
	total int // negotiations

	mu   sync.Mutex
	done int // negotiations, guarded by mu
}

// group is a group of buyers of one population, with the results of their negotiations.
type group struct {
	population market.Population
	tactics    []market.Tactic // of the buyers, in rotation
	first      int             // number of the first buyer, and step to the next
	step       int
	outcomes   []market.Outcome
	estimates  [][market.MostRounds]int64 // of the floor after each round; nil if no tactic probes
}

func (v *group) tactic(i int) market.Tactic { return v.tactics[i%len(v.tactics)] }
func (v *group) number(i int) int           { return v.first + i*v.step }

// groups returns the market's group and one for each tactic of Apart, with the linear buyers, or the first ones if there are none.
func (m *run) groups(p market.Population) []*group {
	all := []*group{m.newGroup(p, m.Tactics, 0, 1, m.Buyers)}
	slot := max(0, slices.IndexFunc(m.Tactics, func(t market.Tactic) bool { return t.Name == "linear" }))
	for _, t := range m.Apart {
		all = append(all, m.newGroup(p, []market.Tactic{t}, slot, len(m.Tactics), m.part))
	}
	return all
}

func (m *run) newGroup(p market.Population, tactics []market.Tactic, first, step, buyers int) *group {
	v := &group{
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

// workers returns how many goroutines negotiate, and how many negotiations each takes at a time: many for a seller in this
// process, one for a seller over the network.
func (m *run) workers() (workers, batch int) {
	if m.Workers > 0 {
		return m.Workers, 1
	}
	return runtime.GOMAXPROCS(0), 500
}

// negotiate runs the negotiations of a group.
func (m *run) negotiate(ctx context.Context, v *group) error {
	var next atomic.Int64
	var all sync.WaitGroup
	workers, batch := m.workers()
	for range workers {
		all.Go(func() {
			random, r := newStream(m.Seed, v.population.Name()), m.rules(v)
			for ctx.Err() == nil {
				begin := int(next.Add(int64(batch))) - batch
				if begin >= len(v.outcomes) {
					return
				}
				end := min(begin+batch, len(v.outcomes))
				for i := begin; i < end; i++ {
					v.outcomes[i] = m.negotiateOne(r, v, i, random)
				}
				m.addDone(end - begin)
			}
		})
	}
	all.Wait()
	return ctx.Err()
}

func (m *run) addDone(more int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.done += more
	if m.Progress != nil {
		m.Progress(m.done, m.total)
	}
}

func (m *run) negotiateOne(r *market.Rules, v *group, i int, random stream) market.Outcome {
	random.start(v.number(i))
	buyer := v.population.Draw(random.Rand, m.Habits, m.List)
	return r.Haggle(i, buyer, v.tactic(i), random.Rand)
}

func (m *run) rules(v *group) *market.Rules {
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

// secrets returns the secrets, or zero if they are unknown.
func (m *run) secrets(item market.Item) market.Secrets {
	if m.Secrets == nil {
		return market.Secrets{}
	}
	return m.Secrets(item)
}
