package search

import (
	"github.com/haggle-commerce/haggle/adapters/search/vectors"
	"github.com/haggle-commerce/haggle/domain/catalog"
)

// share is the part of an older segment's size at which newer ones are merged with it, and the part
// of a segment that may be dead: a tenth.
const share = 10

// mergeFrom is the first of the last parts that should become one, for it has become too small or too dead
// against what came after it; len(parts) if all is well. So sizes fall tenfold from segment to segment, and
// few are ever read.
func mergeFrom(parts []part) int {
	from, newer := len(parts), 0
	for i := len(parts) - 1; i >= 0; i-- {
		p := &parts[i]
		small := newer > 0 && newer*share >= p.live()
		if small || p.buried*share > len(p.documents) {
			from = i
		}
		newer += p.live()
	}
	if from == len(parts)-1 && parts[from].buried == 0 {
		return len(parts)
	}
	return from
}

func live(parts []part) (n int) {
	for i := range parts {
		n += parts[i].live()
	}
	return n
}

// gone is the new number of what is dropped.
const gone = ^uint32(0)

// joining makes one segment of parts: their live documents in the same order. It reads no text again.
type joining struct {
	parts   []part
	limits  limits
	numbers [][]uint32 // by part and document: the new number, or gone
	joined  *segment
}

func join(parts []part, limits limits) *joining {
	j := &joining{
		parts:   parts,
		limits:  limits,
		numbers: make([][]uint32, len(parts)),
		joined:  &segment{},
	}
	var g goods
	for i := range parts {
		j.take(i, &g)
	}
	terms, places := joinTerms(parts, func(p *part) dictionary { return p.words.terms })
	var moved []uint32
	j.joined.words, moved = invert(terms, func(use func(uint32, posting)) {
		for i := range parts {
			words := &parts[i].words
			for term := range words.terms.len() {
				for _, p := range words.of(term) {
					if number := j.numbers[i][p.document]; number != gone {
						use(places[i][term], posting{number, p.times})
					}
				}
			}
		}
	})
	j.titles(places, moved)
	j.joined.spoken = j.vocabulary(places, moved)
	for i := range parts {
		j.joined.leftOut = j.joined.leftOut.Or(parts[i].leftOut)
	}
	j.joined.limitSpelling(limits.spelled)
	j.joined.seal(g)
	return j
}

// take appends a part's live documents.
func (j *joining) take(at int, g *goods) {
	p, s := &j.parts[at], j.joined
	j.numbers[at] = make([]uint32, len(p.documents))
	for i, d := range p.documents {
		if p.dead.has(uint32(i)) {
			j.numbers[at][i] = gone
			continue
		}
		j.numbers[at][i] = uint32(len(s.documents))
		for v := d.variants.from; v < d.variants.to; v++ {
			g.stock = append(g.stock, p.stock[v].Load())
		}
		d.variants = moveSpan(&s.variants, p.variants, d.variants)
		d.colors = moveSpan(&s.colors, p.colors, d.colors)
		d.title = moveSpan(&s.titles, p.titles, d.title)
		s.documents, s.lengths = append(s.documents, d), append(s.lengths, p.lengths[i])
		g.products = append(g.products, p.products[i].Load())
	}
}

// moveSpan appends a span of a list to another, and tells where it is there.
func moveSpan[T any](to *[]T, from []T, at span) span {
	begin := uint32(len(*to))
	*to = append(*to, from[at.from:at.to]...)
	return span{begin, uint32(len(*to))}
}

// titles writes the titles' terms in the numbers of the joined segment.
func (j *joining) titles(places [][]uint32, moved []uint32) {
	for i := range j.parts {
		for number, to := range j.numbers[i] {
			if to == gone {
				continue
			}
			old, new := j.parts[i].documents[number].title, j.joined.documents[to].title
			for k := range old.to - old.from {
				j.joined.titles[new.from+k] = moved[places[i][j.parts[i].titles[old.from+k]]]
			}
		}
	}
}

// vocabulary unites the parts' words, but those whose term is gone.
func (j *joining) vocabulary(places [][]uint32, moved []uint32) vocabulary {
	all, at := joinTerms(j.parts, func(p *part) dictionary { return p.spoken.words })
	terms := make([]uint32, all.len())
	for i := range j.parts {
		for word, term := range j.parts[i].spoken.terms {
			terms[at[i][word]] = moved[places[i][term]]
		}
	}
	kept, v := make([]string, 0, all.len()), vocabulary{}
	for word, term := range terms {
		if term != gone {
			kept, v.terms = append(kept, all.at(word)), append(v.terms, term)
		}
	}
	v.words = dictionaryOf(kept)
	return v
}

// part is the joined segment with its documents' vectors.
func (j *joining) part() part {
	return part{
		segment:  j.joined,
		latent:   j.vectors(func(p *part) *vectors.Set { return p.latent }),
		embedded: j.vectors(func(p *part) *vectors.Set { return p.embedded }),
	}
}

// vectors copies the parts' vectors of one kind.
func (j *joining) vectors(of func(*part) *vectors.Set) (set *vectors.Set) {
	for i := range j.parts {
		own := of(&j.parts[i])
		if own == nil {
			continue
		}
		if set == nil {
			set = vectors.New(own.Dims(), len(j.joined.documents))
		}
		for number, to := range j.numbers[i] {
			if to != gone && own.Dims() == set.Dims() && own.Has(uint32(number)) {
				set.Copy(to, own, uint32(number))
			}
		}
	}
	return set
}

// buryAgain marks what died while the parts were joined. now are the same parts as they are now.
func (j *joining) buryAgain(merged *part, now []part) {
	copied := false
	for i := range now {
		for number, to := range j.numbers[i] {
			if to != gone && now[i].dead.has(uint32(number)) {
				merged.bury(now[i].product(uint32(number)).ID, &copied)
			}
		}
	}
}

// refresh copies what has changed in the columns since the parts were joined.
func (j *joining) refresh() {
	for i := range j.parts {
		p := &j.parts[i]
		for number, to := range j.numbers[i] {
			if to == gone {
				continue
			}
			old, new := &p.documents[number], &j.joined.documents[to]
			for v := range old.variants.to - old.variants.from {
				j.joined.stock[new.variants.from+v].Store(p.stock[old.variants.from+v].Load())
			}
			if product := p.products[number].Load(); product != j.joined.products[to].Load() {
				j.joined.reprice(to, product)
			}
		}
	}
}

// product is a document's of the joined segment.
func (s *segment) product(number uint32) *catalog.Product { return s.products[number].Load() }

// joinTerms unites the parts' dictionaries, and says where each part's terms are in the union.
func joinTerms(parts []part, of func(*part) dictionary) (terms dictionary, places [][]uint32) {
	places = make([][]uint32, len(parts))
	for i := range parts {
		var moved, own []uint32
		terms, moved, own = union(terms, of(&parts[i]))
		for _, earlier := range places[:i] {
			for j, place := range earlier {
				earlier[j] = moved[place]
			}
		}
		places[i] = own
	}
	return terms, places
}
