package catalog_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/patch"
)

var phone = id.New[id.Synonym]([16]byte{9})

// said returns a draft with words only.
func said(words ...string) catalog.SynonymDraft { return catalog.SynonymDraft{Words: patch.To(words)} }

// oneWay returns a draft with an input.
func oneWay(input string, words ...string) catalog.SynonymDraft {
	return catalog.SynonymDraft{Input: patch.To(input), Words: patch.To(words)}
}

// numbered returns n different words.
func numbered(n int) []string {
	words := make([]string, n)
	for i := range words {
		words[i] = strings.Repeat("x", i+1)
	}
	return words
}

func TestCreateSynonym_keepsSpelling(t *testing.T) {
	t.Parallel()
	s, err := catalog.CreateSynonym(shop, phone, oneWay("  Handy ", "Mobile \t phone", "SMARTPHONE"), noon)
	if err != nil {
		t.Fatal(err)
	}
	if s.Input != "Handy" || !slices.Equal(s.Words, []string{"Mobile phone", "SMARTPHONE"}) {
		t.Errorf("%q, %q", s.Input, s.Words)
	}
	if s.ID != phone || s.Project != shop || !s.CreatedAt.Equal(noon) || !s.UpdatedAt.Equal(noon) {
		t.Errorf("created %+v", s)
	}
}

func TestSynonymRules(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		draft catalog.SynonymDraft
		want  []string
	}{
		"two words":                    {said("phone", "mobile"), nil},
		"one word with an input":       {oneWay("phone", "mobile"), nil},
		"the input null":               {catalog.SynonymDraft{Input: patch.Null[string](), Words: patch.To([]string{"a", "b"})}, nil},
		"twenty words":                 {said(numbered(20)...), nil},
		"80 characters":                {said(strings.Repeat("ß", 80), "x"), nil},
		"80 characters, spaces around": {said("  "+strings.Repeat("x", 80)+"  ", "x"), nil},
		"six words in one":             {said("a b c d e 6", "x"), nil},
		"other letters":                {said("電話", "7", "٣"), nil},

		"nothing":                  {catalog.SynonymDraft{}, []string{"words"}},
		"an input alone":           {catalog.SynonymDraft{Input: patch.To("phone")}, []string{"words"}},
		"words null":               {catalog.SynonymDraft{Words: patch.Null[[]string]()}, []string{"words"}},
		"no words":                 {said(), []string{"words"}},
		"no words for an input":    {oneWay("phone"), []string{"words"}},
		"one word":                 {said("phone"), []string{"words"}},
		"one word, the input null": {catalog.SynonymDraft{Input: patch.Null[string](), Words: patch.To([]string{"a"})}, []string{"words"}},
		"21 words":                 {said(numbered(21)...), []string{"words"}},
		"many bad words":           {said(make([]string, 1_000_000)...), []string{"words"}},
		"an empty word":            {said("phone", ""), []string{"words.1"}},
		"blanks":                   {said(" \t", "phone", "\u2003"), []string{"words.0", "words.2"}},
		"signs":                    {said("phone", "mobile", "--!"), []string{"words.2"}},
		"81 characters":            {said("phone", strings.Repeat("ß", 81)), []string{"words.1"}},
		"seven words in one":       {said("phone", "a b c d e f g"), []string{"words.1"}},
		"NUL":                      {said("phone", "a\x00b"), []string{"words.1"}},
		"a word twice":             {said("phone", "mobile", "phone"), []string{"words.2"}},
		"a word twice, otherwise":  {said("Mobile  Phone", "mobile phone", "ÄPFEL", "äpfel"), []string{"words.1", "words.3"}},
		"the input among words":    {oneWay("phone", "mobile", " PHONE"), []string{"words.1"}},
		"an empty input":           {oneWay("", "mobile", "phone"), []string{"input"}},
		"a blank input":            {oneWay("  ", "mobile", "phone"), []string{"input"}},
		"an input of signs":        {oneWay("?", "mobile"), []string{"input"}},
		"a long input":             {oneWay(strings.Repeat("x", 81), "mobile"), []string{"input"}},
		"an input of seven words":  {oneWay("a b c d e f g", "mobile"), []string{"input"}},
		"all at once":              {oneWay("?", "", "a", "A"), []string{"input", "words.0", "words.2"}},
	} {
		s, err := catalog.CreateSynonym(shop, phone, c.draft, noon)
		if got := fields(err); !slices.Equal(got, c.want) || (err == nil) != (c.want == nil) || (s == nil) != (err != nil) {
			t.Errorf("%s: %v names %q, want %q", name, err, got, c.want)
		}
	}
}

func TestSynonym_Update_partial(t *testing.T) {
	t.Parallel()
	before, err := catalog.CreateSynonym(shop, phone, oneWay("phone", "mobile", "handset"), noon)
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		draft catalog.SynonymDraft
		input string
		words []string
	}{
		"nothing":      {catalog.SynonymDraft{}, "phone", []string{"mobile", "handset"}},
		"the input":    {catalog.SynonymDraft{Input: patch.To("handy")}, "handy", []string{"mobile", "handset"}},
		"no input":     {catalog.SynonymDraft{Input: patch.Null[string]()}, "", []string{"mobile", "handset"}},
		"the words":    {said("cell"), "phone", []string{"cell"}},
		"both":         {oneWay("a", "b"), "a", []string{"b"}},
		"turned round": {oneWay("mobile", "phone"), "mobile", []string{"phone"}},
	} {
		s, err := before.Update(c.draft, next)
		if err != nil || s.Input != c.input || !slices.Equal(s.Words, c.words) || !s.UpdatedAt.Equal(next) || !s.CreatedAt.Equal(noon) || s.ID != phone {
			t.Errorf("%s: %+v, %v", name, s, err)
		}
	}
	for name, c := range map[string]struct {
		draft catalog.SynonymDraft
		field string
	}{
		"the input that words have": {catalog.SynonymDraft{Input: patch.To("Handset")}, "words.1"},
		"a word that the input is":  {said("Phone"), "words.0"},
		"words null":                {catalog.SynonymDraft{Words: patch.Null[[]string]()}, "words"},
		"too few without an input":  {catalog.SynonymDraft{Input: patch.Null[string](), Words: patch.To([]string{"a"})}, "words"},
	} {
		if _, err := before.Update(c.draft, next); !slices.Equal(fields(err), []string{c.field}) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if before.Input != "phone" || !slices.Equal(before.Words, []string{"mobile", "handset"}) || !before.UpdatedAt.Equal(noon) {
		t.Errorf("it became %+v", before)
	}
}

func TestCreateSynonyms(t *testing.T) {
	t.Parallel()
	ids := make([]id.Synonym, catalog.MaxSynonyms+1)
	for i := range ids {
		ids[i] = id.New[id.Synonym]([16]byte{byte(i >> 8), byte(i)})
	}
	all, err := catalog.CreateSynonyms(shop, ids[:2], []catalog.SynonymDraft{said("a", "b"), oneWay("a", "b")}, noon)
	if err != nil || len(all) != 2 || all[0].ID != ids[0] || all[1].ID != ids[1] || all[1].Input != "a" || all[0].Project != shop {
		t.Errorf("%v, %v", all, err)
	}
	if none, err := catalog.CreateSynonyms(shop, nil, nil, noon); err != nil || len(none) != 0 {
		t.Errorf("%v, %v", none, err)
	}
	_, err = catalog.CreateSynonyms(shop, ids[:4], []catalog.SynonymDraft{said("a"), said("a", "b"), {}, said("?", "b", "B")}, noon)
	if got := fields(err); !slices.Equal(got, []string{"synonyms.0.words", "synonyms.2.words", "synonyms.3.words.0", "synonyms.3.words.2"}) {
		t.Errorf("%q", got)
	}
	most := make([]catalog.SynonymDraft, catalog.MaxSynonyms+1)
	for i := range most {
		most[i] = said("a", "b")
	}
	if _, err = catalog.CreateSynonyms(shop, ids[:catalog.MaxSynonyms], most[:catalog.MaxSynonyms], noon); err != nil {
		t.Error(err)
	}
	if _, err = catalog.CreateSynonyms(shop, ids, most, noon); !slices.Equal(fields(err), []string{"synonyms"}) {
		t.Error(err)
	}
}
