package simulating

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/haggle-commerce/haggle/domain/market"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/negotiation"
)

// FamilyConfig describes a run of families of buyers in settings that a policy was not fitted to.
type FamilyConfig struct {
	Seed     uint64
	Buyers   int // of each family in each setting
	Families []market.Tactic
	Settings []market.Setting
	SellerOf func(market.Setting) FloorSeller // called for each family
	Workers  int                              // zero: one for each processor
}

// FloorSeller is a seller with the lowest price that it may name.
type FloorSeller struct {
	market.Seller
	Floor int64
}

// SellersOf returns the sellers that follow a policy in this process, with the highest discount and the quantity of each setting.
func SellersOf(p negotiation.Policy) func(market.Setting) FloorSeller {
	return func(s market.Setting) FloorSeller { return sellerIn(s, p).withFloor(s) }
}

func sellerIn(s market.Setting, p negotiation.Policy) PolicySeller {
	p.MaxDiscount = s.MaxDiscount
	return PolicySeller{
		Policy:   p,
		Currency: money.USD,
		Quantity: s.Quantity,
	}
}

func (s PolicySeller) withFloor(in market.Setting) FloorSeller {
	return FloorSeller{s, s.Secrets(in.Item()).Floor}
}

// FamilyReport is a policy's result with every family in every setting.
type FamilyReport struct {
	Cells    []FamilyCell // by setting, then by family
	Families []FamilySummary
	Settings []FamilySummary
	Mean     market.Ratio // of all cells, of the best posted price
	Optimum  market.Ratio // of all cells, of full information
	Worst    FamilyCell
	Informed []InformedResult // empty if there are no plain buyers (linear) to compare with
}

// FamilyCell is a policy's result with one family in one setting.
type FamilyCell struct {
	Family, Setting string
	OfPosted        market.Ratio // of the best posted price that the policy may name
	OfOptimum       market.Ratio // of a seller who knows every buyer and sells at no price below the floor
	DealRate        float64
	Margin, Posted  float64 // per buyer, of this policy and of the best posted price, in minor units
	Broken          int     // promises
	Lost            int     // buyers without an answer

	prices []int64 // of each buyer's deal; zero: none
}

// FamilySummary sums up the cells of a family, or of a setting.
type FamilySummary struct {
	Name                string
	OfPosted, OfOptimum market.Ratio // the means
	Worst               FamilyCell
}

// InformedResult compares what buyers who know of earlier sessions pay with what the same buyers pay if they bargain evenly: the
// sum of the prices of those who buy either way.
type InformedResult struct {
	Family string
	Buyers int          // who buy either way
	Pays   market.Ratio // of the price that plain buyers pay
}

// evenFamily is the family that others are compared with.
const evenFamily = "linear"

// PlayFamilies plays every family in every setting. The buyers of a setting have the same V, first offers and deadlines in every
// family: common random numbers. Posted prices are the best ones for what each family would pay.
func PlayFamilies(ctx context.Context, c FamilyConfig) (*FamilyReport, error) {
	if c.Buyers < minBuyers || c.Buyers > maxBuyers {
		return nil, fmt.Errorf("there must be %d to %d buyers", minBuyers, maxBuyers)
	}
	if len(c.Families) == 0 || len(c.Settings) == 0 {
		return nil, errors.New("there must be a family and a setting")
	}
	cells := make([]FamilyCell, len(c.Families)*len(c.Settings))
	var next atomic.Int64
	var all sync.WaitGroup
	for range cmp.Or(c.Workers, runtime.GOMAXPROCS(0)) {
		all.Go(func() {
			for i := int(next.Add(1)) - 1; i < len(cells) && ctx.Err() == nil; i = int(next.Add(1)) - 1 {
				setting := c.Settings[i/len(c.Families)]
				cells[i] = c.play(c.Families[i%len(c.Families)], setting, c.SellerOf(setting))
			}
		})
	}
	all.Wait()
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	return c.report(cells), nil
}

func (c FamilyConfig) play(family market.Tactic, setting market.Setting, seller FloorSeller) FamilyCell {
	item, habits, random := setting.Item(), market.UsualHabits(), newStream(c.Seed, setting.Name)
	cell := FamilyCell{
		Family:  family.Name,
		Setting: setting.Name,
		prices:  make([]int64, c.Buyers),
	}
	rules := market.Rules{
		Seller: seller.Seller,
		Item:   item,
		Floor:  seller.Floor,
		Firm:   habits.Firm,
	}
	outcomes, worths := make([]market.Outcome, c.Buyers), make([]int64, c.Buyers)
	for i := range outcomes {
		random.start(i)
		buyer := setting.Draw(random.Rand, habits)
		outcomes[i] = rules.Haggle(i, buyer, family, random.Rand)
		cell.prices[i], worths[i] = outcomes[i].Price, outcomes[i].Worth
		switch {
		case outcomes[i].Broken != market.Kept:
			cell.Broken++
		case outcomes[i].Lost:
			cell.Lost++
		}
	}
	base := market.NewBaselines(item, rules.Floor, worths)
	base.Best = base.BestWithin // Tally compares with Best
	var tally market.Tally
	for _, o := range outcomes {
		tally.Add(o, item, &base)
	}
	score := tally.Score()
	cell.OfPosted, cell.OfOptimum, cell.DealRate = score.OfPosted, score.OfWithin, score.DealRate
	cell.Margin = score.Margin * float64(item.List) * float64(setting.Quantity)
	cell.Posted = float64(base.Best.Margin) / float64(c.Buyers) * float64(setting.Quantity)
	return cell
}

func (c FamilyConfig) report(cells []FamilyCell) *FamilyReport {
	r := c.summarize(cells)
	if slices.ContainsFunc(c.Families, func(f market.Tactic) bool { return f.Name == evenFamily }) {
		for _, f := range c.Families {
			if f.Informed() {
				r.Informed = append(r.Informed, c.compare(f.Name, cells))
			}
		}
	}
	return r
}

// summarize returns the report without the comparison of informed buyers.
func (c FamilyConfig) summarize(cells []FamilyCell) *FamilyReport {
	r := &FamilyReport{Cells: cells}
	for _, f := range c.Families {
		r.Families = append(r.Families, summarize(f.Name, cells, func(one FamilyCell) bool { return one.Family == f.Name }))
	}
	for _, s := range c.Settings {
		r.Settings = append(r.Settings, summarize(s.Name, cells, func(one FamilyCell) bool { return one.Setting == s.Name }))
	}
	whole := summarize("", cells, func(FamilyCell) bool { return true })
	r.Mean, r.Optimum, r.Worst = whole.OfPosted, whole.OfOptimum, whole.Worst
	return r
}

func summarize(name string, cells []FamilyCell, of func(FamilyCell) bool) FamilySummary {
	cells = slices.DeleteFunc(slices.Clone(cells), func(one FamilyCell) bool { return !of(one) })
	if len(cells) == 0 {
		return FamilySummary{Name: name}
	}
	return FamilySummary{
		Name:      name,
		OfPosted:  meanOf(cells, func(one FamilyCell) market.Ratio { return one.OfPosted }),
		OfOptimum: meanOf(cells, func(one FamilyCell) market.Ratio { return one.OfOptimum }),
		Worst:     slices.MinFunc(cells, func(a, b FamilyCell) int { return cmp.Compare(a.OfPosted.Value, b.OfPosted.Value) }),
	}
}

// meanOf returns the mean of a ratio of cells. The families of a setting share its buyers; different settings have different
// buyers. Every setting must have the same number of cells.
func meanOf(cells []FamilyCell, of func(FamilyCell) market.Ratio) market.Ratio {
	inSetting := map[string][]market.Ratio{}
	for _, one := range cells {
		inSetting[one.Setting] = append(inSetting[one.Setting], of(one))
	}
	var means []market.Ratio
	for _, setting := range slices.Sorted(maps.Keys(inSetting)) {
		means = append(means, market.MeanOfSame(inSetting[setting]))
	}
	return market.MeanOf(means)
}

// compare returns what a family pays of what plain buyers pay, as the mean of the settings.
func (c FamilyConfig) compare(family string, cells []FamilyCell) InformedResult {
	result := InformedResult{Family: family}
	var ratios []market.Ratio
	for _, s := range c.Settings {
		prices := func(name string) []int64 {
			return cells[slices.IndexFunc(cells, func(one FamilyCell) bool { return one.Setting == s.Name && one.Family == name })].prices
		}
		var shares market.Moments
		both, plain := 0, prices(evenFamily)
		for i, price := range prices(family) {
			if price > 0 && plain[i] > 0 {
				both++
				shares.Add(float64(price) / float64(plain[i]))
			}
		}
		if both > 1 {
			result.Buyers += both
			ratios = append(ratios, shares.Mean(both))
		}
	}
	result.Pays = market.MeanOf(ratios)
	return result
}
