package search

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/kljensen/snowball/english"
	"golang.org/x/text/unicode/norm"
)

// scanner reads the words of a text: runs of letters, digits and marks, in lower case. "men's" is
// men, "o'neill" oneill, "43.2" one word, "t-shirt" the words t and shirt.
type scanner struct {
	text string
	at   int
	word []byte // valid until the next call
	tied bool   // a hyphen and nothing else lies between this word and the one before
}

func (s *scanner) next() bool {
	before := s.at
	for s.at < len(s.text) {
		r, size := utf8.DecodeRuneInString(s.text[s.at:])
		if inWord(r) {
			break
		}
		s.at += size
	}
	s.tied = len(s.word) > 0 && s.text[before:s.at] == "-"
	s.word = s.word[:0]
	for s.at < len(s.text) {
		r, size := utf8.DecodeRuneInString(s.text[s.at:])
		switch {
		case inWord(r):
			s.word = utf8.AppendRune(s.word, unicode.ToLower(r))
		case r == '\'' || r == '’':
			if s.possessive(size) {
				s.at += size + 1
				return true
			}
		case r != '.' || !s.decimal():
			return true
		default:
			s.word = append(s.word, '.')
		}
		s.at += size
	}
	return len(s.word) > 0
}

func inWord(r rune) bool {
	if r < utf8.RuneSelf {
		return 'a' <= r && r <= 'z' || '0' <= r && r <= '9' || 'A' <= r && r <= 'Z'
	}
	return unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.IsMark(r)
}

// possessive says whether the apostrophe here begins an 's that ends the word.
func (s *scanner) possessive(size int) bool {
	rest := s.text[s.at+size:]
	if rest == "" || rest[0] != 's' && rest[0] != 'S' {
		return false
	}
	r, _ := utf8.DecodeRuneInString(rest[1:])
	return !inWord(r)
}

// decimal says whether the point here stands between two digits.
func (s *scanner) decimal() bool {
	return s.at > 0 && s.at+1 < len(s.text) && digit(s.text[s.at-1]) && digit(s.text[s.at+1])
}

func digit(b byte) bool { return '0' <= b && b <= '9' }

// Words that say nothing about a product, among them those with which people ask for one.
var stopWords = func() map[string]bool {
	words := make(map[string]bool)
	for word := range strings.FieldsSeq(`a an and are as at be by for from has have i im in is it its me my of on
		or our please some that the their these this those to want need looking was were which will with you your`) {
		words[word] = true
	}
	return words
}()

// termOf is the form under which a word in lower case is kept: diacritics off, English endings off;
// "" for a stop word.
func termOf(word string) string {
	folded := fold(word)
	if stopWords[folded] {
		return ""
	}
	for i := range len(folded) {
		if folded[i] < 'a' || folded[i] > 'z' {
			return folded
		}
	}
	return english.Stem(folded, true)
}

var plainLetters = strings.NewReplacer("ß", "ss", "æ", "ae", "œ", "oe", "ø", "o", "ł", "l", "đ", "d", "ð", "d", "þ", "th", "ı", "i")

// fold takes the diacritics off a text in lower case, and makes full-width forms and ligatures plain.
func fold(text string) string {
	for i := range len(text) {
		if text[i] >= utf8.RuneSelf {
			return strings.Map(unaccented, norm.NFKD.String(plainLetters.Replace(text)))
		}
	}
	return text
}

func unaccented(r rune) rune {
	if '\u0300' <= r && r <= '\u036f' {
		return -1
	}
	return r
}
