package marketreport

import (
	"bytes"
	"errors"
	"math"
	"testing"

	"github.com/haggle-commerce/haggle/app/simulating"
	"github.com/haggle-commerce/haggle/domain/market"
)

// house is a simple seller: it talks about prices from its floor, and splits the difference to its last price.
type house struct{ floor float64 }

type houseTalk struct{ list, floor, standing int64 }

func (h house) Open(item market.Item) market.Negotiation {
	return &houseTalk{item.List, int64(math.Ceil(h.floor * float64(item.List))), item.List}
}

func (h *houseTalk) Offer(price int64) market.Answer {
	switch {
	case price >= h.standing:
		return market.Answer{Verdict: market.Accepted, Price: min(price, h.list)}
	case price < h.floor:
		return market.Answer{Verdict: market.Rejected, Price: h.floor}
	}
	h.standing -= (h.standing - price) / 2
	return market.Answer{Verdict: market.Countered, Price: h.standing}
}

func (h house) secrets(item market.Item) market.Secrets {
	floor := int64(math.Ceil(h.floor * float64(item.List)))
	return market.Secrets{Floor: floor, Hint: floor + item.List/50}
}

func config(buyers int) simulating.Config {
	h := house{.8}
	return simulating.Config{
		Seed:        1,
		Buyers:      buyers,
		List:        10000,
		Populations: market.Populations(),
		Tactics:     market.Measured(),
		Apart:       market.Others(),
		Seller:      h,
		Secrets:     h.secrets,
		Settings:    []simulating.Setting{{Name: "Floor", Value: "<0.8 & no less>"}},
	}
}

func simulated(t *testing.T, c simulating.Config) *simulating.Report {
	t.Helper()
	r, err := simulating.Run(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// cheat breaks its word to one buyer in a while.
type cheat struct{ house }

func (c cheat) Open(item market.Item) market.Negotiation { return cheatTalk{c.house.Open(item)} }

type cheatTalk struct{ market.Negotiation }

func (c cheatTalk) Offer(price int64) market.Answer {
	a := c.Negotiation.Offer(price)
	if a.Verdict == market.Accepted && a.Price%10 == 0 {
		a.Price++
	}
	return a
}

// silent does not answer second offers.
type silent struct{ house }

func (s silent) Open(item market.Item) market.Negotiation {
	return &silentTalk{Negotiation: s.house.Open(item)}
}

type silentTalk struct {
	market.Negotiation
	offers int
}

func (s *silentTalk) Offer(price int64) market.Answer {
	if s.offers++; s.offers > 1 {
		return market.Answer{Verdict: market.NoAnswer}
	}
	return s.Negotiation.Offer(price)
}

func written(t *testing.T, r *simulating.Report) (text, page string) {
	t.Helper()
	var j, h bytes.Buffer
	if err := errors.Join(WriteJSON(&j, r), WriteHTML(&h, r)); err != nil {
		t.Fatal(err)
	}
	return j.String(), h.String()
}
