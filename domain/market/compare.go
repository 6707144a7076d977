package market

import (
	"math/big"

	"github.com/haggle-commerce/haggle/domain/money"
)

// Lot is one item with the results of each population's buyers under two policies. All lots of a comparison have the
// same number of buyers of the same populations.
type Lot struct {
	Item    Item
	Costed  bool // the item's cost is known
	Monthly int  // negotiations about it in a month, by the shop's record
	Pairs   []Pair
	// Worths are the highest prices that the buyers of all populations would pay.
	Worths []int64
}

// Earned is the result of a policy. Every amount is rounded once, half up.
type Earned struct {
	Deals    int            // of 10,000 buyers
	Discount money.Percent  // by value, of the list prices of the items sold
	Revenue  money.Amount   // per 1,000 buyers
	Margin   *money.Amount  // per 1,000 buyers of items of known cost; nil: there are none
	Monthly  *MonthlyEarned // nil: the shop has no record
}

// MonthlyEarned is the result of a policy with as many buyers as came in a month.
type MonthlyEarned struct {
	Revenue money.Amount
	Margin  *money.Amount // of items of known cost; nil: there are none
}

// Contrast is the result of the same buyers under two policies.
type Contrast struct{ Before, After Earned }

// Gain is the margin after less the margin before, with its 95 % interval: in 95 of 100 runs with other buyers of the
// same populations it contains the true difference. It does not measure how well the populations describe the shop's
// own buyers.
type Gain struct{ Margin, Low, High money.Amount }

// PostedPrice is the fixed price that earns most from the same buyers of an item.
type PostedPrice struct {
	Price  money.Amount
	Earned Earned
}

// LotContrast is one item's part of a comparison.
type LotContrast struct {
	Contrast
	Posted *PostedPrice // nil: the item's cost is not known
}

// Comparison compares the results of two policies with the same buyers.
//
// Items are weighted by their negotiations in a month, each as at least one. If no item has any, all have the same
// weight. Populations have the same weight. Margin is over items of known cost only.
type Comparison struct {
	Contrast
	Monthly     int   // negotiations about the items in a month
	Gain        *Gain // per 1,000 buyers; nil: no item's cost is known
	MonthlyGain *Gain // nil: that, or the shop has no record
	Populations []Contrast
	Lots        []LotContrast
	Posted      *Earned // with the best posted price for each item of known cost; nil: there are none
	Uncosted    int     // items of unknown cost
}

// Compare adds up lots. It returns an error if a sum overflows an amount.
func Compare(lots []Lot, c money.Currency) (Comparison, error) {
	s := &comparer{lots: lots, currency: c}
	var out Comparison
	for _, l := range lots {
		s.monthly += l.Monthly
		if !l.Costed {
			out.Uncosted++
		}
	}
	out.Monthly = s.monthly
	out.Contrast = s.contrast(lots, whole)
	for k := range lots[0].Pairs {
		out.Populations = append(out.Populations, s.contrast(lots, func(l Lot) Pair { return l.Pairs[k] }))
	}
	var posted []lotResult
	for _, l := range lots {
		one := LotContrast{Contrast: s.contrast([]Lot{l}, whole)}
		if l.Costed {
			best := BestPosted(l.Item, l.Worths)
			at := lotResult{l, Sales{len(l.Worths), best.Deals, int64(best.Deals) * best.Price}}
			one.Posted = &PostedPrice{Price: money.Of(best.Price, c), Earned: s.earned([]lotResult{at})}
			posted = append(posted, at)
		}
		out.Lots = append(out.Lots, one)
	}
	if len(posted) > 0 {
		earned := s.earned(posted)
		out.Posted = &earned
		s.gain(&out)
	}
	return out, s.err
}

// whole returns the results of a lot over all populations.
func whole(l Lot) (all Pair) {
	for _, p := range l.Pairs {
		all.Merge(p)
	}
	return all
}

// comparer adds up lots and keeps the first error.
type comparer struct {
	lots     []Lot
	currency money.Currency
	monthly  int
	err      error
}

// lotResult is the result of one lot.
type lotResult struct {
	lot Lot
	Sales
}

// weight returns the weight of an item.
func (s *comparer) weight(l Lot) int64 {
	if s.monthly == 0 {
		return 1
	}
	return int64(max(l.Monthly, 1))
}

func (s *comparer) contrast(lots []Lot, of func(Lot) Pair) Contrast {
	var before, after []lotResult
	for _, l := range lots {
		p := of(l)
		before, after = append(before, lotResult{l, p.Before}), append(after, lotResult{l, p.After})
	}
	return Contrast{s.earned(before), s.earned(after)}
}

func (s *comparer) earned(all []lotResult) Earned {
	var deals, buyers, list, given, revenue, margin, costed fraction
	var monthlyRevenue, monthlyMargin fraction
	for _, t := range all {
		w, monthly, cost := s.weight(t.lot), int64(t.lot.Monthly), t.lot.Item.Cost
		buyers.add(w, int64(t.Buyers))
		deals.add(w, int64(t.Deals))
		list.add(w, int64(t.Deals)*t.lot.Item.List)
		given.add(w, int64(t.Deals)*t.lot.Item.List-t.Revenue)
		revenue.add(w, t.Revenue)
		monthlyRevenue.add(monthly, t.Revenue)
		if t.lot.Costed {
			costed.add(w, int64(t.Buyers))
			margin.add(w, t.margin(cost))
			monthlyMargin.add(monthly, t.margin(cost))
		}
	}
	e := Earned{
		Deals:    int(s.per(deals, buyers, 10_000)),
		Discount: money.Percent(given.down(int64(money.Whole), list)),
		Revenue:  s.amount(revenue, buyers, 1_000),
	}
	if costed.sum.Sign() > 0 {
		e.Margin = new(s.amount(margin, costed, 1_000))
	}
	if s.monthly > 0 {
		each := fraction{}
		each.add(1, int64(all[0].Buyers))
		e.Monthly = &MonthlyEarned{Revenue: s.amount(monthlyRevenue, each, 1)}
		if e.Margin != nil {
			e.Monthly.Margin = new(s.amount(monthlyMargin, each, 1))
		}
	}
	return e
}

func (s *comparer) first(err error, of func(money.Amount) (money.Amount, error), by money.Amount) (money.Amount, error) {
	if err != nil {
		return money.Amount{}, err
	}
	return of(by)
}

func (s *comparer) note(err error) {
	if s.err == nil {
		s.err = err
	}
}

// per returns times·part/whole, rounded half up.
func (s *comparer) per(part, whole fraction, times int64) int64 {
	n, err := part.over(whole, times)
	if err != nil {
		s.note(err)
	}
	return n
}

func (s *comparer) amount(part, whole fraction, times int64) money.Amount {
	return money.Of(s.per(part, whole, times), s.currency)
}

// fraction is an exact sum, divided only at the end.
type fraction struct{ sum big.Int }

func (f *fraction) add(weight, value int64) {
	f.sum.Add(&f.sum, new(big.Int).Mul(big.NewInt(weight), big.NewInt(value)))
}

// over returns times·f/whole, rounded to the nearest, half away from zero. It returns 0 if whole is 0.
func (f *fraction) over(whole fraction, times int64) (int64, error) {
	if whole.sum.Sign() == 0 {
		return 0, nil
	}
	part := new(big.Int).Mul(&f.sum, big.NewInt(2*times))
	part.Add(part, new(big.Int).Mul(&whole.sum, big.NewInt(int64(part.Sign()))))
	part.Quo(part, new(big.Int).Mul(&whole.sum, big.NewInt(2)))
	if !part.IsInt64() {
		return 0, money.ErrOverflow
	}
	return part.Int64(), nil
}

// down returns times·f/whole, rounded down. f is at most whole.
func (f *fraction) down(times int64, whole fraction) int64 {
	if whole.sum.Sign() == 0 {
		return 0
	}
	part := new(big.Int).Mul(&f.sum, big.NewInt(times))
	return part.Quo(part, &whole.sum).Int64()
}
