package search

import (
	"context"
	"math"
	"slices"

	"github.com/haggle-commerce/haggle/adapters/search/lsa"
	"github.com/haggle-commerce/haggle/adapters/search/segment"
	"github.com/haggle-commerce/haggle/adapters/search/vectors"
	"github.com/haggle-commerce/haggle/adapters/search/words"
)

// Limits of training. The model is trained on a sample; vectors of other documents are folded in.
const (
	latentDims     = 128
	trainedOn      = 20_000 // documents
	trainedTerms   = 20_000
	leastDocuments = 50
	latentSeed     = 1
)

// latent is a latent semantic model of the words of a catalogue, learned from their co-occurrence.
type latent struct {
	model  *lsa.Model
	terms  segment.Dictionary
	rarity []float32 // by term
	weigh  weighing  // of words in documents, as used in training
}

// train trains a model on a snapshot. It returns nil if there is too little data.
func (s *snapshot) train(ctx context.Context) (*latent, error) {
	l := &latent{weigh: s.weigh}
	matrix := l.matrix(s)
	if matrix.Documents < leastDocuments {
		return nil, nil
	}
	var err error
	if l.model, err = lsa.Train(ctx, matrix, latentDims, latentSeed); err != nil || l.model == nil {
		return nil, err
	}
	return l, nil
}

// matrix returns the weights of terms in a sample of documents.
func (l *latent) matrix(s *snapshot) (m lsa.Matrix) {
	terms, places := joinTerms(s.parts, func(p *part) segment.Dictionary { return p.Words.Terms })
	columns, documents := s.sample()
	lists := s.sampled(columns, places, terms.Len())
	least := leastFrequent(lists, documents)
	kept := make([]string, 0, trainedTerms)
	norms := make([]float64, documents)
	m.Documents = documents
	for term, list := range lists {
		if len(list) < least || len(list)*2 > documents || segment.IsCode(terms.At(term)) {
			continue
		}
		rarity := float32(math.Log(float64(documents) / float64(len(list))))
		kept, l.rarity = append(kept, terms.At(term)), append(l.rarity, rarity)
		for _, e := range list {
			weight := e.weight * rarity
			norms[e.document] += float64(weight) * float64(weight)
			m.Document, m.Weight = append(m.Document, e.document), append(m.Weight, weight)
		}
		m.Ends = append(m.Ends, uint32(len(m.Document)))
	}
	for i, document := range m.Document {
		m.Weight[i] /= float32(math.Sqrt(norms[document]))
	}
	l.terms = segment.DictionaryOf(kept)
	return m
}

// sample numbers the documents of the sample, by part; others get -1.
func (s *snapshot) sample() (columns [][]int32, documents int) {
	columns = make([][]int32, len(s.parts))
	every, seen := max(1, (live(s.parts)+trainedOn-1)/trainedOn), 0
	for i := range s.parts {
		columns[i] = slices.Repeat([]int32{-1}, len(s.parts[i].Documents))
		for document := range columns[i] {
			if s.parts[i].dead.has(uint32(document)) {
				continue
			}
			if seen%every == 0 {
				columns[i][document] = int32(documents)
				documents++
			}
			seen++
		}
	}
	return columns, documents
}

// weighed is the weight of a term in a document of the sample.
type weighed struct {
	document uint32
	weight   float32
}

func (s *snapshot) sampled(columns [][]int32, places [][]uint32, terms int) [][]weighed {
	lists := make([][]weighed, terms)
	for i := range s.parts {
		p := &s.parts[i]
		for term := range p.Words.Terms.Len() {
			at := places[i][term]
			for _, posting := range p.Words.Of(term) {
				if column := columns[i][posting.Document]; column >= 0 {
					weight := s.weigh.of(posting.Times, &p.Lengths[posting.Document])
					lists[at] = append(lists[at], weighed{uint32(column), weight})
				}
			}
		}
	}
	return lists
}

// leastFrequent returns the minimum number of documents a term must be in, so that at most trainedTerms are used.
func leastFrequent(lists [][]weighed, documents int) int {
	counts := make([]int, documents+2)
	for _, list := range lists {
		counts[min(len(list), documents+1)]++
	}
	least, kept := documents+1, 0
	for least > 2 && kept+counts[least] <= trainedTerms {
		kept += counts[least]
		least--
	}
	return least + 1
}

// fold computes the vectors of all documents of a segment.
func (l *latent) fold(s *segment.Segment) *vectors.Set {
	if l == nil {
		return nil
	}
	dims, n := l.model.Dims(), len(s.Documents)
	sums := make([]float32, n*dims)
	l.each(s.Words.Terms, func(own int, term uint32) {
		for _, p := range s.Words.Of(own) {
			weight := l.rarity[term] * l.weigh.of(p.Times, &s.Lengths[p.Document])
			l.model.Add(sums[int(p.Document)*dims:(int(p.Document)+1)*dims], term, weight)
		}
	})
	set := vectors.New(dims, n)
	for i := range n {
		set.Put(uint32(i), sums[i*dims:(i+1)*dims])
	}
	return set
}

// each iterates over the terms that a dictionary and the model have in common.
func (l *latent) each(terms segment.Dictionary, use func(own int, term uint32)) {
	for i, j := 0, 0; i < terms.Len() && j < l.terms.Len(); {
		switch a, b := terms.At(i), l.terms.At(j); {
		case a < b:
			i++
		case b < a:
			j++
		default:
			use(i, uint32(j))
			i++
			j++
		}
	}
}

// query returns the vector of a question; ok is false if the model knows none of its words.
func (l *latent) query(q question, to []float32) (vector []float32, ok bool) {
	vector = grown(to, l.model.Dims())
	clear(vector)
	for i := range q.groups {
		g := &q.groups[i]
		if len(g.alternates) == 0 {
			continue
		}
		for _, text := range []string{g.term, words.Term(g.alternates[0].text)} {
			if at := l.terms.Find(text); at >= 0 {
				l.model.Add(vector, uint32(at), l.rarity[at])
				ok = true
				break
			}
		}
	}
	return vector, ok
}
