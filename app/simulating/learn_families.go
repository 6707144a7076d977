package simulating

import (
	"context"
	"encoding/binary"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/haggle-commerce/haggle/app/tuning"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/market"
	"github.com/haggle-commerce/haggle/domain/negotiation"
)

// LearnedReport compares a policy with what was learned from other families than the one that plays.
type LearnedReport struct {
	Before, After *FamilyReport
	// Proposals is how many cells have a proposal that is certainly better; the others keep the policy.
	Proposals int
	// Gain is the mean difference of the cells, and Lowest the cell whose difference is the lowest.
	Gain       float64
	Lowest     FamilyCell
	LowestGain float64
}

// LearnConfig describes how learning is judged. LeftOut are the families that are left out, one at a time; the others of Families,
// and every one but itself of LeftOut, are learned from.
type LearnConfig struct {
	FamilyConfig // SellerOf is not used
	Policy       negotiation.Policy
	LeftOut      []market.Tactic
	Records      int          // to learn from, about
	Show         func(string) // receives the progress; may be nil
}

// LearnFamilies judges learning by leaving one family out: for each setting and family it learns from about records negotiations
// with all other families, and then plays the family that was left out. It is not among the families either which a proposal must
// not lose with. A proposal that is not certainly better is not used.
func LearnFamilies(ctx context.Context, c LearnConfig) (*LearnedReport, error) {
	played := c.FamilyConfig
	played.Families, played.SellerOf = c.LeftOut, SellersOf(c.Policy)
	before, err := PlayFamilies(ctx, played)
	if err != nil {
		return nil, err
	}
	cells := make([]FamilyCell, len(before.Cells))
	var next, done, proposals atomic.Int64
	var all sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		all.Go(func() {
			for i := int(next.Add(1)) - 1; i < len(cells) && ctx.Err() == nil; i = int(next.Add(1)) - 1 {
				setting, out := c.Settings[i/len(c.LeftOut)], c.LeftOut[i%len(c.LeftOut)]
				seller := sellerIn(setting, c.Policy)
				p, err := tuning.Propose(ctx, c.recordsWithout(out.Name, setting, seller, c.Records), seller.Policy, tuning.Options{
					Seed:    1,
					Adverse: without(out.Name),
				})
				if err != nil {
					return // ctx ended
				}
				if p.Better() {
					seller.Policy = p.Policy
					proposals.Add(1)
				}
				cells[i] = c.play(out, setting, seller.withFloor(setting))
				if c.Show != nil {
					c.Show(fmt.Sprintf("%d of %d: %s in %s", done.Add(1), len(cells), out.Name, setting.Name))
				}
			}
		})
	}
	all.Wait()
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	r := &LearnedReport{
		Before:    before,
		After:     played.report(cells),
		Proposals: int(proposals.Load()),
	}
	r.compare()
	return r, nil
}

func (r *LearnedReport) compare() {
	for i, after := range r.After.Cells {
		if gain := after.OfPosted.Value - r.Before.Cells[i].OfPosted.Value; i == 0 || gain < r.LowestGain {
			r.Lowest, r.LowestGain = after, gain
		}
	}
	r.Gain = r.After.Mean.Value - r.Before.Mean.Value
}

func without(family string) []market.Tactic {
	return slices.DeleteFunc(market.Families(), func(f market.Tactic) bool { return f.Name == family })
}

// recordsWithout returns records of about n negotiations in a setting with equal numbers of buyers of every family but one. They
// are other buyers than those of play, each a client of its own, who pay for what they agree on. A client arrives every five
// minutes.
func (c LearnConfig) recordsWithout(out string, s market.Setting, seller PolicySeller, n int) (records []tuning.Record) {
	item, habits, random := s.Item(), market.UsualHabits(), newStream(^c.Seed, s.Name)
	each := max(n/max(len(c.Families)-1, 1), 1)
	for i := range each {
		for f, family := range c.Families {
			if family.Name == out {
				continue
			}
			recorded := &recorder{PolicySeller: seller}
			rules := market.Rules{
				Seller: recorded,
				Item:   item,
				Floor:  seller.Secrets(item).Floor,
				Firm:   habits.Firm,
			}
			number := i*len(c.Families) + f
			random.start(number)
			rules.Haggle(number, s.Draw(random.Rand, habits), family, random.Rand)
			records = append(records, recorded.ofClient(number, seller.Policy.RoundCap)...)
		}
	}
	return records
}

// ofClient returns the records of one buyer, whose negotiations are sessions of their own.
func (b *recorder) ofClient(number, roundCap int) (records []tuning.Record) {
	for i, t := range b.negotiations {
		r, ok := tuning.FromEntries(t.entries, roundCap)
		if !ok || !r.Explicable() {
			continue
		}
		var bits [16]byte
		binary.BigEndian.PutUint64(bits[:], uint64(number))
		bits[15] = byte(i)
		r.Session, r.Client, r.Bought = id.New[id.Session](bits), fmt.Sprint(number), r.Price > 0
		r.At = noon.Add(time.Duration(number) * 5 * time.Minute)
		records = append(records, r)
	}
	return records
}
