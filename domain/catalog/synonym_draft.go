package catalog

import (
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/patch"
)

const (
	// MaxSynonyms is the largest number of synonyms of a project, on the plans with the highest limit.
	MaxSynonyms = 10_000

	mostWords   = 20 // of a synonym
	longestTerm = 80 // characters
	mostParts   = 6  // "mobile phone" has two
)

// SynonymDraft is a synonym as a merchant writes it. Fields that are left out stay as they are.
type SynonymDraft struct {
	Input patch.Field[string]
	Words patch.Field[[]string]
}

// CreateSynonym returns a synonym made from a draft.
func CreateSynonym(project id.Project, synonym id.Synonym, d SynonymDraft, now time.Time) (*Synonym, error) {
	check := fault.NewCheck()
	s := newSynonym(project, synonym, d, now, check)
	if err := check.Err(); err != nil {
		return nil, err
	}
	return s, nil
}

// CreateSynonyms returns all synonyms of a project made from drafts, in their order. There must be as many IDs as
// drafts.
func CreateSynonyms(project id.Project, ids []id.Synonym, drafts []SynonymDraft, now time.Time) ([]*Synonym, error) {
	check := fault.NewCheck()
	if !check.That(len(drafts) <= MaxSynonyms, "synonyms", "must have at most "+strconv.Itoa(MaxSynonyms)+" synonyms") {
		return nil, check.Err()
	}
	all := make([]*Synonym, len(drafts))
	for i, d := range drafts {
		all[i] = newSynonym(project, ids[i], d, now, check.In("synonyms").At(i))
	}
	if err := check.Err(); err != nil {
		return nil, err
	}
	return all, nil
}

// Update returns the synonym with a draft's changes. It does not change s.
func (s *Synonym) Update(d SynonymDraft, now time.Time) (*Synonym, error) {
	check, next := fault.NewCheck(), *s
	next.Words = slices.Clone(s.Words)
	next.write(d, now, check)
	if err := check.Err(); err != nil {
		return nil, err
	}
	return &next, nil
}

func newSynonym(project id.Project, synonym id.Synonym, d SynonymDraft, now time.Time, check fault.Check) *Synonym {
	s := &Synonym{
		ID:        synonym,
		Project:   project,
		CreatedAt: now,
	}
	check.That(d.Words.Given(), "words", "is required")
	s.write(d, now, check)
	return s
}

func (s *Synonym) write(d SynonymDraft, now time.Time, check fault.Check) {
	check.That(!d.Words.IsNull(), "words", "must not be null")
	d.Input.Apply(&s.Input, "")
	d.Words.Apply(&s.Words, nil)
	s.UpdatedAt = now

	if _, given := d.Input.Value(); given || s.Input != "" {
		s.Input = term(s.Input, check, "input")
	}
	if s.checkNumber(check) {
		s.checkWords(check)
	}
}

// checkNumber reports whether there are few enough words to check each one.
func (s *Synonym) checkNumber(check fault.Check) bool {
	if s.Input == "" {
		check.That(len(s.Words) >= 2, "words", "must have at least 2 words, or 1 with an input")
	}
	check.That(len(s.Words) >= 1, "words", "must have at least 1 word")
	return check.That(len(s.Words) <= mostWords, "words", "must have at most "+strconv.Itoa(mostWords)+" words")
}

func (s *Synonym) checkWords(check fault.Check) {
	words := make([]string, len(s.Words))
	for i, written := range s.Words {
		at := strconv.Itoa(i)
		words[i] = term(written, check.In("words"), at)
		same := func(other string) bool { return strings.EqualFold(other, words[i]) }
		check.In("words").That(!slices.ContainsFunc(words[:i], same), at, "must not be repeated")
		check.In("words").That(s.Input == "" || !same(s.Input), at, "must differ from the input")
	}
	s.Words = words
}

// term returns a term in its stored form: with single spaces between words and none around it.
func term(written string, check fault.Check, field string) string {
	parts := strings.Fields(written)
	kept := strings.Join(parts, " ")
	text(check, field, kept, 1, longestTerm)
	check.That(strings.ContainsFunc(kept, letterOrDigit), field, "must have a letter or a digit")
	check.That(len(parts) <= mostParts, field, "must be at most "+strconv.Itoa(mostParts)+" words long")
	return kept
}

func letterOrDigit(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) }
