package market

import (
	"math"
	"math/rand/v2"
	"testing"
)

// No price is better, tried exhaustively on small populations.
func TestNewBaselines_bruteForce(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(5, 6))
	for range 500 {
		item := Item{List: 1 + random.Int64N(200)}
		item.Cost = random.Int64N(item.List + 20)
		floor := random.Int64N(item.List + 1)
		worths := make([]int64, 1+random.IntN(12))
		var known, within Posted
		for i := range worths {
			worths[i] = 1 + random.Int64N(250)
			if price := min(worths[i], item.List); worths[i] >= item.Cost {
				known.Deals++
				known.Margin += price - item.Cost
				if worths[i] >= floor {
					within.Deals++
					within.Margin += price - item.Cost
				}
			}
		}
		b := NewBaselines(item, floor, worths)
		best, limited := int64(math.MinInt64), int64(math.MinInt64)
		for price := int64(1); price <= item.List; price++ {
			best = max(best, sold(item, price, worths).Margin)
			if price >= floor {
				limited = max(limited, sold(item, price, worths).Margin)
			}
		}
		if b.BestWithin.Margin != limited || b.BestWithin.Price < floor || b.BestWithin != sold(item, b.BestWithin.Price, worths) || b.OracleWithin != within {
			t.Fatalf("%+v, floor %d, buyers %d: %+v, want %d and %+v", item, floor, worths, b, limited, within)
		}
		if b.Best.Margin != best || b.Best != sold(item, b.Best.Price, worths) || b.List != sold(item, item.List, worths) || b.Oracle != known {
			t.Fatalf("%+v, buyers %d: %+v, want %d and %+v", item, worths, b, best, known)
		}
	}
}

func sold(item Item, price int64, worths []int64) Posted {
	p := Posted{Price: price}
	for _, worth := range worths {
		if worth >= price {
			p.Deals++
			p.Margin += price - item.Cost
		}
		if p.of(item, worth) != 0 && worth < price {
			panic("sold to who does not buy")
		}
	}
	return p
}

// The standard error agrees with that of a thousand resamples.
func TestRatio_errorLikeBootstrap(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(7, 8))
	margins, posted := make([]float64, 400), make([]float64, 400)
	for i := range margins {
		v := random.Float64()
		margins[i] = max(0, v-.3+.1*random.NormFloat64())
		if v > .5 {
			posted[i] = .2
		}
	}
	resample := func(pick func(int) int) Ratio {
		var a Moments
		var b pairs
		for i := range margins {
			j := pick(i)
			a.Add(margins[j])
			b.add(margins[j], posted[j])
		}
		return ratio(a, b, len(margins))
	}
	var values []float64
	for range 1000 {
		values = append(values, resample(func(int) int { return random.IntN(len(margins)) }).Value)
	}
	_, deviation := moment(values)
	if r := resample(func(i int) int { return i }); math.Abs(r.Error/deviation-1) > .1 {
		t.Errorf("error %f, bootstrap %f", r.Error, deviation)
	}
}
