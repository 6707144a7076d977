package search

import (
	"cmp"
	"slices"

	"github.com/haggle-commerce/haggle/adapters/search/words"
	"github.com/haggle-commerce/haggle/domain/catalog"
)

// mostNearest is how many words are suggested instead of those that no product has.
const mostNearest = 3

// nothing explains why a search found nothing.
func (r *ranking) nothing(q catalog.Query) *catalog.NoResults {
	criteria := q.Filter.Criteria()
	none := catalog.NoResults{}
	if len(criteria) > 0 {
		r.removed(criteria, &none)
	}
	if none.Matched == 0 {
		none.RemovedBy, none.Nearest = nil, r.nearestWords()
	}
	return &none
}

// removed counts the matches that each condition of the filter removes.
func (r *ranking) removed(criteria []catalog.Criterion, none *catalog.NoResults) {
	alone, without := make([]filter, len(criteria)), make([]filter, len(criteria))
	for i, c := range criteria {
		alone[i], without[i] = r.compile(c.Alone), r.compile(c.Without)
		none.RemovedBy = append(none.RemovedBy, catalog.Removal{Filter: c.Name})
	}
	everything := r.compile(catalog.Filter{})
	r.gather(r.snapshot, r.question, &everything)
	none.Matched = len(r.found)
	for _, c := range r.found {
		p, failed, by := &r.parts[c.part], 0, 0
		for i := range alone {
			if !alone[i].passes(p, c.document) {
				none.RemovedBy[i].Removed++
				failed, by = failed+1, i
			}
		}
		switch failed {
		case 0: // no variant passes all of it
			for i := range without {
				if without[i].passes(p, c.document) {
					none.RemovedBy[i].Without++
				}
			}
		case 1:
			if without[by].passes(p, c.document) {
				none.RemovedBy[by].Without++
			}
		}
	}
	slices.SortStableFunc(none.RemovedBy, func(a, b catalog.Removal) int {
		return cmp.Or(cmp.Compare(b.Removed, a.Removed), cmp.Compare(b.Without, a.Without))
	})
}

// nearestWords returns words of the catalogue that are spelled like the query's, if it knows none of those.
func (r *ranking) nearestWords() (nearest []string) {
	for i := range r.question.groups {
		g := &r.question.groups[i]
		if len(g.alternates) > 0 {
			continue
		}
		for p := range r.parts {
			spoken := &r.parts[p].Spoken
			for _, near := range r.parts[p].Lexicon.Near(words.Fold(g.text), mostNearest) {
				word := spoken.Words.At(near.Word)
				if !slices.Contains(nearest, word) && r.lookup(words.Term(word)).count > 0 {
					nearest = append(nearest, word)
				}
			}
			if len(nearest) >= mostNearest {
				return nearest[:mostNearest]
			}
		}
	}
	return nearest
}
