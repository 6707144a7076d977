// Package words splits texts into words, the units by which texts and queries match. It handles diacritics, English endings,
// numbers with units, and sizes; it does not know synonyms.
package words

import (
	"strings"

	"github.com/kljensen/snowball/english"
	"golang.org/x/text/unicode/norm"
)

// stopWords are words that do not describe a product, including those used to ask for one.
var stopWords = func() map[string]bool {
	words := make(map[string]bool)
	for word := range strings.FieldsSeq(`a an and are as at be by for from has have i im in is it its me my of on
		or our please some that the their these this those to want need looking was were which will with you your`) {
		words[word] = true
	}
	return words
}()

// Term returns the indexed form of a word in lower case, without diacritics and English endings; "" for a stop word.
func Term(word string) string {
	if Paired(word) {
		return word
	}
	folded := Fold(word)
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

// Fold removes the diacritics of a text in lower case, and replaces full-width forms and ligatures by plain letters.
func Fold(text string) string {
	for i := range len(text) {
		if text[i] >= 0x80 {
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
