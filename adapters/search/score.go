package search

// saturation is BM25's k1: how soon more of the same word stops to count.
const saturation = 1.2

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
	covered float32 // weight of the groups that it has
}

// sureEnough is the weight from which an alternate covers its group as the word itself would.
const sureEnough = .5

// tallyUp adds up the scores of a part's documents, group by group, and lists the documents that have any
// of the groups. Of the alternates of a group the one that fits best counts.
func (sc *scratch) tallyUp(s *snapshot, at int, q question) {
	p := &s.parts[at]
	sc.tallies, sc.group = grown(sc.tallies, len(p.documents)), grown(sc.group, len(p.documents))
	for i := range q.groups {
		g := &q.groups[i]
		if len(g.alternates) == 1 {
			sc.add(s, p, at, g)
			continue
		}
		sc.member = sc.member[:0]
		for n := range g.alternates {
			sc.offer(s, p, at, &g.alternates[n])
		}
		for _, document := range sc.member {
			t, best := &sc.tallies[document], &sc.group[document]
			if t.covered == 0 {
				sc.touched = append(sc.touched, document)
			}
			t.score += g.weight * best.score
			t.covered += g.weight * best.covered
			*best = tally{}
		}
	}
}

// add adds the scores of a group that can be matched in one way only.
func (sc *scratch) add(s *snapshot, p *part, at int, g *group) {
	a := &g.alternates[0]
	weight, covered := g.weight*a.weight, g.weight*min(1, a.weight/sureEnough)
	for _, posting := range a.in(at, &sc.both) {
		t := &sc.tallies[posting.document]
		if t.covered == 0 {
			sc.touched = append(sc.touched, posting.document)
		}
		t.score += weight * s.weigh.of(posting.times, &p.lengths[posting.document])
		t.covered += covered
	}
}

// offer lets an alternate be the best of its group in the documents that have it.
func (sc *scratch) offer(s *snapshot, p *part, at int, a *alternate) {
	for _, posting := range a.in(at, &sc.both) {
		best := &sc.group[posting.document]
		if best.covered == 0 {
			sc.member = append(sc.member, posting.document)
		}
		if score := a.weight * s.weigh.of(posting.times, &p.lengths[posting.document]); score > best.score {
			*best = tally{score, min(1, a.weight/sureEnough)}
		}
	}
}

// in are the documents of a part that have all words of an alternate, each as often as the least of them.
func (a *alternate) in(part int, memory *[]posting) []posting {
	list := a.words[0].lists[part]
	for _, w := range a.words[1:] {
		list = intersection(list, w.lists[part], (*memory)[:0])
		*memory = list
	}
	return list
}

// intersection of two lists, appended to a third, which may begin where the first does.
func intersection(a, b, to []posting) []posting {
	for len(a) > 0 && len(b) > 0 {
		switch x, y := a[0], b[0]; {
		case x.document < y.document:
			a = a[1:]
		case y.document < x.document:
			b = b[1:]
		default:
			to = append(to, posting{x.document, x.times.common(y.times)})
			a, b = a[1:], b[1:]
		}
	}
	return to
}

// take is a document's score and the share of the groups that it has, and clears its tally. The score, in (0, 1),
// is weighted by that share, so that a document with all words comes before one with a single word often.
func (sc *scratch) take(document uint32, q question) (score, coverage float32) {
	t := sc.tallies[document]
	sc.tallies[document] = tally{}
	coverage = t.covered / q.weight
	return t.score / q.weight * coverage, coverage
}
