package marketreport

import (
	"bytes"
	"errors"
	"math"
	"testing"

	"github.com/haggle-commerce/haggle/app/simulating"
	"github.com/haggle-commerce/haggle/domain/market"
)

// fakeSeller is a simple seller. It splits the difference between its last price and the offer, and rejects offers below its floor.
type fakeSeller struct{ floor float64 }

type fakeNegotiation struct{ list, floor, current int64 }

func (h fakeSeller) Open(item market.Item) market.Negotiation {
	return &fakeNegotiation{item.List, int64(math.Ceil(h.floor * float64(item.List))), item.List}
}

func (h *fakeNegotiation) Offer(price int64) market.Answer {
	switch {
	case price >= h.current:
		return market.Answer{Verdict: market.Accepted, Price: min(price, h.list)}
	case price < h.floor:
		return market.Answer{Verdict: market.Rejected, Price: h.floor}
	}
	h.current -= (h.current - price) / 2
	return market.Answer{Verdict: market.Countered, Price: h.current}
}

func (h fakeSeller) secrets(item market.Item) market.Secrets {
	floor := int64(math.Ceil(h.floor * float64(item.List)))
	return market.Secrets{Floor: floor, Hint: floor + item.List/50}
}

func config(buyers int) simulating.Config {
	h := fakeSeller{.8}
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

// cheat is a seller that sometimes charges more than it accepted.
type cheat struct{ fakeSeller }

func (c cheat) Open(item market.Item) market.Negotiation {
	return cheatNegotiation{c.fakeSeller.Open(item)}
}

type cheatNegotiation struct{ market.Negotiation }

func (c cheatNegotiation) Offer(price int64) market.Answer {
	a := c.Negotiation.Offer(price)
	if a.Verdict == market.Accepted && a.Price%10 == 0 {
		a.Price++
	}
	return a
}

// silent is a seller that does not answer second offers.
type silent struct{ fakeSeller }

func (s silent) Open(item market.Item) market.Negotiation {
	return &silentNegotiation{Negotiation: s.fakeSeller.Open(item)}
}

type silentNegotiation struct {
	market.Negotiation
	offers int
}

func (s *silentNegotiation) Offer(price int64) market.Answer {
	if s.offers++; s.offers > 1 {
		return market.Answer{Verdict: market.NoAnswer}
	}
	return s.Negotiation.Offer(price)
}

func written(t *testing.T, r *simulating.Report) (text, page string) {
	t.Helper()
	var j, h bytes.Buffer
	if err := errors.Join(WriteJSON(&j, r), WriteHTML(&h, r, nil)); err != nil {
		t.Fatal(err)
	}
	return j.String(), h.String()
}
