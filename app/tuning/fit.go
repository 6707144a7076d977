package tuning

import "math"

// Model is what the buyers of some records are like.
type Model struct {
	records []Record
	causes  [][]cause // of each record

	trust  []float64 // of each record: how much it counts
	weigh  []float64 // the same, times how much money it is about
	shown  float64   // a price that one buyer in twenty has offered or paid
	kinds  []float64 // weights
	worth  [worths]float64
	firsts [manners][ratios]float64 // of the first offer to V, by manner
	firm   []stretch                // of firm buyers, ascending
}

// cause is one explanation of a record.
type cause struct {
	kind       int16
	worth      int16 // index; for erratic buyers, and firm ones who took a price, the lowest that is consistent
	likelihood float32
}

const (
	noise      = .012 // of an offer around what a manner would offer
	same       = .001 // offers less apart than this are the same
	chance     = .10  // that of an offer near what a manner would offer; a firm buyer's is certain
	anything   = .01  // that of any one offer of an erratic buyer
	ratios     = 24   // bins of first/V from ratioFrom on
	ratioFrom  = .30
	ratioStep  = .03
	iterations = 20
	beyond     = .05 // how likely a V above what was shown is at first, against one below: where offers do not tell, it stays
)

// Fit explains records. Fewer than a few hundred tell little: look at the interval of what is proposed.
func Fit(records []Record) *Model {
	m := &Model{
		records: records,
		causes:  make([][]cause, len(records)),
		kinds:   make([]float64, len(kinds)),
		trust:   trust(records),
	}
	m.weigh = weights(records, m.trust)
	for i := range records {
		m.causes[i] = explain(&records[i])
	}
	tops := make([]float64, len(records))
	for i := range records {
		tops[i] = evident(&records[i])
	}
	m.shown = quantile(tops, m.trust, .95)
	for i := range m.kinds {
		m.kinds[i] = 1 / float64(len(kinds))
	}
	for i := range m.worth {
		if m.worth[i] = 1; worthAt(i) > m.shown+worthStep {
			m.worth[i] = beyond
		}
	}
	for manner := range m.firsts {
		for i := range m.firsts[manner] {
			m.firsts[manner][i] = 1. / ratios
		}
	}
	for range iterations {
		m.improve()
	}
	m.firm = m.stretches()
	return m
}

// mostWeight is how many times the usual money a negotiation counts at most, lest one decides for all.
const mostWeight = 10

// weights are how much each record counts, times the list price of all pieces against that of the usual negotiation.
// Where costs are known of some, those without count for nothing: their margin is not known.
func weights(records []Record, trust []float64) []float64 {
	all, costed := make([]float64, len(records)), false
	for i, r := range records {
		all[i] = float64(r.Signals.List.Minor()) * float64(max(r.Signals.Quantity, 1))
		costed = costed || r.Signals.Cost != nil
	}
	usual := quantile(all, trust, .5)
	for i, r := range records {
		if all[i] = trust[i] * min(all[i]/usual, mostWeight); costed && r.Signals.Cost == nil {
			all[i] = 0
		}
	}
	return all
}

// improve is one step of expectation maximization.
func (m *Model) improve() {
	next, n := Model{kinds: make([]float64, len(kinds))}, 0.
	for i, causes := range m.causes {
		n += m.trust[i]
		total := 0.
		for _, c := range causes {
			total += m.weight(&m.records[i], c)
		}
		if total <= 0 {
			continue
		}
		for _, c := range causes {
			w := m.trust[i] * m.weight(&m.records[i], c) / total
			next.kinds[c.kind] += w
			next.worth[c.worth] += w
			next.firsts[kinds[c.kind].manner][ratio(&m.records[i], c)] += w
		}
	}
	for i := range next.kinds { // as if one record more were spread over all kinds
		m.kinds[i] = (next.kinds[i] + 1/float64(len(kinds))) / (n + 1)
	}
	smooth(next.worth[:], m.worth[:], n)
	m.firsts = mixed(next.firsts)
}

// smooth spreads counts to their neighbours, and turns them into shares.
func smooth(counts, to []float64, n float64) {
	for i := range counts {
		left, right := counts[max(i-1, 0)], counts[min(i+1, len(counts)-1)]
		to[i] = (left/4 + counts[i]/2 + right/4 + 1/float64(len(counts))) / (n + 1)
	}
}

// few is how many records more each manner's first offers are reckoned with, spread as those of all manners are.
const few = 10

// mixed turns counts into shares. They are spread to their neighbours, but for firm buyers: what they pay is known
// exactly where it is known at all.
func mixed(counts [manners][ratios]float64) (shares [manners][ratios]float64) {
	var all, common [ratios]float64
	n := 0.
	for _, of := range counts {
		for i, c := range of {
			all[i] += c
			n += c
		}
	}
	smooth(all[:], common[:], n)
	for manner := range counts {
		own, sum := counts[manner], 0.
		for _, c := range own {
			sum += c
		}
		for i, c := range own {
			if Manner(manner) != Firm {
				c = own[max(i-1, 0)]/4 + c/2 + own[min(i+1, ratios-1)]/4
			}
			shares[manner][i] = (c + few*common[i]) / (sum + few)
		}
	}
	return shares
}

func (m *Model) weight(r *Record, c cause) float64 {
	k := kinds[c.kind]
	return float64(c.likelihood) * m.kinds[c.kind] * m.worth[c.worth] * m.firsts[k.manner][ratio(r, c)]
}

// ratio is the bin of the first offer to V. Firm buyers who took a price paid V.
func ratio(r *Record, c cause) int {
	worth := worthAt(int(c.worth))
	if r.End == Took && kinds[c.kind].manner == Firm {
		worth = r.Price
	}
	return min(max(int((r.Rounds[0].Offer/worth-ratioFrom)/ratioStep), 0), ratios-1)
}

// explain lists the causes of a record that are not out of the question.
func explain(r *Record) (all []cause) {
	best := 0.
	add := func(k, worth int, likelihood float64) {
		if likelihood > 0 {
			best = max(best, likelihood)
			all = append(all, cause{int16(k), int16(worth), float32(likelihood)})
		}
	}
	for k := range kinds {
		switch shown := evident(r); kinds[k].manner {
		case Timed, Reactive, Probing, Splitting:
			for w := range worths {
				add(k, w, likelihood(r, kinds[k], worthAt(w)))
			}
		case Firm:
			for w := indexOf(shown); w <= highest(r); w++ {
				add(k, w, likelihood(r, kinds[k], max(worthAt(w), shown)))
			}
		default:
			add(k, indexOf(shown), likelihood(r, kinds[k], shown))
		}
	}
	kept := all[:0]
	for _, c := range all {
		if float64(c.likelihood) >= 1e-4*best {
			kept = append(kept, c)
		}
	}
	return kept
}

func indexOf(worth float64) int {
	return min(max(int(math.Round((worth-lowestWorth)/worthStep)), 0), worths-1)
}

// evident is the V that a buyer has shown: the most it offered or paid.
func evident(r *Record) float64 {
	v := r.Price
	for _, round := range r.Rounds {
		v = max(v, round.Offer)
	}
	return v
}

// likelihood of what a buyer of a kind with V does in a record; zero where it would have done something else.
func likelihood(r *Record, k kind, worth float64) float64 {
	n, d := len(r.Rounds), int(k.deadline)
	if !ends(r, k, n, d, worth) {
		return 0
	}
	twin := Twin{
		Manner:   k.manner,
		Beta:     int(k.beta),
		Worth:    worth,
		First:    r.Rounds[0].Offer,
		Deadline: d,
	}
	so, l := begin(r.Start), 1.
	for i, round := range r.Rounds {
		want := round.Offer
		if k.manner != Erratic {
			want = min(twin.aspire(i+1, &so), worth, 1)
		}
		if so.last.Standing <= want-2*noise {
			return 0 // it would have taken the price that stood
		}
		if i > 0 {
			l *= k.manner.chance(round.Offer - want)
		}
		if l < 1e-12 {
			return 0
		}
		so.hear(round)
	}
	if r.End == Took && n < d && k.manner != Erratic { // before its deadline it takes what it aspires to
		if want := twin.aspire(n+1, &so); r.Price > want+2*noise {
			return 0
		}
	}
	return l
}

// chance is that of an offer so far from what a manner would offer.
func (m Manner) chance(off float64) float64 {
	switch m {
	case Erratic:
		return anything
	case Firm:
		if math.Abs(off) < same {
			return 1
		}
		return 0
	}
	z := off / noise
	return chance * math.Exp(-z*z/2)
}

// ends reports whether a buyer with a deadline and V can have come to the end of the record.
func ends(r *Record, k kind, n, deadline int, worth float64) bool {
	standing := r.Start
	if n > 0 {
		standing = r.Rounds[n-1].Standing
	}
	switch r.End {
	case Walked:
		return worth < standing+worthStep && worth >= r.Rounds[n-1].Offer-worthStep && (min(n, latest) == deadline || r.Final && n <= deadline)
	case Accepted:
		return min(n, latest) <= deadline && worth >= r.Price-worthStep
	}
	return min(n, latest) <= deadline && worth >= r.Price-worthStep
}
