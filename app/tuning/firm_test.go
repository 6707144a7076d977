package tuning_test

import (
	"math"
	"testing"

	"github.com/haggle-commerce/haggle/app/tuning"
	"github.com/haggle-commerce/haggle/domain/negotiation"
)

// firmBuyers returns buyers with one offer each, from 70.00 to 100.00, whose V is worth(offer).
func firmBuyers(worth func(offer int64) int64) (all []buyer) {
	for i := range int64(600) {
		offer := 70_00 + 5*i
		all = append(all, buyer{worth(offer), offer, 4, func(buyer, int) int64 { return offer }})
	}
	return all
}

// Firm buyers whose offers are accepted would pay the same multiple as those who had to take a price, and those who left would
// pay less than the price that they left at.
func TestFirmWorth_allEnds(t *testing.T) {
	t.Parallel()
	p := negotiation.Builtin()
	p.MaxDiscount, p.Curve.Take[0] = 200, 700 // accepts from 84.00 on
	known := records(t, p, 50_00, firmBuyers(func(offer int64) int64 { return (offer*111 + 99) / 100 }))
	seen, otherwise := map[tuning.End]int{}, 0 // some are explained by other manners
	for _, twin := range tuning.Fit(known).Twins(1, 1) {
		r := known[twin.Record]
		seen[r.End]++
		// Closer to list nobody showed it, and it matters little.
		if went := twin.Worth / r.Rounds[0].Offer; r.End == tuning.Accepted && r.Price < .88 && math.Abs(went-1.11) > .005 {
			otherwise++
		}
		if last := r.Rounds[len(r.Rounds)-1]; r.End == tuning.Walked && twin.Worth >= last.Price {
			t.Errorf("who left at %.4f is said to pay %.4f", last.Price, twin.Worth)
		}
	}
	if otherwise > seen[tuning.Accepted]/10 {
		t.Errorf("of %d whose offers were accepted, %d would not pay 1.11 times that", seen[tuning.Accepted], otherwise)
	}
	for _, end := range []tuning.End{tuning.Walked, tuning.Accepted, tuning.Took} {
		if seen[end] < 20 {
			t.Errorf("%d negotiations ended by %d", seen[end], end)
		}
	}
}

// If every offer was accepted, no twin would pay more than the highest offer.
func TestFirmWorth_allAccepted(t *testing.T) {
	t.Parallel()
	p := negotiation.Builtin()
	p.MaxDiscount = 300
	p.Curve.Reach, p.Curve.Markup = 1000, 1000
	for i := range p.Curve.Take {
		p.Curve.Take[i] = 1000
	}
	known := records(t, p, 50_00, firmBuyers(func(offer int64) int64 { return (offer*111 + 99) / 100 }))
	most := 0.
	for _, r := range known {
		if r.End != tuning.Accepted {
			t.Fatalf("%+v", r)
		}
		most = max(most, r.Price)
	}
	for _, twin := range tuning.Fit(known).Twins(1, 1) {
		if twin.Worth > most {
			t.Errorf("a buyer is said to pay %.4f; the most that was paid is %.4f", twin.Worth, most)
		}
	}
}
