package market

import "fmt"

// Habits are how buyers negotiate, whatever they would pay.
type Habits struct {
	Shortest, Longest         int     // deadlines, in offers; each as likely
	LowestFirst, HighestFirst float64 // first offers as shares of V; each as likely
	Firm                      float64 // the share of V that hardliners offer
}

// UsualHabits are those of the buyers that policies are measured by.
func UsualHabits() Habits {
	return Habits{
		Shortest:     3,
		Longest:      8,
		LowestFirst:  .60,
		HighestFirst: .85,
		Firm:         .9,
	}
}

// MostRounds bounds deadlines: nobody has more patience.
const MostRounds = 20

// Check says what is wrong with them.
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
