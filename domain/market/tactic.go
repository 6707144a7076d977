package market

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// Tactic is how a buyer comes from its first offer to its last.
type Tactic struct {
	Name string
	// aspire is the price that the buyer would pay in the coming round.
	aspire func(*talk) int64
	rounds int  // at most; zero: until the buyer's deadline
	greedy bool // takes any counter that it can pay
	Probes bool // is after the floor, and passes over hints
	Scouts bool // learns the hint in a session of its own first
}

// Tactics are all of them. The first five, in equal parts, are the buyers that policies are measured by.
func Tactics() []Tactic {
	return []Tactic{
		{Name: "boulware", aspire: func(t *talk) int64 { return t.byTime(t.buyer.First, .3) }},
		{Name: "linear", aspire: func(t *talk) int64 { return t.byTime(t.buyer.First, 1) }},
		{Name: "conceder", aspire: func(t *talk) int64 { return t.byTime(t.buyer.First, 3) }},
		{Name: "hardliner", aspire: func(t *talk) int64 { return rounded(t.firm * float64(t.buyer.Worth)) }},
		{Name: "tit-for-tat", aspire: (*talk).titForTat},
		{Name: "anchorer", aspire: func(t *talk) int64 { return t.byTime(t.buyer.Worth/2, 1) }},
		{
			Name:   "prober",
			aspire: (*talk).probe,
			Probes: true,
		},
		{Name: "random", aspire: (*talk).anything},
		{
			Name:   "impatient",
			aspire: func(t *talk) int64 { return t.byTime(t.buyer.First, 1) },
			rounds: 2,
			greedy: true,
		},
		{Name: "splitter", aspire: (*talk).split},
		{
			Name:   "cross-session",
			aspire: (*talk).afterScouting,
			Scouts: true,
		},
	}
}

// Measured are the tactics that policies are measured by, and Others the rest.
func Measured() []Tactic { return Tactics()[:5] }
func Others() []Tactic   { return Tactics()[5:] }

// TacticsNamed are the tactics with these names.
func TacticsNamed(names ...string) (found []Tactic, err error) {
	all := Tactics()
	for _, name := range names {
		i := slices.IndexFunc(all, func(t Tactic) bool { return t.Name == name })
		if i < 0 {
			return nil, fmt.Errorf("no strategy is named %q; there are %s", name, listed(all, func(t Tactic) string { return t.Name }))
		}
		found = append(found, all[i])
	}
	return found, nil
}

// listed names some things, for people.
func listed[T any](all []T, name func(T) string) string {
	names := make([]string, len(all))
	for i, one := range all {
		names[i] = name(one)
	}
	return strings.Join(names, ", ")
}

// byTime is Faratin's time-dependent tactic from the first offer to V.
func (t *talk) byTime(first int64, beta float64) int64 {
	alpha := float64(t.round-1) / float64(max(t.deadline-1, 1))
	if beta != 1 {
		alpha = math.Pow(alpha, 1/beta)
	}
	return first + rounded(alpha*float64(t.buyer.Worth-first))
}

func (t *talk) titForTat() int64 {
	switch {
	case t.round == 1:
		return t.buyer.First
	case t.rejected && t.given == 0:
		return t.offer + (t.buyer.Worth-t.buyer.First)/10
	}
	return t.offer + t.given
}

// probe halves what is left between low and high, and in the last round offers the least that was talked about.
func (t *talk) probe() int64 {
	switch t.round {
	case 1:
		return t.buyer.First
	case t.deadline:
		return t.high
	}
	return t.high - (t.high-t.low)/2
}

// knownMarkup is what buyers who hold firm are met with: known from the first look at anybody's negotiations.
const knownMarkup = 1.11

// afterScouting begins where a buyer who holds firm and can just pay the hint would, and takes the hint where it is
// asked for. If it is not, it comes up from the hint to V in the rounds that are left.
func (t *talk) afterScouting() int64 {
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

// estimate is where a buyer who reckons with nothing but rejections and counters must think that the floor is.
func (t *talk) estimate() int64 { return t.low + (t.high-t.low)/2 }

// split meets the standing price halfway.
func (t *talk) split() int64 {
	if t.round == 1 {
		return t.buyer.First
	}
	return t.offer + (t.standing-t.offer)/2
}

func (t *talk) anything() int64 {
	return t.buyer.First + t.random.Int64N(t.buyer.Worth-t.buyer.First+1)
}

func rounded(x float64) int64 { return int64(math.Round(x)) }
