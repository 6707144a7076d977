package search

import (
	"github.com/haggle-commerce/haggle/adapters/search/segment"
	"github.com/haggle-commerce/haggle/adapters/search/vectors"
)

// share is the fraction of an older segment's size at which newer ones are merged with it, and the fraction of a segment that
// may be dead: a tenth.
const share = 10

// mergeFrom returns the index from which on the last parts should be merged, because that part is too small compared with the
// later ones or has too many dead documents; len(parts) if no merge is due. So sizes fall tenfold from segment to segment, and
// there are only a few segments.
func mergeFrom(parts []part) int {
	from, newer := len(parts), 0
	for i := len(parts) - 1; i >= 0; i-- {
		p := &parts[i]
		small := newer > 0 && newer*share >= p.live()
		if small || p.deadCount*share > len(p.Documents) {
			from = i
		}
		newer += p.live()
	}
	if from == len(parts)-1 && parts[from].deadCount == 0 {
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

// joining merges parts into one segment with their live documents in the same order. It does not read the texts again.
type joining struct {
	parts   []part
	limits  segment.Limits
	numbers [][]uint32 // by part and document: the new number, or gone
	joined  *segment.Segment
}

func join(parts []part, limits segment.Limits) *joining {
	j := &joining{
		parts:   parts,
		limits:  limits,
		numbers: make([][]uint32, len(parts)),
		joined:  &segment.Segment{},
	}
	var g segment.Goods
	for i := range parts {
		j.take(i, &g)
	}
	terms, places := joinTerms(parts, func(p *part) segment.Dictionary { return p.Words.Terms })
	var moved []uint32
	j.joined.Words, moved = segment.Invert(terms, func(use func(uint32, segment.Posting)) {
		for i := range parts {
			words := &parts[i].Words
			for term := range words.Terms.Len() {
				for _, p := range words.Of(term) {
					if number := j.numbers[i][p.Document]; number != segment.Gone {
						use(places[i][term], segment.Posting{Document: number, Times: p.Times})
					}
				}
			}
		}
	})
	j.titles(places, moved)
	j.joined.Spoken = j.vocabulary(places, moved)
	for i := range parts {
		j.joined.LeftOut = j.joined.LeftOut.Or(parts[i].LeftOut)
	}
	j.joined.LimitSpelling(limits.Spelled)
	j.joined.Seal(g)
	return j
}

// take appends the live documents of a part.
func (j *joining) take(at int, g *segment.Goods) {
	p, s := &j.parts[at], j.joined
	j.numbers[at] = make([]uint32, len(p.Documents))
	for i, d := range p.Documents {
		if p.dead.has(uint32(i)) {
			j.numbers[at][i] = segment.Gone
			continue
		}
		j.numbers[at][i] = uint32(len(s.Documents))
		for v := d.Variants.From; v < d.Variants.To; v++ {
			g.Stock = append(g.Stock, p.Stock[v].Load())
		}
		d.Variants = moveSpan(&s.Variants, p.Variants, d.Variants)
		d.Title = moveSpan(&s.Titles, p.Titles, d.Title)
		s.Colors = append(s.Colors, p.ColorsOf(uint32(i))...)
		s.Facets = append(s.Facets, segment.Facet{Brand: p.Facets[i].Brand, ColorsEnd: uint32(len(s.Colors))})
		s.Documents, s.Lengths = append(s.Documents, d), append(s.Lengths, p.Lengths[i])
		g.Products = append(g.Products, p.Products[i].Load())
	}
}

// moveSpan appends a span of a list to another list, and returns its position there.
func moveSpan[T any](to *[]T, from []T, at segment.Span) segment.Span {
	begin := uint32(len(*to))
	*to = append(*to, from[at.From:at.To]...)
	return segment.Span{From: begin, To: uint32(len(*to))}
}

// titles converts the titles' terms to numbers of the joined segment.
func (j *joining) titles(places [][]uint32, moved []uint32) {
	for i := range j.parts {
		for number, to := range j.numbers[i] {
			if to == segment.Gone {
				continue
			}
			old, new := j.parts[i].Documents[number].Title, j.joined.Documents[to].Title
			for k := range old.To - old.From {
				j.joined.Titles[new.From+k] = moved[places[i][j.parts[i].Titles[old.From+k]]]
			}
		}
	}
}

// vocabulary merges the parts' words, without those whose term is gone.
func (j *joining) vocabulary(places [][]uint32, moved []uint32) segment.Vocabulary {
	all, at := joinTerms(j.parts, func(p *part) segment.Dictionary { return p.Spoken.Words })
	terms := make([]uint32, all.Len())
	for i := range j.parts {
		for word, term := range j.parts[i].Spoken.Terms {
			terms[at[i][word]] = moved[places[i][term]]
		}
	}
	kept, v := make([]string, 0, all.Len()), segment.Vocabulary{}
	for word, term := range terms {
		if term != segment.Gone {
			kept, v.Terms = append(kept, all.At(word)), append(v.Terms, term)
		}
	}
	v.Words = segment.DictionaryOf(kept)
	return v
}

// part returns the joined segment with its documents' vectors.
func (j *joining) part() part {
	return part{
		Segment:  j.joined,
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
			set = vectors.New(own.Dims(), len(j.joined.Documents))
		}
		for number, to := range j.numbers[i] {
			if to != segment.Gone && own.Dims() == set.Dims() && own.Has(uint32(number)) {
				set.Copy(to, own, uint32(number))
			}
		}
	}
	return set
}

// markDeadAgain marks documents dead that died while the parts were joined. now are the same parts in their current state.
func (j *joining) markDeadAgain(merged *part, now []part) {
	copied := false
	for i := range now {
		for number, to := range j.numbers[i] {
			if to != segment.Gone && now[i].dead.has(uint32(number)) {
				merged.markDead(now[i].Product(uint32(number)).ID, &copied)
			}
		}
	}
}

// refresh copies changes of the columns since the parts were joined.
func (j *joining) refresh() {
	for i := range j.parts {
		p := &j.parts[i]
		for number, to := range j.numbers[i] {
			if to == segment.Gone {
				continue
			}
			old, new := &p.Documents[number], &j.joined.Documents[to]
			for v := range old.Variants.To - old.Variants.From {
				j.joined.Stock[new.Variants.From+v].Store(p.Stock[old.Variants.From+v].Load())
			}
			if product := p.Products[number].Load(); product != j.joined.Products[to].Load() {
				j.joined.Reprice(to, product)
			}
		}
	}
}

// joinTerms merges the parts' dictionaries, and returns the positions of each part's terms in the union.
func joinTerms(parts []part, of func(*part) segment.Dictionary) (terms segment.Dictionary, places [][]uint32) {
	places = make([][]uint32, len(parts))
	for i := range parts {
		var moved, own []uint32
		terms, moved, own = segment.Union(terms, of(&parts[i]))
		for _, earlier := range places[:i] {
			for j, place := range earlier {
				earlier[j] = moved[place]
			}
		}
		places[i] = own
	}
	return terms, places
}
