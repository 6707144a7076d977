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

// Trial lets the same buyers meet two policies, for each of a shop's products.
type Trial struct {
	Seed     uint64
	Buyers   int // of each population, for each product
	Worths   []market.Worths
	Before   negotiation.Policy
	After    negotiation.Policy
	Products []TrialProduct
	Currency money.Currency
	Workers  int // negotiations at one time
	// Progress is told how many negotiations are over, one call at a time. It may be nil.
	Progress func(done int)
}

// TrialProduct is a product on sale. Its name makes its buyers others than those of other products.
type TrialProduct struct {
	Name    string
	Signals negotiation.Signals // of one piece, for a buyer of whom nothing is known
	Monthly int                 // negotiations about it in a month
}

// Negotiations is how many the trial has.
func (t *Trial) Negotiations() int { return 2 * t.Buyers * len(t.Worths) * len(t.Products) }

// portion is how many buyers are worked on in turn, and added up in their order: figures do not depend on how many
// workers there are.
const portion = 250

// Run has all buyers negotiate, and compares.
func (t *Trial) Run(ctx context.Context) (market.Comparison, error) {
	lots := make([]market.Lot, len(t.Products))
	told := &telling{to: t.Progress}
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
				parts:      make([]market.Pair, (t.Buyers+portion-1)/portion),
			}
			if err := g.run(ctx, told); err != nil {
				return market.Comparison{}, err
			}
			lot.Pairs, lot.Worths = append(lot.Pairs, g.sum()), append(lot.Worths, g.worths...)
		}
		lots[i] = lot
	}
	return market.Compare(lots, t.Currency)
}

// itemOf is the item as buyers know it. A cost that is not known is none.
func itemOf(s negotiation.Signals) market.Item {
	item := market.Item{List: s.List.Minor()}
	if s.Cost != nil {
		item.Cost = s.Cost.Minor()
	}
	return item
}

// rules have a policy sell an item.
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

func (g *trialGroup) run(ctx context.Context, told *telling) error {
	var all sync.WaitGroup
	for range max(g.trial.Workers, 1) {
		all.Go(func() {
			random := newStream(g.trial.Seed, g.stream)
			for ctx.Err() == nil {
				n := int(g.next.Add(1)) - 1
				if n >= len(g.parts) {
					return
				}
				told.more(2 * g.work(n, random))
				runtime.Gosched() // requests go first
			}
		})
	}
	all.Wait()
	if broken := g.broken.Load(); broken != nil {
		return fmt.Errorf("simulating: %s", *broken)
	}
	return ctx.Err()
}

// work lets a portion of the buyers negotiate, and returns how many there were.
func (g *trialGroup) work(n int, random stream) int {
	first, last := n*portion, min((n+1)*portion, g.trial.Buyers)
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

// telling counts negotiations that are over.
type telling struct {
	lock sync.Mutex
	done int
	to   func(int)
}

func (t *telling) more(n int) {
	t.lock.Lock()
	defer t.lock.Unlock()
	t.done += n
	if t.to != nil {
		t.to(t.done)
	}
}
