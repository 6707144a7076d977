package tuning

import (
	"hash/fnv"
	"maps"
	"math"
	"slices"

	"github.com/haggle-commerce/haggle/domain/negotiation"
)

// Interval is an estimate with its interval.
type Interval struct{ Mean, Low, High float64 }

// gains are sums over buyers, whose ratio is the gain per money at stake.
type gains struct {
	gain, stake []float64 // by buyer
	at          map[string]int
}

func (r *gains) add(buyer string, gain, stake float64) {
	i, known := r.at[buyer]
	if !known {
		if r.at == nil {
			r.at = map[string]int{}
		}
		i = len(r.gain)
		r.at[buyer], r.gain, r.stake = i, append(r.gain, 0), append(r.stake, 0)
	}
	r.gain[i] += gain
	r.stake[i] += stake
}

// interval returns the ratio with a number of standard errors on either side. One buyer's negotiations are much alike, so the
// error is that of independent buyers: √Σ(gain − ratio·stake)² / Σstake.
func (r *gains) interval(errors float64) Interval {
	gain, stake := 0., 0.
	for i := range r.gain {
		gain, stake = gain+r.gain[i], stake+r.stake[i]
	}
	if stake <= 0 {
		return Interval{}
	}
	mean, squares := gain/stake, 0.
	for i := range r.gain {
		d := r.gain[i] - mean*r.stake[i]
		squares += d * d
	}
	off := errors * math.Sqrt(squares) / stake
	return Interval{mean, mean - off, mean + off}
}

// errorsFor returns how many standard errors a 95 % interval has on either side if one of n is to be chosen: Bonferroni's
// correction.
func errorsFor(n int) float64 { return math.Sqrt2 * math.Erfinv(1-.05/float64(max(n, 1))) }

// compare returns what a policy earns more than another from twins, by manner and as a whole.
func (m *Model) compare(before, after negotiation.Policy, twins []Twin) (whole gains, of [manners]gains) {
	for i := range twins {
		t := &twins[i]
		r, stake := &m.records[t.Record], m.weigh[t.Record]*t.share
		_, a := m.play(before, t)
		_, b := m.play(after, t)
		whole.add(r.who(), stake*(b-a), stake)
		of[t.Manner].add(r.who(), stake*(b-a), stake)
	}
	return whole, of
}

// Loss is what a kind of buyers would pay the shop less with a curve than before.
type Loss struct {
	Buyers string  // a manner, a family, or a part of the catalog
	Margin float64 // in shares of list, per negotiation
}

// tolerated is how much less a curve may earn from any kind of buyers, as a share of what the shop earns from all of them.
const tolerated = .02

// worst returns the kind of buyers that loses the shop most with a policy, if that is more than is tolerated. Manners of too few
// buyers to say are skipped: those are within the whole's interval.
func worst(of [manners]gains, before, after []float64, names []string, tolerance float64) *Loss {
	var found *Loss
	note := func(name string, gain float64) {
		if gain < -tolerance && (found == nil || -gain > found.Margin) {
			found = &Loss{name, -gain}
		}
	}
	for manner := range of {
		if len(of[manner].gain) >= fewestOfManner {
			note(Manner(manner).String(), of[manner].interval(0).Mean)
		}
	}
	for i, name := range names {
		note(name, after[i]-before[i])
	}
	return found
}

// worstPart returns the part of the catalog, a category in a price band, that loses the shop most with a policy, if that is more than
// is tolerated. Parts of too few buyers to say count together.
func (m *Model) worstPart(before, after negotiation.Policy, twins []Twin, tolerance float64) *Loss {
	parts, few := map[string]*gains{}, gains{}
	for i := range twins {
		t := &twins[i]
		r, stake := &m.records[t.Record], m.weigh[t.Record]*t.share
		name := bandOf(topOf(r.Signals.Category), r.Signals).Name
		if parts[name] == nil {
			parts[name] = &gains{}
		}
		_, a := m.play(before, t)
		_, b := m.play(after, t)
		parts[name].add(r.who(), stake*(b-a), stake)
	}
	var found *Loss
	note := func(name string, g *gains) {
		if gain := g.interval(0).Mean; len(g.gain) >= fewestOfManner && gain < -tolerance && (found == nil || -gain > found.Margin) {
			found = &Loss{name, -gain}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(parts)) {
		g := parts[name]
		if note(name, g); len(g.gain) < fewestOfManner {
			for i := range g.gain {
				few.gain, few.stake = append(few.gain, g.gain[i]), append(few.stake, g.stake[i])
			}
		}
	}
	note("small parts of the catalog", &few)
	return found
}

// fewestOfManner is how many buyers of a manner are enough to judge by it.
const fewestOfManner = 30

// fewestClients is how many clients there must be for the client to count as the buyer.
const fewestClients = 20

// separate marks the records if they have too few clients, such as one proxy: then each session counts as a buyer.
func separate(records []Record) {
	clients := map[string]bool{}
	for i := range records {
		clients[records[i].client()] = true
	}
	for i := range records {
		records[i].apart = len(clients) < fewestClients
	}
}

// who identifies the buyer, whose negotiations are much alike.
func (r *Record) who() string {
	if r.apart {
		return r.Session.String()
	}
	return r.client()
}

// halves splits records by buyer into two halves, so that a policy is not judged by the buyers that it was chosen with. A buyer's
// half does not depend on the others, so that nobody can move honest buyers to the other half.
func halves(records []Record) (one, other []Record) {
	for _, r := range records {
		hash := fnv.New32a()
		_, _ = hash.Write([]byte(r.who()))
		if hash.Sum32()>>16&1 == 0 {
			one = append(one, r)
		} else {
			other = append(other, r)
		}
	}
	return one, other
}

// shares returns the shares of buyers by manner, the largest first.
func (m *Model) shares() []Share {
	var sums [groups]float64
	for i, k := range kinds {
		sums[k.group()] += m.kinds[i]
	}
	all := make([]Share, 0, groups)
	for i, sum := range sums {
		s := Share{Manner: Timed, Share: sum}
		if i < len(betas) {
			s.Beta = betas[i]
		} else {
			s.Manner = Manner(i - len(betas) + 1)
		}
		all = append(all, s)
	}
	slices.SortStableFunc(all, func(a, b Share) int {
		switch {
		case a.Share > b.Share:
			return -1
		case a.Share < b.Share:
			return 1
		}
		return 0
	})
	return all
}
