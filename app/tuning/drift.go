package tuning

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/haggle-commerce/haggle/domain/id"
)

// Drift is a change of what buyers pay.
type Drift struct {
	Segment       string // "": the shop
	Since         time.Time
	Before, After float64 // mean margins per negotiation, in shares of list
}

const (
	// fewestForDrift is how many negotiations a change needs before and after it.
	fewestForDrift = 50
	// driftChance is the probability of reporting a drift where there is none, for all segments together.
	driftChance = .01
)

// findDrift looks for a time since which negotiations earn more or less than the mean of their policy version, in the shop and in
// its categories, and marks the older records there. It is a CUSUM test on the record as a whole: the largest sum of differences
// from the mean, in standard deviations times √n, exceeds c with probability 2·exp(−2c²) if nothing has changed. A change that
// comes with a new version cannot be told from its effect. Records without a time count as they are.
func findDrift(records []Record) ([]Record, []Drift) {
	records = slices.Clone(records)
	of := map[string][]int{}
	for i := range records {
		if !records[i].At.IsZero() {
			of[""] = append(of[""], i)
			if top := topOf(records[i].Signals.Category); top != "" {
				of[learnt+top] = append(of[learnt+top], i)
			}
		}
	}
	var drifts []Drift
	for segment, at := range of {
		if d, ok := driftOf(records, at, len(of)); ok {
			d.Segment = segment
			drifts = append(drifts, d)
		}
	}
	slices.SortFunc(drifts, func(a, b Drift) int { return cmp.Compare(a.Segment, b.Segment) })
	for _, d := range drifts {
		for _, i := range of[d.Segment] {
			records[i].old = records[i].old || records[i].At.Before(d.Since)
		}
	}
	return records, drifts
}

// driftOf tests the records with some indices; segments is how many tests there are.
func driftOf(records []Record, at []int, segments int) (d Drift, ok bool) {
	if len(at) < 2*fewestForDrift {
		return d, false
	}
	at = slices.Clone(at)
	slices.SortFunc(at, func(i, j int) int { return records[i].At.Compare(records[j].At) })
	off, squares := make([]float64, len(at)), 0.
	weight := trustOf(records, at)
	type policy struct {
		agent   id.Agent
		version int
	}
	by := func(i int) policy { return policy{records[i].Agent, records[i].Version} }
	sums, counts := map[policy]float64{}, map[policy]float64{}
	for k, i := range at {
		sums[by(i)] += weight[k] * records[i].margin()
		counts[by(i)] += weight[k]
	}
	for k, i := range at {
		off[k] = weight[k] * (records[i].margin() - sums[by(i)]/max(counts[by(i)], 1e-9))
		squares += off[k] * off[k]
	}
	largest, where, sum := 0., 0, 0.
	for k := range off {
		sum += off[k]
		if k+1 < fewestForDrift || k+1 > len(at)-fewestForDrift || !records[at[k]].At.Before(records[at[k+1]].At) {
			continue
		}
		if math.Abs(sum) > largest {
			largest, where = math.Abs(sum), k+1
		}
	}
	critical := math.Sqrt(math.Log(2*float64(segments)/driftChance) / 2)
	if where == 0 || largest <= critical*math.Sqrt(squares) {
		return d, false
	}
	mean := func(from, to int) float64 {
		sum, total := 0., 0.
		for k := from; k < to; k++ {
			sum, total = sum+weight[k]*records[at[k]].margin(), total+weight[k]
		}
		return sum / max(total, 1e-9)
	}
	return Drift{
		Since:  records[at[where]].At,
		Before: mean(0, where),
		After:  mean(where, len(at)),
	}, true
}

// trustOf returns the weights of some records.
func trustOf(records []Record, at []int) []float64 {
	some := make([]Record, len(at))
	for k, i := range at {
		some[k] = records[i]
	}
	return trust(some)
}
