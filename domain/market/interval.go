package market

import (
	"math"

	"github.com/haggle-commerce/haggle/domain/money"
)

// nearCertain is the number of standard errors that contain 95 of 100 means.
const nearCertain = 1.96

// gain compares the margins over all populations and items of known cost.
func (s *comparer) gain(out *Comparison) {
	var weights, weighted, monthly float64
	for _, l := range s.lots {
		if !l.Costed {
			continue
		}
		variance, w, m := 0.0, float64(s.weight(l)), float64(l.Monthly)
		for _, p := range l.Pairs {
			variance += p.variance()
		}
		variance /= float64(len(l.Pairs) * len(l.Pairs))
		weights += w
		weighted += w * w * variance
		monthly += m * m * variance
	}
	out.Gain = s.between(*out.Before.Margin, *out.After.Margin, 1_000*math.Sqrt(weighted)/weights)
	if s.monthly > 0 {
		out.MonthlyGain = s.between(*out.Before.Monthly.Margin, *out.After.Monthly.Margin, math.Sqrt(monthly))
	}
}

// between returns a difference with its interval, rounded outwards.
func (s *comparer) between(before, after money.Amount, standardError float64) *Gain {
	gain, err := after.Sub(before)
	within := math.Ceil(nearCertain * standardError)
	if err == nil && within >= math.MaxInt64 {
		err = money.ErrOverflow
	}
	by := money.Amount{}
	if err == nil {
		by = money.Of(int64(within), s.currency)
	}
	low, err := s.first(err, gain.Sub, by)
	high, err := s.first(err, gain.Add, by)
	if err != nil {
		s.note(err)
		return nil
	}
	return &Gain{gain, low, high}
}
