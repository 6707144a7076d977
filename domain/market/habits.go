package market

import "fmt"

// Habits are how buyers negotiate, independent of their reservation prices.
type Habits struct {
	Shortest, Longest         int     // deadlines, in offers; uniformly distributed
	LowestFirst, HighestFirst float64 // first offers as shares of V; uniformly distributed
	Firm                      float64 // the share of V that hardliners offer
}

// UsualHabits returns the habits of the buyers that policies are measured with.
func UsualHabits() Habits {
	return Habits{
		Shortest:     3,
		Longest:      8,
		LowestFirst:  .60,
		HighestFirst: .85,
		Firm:         .9,
	}
}

// MostRounds is the largest deadline.
const MostRounds = 20

// Check returns what is wrong with the habits, or nil.
func (h Habits) Check() error {
	switch {
	case h.Shortest < 1 || h.Longest < h.Shortest || h.Longest > MostRounds:
		return fmt.Errorf("deadlines must be between 1 and %d, the shortest first", MostRounds)
	case !(0 < h.LowestFirst && h.LowestFirst <= h.HighestFirst && h.HighestFirst <= 1):
		return fmt.Errorf("first offers must be above 0 and at most 1, the lowest first")
	case !(0 < h.Firm && h.Firm <= 1):
		return fmt.Errorf("what hardliners offer must be above 0 and at most 1")
	}
	return nil
}
