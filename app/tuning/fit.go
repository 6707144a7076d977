package tuning

import (
	"math"
	"slices"

	"github.com/haggle-commerce/haggle/domain/negotiation"
)

// Model describes the buyers of some records.
type Model struct {
	records []Record
	causes  [][]cause // of each record

	trust  []float64 // weight of each record
	weigh  []float64 // weight of each record times the money at stake
	shown  float64   // the price that one buyer in twenty has offered or paid
	kinds  []float64 // weights
	worth  [worths]float64
	firsts [manners][ratios]float64 // distribution of first offer / V, by manner
	firm   []stretch                // firm buyers' stretches, ascending

	parent *Model // of a part, whose statistics are shrunk towards it
}

// cause is one possible explanation of a record.
type cause struct {
	kind       int16
	worth      int16 // index; for erratic buyers, and firm ones who took a price, the lowest that is consistent
	first      int8  // bin of first offer / V
	likelihood float32
}

const (
	noise      = .012 // standard deviation of an offer around what a manner would offer
	same       = .001 // offers that differ by less are the same
	chance     = .10  // probability of an offer near what a manner would offer; a firm buyer's is certain
	anything   = .01  // probability of any one offer of an erratic buyer
	ratios     = 24   // bins of first/V from ratioFrom on
	ratioFrom  = .30
	ratioStep  = .03
	iterations = 20
	beyond     = .05 // prior weight of a V above what was shown, relative to one below; it stays where offers give no evidence
)

// Fit fits a model to records. With fewer than a few hundred it is imprecise: see the interval of a Proposal.
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
	m.improve()
	return m
}

// shrinkage is how many records with the parent's distributions a part's own are combined with. With n sessions its statistics
// are n/(n + shrinkage) its own. It estimates σ²/τ²: the margin per session has a standard deviation of about .17 of list, and
// that between segments of a shop is taken to be .017.
const shrinkage = 100

// part fits the records with some signals, with a prior of shrinkage records like all of m's. It returns m if that is all records,
// and nil if there are none.
func (m *Model) part(in func(negotiation.Signals) bool) *Model {
	p := &Model{
		kinds:  slices.Clone(m.kinds),
		shown:  m.shown,
		worth:  m.worth,
		firsts: m.firsts,
		parent: m,
	}
	for i := range m.records {
		if in(m.records[i].Signals) {
			p.records, p.causes = append(p.records, m.records[i]), append(p.causes, m.causes[i])
			p.trust, p.weigh = append(p.trust, m.trust[i]), append(p.weigh, m.weigh[i])
		}
	}
	switch len(p.records) {
	case 0:
		return nil
	case len(m.records):
		return m
	}
	p.improve()
	return p
}

// sessionsIn returns the effective number of sessions about items with some signals.
func (m *Model) sessionsIn(in func(negotiation.Signals) bool) int {
	var records []Record
	var trusts []float64
	for i := range m.records {
		if in(m.records[i].Signals) {
			records, trusts = append(records, m.records[i]), append(trusts, m.trust[i])
		}
	}
	return effective(records, trusts)
}

// sessions returns the effective number of sessions of the records: see Sessions.
func (m *Model) sessions() int { return effective(m.records, m.trust) }

// maxWeight limits the weight of a negotiation to this multiple of the median one, so that none dominates.
const maxWeight = 10

// weights returns each record's trust times its list price of all pieces, relative to the median negotiation. If some records
// have a cost, those without get weight zero, because their margin is unknown.
func weights(records []Record, trust []float64) []float64 {
	all, costed := make([]float64, len(records)), false
	for i, r := range records {
		all[i] = float64(r.Signals.List.Minor()) * float64(max(r.Signals.Quantity, 1))
		costed = costed || r.Signals.Cost != nil
	}
	usual := quantile(all, trust, .5)
	for i, r := range records {
		if all[i] = trust[i] * min(all[i]/usual, maxWeight); costed && r.Signals.Cost == nil {
			all[i] = 0
		}
	}
	return all
}

// improve maximizes the expectation.
func (m *Model) improve() {
	for range iterations {
		m.step()
	}
	m.firm = m.stretches()
}

// step is one step of expectation maximization.
func (m *Model) step() {
	next, n, weights := Model{kinds: make([]float64, len(kinds))}, 0., make([]float64, len(kinds)*worths)
	for i, causes := range m.causes {
		n += m.trust[i]
		total := 0.
		for j, c := range causes {
			weights[j] = m.weight(c)
			total += weights[j]
		}
		if total <= 0 {
			continue
		}
		for j, c := range causes {
			w := m.trust[i] * weights[j] / total
			next.kinds[c.kind] += w
			next.worth[c.worth] += w
			next.firsts[kinds[c.kind].manner][c.first] += w
		}
	}
	if m.parent != nil {
		n += shrinkage
		next.add(m.parent)
	}
	for i := range next.kinds { // with one more record spread over all kinds
		m.kinds[i] = (next.kinds[i] + 1/float64(len(kinds))) / (n + 1)
	}
	smooth(next.worth[:], m.worth[:], n)
	m.firsts = mixed(next.firsts)
}

// add adds counts of shrinkage records with another model's distributions.
func (m *Model) add(prior *Model) {
	for i, share := range prior.worth {
		m.worth[i] += shrinkage * share
	}
	var ofManner [manners]float64
	for i, share := range prior.kinds {
		m.kinds[i] += shrinkage * share
		ofManner[kinds[i].manner] += shrinkage * share
	}
	for manner := range m.firsts {
		for i, share := range prior.firsts[manner] {
			m.firsts[manner][i] += ofManner[manner] * share
		}
	}
}

// smooth spreads counts to their neighbours and converts them to shares.
func smooth(counts, to []float64, n float64) {
	for i := range counts {
		left, right := counts[max(i-1, 0)], counts[min(i+1, len(counts)-1)]
		to[i] = (left/4 + counts[i]/2 + right/4 + 1/float64(len(counts))) / (n + 1)
	}
}

// priorRecords is how many records, distributed as those of all manners, are added to each manner's first offers.
const priorRecords = 10

// mixed converts counts to shares. It spreads them to their neighbours, except for firm buyers, because what they pay is known
// exactly if at all.
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
			shares[manner][i] = (c + priorRecords*common[i]) / (sum + priorRecords)
		}
	}
	return shares
}

func (m *Model) weight(c cause) float64 {
	return float64(c.likelihood) * m.kinds[c.kind] * m.worth[c.worth] * m.firsts[kinds[c.kind].manner][c.first]
}

// ratio returns the bin of first offer / V. The V of a firm buyer who took a price is that price.
func ratio(r *Record, k, index int) int8 {
	worth := worthAt(index)
	if r.End == Took && kinds[k].manner == Firm {
		worth = r.Price
	}
	return int8(min(max(int((r.Rounds[0].Offer/worth-ratioFrom)/ratioStep), 0), ratios-1))
}

// explain lists the plausible causes of a record.
func explain(r *Record) (all []cause) {
	best := 0.
	add := func(k, worth int, likelihood float64) {
		if likelihood > 0 {
			best = max(best, likelihood)
			all = append(all, cause{int16(k), int16(worth), ratio(r, k, worth), float32(likelihood)})
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

// evident returns the V that a buyer has shown: the most that it offered or paid.
func evident(r *Record) float64 {
	v := r.Price
	for _, round := range r.Rounds {
		v = max(v, round.Offer)
	}
	return v
}

// likelihood returns the likelihood of a record if the buyer is of a kind with V; zero if it would have acted differently.
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
	state, l := newCourse(r.Start), 1.
	for i, round := range r.Rounds {
		want := round.Offer
		if k.manner != Erratic {
			want = min(twin.aspire(i+1, &state), worth, 1)
		}
		if state.last.Price <= want-2*noise {
			return 0 // it would have taken that price
		}
		if i > 0 {
			l *= k.manner.chance(round.Offer - want)
		}
		if l < 1e-12 {
			return 0
		}
		state.answer(round)
	}
	if r.End == Took && n < d && k.manner != Erratic { // before its deadline it takes only a price that it aspires to
		if want := twin.aspire(n+1, &state); r.Price > want+2*noise {
			return 0
		}
	}
	return l
}

// chance returns the probability of an offer that differs by off from what a manner would offer.
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

// ends reports whether a buyer with this deadline and V can have ended the negotiation as recorded.
func ends(r *Record, k kind, n, deadline int, worth float64) bool {
	price := r.Start
	if n > 0 {
		price = r.Rounds[n-1].Price
	}
	switch r.End {
	case Walked:
		return worth < price+worthStep && worth >= r.Rounds[n-1].Offer-worthStep && (min(n, maxDeadline) == deadline || r.Final && n <= deadline)
	case Accepted:
		return min(n, maxDeadline) <= deadline && worth >= r.Price-worthStep
	}
	return min(n, maxDeadline) <= deadline && worth >= r.Price-worthStep
}
