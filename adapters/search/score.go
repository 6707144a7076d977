package search

// saturation is BM25's k1: how soon more of the same word stops to count.
const saturation = 1.2

// begunWeight is what a word counts for of which the buyer wrote the beginning only.
const begunWeight = .8

// weighing is what one occurrence of a word counts for, by field and the field's length.
type weighing [fields][256]float32

func weighingOf(m measures) weighing {
	var w weighing
	for f := range fields {
		mean := float32(m.words[f]) / float32(max(1, m.filled[f]))
		for l := range w[f] {
			relative := float32(length(l).words()) / max(1, mean)
			w[f][l] = weights[f] / (1 - shortness[f] + shortness[f]*relative)
		}
	}
	return w
}

// of is how well a document fits a word that it has so often: BM25F, in (0, 1).
func (w *weighing) of(times frequencies, lengths *[fields]length) float32 {
	var sum float32
	for times != 0 {
		f := times.lowest()
		sum += w[f][lengths[f]] * float32(times.in(f))
		times = times.without(f)
	}
	return sum / (sum + saturation)
}

// tally is what a document has gathered in a search.
type tally struct {
	score   float32
	covered float32 // weight of the words that it has
}

// tallyUp adds up the scores of a part's documents, word by word, and lists the documents that have
// any of the words.
func (sc *scratch) tallyUp(s *snapshot, at int, q question) {
	p := &s.parts[at]
	sc.tallies = grown(sc.tallies, len(p.documents))
	for _, w := range q.words {
		if w.lists[at] == nil {
			continue
		}
		factor := w.weight
		if w.begun {
			factor *= begunWeight
		}
		for _, posting := range w.lists[at] {
			t := &sc.tallies[posting.document]
			if t.covered == 0 {
				sc.touched = append(sc.touched, posting.document)
			}
			t.score += factor * s.weigh.of(posting.times, &p.lengths[posting.document])
			t.covered += w.weight
		}
	}
}

// take is a document's score in (0, 1), and clears its tally. Weighted by the share of the words that
// the document has, so that one with all words comes before one with a single word often.
func (sc *scratch) take(document uint32, q question) float32 {
	t := sc.tallies[document]
	sc.tallies[document] = tally{}
	return t.score / q.weight * t.covered / q.weight
}
