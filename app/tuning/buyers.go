package tuning

import "math"

// Manner is how a buyer moves from its first offer to its last.
type Manner uint8

// The manners. Timed buyers follow Faratin's polynomial tactic: offer(n) = F + (V − F)·((n−1)/(D−1))^(1/β).
const (
	Timed     Manner = iota // moves with the round, at a rate β of its own
	Firm                    // repeats the same offer
	Reactive                // concedes as much as the seller did
	Erratic                 // any other: offers as recorded, then V
	Probing                 // bisects between its highest rejected and its lowest countered offer
	Splitting               // moves a share of the way to the current price
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

// betas are the values of β that are distinguished. Below 1 a buyer concedes late, above 1 early.
var betas = [...]float64{.15, .3, .6, 1, 1.8, 3, 6}

// splits are the shares of Splitting that are distinguished.
var splits = [...]float64{.25, .5}

const (
	minDeadline, maxDeadline = 1, 10 // rounds
	lowestWorth              = .50
	worthStep                = .02
	worths                   = 56
)

// kind is a hypothesis about one buyer, without its V.
type kind struct {
	manner   Manner
	beta     int8 // index of betas; of Splitting, of splits
	deadline int8
}

// kinds are all hypotheses, in a fixed order.
var kinds = func() (all []kind) {
	for d := int8(minDeadline); d <= maxDeadline; d++ {
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

// groups is the number of groups of kinds. Kinds of a group differ in deadline or split only.
const groups = len(betas) + int(Splitting)

func (k kind) group() int {
	if k.manner == Timed {
		return int(k.beta)
	}
	return len(betas) + int(k.manner) - 1
}

// alphas are ((n−1)/(D−1))^(1/β).
var alphas = func() (a [len(betas)][maxDeadline + 1][maxDeadline + 1]float64) {
	for b, beta := range betas {
		for d := minDeadline; d <= maxDeadline; d++ {
			for n := 2; n <= d; n++ {
				a[b][d][n] = math.Pow(float64(n-1)/float64(d-1), 1/beta)
			}
		}
	}
	return a
}()

func worthAt(i int) float64 { return lowestWorth + worthStep*float64(i) }

// Twin is a simulated buyer that is drawn from a recorded one. Prices are shares of list.
type Twin struct {
	Record   int // index of the record
	Manner   Manner
	Beta     int // index of betas; of Splitting, of splits
	Worth    float64
	First    float64
	Deadline int
	Offers   []float64 // of an erratic one

	share float64 // of the record's weight
}

// course is the state of a negotiation that a buyer's next offer depends on.
type course struct {
	last      Round   // the buyer's latest offer, with the price after the answer
	given     float64 // how much the answer lowered the price
	low, high float64 // the buyer's highest rejected and lowest countered offers
}

// newCourse starts a negotiation at a price.
func newCourse(price float64) course {
	return course{last: Round{Price: price}, high: math.Inf(1)}
}

// answer records an offer and the price after it.
func (c *course) answer(r Round) {
	c.given, c.last = c.last.Price-r.Price, r
	if r.Rejected {
		c.low = max(c.low, r.Offer)
	} else {
		c.high = min(c.high, r.Offer)
	}
}

// aspire returns what the twin would pay in round n.
func (t *Twin) aspire(n int, c *course) float64 {
	switch {
	case t.Manner == Timed:
		return t.First + alphas[t.Beta][min(t.Deadline, maxDeadline)][min(n, t.Deadline)]*(t.Worth-t.First)
	case t.Manner == Erratic && n <= len(t.Offers):
		return t.Offers[n-1]
	case t.Manner == Erratic:
		return t.Worth
	case n == 1 || t.Manner == Firm:
		return t.First
	case t.Manner == Probing:
		return t.probe(n, c)
	case t.Manner == Splitting:
		return min(c.last.Offer+splits[t.Beta]*max(c.last.Price-c.last.Offer, 0), t.Worth)
	}
	return t.react(c)
}

func (t *Twin) react(c *course) float64 {
	given := c.given
	if given <= 0 && c.last.Rejected {
		given = (t.Worth - t.First) / 10 // it concedes a little after a rejection without a concession
	}
	return min(c.last.Offer+max(given, 0), t.Worth)
}

// lowestProbe is the lowest price at which a prober looks for the floor.
const lowestProbe = .5

// probe returns the middle of the remaining interval and, at the deadline, the lowest countered offer.
func (t *Twin) probe(n int, c *course) float64 {
	high := min(c.high, t.Worth)
	if n >= t.Deadline {
		return high
	}
	return high - (high-max(c.low, min(t.First, lowestProbe)))/2
}
