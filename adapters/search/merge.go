package search

// share is the part of an older segment's size at which newer ones are merged with it, and the part
// of a segment that may be dead: a tenth.
const share = 10

// merge makes one segment of the last ones, from the first that has become too small or too dead.
// So sizes fall tenfold from segment to segment, and few are ever read.
func merge(parts []part) []part {
	from, newer := len(parts), 0
	for i := len(parts) - 1; i >= 0; i-- {
		p := &parts[i]
		small := newer > 0 && newer*share >= p.live()
		if small || p.buried*share > len(p.documents) {
			from = i
		}
		newer += p.live()
	}
	switch {
	case from == len(parts), from == len(parts)-1 && parts[from].buried == 0:
		return parts
	case live(parts[from:]) == 0:
		return parts[:from]
	}
	return append(parts[:from], part{segment: join(parts[from:])})
}

func live(parts []part) (n int) {
	for i := range parts {
		n += parts[i].live()
	}
	return n
}

// gone is the new number of a dead document.
const gone = ^uint32(0)

// join is one segment of all live documents, in the same order. It reads no text again.
func join(parts []part) *segment {
	joined := &segment{}
	var stock []int64
	numbers := make([][]uint32, len(parts))
	for i := range parts {
		numbers[i], stock = joined.take(&parts[i], stock)
	}
	terms, places := joinTerms(parts)
	joined.words = invert(terms, func(use func(uint32, posting)) {
		for i := range parts {
			words := &parts[i].words
			for term := range words.terms.len() {
				for _, p := range words.of(term) {
					if number := numbers[i][p.document]; number != gone {
						use(places[i][term], posting{number, p.times})
					}
				}
			}
		}
	})
	joined.seal(stock)
	return joined
}

// take appends a part's live documents, and returns their new numbers.
func (s *segment) take(p *part, stock []int64) (numbers []uint32, _ []int64) {
	numbers = make([]uint32, len(p.documents))
	for i, d := range p.documents {
		if p.dead.has(uint32(i)) {
			numbers[i] = gone
			continue
		}
		numbers[i] = uint32(len(s.documents))
		for v := d.variants.from; v < d.variants.to; v++ {
			stock = append(stock, p.stock[v].Load())
		}
		variants, colors := p.variants[d.variants.from:d.variants.to], p.colors[d.colors.from:d.colors.to]
		d.variants = span{uint32(len(s.variants)), uint32(len(s.variants) + len(variants))}
		d.colors = span{uint32(len(s.colors)), uint32(len(s.colors) + len(colors))}
		s.variants, s.colors = append(s.variants, variants...), append(s.colors, colors...)
		s.documents, s.lengths = append(s.documents, d), append(s.lengths, p.lengths[i])
	}
	return numbers, stock
}

// joinTerms unites the parts' dictionaries, and says where each part's terms are in the union.
func joinTerms(parts []part) (terms dictionary, places [][]uint32) {
	places = make([][]uint32, len(parts))
	for i := range parts {
		var moved, own []uint32
		terms, moved, own = union(terms, parts[i].words.terms)
		for _, earlier := range places[:i] {
			for j, place := range earlier {
				earlier[j] = moved[place]
			}
		}
		places[i] = own
	}
	return terms, places
}
