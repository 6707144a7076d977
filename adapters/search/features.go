package search

import (
	"cmp"
	"math"
	"slices"

	"github.com/haggle-commerce/haggle/adapters/search/segment"
	"github.com/haggle-commerce/haggle/adapters/search/vectors"
)

// Weights of a candidate's signals. The weight of the words is one for the best candidate. These are round numbers, because
// learned weights did not hold on unseen queries.
const (
	proximityWeight = .15 // words that follow each other in the query do so in the title
	headWeight      = .1  // the title's head ends with the thing that is searched for
	kindWeight      = .1  // the category's last word is the thing
	accessoryWeight = .25 // subtracted: the product is only for the thing
	coverageWeight  = .2  // share of the query that matches
	latentWeight    = .1  // similarity by the catalogue's own vectors
	feedbackWeight  = .05 // similarity to the best candidates by words
	embeddedWeight  = .6  // similarity by an embedding model
	demandWeight    = .05 // pieces sold
)

// Documents without a word of the query are shown only if their similarity to it is at least this.
const (
	latentNearness   = .75
	embeddedNearness = .3
)

// few is the number of results by words below which similar documents are added.
const few = 20

// feedback is how many of the best candidates by words are used for relevance feedback.
const feedback = 5

// ranking ranks the candidates of one search.
type ranking struct {
	*snapshot
	*scratch
	question question
	pass     *filter
	prefer   []bool
	walk     walk
	spaces   []space
	highest  float32 // the best score of the walk
	surety   float32 // how relevant the best one is, in (0, 1)
}

// space is one kind of vectors, with the query's vector.
type space struct {
	query    vectors.Query
	feedback vectors.Query
	of       func(*part) *vectors.Set
	weight   float32
	nearness float32
	fed      bool
}

// spacesOf sets the kinds of vectors that have a vector for the query. first are the best candidates by words.
func (r *ranking) spacesOf(meaning []float32, first []ranked) {
	if meaning != nil {
		r.spaces = append(r.spaces, space{
			query:    vectors.Quantize(meaning),
			weight:   embeddedWeight,
			nearness: embeddedNearness,
			of:       func(p *part) *vectors.Set { return p.embedded },
		})
	}
	if r.latent != nil {
		vector, ok := r.latent.query(r.question, r.vector)
		r.vector = vector
		if ok {
			r.spaces = append(r.spaces, space{
				query:    vectors.Quantize(vector),
				weight:   latentWeight,
				nearness: latentNearness,
				of:       func(p *part) *vectors.Set { return p.latent },
			})
		}
	}
	for i := range r.spaces {
		r.feed(&r.spaces[i], first[:min(len(first), feedback)])
	}
}

// feed adds up the vectors of the best candidates by words.
func (r *ranking) feed(sp *space, best []ranked) {
	var sum, one []float32
	for _, c := range best {
		set := sp.of(&r.parts[c.part])
		if set == nil || !set.Has(c.number) {
			continue
		}
		one = grown(one, set.Dims())
		if sum == nil {
			sum = make([]float32, set.Dims())
		}
		set.Vector(c.number, one)
		for i, x := range one {
			sum[i] += x
		}
	}
	if sum != nil {
		sp.feedback, sp.fed = vectors.Quantize(sum), true
	}
}

// addNear adds documents without any of the words but with a similar meaning to the found and counted ones, and returns them.
// It uses the catalogue's own vectors, which are less reliable than words, only if few documents have the words.
func (r *ranking) addNear() []ranked {
	if len(r.spaces) == 0 || r.spaces[0].weight < embeddedWeight && len(r.found) >= few {
		return nil
	}
	sp := &r.spaces[0]
	r.mark()
	near := r.nearest(sp, func(v verdict) bool { return v&passed != 0 })
	least := sp.nearness
	if sp.weight == embeddedWeight {
		least = max(least, r.unusual(sp))
	}
	near = near[:min(len(near), vectorCandidates)]
	if sp.weight == embeddedWeight && r.pass.faceted() {
		r.countNear(sp, least)
	}
	for i, n := range near {
		if n.near < least {
			return near[:i]
		}
		r.found = append(r.found, candidate{part: n.part, document: n.number})
		r.counts.add(r.snapshot, &r.parts[n.part], n.number, wholly, r.pass)
	}
	return near
}

// countNear counts, in the facets, similar documents that fail only the condition that a facet ignores.
func (r *ranking) countNear(sp *space, least float32) {
	for _, n := range r.nearest(sp, func(v verdict) bool { return v != 0 && v&passed == 0 }) {
		if n.near < least {
			break
		}
		r.counts.add(r.snapshot, &r.parts[n.part], n.number, r.pass.judge(&r.parts[n.part], n.number), r.pass)
	}
}

// nearest returns the documents of all parts that pass and were not found yet, the most similar first.
func (r *ranking) nearest(sp *space, passes func(verdict) bool) (near []ranked) {
	for i := range r.parts {
		p := &r.parts[i]
		set := sp.of(p)
		if set == nil {
			continue
		}
		marked := r.marked[i]
		r.near = set.Nearest(&sp.query, vectorCandidates, func(document uint32) bool {
			return !marked.has(document) && passes(r.pass.judge(p, document))
		}, r.near[:0])
		for _, n := range r.near {
			near = append(near, ranked{
				near:    n.Cosine,
				part:    int32(i),
				number:  n.Document,
				segment: p.Segment,
			})
		}
	}
	slices.SortFunc(near, func(a, b ranked) int {
		return cmp.Or(cmp.Compare(b.near, a.near), segment.Better(a.segment, a.number, b.segment, b.number))
	})
	return near
}

// Models differ in the similarity of unrelated texts, so it is measured on a sample.
const (
	sampled  = 256 // documents in the sample
	unlikely = 3   // deviations from the mean
)

// unusual returns the similarity from which on a document stands out among all; 0 if there are too few documents.
func (r *ranking) unusual(sp *space) float32 {
	var n, sum, squares float64
	every := max(1, r.size/sampled)
	for i := range r.parts {
		p := &r.parts[i]
		set := sp.of(p)
		for number := 0; set != nil && number < len(p.Documents); number += every {
			if set.Has(uint32(number)) {
				x := float64(set.Cosine(uint32(number), &sp.query))
				n, sum, squares = n+1, sum+x, squares+x*x
			}
		}
	}
	if n < leastDocuments {
		return 0
	}
	mean := sum / n
	return float32(mean + unlikely*math.Sqrt(max(0, squares/n-mean*mean)))
}

// mark records which documents have been found.
func (r *ranking) mark() {
	r.marked = grown(r.marked, len(r.parts))
	for i := range r.parts {
		r.marked[i] = grown(r.marked[i], (len(r.parts[i].Documents)+63)/64)
		clear(r.marked[i])
	}
	for _, c := range r.found {
		r.marked[c.part].set(c.document)
	}
}

// final returns a candidate's score by all signals.
func (r *ranking) final(c ranked) float32 {
	score := coverageWeight * c.coverage
	if c.score >= namedByWords {
		c.score -= namedByWords
		if score += namedFinally; r.exactly(c) {
			score += namedExactly
		}
	}
	if r.scratch.top > 0 {
		score += c.score / r.scratch.top
	}
	score += r.titleSigns(c)
	p := &r.parts[c.part]
	for i := range r.spaces {
		sp := &r.spaces[i]
		set := sp.of(p)
		if set == nil || !set.Has(c.number) {
			continue
		}
		score += sp.weight * max(0, set.Cosine(c.number, &sp.query))
		if sp.fed {
			score += feedbackWeight * max(0, set.Cosine(c.number, &sp.feedback))
		}
		break // the first space that has the document's vector
	}
	return max(score+demandWeight*r.soldOf(p.Product(c.number).ID).demand, .001)
}

// likeness returns a candidate's similarity to the query, in the best space that has its vector.
func (r *ranking) likeness(c ranked) float32 {
	for i := range r.spaces {
		sp := &r.spaces[i]
		if set := sp.of(&r.parts[c.part]); set != nil && set.Has(c.number) && sp.weight == embeddedWeight {
			return max(0, set.Cosine(c.number, &sp.query))
		}
	}
	return 0
}

// preferred raises the scores of documents in a colour that the buyer prefers.
func (r *ranking) preferred(found []candidate) {
	if !slices.Contains(r.prefer, true) {
		return
	}
	for i := range found {
		p := &r.parts[found[i].part]
		if p.AnyColor(found[i].document, r.prefer) {
			found[i].score *= liked
		}
	}
}

// titleSigns returns the score of the order of words in the title.
func (r *ranking) titleSigns(c ranked) (sum float32) {
	p, q := &r.parts[c.part], &r.question
	d := &p.Documents[c.number]
	title := p.Titles[d.Title.From:d.Title.To]
	if len(title) == 0 {
		return 0
	}
	var places [maxWords]uint64 // by group: its positions in the title
	for i := range q.groups {
		places[i] = q.groups[i].places(int(c.part), title)
	}
	if len(q.groups) > 1 {
		follow := 0
		for i := 1; i < len(q.groups); i++ {
			if places[i-1]<<1&places[i] != 0 {
				follow++
			}
		}
		sum += proximityWeight * float32(follow) / float32(len(q.groups)-1)
	}
	if q.head < 0 {
		return sum
	}
	thing := places[q.head]
	named := d.Head > 0 && thing&(1<<(d.Head-1)) != 0
	if named {
		sum += headWeight
	}
	if q.groups[q.head].names(r.kinds[d.Category]) {
		sum += kindWeight
	}
	if d.Purpose != segment.NoPurpose && thing>>d.Purpose != 0 && (!named || d.Head > d.Purpose) {
		sum -= accessoryWeight
	}
	return sum
}

// names reports whether a group is the name of a kind of product.
func (g *group) names(kind string) bool {
	if kind == "" {
		return false
	}
	if g.term == kind {
		return true
	}
	return slices.ContainsFunc(g.alternates, func(a alternate) bool {
		return len(a.words) == 1 && a.weight >= bareNumber && a.term == kind
	})
}

// places returns the positions of a group in a title.
func (g *group) places(part int, title []uint32) (set uint64) {
	for n := range g.alternates {
		a := &g.alternates[n]
		if len(a.words) > 1 || a.weight < bareNumber || a.words[0].numbers[part] < 0 {
			continue
		}
		term := uint32(a.words[0].numbers[part])
		for i, t := range title {
			if t == term {
				set |= 1 << i
			}
		}
	}
	return set
}

// surety returns how relevant a document is, in (0, 1): a logistic curve fitted to human judgements of the products that were
// found first.
func surety(words, coverage, likeness float32) float32 {
	x := -3 + 2.5*float64(words) + 3.2*float64(coverage) + 3*float64(likeness)
	return float32(1 / (1 + math.Exp(-x)))
}

// calibrated maps a score monotonically to 1…999 thousandths, so that the best score maps to its surety.
func (r *ranking) calibrated(score float32) int {
	if !r.question.asked {
		return thousandths(score)
	}
	if r.highest <= 0 {
		return thousandths(r.surety)
	}
	return thousandths(r.surety * min(1, score/r.highest))
}

func thousandths(score float32) int { return min(999, 1+int(max(0, score)*998)) }
