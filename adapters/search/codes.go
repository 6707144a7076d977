package search

import (
	"slices"
	"strings"

	"github.com/haggle-commerce/haggle/adapters/search/segment"
	"github.com/haggle-commerce/haggle/adapters/search/words"
)

// How a query is searched for codes.
const (
	mostTokens  = 16 // of a query
	codeTokens  = 4  // of a code that is written with spaces
	fewestSigns = 3  // of a code among words
	mostSigns   = 64
	mostNamed   = 50 // products: what more have is no code, but a word such as "none"
)

// foundCode is a code of the catalogue that a query holds.
type foundCode struct {
	text  string
	known known
}

// codes finds the codes that a text holds, and returns what else it says: nothing if it is a code and no word besides.
func (s *snapshot) codes(text string) (codes []foundCode, rest string) {
	tokens := strings.Fields(words.Even(text))
	if len(tokens) == 0 || len(tokens) > mostTokens {
		return nil, text
	}
	if whole := strings.Join(tokens, " "); len(tokens) <= codeTokens && len(whole) <= 2*mostSigns {
		if found := s.lookupCode(whole); found.count > 0 {
			if s.isWord(tokens) {
				return []foundCode{{whole, found}}, text
			}
			return []foundCode{{whole, found}}, ""
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

// codeAt is the longest code that words begin with, and how many of them it is.
func (s *snapshot) codeAt(tokens []string) (code foundCode, length int) {
	for length = min(codeTokens, len(tokens)); length > 0; length-- {
		text := strings.Join(tokens[:length], " ")
		if len(text) > 2*mostSigns || !s.mayBeCode(tokens[:length]) {
			continue
		}
		if found := s.lookupCode(text); found.count > 0 {
			return foundCode{text, found}, length
		}
	}
	return foundCode{}, 0
}

// mayBeCode reports whether words among others may be meant as a code: with a digit, and not a mere small number; or one that the texts of
// the catalogue do not have.
func (s *snapshot) mayBeCode(tokens []string) bool {
	signs, digits := 0, 0
	for _, token := range tokens {
		for i := range len(token) {
			c := token[i] | 0x20
			switch {
			case '0' <= token[i] && token[i] <= '9':
				digits++
				signs++
			case 'a' <= c && c <= 'z' || c >= 0x80:
				signs++
			}
		}
	}
	switch {
	case signs < fewestSigns:
		return false
	case digits == signs:
		return digits > fewestSigns+1
	case digits > 0:
		return len(tokens) == 1 || signs > fewestSigns+1
	}
	return len(tokens) == 1 && !s.isWord(tokens)
}

// isWord reports whether words without digits are all in the texts of the catalogue.
func (s *snapshot) isWord(tokens []string) bool {
	for _, token := range tokens {
		if segment.HasDigit(token) {
			return false
		}
		for _, g := range wordsOf(token).groups {
			if s.lookup(g.term).count == 0 {
				return false
			}
		}
	}
	return true
}

func (s *snapshot) lookupCode(text string) known {
	term := segment.CodeTerm(text)
	if term == "" {
		return known{}
	}
	if found := s.lookup(term); found.count <= mostNamed {
		return found
	}
	return known{}
}

// ask puts codes before the words of a question.
func (q *question) ask(codes []foundCode) {
	if len(codes) == 0 {
		return
	}
	named := make([]group, len(codes))
	for i, c := range codes {
		named[i] = group{text: c.text, alternates: []alternate{{reading: coded, text: c.text, weight: 1, words: []known{c.known}}}}
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

// What a document that the question names gets, so that it comes first.
const (
	namedByWords = 1 // above every score by words
	namedFinally = 2 // above every score by all signs
	namedExactly = 1 // if it is written just so
)

// exactly reports whether a code of the question is written in a product as in the question, but for the case.
func (r *ranking) exactly(c ranked) bool {
	return slices.ContainsFunc(segment.CodesOf(r.parts[c.part].Product(c.number)), func(code segment.Code) bool {
		return slices.ContainsFunc(r.question.groups[:r.question.codes], func(g group) bool { return strings.EqualFold(g.text, code.Value) })
	})
}

// code is a product's own word for a code: "SKU MUG-1".
func codeReason(of ranked, text string) string {
	term := segment.CodeTerm(text)
	for _, code := range segment.CodesOf(of.segment.Product(of.number)) {
		if segment.CodeTerm(code.Value) == term {
			return code.Kind + " " + code.Value
		}
	}
	return quoted(text)
}
