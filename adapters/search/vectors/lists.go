package vectors

import (
	"context"
	"maps"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/haggle-commerce/haggle/adapters/search/parallel"
)

// Chosen on 19,000 real products and on 55,000 generated vectors in clusters: 99 % of the hundred nearest are found.
const (
	few      = 5_000 // vectors; scanning up to so many is fast enough without lists
	sample   = 32    // documents sampled for each list
	rounds   = 5     // of k-means
	reach    = 20    // minimum number of documents read per result
	fraction = 20    // at least one in so many documents of the set is read
)

// lists divides a set's documents by their most similar centre.
type lists struct {
	centers   *Set
	sealed    int      // number of vectors that the centres were computed from
	ends      []uint32 // by centre, in documents
	documents []uint32
}

func (l *lists) of(center uint32) []uint32 {
	from := uint32(0)
	if center > 0 {
		from = l.ends[center-1]
	}
	return l.documents[from:l.ends[center]]
}

// Seal makes Nearest faster for a set of more than 5,000 vectors: it divides them into √n lists by spherical k-means on a sample.
// The same set and seed give the same lists. Its error is ctx's; then the set is unchanged.
func (s *Set) Seal(ctx context.Context, seed uint64) error {
	if s.present <= few {
		return ctx.Err()
	}
	all := make([]uint32, 0, s.present)
	for i := range s.steps {
		if s.steps[i] != 0 {
			all = append(all, uint32(i))
		}
	}
	count := int(math.Sqrt(float64(s.present)))
	centers, err := s.centers(ctx, s.draw(all, count*sample, seed), count)
	if err != nil {
		return err
	}
	nearest, err := s.assign(ctx, all, centers)
	if err != nil {
		return err
	}
	l := &lists{centers: centers, sealed: len(all)}
	l.fill(all, nearest)
	s.lists = l
	return nil
}

// Extend returns a copy of a set with further vectors, which are added to the set's lists. Once a tenth of the vectors is new,
// Stale returns true, and the caller should call Seal to rebuild the lists.
func (s *Set) Extend(further map[uint32][]float32) *Set {
	next := &Set{
		dims:    s.dims,
		stride:  s.stride,
		words:   slices.Clone(s.words),
		steps:   slices.Clone(s.steps),
		present: s.present,
	}
	for i, v := range further {
		next.Put(i, v)
	}
	if s.lists == nil {
		return next
	}
	all := make([]uint32, 0, next.present)
	nearest := make([]uint32, 0, next.present)
	for center := range uint32(s.lists.centers.Len()) {
		for _, i := range s.lists.of(center) {
			if _, again := further[i]; !again {
				all, nearest = append(all, i), append(nearest, center)
			}
		}
	}
	for _, i := range slices.Sorted(maps.Keys(further)) {
		if q := next.query(i); q.step != 0 {
			all, nearest = append(all, i), append(nearest, s.lists.centers.Nearest(&q, 1, nil, nil)[0].Document)
		}
	}
	next.lists = &lists{centers: s.lists.centers, sealed: s.lists.sealed}
	next.lists.fill(all, nearest)
	return next
}

// query returns a document's vector as a query.
func (s *Set) query(i uint32) Query {
	v := make([]float32, s.dims)
	s.Vector(i, v)
	return Quantize(v)
}

// Stale reports whether Seal would make a set faster, because it has no lists, or a tenth of its vectors was added later.
func (s *Set) Stale() bool {
	if s.present <= few {
		return false
	}
	return s.lists == nil || s.present-s.lists.sealed > s.present/10
}

// draw returns n random documents, or all of them, in random order.
func (s *Set) draw(all []uint32, n int, seed uint64) []uint32 {
	random := rand.New(rand.NewPCG(seed, 0))
	drawn := make([]uint32, 0, min(n, len(all)))
	for _, place := range random.Perm(len(all))[:cap(drawn)] {
		drawn = append(drawn, all[place])
	}
	return drawn
}

// centers computes the centres by k-means, starting with documents.
func (s *Set) centers(ctx context.Context, drawn []uint32, count int) (*Set, error) {
	centers := New(s.dims, count)
	for c, i := range drawn[:count] {
		centers.Copy(uint32(c), s, i)
	}
	vector := make([]float32, s.dims)
	for range rounds {
		nearest, err := s.assign(ctx, drawn, centers)
		if err != nil {
			return nil, err
		}
		sums := make([]float32, count*s.dims)
		for place, i := range drawn {
			s.Vector(i, vector)
			sum := sums[int(nearest[place])*s.dims:][:s.dims]
			for j, v := range vector {
				sum[j] += v
			}
		}
		centers = s.means(sums, centers)
	}
	return centers, nil
}

// means returns the new centres. A centre without documents keeps its position.
func (s *Set) means(sums []float32, old *Set) *Set {
	centers := New(s.dims, old.Len())
	for c := range uint32(old.Len()) {
		centers.Put(c, sums[int(c)*s.dims:][:s.dims])
		if !centers.Has(c) {
			centers.Copy(c, old, c)
		}
	}
	return centers
}

// assign finds the nearest centre of each document, using all processors.
func (s *Set) assign(ctx context.Context, documents []uint32, centers *Set) ([]uint32, error) {
	nearest := make([]uint32, len(documents))
	err := parallel.Each(ctx, len(documents), 256, func(from, to int) {
		vector := make([]float32, s.dims)
		q := Quantize(vector)
		for place := from; place < to; place++ {
			s.Vector(documents[place], vector)
			q.set(vector)
			nearest[place] = centers.closest(&q)
		}
	})
	return nearest, err
}

func (s *Set) closest(q *Query) (closest uint32) {
	most := float32(-2)
	for i := range uint32(len(s.steps)) {
		if cosine := s.cosine(i, q); cosine > most {
			closest, most = i, cosine
		}
	}
	return closest
}

// fill sorts documents by centre, each list in order of document.
func (l *lists) fill(documents, nearest []uint32) {
	next := make([]uint32, l.centers.Len()+1)
	for _, c := range nearest {
		next[c+1]++
	}
	for c := 1; c < len(next); c++ {
		next[c] += next[c-1]
	}
	l.documents = make([]uint32, len(documents))
	for place, c := range nearest {
		l.documents[next[c]] = documents[place]
		next[c]++
	}
	l.ends = next[:l.centers.Len()] // each list's start has moved to its end
}
