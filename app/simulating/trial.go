package simulating

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/haggle-commerce/haggle/domain/market"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/negotiation"
)

// Trial compares two policies by negotiations of the same buyers with both, for each of a shop's products.
type Trial struct {
	Seed     uint64
	Buyers   int // of each population, for each product
	Worths   []market.Worths
	Before   negotiation.Policy
	After    negotiation.Policy
	Products []TrialProduct
	Currency money.Currency
	Workers  int // concurrent negotiations
	// Progress, if set, is called with the number of ended negotiations. Calls do not overlap.
	Progress func(done int)
}

// TrialProduct is a product on sale. Products of different names have different buyers.
type TrialProduct struct {
	Name    string
	Signals negotiation.Signals // of one piece, for an unknown buyer
	Monthly int                 // negotiations about it in a month
}

// Negotiations returns the number of negotiations of the trial.
func (t *Trial) Negotiations() int { return 2 * t.Buyers * len(t.Worths) * len(t.Products) }

// batch is how many buyers one worker takes at a time. Results are summed by batch and in order, so that they do not depend on
// the number of workers.
const batch = 250

// Run runs all negotiations and compares the results.
func (t *Trial) Run(ctx context.Context) (market.Comparison, error) {
	lots := make([]market.Lot, len(t.Products))
	done := &progress{report: t.Progress}
	for i, p := range t.Products {
		lot := market.Lot{
			Item:    itemOf(p.Signals),
			Costed:  p.Signals.Cost != nil,
			Monthly: p.Monthly,
		}
		for _, worths := range t.Worths {
			g := &trialGroup{
				trial:      t,
				population: market.Population{Worths: worths},
				stream:     worths.Name + "\x00" + p.Name,
				before:     t.rules(lot.Item, p.Signals, t.Before),
				after:      t.rules(lot.Item, p.Signals, t.After),
				worths:     make([]int64, t.Buyers),
				parts:      make([]market.Pair, (t.Buyers+batch-1)/batch),
			}
			if err := g.run(ctx, done); err != nil {
				return market.Comparison{}, err
			}
			lot.Pairs, lot.Worths = append(lot.Pairs, g.sum()), append(lot.Worths, g.worths...)
		}
		lots[i] = lot
	}
	return market.Compare(lots, t.Currency)
}

// itemOf returns the item for simulated buyers. An unknown cost counts as zero.
func itemOf(s negotiation.Signals) market.Item {
	item := market.Item{List: s.List.Minor()}
	if s.Cost != nil {
		item.Cost = s.Cost.Minor()
	}
	return item
}

// rules returns the rules of negotiations about an item with a policy.
func (t *Trial) rules(item market.Item, s negotiation.Signals, p negotiation.Policy) *market.Rules {
	return &market.Rules{
		Seller: itemSeller{policy: p, signals: s},
		Item:   item,
		Firm:   market.UsualHabits().Firm,
		Floor:  negotiation.Bound(p, s).Floor().Minor(),
	}
}

// trialGroup is the buyers of one population for one product.
type trialGroup struct {
	trial         *Trial
	population    market.Population
	stream        string
	before, after *market.Rules
	worths        []int64
	parts         []market.Pair

	next   atomic.Int64
	broken atomic.Pointer[market.Promise]
}

func (g *trialGroup) run(ctx context.Context, done *progress) error {
	var all sync.WaitGroup
	for range max(g.trial.Workers, 1) {
		all.Go(func() {
			random := newStream(g.trial.Seed, g.stream)
			for ctx.Err() == nil {
				n := int(g.next.Add(1)) - 1
				if n >= len(g.parts) {
					return
				}
				done.add(2 * g.work(n, random))
				runtime.Gosched() // let a server's requests run first
			}
		})
	}
	all.Wait()
	if broken := g.broken.Load(); broken != nil {
		return fmt.Errorf("simulating: %s", *broken)
	}
	return ctx.Err()
}

// work runs the negotiations of batch n, and returns the number of its buyers.
func (g *trialGroup) work(n int, random stream) int {
	first, last := n*batch, min((n+1)*batch, g.trial.Buyers)
	tactics, habits, item := market.Measured(), market.UsualHabits(), g.before.Item
	for i := first; i < last; i++ {
		tactic, outcomes := tactics[i%len(tactics)], [2]market.Outcome{}
		for k, rules := range []*market.Rules{g.before, g.after} {
			random.start(i) // the same buyer
			buyer := g.population.Draw(random.Rand, habits, item.List)
			outcomes[k] = rules.Haggle(i, buyer, tactic, random.Rand)
			if broken := outcomes[k].Broken; broken != market.Kept {
				g.broken.Store(&broken)
			}
		}
		g.worths[i] = outcomes[0].Buyer.Worth
		g.parts[n].Add(outcomes[0], outcomes[1], item)
	}
	return last - first
}

func (g *trialGroup) sum() (all market.Pair) {
	for _, p := range g.parts {
		all.Merge(p)
	}
	return all
}

// progress counts ended negotiations and reports the number.
type progress struct {
	lock   sync.Mutex
	done   int
	report func(int)
}

func (p *progress) add(n int) {
	p.lock.Lock()
	defer p.lock.Unlock()
	p.done += n
	if p.report != nil {
		p.report(p.done)
	}
}
