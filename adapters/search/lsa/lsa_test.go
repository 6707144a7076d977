package lsa_test

import (
	"context"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/haggle-commerce/haggle/adapters/search/lsa"
)

// corpus is documents with weights by term.
type corpus []map[int]float32

func (c corpus) matrix(terms int) lsa.Matrix {
	m := lsa.Matrix{Documents: len(c), Ends: make([]uint32, terms)}
	for t := range terms {
		for d, weights := range c {
			if weight, has := weights[t]; has {
				m.Document, m.Weight = append(m.Document, uint32(d)), append(m.Weight, weight)
			}
		}
		m.Ends[t] = uint32(len(m.Document))
	}
	return m
}

func train(t *testing.T, m lsa.Matrix, dims int) *lsa.Model {
	t.Helper()
	model, err := lsa.Train(t.Context(), m, dims, 1)
	if err != nil {
		t.Fatal(err)
	}
	return model
}

func fold(m *lsa.Model, weights map[int]float32) []float32 {
	v := make([]float32, m.Dims())
	for term, weight := range weights {
		m.Add(v, uint32(term), weight)
	}
	return v
}

func product(a, b []float32) (sum float64) {
	for i, x := range a {
		sum += float64(x) * float64(b[i])
	}
	return sum
}

func cosine(a, b []float32) float64 {
	return product(a, b) / math.Sqrt(product(a, a)*product(b, b))
}

// A shop with eight topics of twelve words each, and forty words that occur in all topics. Half of the first topic's documents
// contain sofa or couch, never both.
const (
	topics, words, common = 8, 12, 40
	sofa, couch           = topics*words + common, topics*words + common + 1
	unused                = couch + 1
	terms                 = unused + 1
)

func document(random *rand.Rand, topic int) map[int]float32 {
	weights := map[int]float32{}
	for range 5 {
		weights[topic*words+random.IntN(words)] = 1
		weights[topics*words+random.IntN(common)] = .5
	}
	if topic == 0 && random.IntN(2) == 0 {
		weights[sofa+random.IntN(2)] = 1
	}
	return weights
}

func shop(documents int) corpus {
	random := rand.New(rand.NewPCG(1, 1))
	made := make(corpus, documents)
	for d := range made {
		made[d] = document(random, d%topics)
	}
	return made
}

func TestTrain_topics(t *testing.T) {
	model := train(t, shop(8000).matrix(terms), topics)
	random := rand.New(rand.NewPCG(2, 2))
	made := make([][]float32, 160) // documents that the model was not trained on
	for d := range made {
		made[d] = fold(model, document(random, d%topics))
	}
	for d := range made {
		least, most := 1., -1.
		for other := range made {
			switch alike := cosine(made[d], made[other]); {
			case other == d:
			case other%topics == d%topics:
				least = min(least, alike)
			default:
				most = max(most, alike)
			}
		}
		if least <= most {
			t.Errorf("document %d: %.2f like one of its topic, %.2f like one of another", d, least, most)
		}
	}
}

func TestTrain_synonyms(t *testing.T) {
	model := train(t, shop(8000).matrix(terms), topics)
	word := func(term int) []float32 { return fold(model, map[int]float32{term: 1}) }
	if alike := cosine(word(sofa), word(couch)); alike < .9 {
		t.Errorf("sofa is %.2f like couch", alike)
	}
	for term := words; term < topics*words; term++ {
		if alike := cosine(word(sofa), word(term)); alike > .3 {
			t.Errorf("sofa is %.2f like word %d, which is of another topic", alike, term)
		}
	}
}

// mixture returns documents composed of directions, each a little weaker than the one before.
func mixture(documents, terms, directions int) (made corpus, rows *mat.Dense) {
	random := rand.New(rand.NewPCG(3, 3))
	normal := func(rows, cols int) *mat.Dense {
		data := make([]float64, rows*cols)
		for i := range data {
			data[i] = random.NormFloat64()
		}
		return mat.NewDense(rows, cols, data)
	}
	parts := normal(documents, directions)
	parts.Apply(func(_, j int, v float64) float64 { return v / float64(j+1) }, parts)
	rows = mat.NewDense(documents, terms, nil)
	rows.Mul(parts, normal(directions, terms))
	made = make(corpus, documents)
	for d := range made {
		made[d] = map[int]float32{}
		for term := range terms {
			made[d][term] = float32(rows.At(d, term))
		}
	}
	return made, rows
}

// With as many dimensions as the matrix has, documents are as similar as their rows.
func TestTrain_allDimensions(t *testing.T) {
	const terms, directions = 90, 6
	documents, rows := mixture(120, terms, directions)
	model := train(t, documents.matrix(terms), 20)
	if model.Dims() != directions {
		t.Errorf("got %d dimensions, want %d", model.Dims(), directions)
	}
	for d := range documents[1:] {
		a, b := rows.RowView(d), rows.RowView(d+1)
		want := mat.Dot(a, b) / mat.Norm(a, 2) / mat.Norm(b, 2)
		if got := cosine(fold(model, documents[d]), fold(model, documents[d+1])); math.Abs(got-want) > .01 {
			t.Errorf("document %d is %.3f like the next, want %.3f", d, got, want)
		}
	}
}

// A model preserves as much of the matrix as its number of dimensions allows, except for rounding.
func TestTrain_strongestDirections(t *testing.T) {
	const terms, dims = 200, 20
	documents, rows := mixture(300, terms, 60)
	var svd mat.SVD
	if !svd.Factorize(rows, mat.SVDNone) {
		t.Fatal("no singular values")
	}
	best, kept := 0., 0.
	for _, strength := range svd.Values(nil)[:dims] {
		best += strength * strength
	}
	model := train(t, documents.matrix(terms), dims)
	for _, weights := range documents {
		v := fold(model, weights)
		kept += product(v, v)
	}
	if model.Dims() != dims || kept < .998*best || kept > 1.001*best {
		t.Errorf("%d dimensions keep %.2f of at best %.2f", model.Dims(), kept, best)
	}
}

func TestTrain_deterministic(t *testing.T) {
	const terms = 3000
	m := catalogue(5000, terms, 30)
	vectors := func(processors int) (all []float32) {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(processors))
		model := train(t, m, 32)
		for term := range terms {
			all = append(all, fold(model, map[int]float32{term: 1})...)
		}
		return all
	}
	one := vectors(1)
	for range 3 {
		if !slices.Equal(one, vectors(4)) {
			t.Fatal("the vectors differ")
		}
	}
}

func TestTrain_littleData(t *testing.T) {
	random := rand.New(rand.NewPCG(4, 4))
	alike, weightless := make(corpus, 80), make(corpus, 80)
	for d := range alike {
		alike[d] = map[int]float32{1: 1, 2: 2}
		weightless[d] = map[int]float32{random.IntN(9): 0}
	}
	for name, c := range map[string]struct {
		matrix     lsa.Matrix
		dims, want int // 0 if there is no model
	}{
		"no documents":              {corpus{}.matrix(0), 128, 0},
		"no terms":                  {make(corpus, 80).matrix(0), 128, 0},
		"no entries":                {make(corpus, 80).matrix(9), 128, 0},
		"no weights":                {weightless.matrix(9), 128, 0},
		"no dimensions":             {shop(80).matrix(terms), 0, 0},
		"one document too few":      {shop(49).matrix(terms), 128, 0},
		"as few as can be":          {shop(50).matrix(terms), 128, 12},
		"few documents":             {shop(200).matrix(terms), 128, 50},
		"fewer terms":               {alike.matrix(5), 128, 1},
		"documents that are alike":  {alike.matrix(terms), 128, 1},
		"as many as are asked for":  {shop(600).matrix(terms), 128, 128},
		"more terms than documents": {shop(60).matrix(5000), 128, 15},
	} {
		t.Run(name, func(t *testing.T) {
			model := train(t, c.matrix, c.dims)
			if got := model; (got == nil) != (c.want == 0) || got != nil && got.Dims() != c.want {
				t.Fatalf("got %v, want %d dimensions", got, c.want)
			}
			for term := range c.matrix.Ends {
				if model == nil {
					break
				}
				if v := fold(model, map[int]float32{term: 1}); slices.ContainsFunc(v, func(x float32) bool { return x != x }) {
					t.Errorf("term %d is not a number", term)
				}
			}
		})
	}
}

func TestModel_Add_unknownTerm(t *testing.T) {
	model := train(t, shop(200).matrix(terms), 16)
	for name, term := range map[string]uint32{"in no document": unused, "too new": terms, "far too new": math.MaxUint32} {
		v := slices.Repeat([]float32{3}, model.Dims())
		model.Add(v, term, 1)
		if !slices.Equal(v, slices.Repeat([]float32{3}, model.Dims())) {
			t.Errorf("a term that is %s adds something", name)
		}
	}
}

func TestTrain_notANumber(t *testing.T) {
	for _, weight := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		m := shop(200).matrix(terms)
		m.Weight[100] = float32(weight)
		if model, err := lsa.Train(t.Context(), m, 16, 1); err == nil || model != nil {
			t.Errorf("%v made a model", weight)
		}
	}
}

// countdown is a context that ends after so many calls of Err.
type countdown struct {
	context.Context
	left *int
}

func (c countdown) Err() error {
	if *c.left--; *c.left < 0 {
		return context.Canceled
	}
	return nil
}

func TestTrain_canceled(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1)) // countdown is not safe for concurrent use
	m := shop(200).matrix(terms)
	for asked := 0; ; asked++ {
		left := asked
		model, err := lsa.Train(countdown{t.Context(), &left}, m, 16, 1)
		if err == nil && model != nil {
			if asked < 20 {
				t.Errorf("it asked %d times only", asked)
			}
			return
		}
		if err != context.Canceled || model != nil {
			t.Fatalf("asked %d times: got %v and %v", asked, model, err)
		}
	}
}
