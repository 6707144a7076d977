package tuning

import "math"

// Manner is how a buyer comes from its first offer to its last.
type Manner uint8

// The manners. Timed buyers follow Faratin's polynomial tactic: offer(n) = F + (V − F)·((n−1)/(D−1))^(1/β).
const (
	Timed     Manner = iota // by the round, with a β of its own
	Firm                    // the same offer always
	Reactive                // gives as much as it was given
	Erratic                 // any other way: offers as recorded, then V
	Probing                 // bisects between its highest rejected and its lowest countered offer
	Splitting               // goes a share of the way to the price that stands
)

func (m Manner) String() string {
	return [...]string{
		Timed:     "timed",
		Firm:      "firm",
		Reactive:  "reactive",
		Erratic:   "erratic",
		Probing:   "probing",
		Splitting: "splitting",
	}[m]
}

// betas are those told apart: below 1 a buyer holds out, above it gives way early.
var betas = [...]float64{.15, .3, .6, 1, 1.8, 3, 6}

// splits are the shares of Splitting that are told apart.
var splits = [...]float64{.25, .5}

const (
	shortest, latest = 1, 10 // rounds of a deadline
	lowestWorth      = .50
	worthStep        = .02
	worths           = 56
)

// kind is a hypothesis about one buyer, but for its V.
type kind struct {
	manner   Manner
	beta     int8 // index of betas; of Splitting, of splits
	deadline int8
}

// kinds are all hypotheses, in a fixed order.
var kinds = func() (all []kind) {
	for d := int8(shortest); d <= latest; d++ {
		for b := range betas {
			all = append(all, kind{Timed, int8(b), d})
		}
		all = append(all, kind{Firm, 0, d}, kind{Reactive, 0, d}, kind{Erratic, 0, d}, kind{Probing, 0, d})
		for b := range splits {
			all = append(all, kind{Splitting, int8(b), d})
		}
	}
	return all
}()

const manners = int(Splitting) + 1

// groups put together the kinds that differ in deadline or split alone.
const groups = len(betas) + int(Splitting)

func (k kind) group() int {
	if k.manner == Timed {
		return int(k.beta)
	}
	return len(betas) + int(k.manner) - 1
}

// alphas are ((n−1)/(D−1))^(1/β).
var alphas = func() (a [len(betas)][latest + 1][latest + 1]float64) {
	for b, beta := range betas {
		for d := shortest; d <= latest; d++ {
			for n := 2; n <= d; n++ {
				a[b][d][n] = math.Pow(float64(n-1)/float64(d-1), 1/beta)
			}
		}
	}
	return a
}()

func worthAt(i int) float64 { return lowestWorth + worthStep*float64(i) }

// Twin is a buyer like one that was recorded. Prices are shares of list.
type Twin struct {
	Record   int // which one
	Manner   Manner
	Beta     int // index of betas; of Splitting, of splits
	Worth    float64
	First    float64
	Deadline int
	Offers   []float64 // of an erratic one
}

// course is how far a negotiation has come, from the buyer's side.
type course struct {
	last      Round   // its latest offer, with the price that stood after the answer
	given     float64 // how much lower the answer made that
	low, high float64 // its highest rejected and lowest countered offers
}

func begin(standing float64) course {
	return course{last: Round{Standing: standing}, high: math.Inf(1)}
}

func (c *course) hear(r Round) {
	c.given, c.last = c.last.Standing-r.Standing, r
	if r.Rejected {
		c.low = max(c.low, r.Offer)
	} else {
		c.high = min(c.high, r.Offer)
	}
}

// aspire is what the twin would pay in round n.
func (t *Twin) aspire(n int, c *course) float64 {
	switch {
	case t.Manner == Timed:
		return t.First + alphas[t.Beta][min(t.Deadline, latest)][min(n, t.Deadline)]*(t.Worth-t.First)
	case t.Manner == Erratic && n <= len(t.Offers):
		return t.Offers[n-1]
	case t.Manner == Erratic:
		return t.Worth
	case n == 1 || t.Manner == Firm:
		return t.First
	case t.Manner == Probing:
		return t.probe(n, c)
	case t.Manner == Splitting:
		return min(c.last.Offer+splits[t.Beta]*max(c.last.Standing-c.last.Offer, 0), t.Worth)
	}
	return t.react(c)
}

func (t *Twin) react(c *course) float64 {
	given := c.given
	if given <= 0 && c.last.Rejected {
		given = (t.Worth - t.First) / 10 // a rejection that gives nothing moves it a little
	}
	return min(c.last.Offer+max(given, 0), t.Worth)
}

// lowest is under what a prober does not look for the floor.
const lowest = .5

// probe halves what is left, and ends with the least that was talked about.
func (t *Twin) probe(n int, c *course) float64 {
	high := min(c.high, t.Worth)
	if n >= t.Deadline {
		return high
	}
	return high - (high-max(c.low, min(t.First, lowest)))/2
}
