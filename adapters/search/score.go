package search

import (
	"github.com/haggle-commerce/haggle/adapters/search/segment"
)

// saturation is BM25's k1: how soon further occurrences of a word stop counting.
const saturation = 1.2

// Weights of fields, and their length normalisation, the b of BM25F. They were chosen among round numbers, on two catalogues of
// 84,000 products with human judgements. Finer tuning did not hold on unseen queries.
var (
	weights = [segment.Fields]float32{
		segment.TitleHead:   3,
		segment.TitleTail:   2,
		segment.Brand:       2,
		segment.Category:    2,
		segment.Attributes:  1,
		segment.Description: .5,
	}
	shortness = [segment.Fields]float32{
		segment.TitleHead:   .5,
		segment.TitleTail:   .5,
		segment.Brand:       .3,
		segment.Category:    .3,
		segment.Attributes:  .6,
		segment.Description: .7,
	}
)

// weighing is the weight of one occurrence of a word, by field and the field's length.
type weighing [segment.Fields][256]float32

func weighingOf(m segment.Measures) weighing {
	var w weighing
	for f := range segment.Fields {
		mean := float32(m.Words[f]) / float32(max(1, m.Filled[f]))
		for l := range w[f] {
			relative := float32(segment.Length(l).Words()) / max(1, mean)
			w[f][l] = weights[f] / (1 - shortness[f] + shortness[f]*relative)
		}
	}
	return w
}

// of returns the BM25F score of a word in a document, in (0, 1).
func (w *weighing) of(times segment.Frequencies, lengths *[segment.Fields]segment.Length) float32 {
	var sum float32
	for times != 0 {
		f := times.Lowest()
		sum += w[f][lengths[f]] * float32(times.In(f))
		times = times.Without(f)
	}
	return sum / (sum + saturation)
}

// tally is a document's intermediate score during a search.
type tally struct {
	score   float32
	covered float32 // weight of the groups that it has
}

// sureEnough is the weight from which on an alternate covers its group like the word itself.
const sureEnough = .5

// tallyUp adds up the scores of a part's documents, group by group, and lists the documents that match any group. The best
// matching alternate of a group counts.
func (sc *scratch) tallyUp(s *snapshot, at int, q question) {
	p := &s.parts[at]
	sc.tallies, sc.group = grown(sc.tallies, len(p.Documents)), grown(sc.group, len(p.Documents))
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

// add adds the scores of a group with a single alternate.
func (sc *scratch) add(s *snapshot, p *part, at int, g *group) {
	a := &g.alternates[0]
	weight, covered := g.weight*a.weight, g.weight*min(1, a.weight/sureEnough)
	for _, posting := range a.in(at, &sc.both) {
		t := &sc.tallies[posting.Document]
		if t.covered == 0 {
			sc.touched = append(sc.touched, posting.Document)
		}
		t.score += weight * s.weigh.of(posting.Times, &p.Lengths[posting.Document])
		t.covered += covered
	}
}

// offer scores an alternate in its documents, and keeps the best score of the group.
func (sc *scratch) offer(s *snapshot, p *part, at int, a *alternate) {
	for _, posting := range a.in(at, &sc.both) {
		best := &sc.group[posting.Document]
		if best.covered == 0 {
			sc.member = append(sc.member, posting.Document)
		}
		if score := a.weight * s.weigh.of(posting.Times, &p.Lengths[posting.Document]); score > best.score {
			*best = tally{score, min(1, a.weight/sureEnough)}
		}
	}
}

// in returns the documents of a part that have all words of an alternate, with the lowest frequency of the words.
func (a *alternate) in(part int, memory *[]segment.Posting) []segment.Posting {
	list := a.words[0].lists[part]
	for _, w := range a.words[1:] {
		list = intersection(list, w.lists[part], (*memory)[:0])
		*memory = list
	}
	return list
}

// intersection appends the intersection of two lists to a third one, which may share the memory of the first.
func intersection(a, b, to []segment.Posting) []segment.Posting {
	for len(a) > 0 && len(b) > 0 {
		switch x, y := a[0], b[0]; {
		case x.Document < y.Document:
			a = a[1:]
		case y.Document < x.Document:
			b = b[1:]
		default:
			to = append(to, segment.Posting{Document: x.Document, Times: x.Times.Common(y.Times)})
			a, b = a[1:], b[1:]
		}
	}
	return to
}

// take returns a document's score and its coverage, the share of the groups that it has, and clears its tally. The score, in
// (0, 1), is weighted by the coverage, so that a document with all words ranks before one with a single frequent word.
func (sc *scratch) take(document uint32, q question) (score, coverage float32) {
	t := sc.tallies[document]
	sc.tallies[document] = tally{}
	coverage = t.covered / q.weight
	return t.score / q.weight * coverage, coverage
}
