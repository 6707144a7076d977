package catalogs_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/patch"
	"github.com/haggle-commerce/haggle/ports"
)

// fakeSynonyms stores one synonym and records replacements.
type fakeSynonyms struct {
	ports.Synonyms
	kept     catalog.Synonym
	replaced []*catalog.Synonym
	down     error
}

func (t *fakeSynonyms) Create(_ context.Context, s *catalog.Synonym) error {
	t.kept = *s
	return t.down
}

func (t *fakeSynonyms) Update(_ context.Context, _ id.Project, _ id.Synonym, change func(*catalog.Synonym) error) (*catalog.Synonym, error) {
	var next catalog.Synonym
	for range 2 { // it may run more than once
		next = t.kept
		if err := change(&next); err != nil {
			return nil, err
		}
	}
	return &next, t.down
}

func (t *fakeSynonyms) Delete(context.Context, id.Project, id.Synonym) error { return t.down }

func (t *fakeSynonyms) Replace(_ context.Context, _ id.Project, all []*catalog.Synonym) error {
	t.replaced = all
	return t.down
}

func words(of ...string) catalog.SynonymDraft { return catalog.SynonymDraft{Words: patch.To(of)} }

// Every write of synonyms updates the index, unless it fails.
func TestAfterWrite_synonym(t *testing.T) {
	t.Parallel()
	s, kept := newFixture(), &fakeSynonyms{}
	s.Synonyms = kept
	for i, write := range []func() error{
		func() error {
			d := words("mobile")
			d.Input = patch.To("phone")
			made, err := s.CreateSynonym(t.Context(), s.project, d)
			if err == nil && (made.ID.IsZero() || made.Input != "phone") {
				t.Errorf("made %+v", made)
			}
			return err
		},
		func() error {
			before, after, err := s.UpdateSynonym(t.Context(), s.project, id.Synonym{}, catalog.SynonymDraft{Input: patch.To("handset")})
			if err == nil && (before.Input != "phone" || after.Input != "handset" || !slices.Equal(after.Words, []string{"mobile"})) {
				t.Errorf("from %+v to %+v", before, after)
			}
			return err
		},
		func() error { return s.DeleteSynonym(t.Context(), s.project, kept.kept.ID) },
		func() error {
			_, err := s.ReplaceSynonyms(t.Context(), s.project, []catalog.SynonymDraft{words("a", "b")})
			return err
		},
	} {
		kept.down = nil
		if err := write(); err != nil || len(s.index.applied) != i+1 {
			t.Errorf("write %d: %v, the index was updated %d times", i, err, len(s.index.applied))
		}
		kept.down = errors.New("the database is away")
		if err := write(); !errors.Is(err, kept.down) || len(s.index.applied) != i+1 {
			t.Errorf("failing write %d: %v, the index was updated %d times", i, err, len(s.index.applied))
		}
	}
}

func TestCreateSynonym_invalid(t *testing.T) {
	t.Parallel()
	s, kept := newFixture(), &fakeSynonyms{kept: catalog.Synonym{Input: "phone", Words: []string{"mobile"}}}
	s.Synonyms = kept
	_, err := s.CreateSynonym(t.Context(), s.project, words("a"))
	wantFields(t, err, "words")
	_, _, err = s.UpdateSynonym(t.Context(), s.project, id.Synonym{}, words("Phone"))
	wantFields(t, err, "words.0")
	_, err = s.ReplaceSynonyms(t.Context(), s.project, []catalog.SynonymDraft{words("a", "b"), words("a", "A")})
	wantFields(t, err, "synonyms.1.words.1")
	if kept.replaced != nil || kept.kept.Input != "phone" || len(s.index.applied) != 0 {
		t.Errorf("%+v was written, and the index updated %d times", kept, len(s.index.applied))
	}
}

// reversed is an entropy source whose ids get smaller.
type reversed struct{ system }

func (r *reversed) Bits128() [16]byte { r.n--; return [16]byte{r.n} }

func (r *reversed) IDBits() [16]byte { return r.Bits128() }

func TestReplaceSynonyms_order(t *testing.T) {
	t.Parallel()
	s, kept := newFixture(), &fakeSynonyms{}
	s.Synonyms, s.Entropy = kept, &reversed{system{n: 200}}
	given := []catalog.SynonymDraft{words("first", "a"), words("second", "a"), words("third", "a")}
	all, err := s.ReplaceSynonyms(t.Context(), s.project, given)
	if err != nil || len(all) != 3 {
		t.Fatal(all, err)
	}
	for i, want := range []string{"first", "second", "third"} {
		if all[i].Words[0] != want || i > 0 && all[i].ID.String() <= all[i-1].ID.String() {
			t.Errorf("%d is %+v", i, all[i])
		}
	}
}
