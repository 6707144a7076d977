package market

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// Tactic is how a buyer's offers develop from the first to the last.
type Tactic struct {
	Name string
	// aspire returns the price that the buyer would pay in the next round.
	aspire func(*thread) int64
	rounds int  // at most; zero: until the buyer's deadline
	greedy bool // accepts any counter that it can pay
	Probes bool // searches for the floor, and ignores hints
	Scouts bool // first learns the hint in a separate session

	// These are of Families. A nil function means what all Tactics do.
	prepare func(*thread)       // draws private values before the first offer
	accept  func(*thread) int64 // the highest current price that the buyer takes instead of its next offer; nil: that offer
	leaves  func(*thread) bool  // whether it leaves before its next offer; nil: not before the last one
	before  int                 // sessions in which others, or the buyer itself, learn before
	Parts   Parts
}

// Tactics returns all tactics. The first five, in equal parts, are those that policies are measured with.
func Tactics() []Tactic {
	return []Tactic{
		{Name: "boulware", aspire: func(t *thread) int64 { return t.byTime(t.buyer.First, .3) }},
		{Name: "linear", aspire: func(t *thread) int64 { return t.byTime(t.buyer.First, 1) }},
		{Name: "conceder", aspire: func(t *thread) int64 { return t.byTime(t.buyer.First, 3) }},
		{Name: "hardliner", aspire: func(t *thread) int64 { return rounded(t.firm * float64(t.buyer.Worth)) }},
		{Name: "tit-for-tat", aspire: (*thread).titForTat},
		{Name: "anchorer", aspire: func(t *thread) int64 { return t.byTime(t.buyer.Worth/2, 1) }},
		{
			Name:   "prober",
			aspire: (*thread).probe,
			Probes: true,
		},
		{Name: "random", aspire: (*thread).uniform},
		{
			Name:   "impatient",
			aspire: func(t *thread) int64 { return t.byTime(t.buyer.First, 1) },
			rounds: 2,
			greedy: true,
		},
		{Name: "splitter", aspire: (*thread).split},
		{
			Name:   "cross-session",
			aspire: (*thread).afterScouting,
			Scouts: true,
		},
	}
}

// Measured returns the tactics that policies are measured with, and Others the rest.
func Measured() []Tactic { return Tactics()[:5] }
func Others() []Tactic   { return Tactics()[5:] }

// TacticsNamed returns the tactics with these names, also of Families.
func TacticsNamed(names ...string) (found []Tactic, err error) {
	all := append(Tactics(), newFamilies()...)
	for _, name := range names {
		i := slices.IndexFunc(all, func(t Tactic) bool { return t.Name == name })
		if i < 0 {
			return nil, fmt.Errorf("no strategy is named %q; there are %s", name, listed(all, func(t Tactic) string { return t.Name }))
		}
		found = append(found, all[i])
	}
	return found, nil
}

// listed returns the names of things, for people.
func listed[T any](all []T, name func(T) string) string {
	names := make([]string, len(all))
	for i, one := range all {
		names[i] = name(one)
	}
	return strings.Join(names, ", ")
}

// byTime is Faratin's time-dependent tactic, from the first offer to V.
func (t *thread) byTime(first int64, beta float64) int64 {
	alpha := float64(t.round-1) / float64(max(t.deadline-1, 1))
	if beta != 1 {
		alpha = math.Pow(alpha, 1/beta)
	}
	return first + rounded(alpha*float64(t.buyer.Worth-first))
}

func (t *thread) titForTat() int64 {
	switch {
	case t.round == 1:
		return t.buyer.First
	case t.rejected && t.given == 0:
		return t.offer + (t.buyer.Worth-t.buyer.First)/10
	}
	return t.offer + t.given
}

// probe bisects between low and high, and in the last round offers the lowest offer that was not rejected.
func (t *thread) probe() int64 {
	switch t.round {
	case 1:
		return t.buyer.First
	case t.deadline:
		return t.high
	}
	return t.high - (t.high-t.low)/2
}

// knownMarkup is the factor by which first offers of firm buyers are countered, which anybody can see in a few
// negotiations.
const knownMarkup = 1.11

// afterScouting first offers what a firm buyer who can just pay the hint would, and accepts the hint if it is the
// counter. Otherwise it rises from the hint to V in the remaining rounds.
func (t *thread) afterScouting() int64 {
	first := min(int64(math.Ceil(float64(t.scouted)/knownMarkup)), t.buyer.Worth)
	switch {
	case t.scouted == 0:
		return t.byTime(t.buyer.First, 1)
	case t.round == 1 && t.deadline > 1:
		return first
	}
	from := min(t.scouted, t.buyer.Worth)
	share := float64(t.round-2) / float64(max(t.deadline-2, 1))
	return from + rounded(min(max(share, 0), 1)*float64(t.buyer.Worth-from))
}

// estimate returns the floor as estimated from rejections and counters alone.
func (t *thread) estimate() int64 { return t.low + (t.high-t.low)/2 }

// split offers the middle between its last offer and the current price.
func (t *thread) split() int64 {
	if t.round == 1 {
		return t.buyer.First
	}
	return t.offer + (t.current-t.offer)/2
}

func (t *thread) uniform() int64 {
	return t.buyer.First + t.random.Int64N(t.buyer.Worth-t.buyer.First+1)
}

func rounded(x float64) int64 { return int64(math.Round(x)) }
