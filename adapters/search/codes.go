package search

import (
	"slices"
	"strings"
	"unicode"

	"github.com/haggle-commerce/haggle/adapters/search/segment"
	"github.com/haggle-commerce/haggle/adapters/search/words"
	"github.com/haggle-commerce/haggle/domain/catalog"
)

// Limits of searching a query for codes.
const (
	mostTokens   = 16 // of a query
	codeTokens   = 4  // of a code that is written with spaces
	fewestSigns  = 3  // letters and digits of a code among words
	fewestDigits = 5  // of a code without letters; also characters of a code with spaces
	mostNamed    = 50 // products: a text that more of them have is not a code but a word such as "none"
)

// foundCode is a code of the catalogue that a query contains.
type foundCode struct {
	text  string
	known known
}

// codes returns the codes in a text, and the rest of the text: empty if the text is a code and not a word.
func (s *snapshot) codes(text string) (codes []foundCode, rest string) {
	tokens := strings.Fields(words.Even(text))
	if len(tokens) == 0 || len(tokens) > mostTokens {
		return nil, text
	}
	if len(tokens) <= codeTokens {
		if found, word := s.code(tokens); found.known.count > 0 {
			if word {
				return []foundCode{found}, text
			}
			return []foundCode{found}, ""
		}
	}
	var left []string
	for i := 0; i < len(tokens); {
		code, length := s.codeAt(tokens[i:])
		if length == 0 {
			left = append(left, tokens[i])
			i++
			continue
		}
		codes = append(codes, code)
		i += length
	}
	if len(codes) == 0 {
		return nil, text
	}
	return codes, strings.Join(left, " ")
}

// codeAt returns the longest code at the beginning of words, and how many of the words it consists of.
func (s *snapshot) codeAt(tokens []string) (code foundCode, length int) {
	for length = min(codeTokens, len(tokens)); length > 0; length-- {
		if !mayBeCode(tokens[:length]) {
			continue
		}
		if found, _ := s.code(tokens[:length]); found.known.count > 0 {
			return found, length
		}
	}
	return foundCode{}, 0
}

// code parses words as one code. Letters are not a code if the catalogue's texts contain them as a word, and several such words
// only if the code is written exactly so: neither "tent" nor "iphone 15" means the product whose sku is tent or iphone-15.
func (s *snapshot) code(tokens []string) (code foundCode, word bool) {
	text := strings.Join(tokens, " ")
	term := segment.CodeTerm(text)
	if term == "" {
		return code, false
	}
	found := s.lookup(term)
	if found.count == 0 || found.count > mostNamed {
		return code, false
	}
	if word = s.areWords(tokens); word && (plain(text) || len(tokens) > 1 && !s.hasCodeAs(found, text)) {
		return code, false
	}
	return foundCode{text, found}, word
}

// plain reports whether a text consists of letters and spaces.
func plain(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool { return r != ' ' && !unicode.IsLetter(r) })
}

// areWords reports whether the catalogue's texts contain all words.
func (s *snapshot) areWords(tokens []string) bool {
	return !slices.ContainsFunc(tokens, func(token string) bool {
		if s.lookup(words.Term(strings.TrimPrefix(segment.CodeTerm(token), "\x00"))).count > 0 { // wi-fi counts as wifi
			return false
		}
		return slices.ContainsFunc(wordsOf(token).groups, func(g group) bool { return s.lookup(g.term).count == 0 })
	})
}

// hasCodeAs reports whether a document has a code with this spelling, ignoring case.
func (s *snapshot) hasCodeAs(found known, text string) bool {
	for i, list := range found.lists {
		for _, posting := range list {
			if hasCode(s.parts[i].Product(posting.Document), text) {
				return true
			}
		}
	}
	return false
}

func hasCode(p *catalog.Product, text string) bool {
	return slices.ContainsFunc(segment.CodesOf(p), func(code segment.Code) bool { return strings.EqualFold(words.Even(code.Value), text) })
}

// mayBeCode reports whether words among others may be meant as a code. A single word must have some length and not be a small
// number; several words must contain a digit.
func mayBeCode(tokens []string) bool {
	signs, digits := 0, 0
	for _, token := range tokens {
		for i := range len(token) {
			switch c := token[i] | 0x20; {
			case '0' <= token[i] && token[i] <= '9':
				digits++
				signs++
			case 'a' <= c && c <= 'z' || c >= 0x80:
				signs++
			}
		}
	}
	switch {
	case signs < fewestSigns || digits == signs && digits < fewestDigits:
		return false
	case len(tokens) > 1:
		return digits > 0 && signs >= fewestDigits
	}
	return true
}

// ask inserts codes before the words of a question.
func (q *question) ask(codes []foundCode) {
	if len(codes) == 0 {
		return
	}
	named := make([]group, len(codes))
	for i, c := range codes {
		named[i] = group{text: c.text, alternates: []alternate{{
			reading: coded,
			text:    c.text,
			weight:  1,
			words:   []known{c.known},
		}}}
	}
	q.groups, q.codes, q.asked = append(named, q.groups...), len(named), true
	if q.head >= 0 {
		q.head += len(named)
	}
}

// names reports whether a document has a code of the question.
func (q *question) names(part int, document uint32) bool {
	for i := range q.codes {
		if _, has := segment.Find(q.groups[i].alternates[0].words[0].lists[part], document); has {
			return true
		}
	}
	return false
}

// Bonuses of a document that the question names by its code, so that it comes first.
const (
	namedByWords = 1 // above every score by words
	namedFinally = 2 // above every score by all signs
	namedExactly = 1 // more if the spelling is the same
)

// exactly reports whether a product has a code with the same spelling as in the question, ignoring case.
func (r *ranking) exactly(c ranked) bool {
	product := r.parts[c.part].Product(c.number)
	return slices.ContainsFunc(r.question.groups[:r.question.codes], func(g group) bool { return hasCode(product, g.text) })
}

// codeReason returns the reason for a match by code: "SKU MUG-1".
func codeReason(of ranked, text string) string {
	term := segment.CodeTerm(text)
	for _, code := range segment.CodesOf(of.segment.Product(of.number)) {
		if segment.CodeTerm(code.Value) == term {
			return code.Kind + " " + code.Value
		}
	}
	return quoted(text)
}
