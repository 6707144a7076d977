package words

import (
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
	"golang.org/x/text/width"
)

// unspaced are the letters of scripts without spaces between words, or whose words have endings that no stemmer here supports:
// Thai, Chinese, Japanese and Korean. Runs of them are indexed as pairs of characters.
var unspaced = [][2]rune{
	{0x0E01, 0x0E3A}, {0x0E40, 0x0E4E}, // Thai, without its currency sign and digits
	{0x1100, 0x11FF}, {0x3131, 0x318E}, {0xA960, 0xA97F}, {0xAC00, 0xD7A3}, {0xD7B0, 0xD7FF}, // Hangul
	{0x3005, 0x3007}, {0x3400, 0x4DBF}, {0x4E00, 0x9FFF}, {0xF900, 0xFAFF}, {0x20000, 0x3134F}, // Han
	{0x3041, 0x3096}, {0x3099, 0x309A}, {0x309D, 0x309F}, {0x30A1, 0x30FA}, {0x30FC, 0x30FF}, {0x31F0, 0x31FF}, // kana
	{0x3105, 0x312F}, // Bopomofo
}

func paired(r rune) bool {
	if r < unspaced[0][0] {
		return false
	}
	for _, in := range unspaced {
		if in[0] <= r && r <= in[1] {
			return true
		}
	}
	return false
}

// Paired reports whether a word is a character or a pair of characters of a script without spaces.
func Paired(word string) bool {
	if word == "" || word[0] < utf8.RuneSelf {
		return false
	}
	r, _ := utf8.DecodeRuneInString(word)
	return paired(r)
}

// Even normalizes equivalent characters: half-width kana and full-width letters get their usual width, and marks are composed with
// their letters. Most texts are returned unchanged.
func Even(text string) string {
	for i := range len(text) {
		if text[i] >= 0xE1 && uneven(text[i:]) {
			return norm.NFC.String(width.Fold.String(text))
		}
	}
	return text
}

func uneven(text string) bool {
	for _, r := range text {
		if 0xFF00 <= r && r <= 0xFFEF || r == 0x3099 || r == 0x309A || 0x1100 <= r && r <= 0x11FF || 0xF900 <= r && r <= 0xFAFF {
			return true
		}
	}
	return false
}

// run reads a run of paired characters into memory, and returns its end in the text.
func (r *Reader) run(text string, at int) int {
	for at < len(text) {
		c, size := utf8.DecodeRuneInString(text[at:])
		if !paired(c) {
			return at
		}
		r.memory = append(r.memory, text[at:at+size]...)
		at += size
	}
	return at
}

// pairs passes the pairs of characters in a run to use, and each character as another reading. A single character is a word.
func (r *Reader) pairs(i, at int, use func([]byte, Kind, int)) {
	text := r.text(i)
	_, first := utf8.DecodeRune(text)
	if first == len(text) {
		use(text, Said, at)
		return
	}
	for from := 0; from < len(text); {
		_, size := utf8.DecodeRune(text[from:])
		if end := from + size; end < len(text) {
			_, next := utf8.DecodeRune(text[end:])
			use(text[from:end+next], Said, at+from)
		}
		use(text[from:from+size], Character, at+from)
		from += size
	}
}
