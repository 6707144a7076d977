package main

import (
	"cmp"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/haggle-commerce/haggle/app/simulating"
	"github.com/haggle-commerce/haggle/domain/market"
)

// buyers reads the flags of the buyers.
func (c marketCmd) buyers() (config simulating.Config, err error) {
	config = simulating.Config{
		Seed:        c.Seed,
		Buyers:      c.Buyers,
		HeedHints:   c.Hints == "heed",
		Populations: market.Populations(),
		Tactics:     market.Measured(),
		Apart:       market.Others(),
	}
	if config.Habits, err = c.habits(); err != nil {
		return config, err
	}
	switch {
	case c.Buyers == 0 && c.URL != "":
		config.Buyers = 200
	case c.Buyers == 0:
		config.Buyers = 20_000
	}
	if len(c.Population) > 0 {
		if config.Populations, err = market.PopulationsNamed(c.Population...); err != nil {
			return config, fmt.Errorf("--population: %w", err)
		}
	}
	if len(c.Strategy) > 0 {
		config.Apart = nil
		if config.Tactics, err = market.TacticsNamed(c.Strategy...); err != nil {
			return config, fmt.Errorf("--strategy: %w", err)
		}
	}
	return config, nil
}

// habits returns how buyers negotiate. Empty flags leave the default.
func (c marketCmd) habits() (market.Habits, error) {
	h := market.UsualHabits()
	shortest, longest, err := between(cmp.Or(c.Deadline, "3:8"), strconv.Atoi)
	if h.Shortest, h.Longest = shortest, longest; err != nil || h.Check() != nil {
		return h, errors.New("--deadline must be two numbers from 1 to 20, such as 3:8")
	}
	lowest, highest, err := between(cmp.Or(c.First, ".60:.85"), share)
	if h.LowestFirst, h.HighestFirst = lowest, highest; err != nil || h.Check() != nil {
		return h, errors.New("--first must be two shares of V, above 0 and at most 1, such as .60:.85")
	}
	firm, err := share(cmp.Or(c.Firm, ".9"))
	if h.Firm = firm; err != nil || h.Check() != nil {
		return h, errors.New("--firm must be a share of V, above 0 and at most 1, such as .9")
	}
	return h, nil
}

// between parses LEAST:MOST, or one value for both.
func between[T any](text string, read func(string) (T, error)) (least, most T, err error) {
	low, high, two := strings.Cut(text, ":")
	if !two {
		high = low
	}
	if least, err = read(low); err != nil {
		return least, most, err
	}
	most, err = read(high)
	return least, most, err
}

func share(text string) (float64, error) { return strconv.ParseFloat(text, 64) }
