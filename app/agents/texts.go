package agents

import (
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/haggle-commerce/haggle/domain/money"
)

// fit reports whether a text contains no number except those that the buyer sees anyway: the quantity and the visible
// amounts, in any usual notation. It keeps a well-meaning agent from revealing its floor, its cost or a percentage off them
// (features/PROTOCOL.md#negotiation). It cannot stop a merchant's handler that wants to reveal them.
func fit(text string, quantity int, visible ...money.Amount) bool {
	seen := map[string]bool{strconv.Itoa(quantity): true}
	for _, a := range visible {
		seen[canonicalNumber(a.String(), '.')] = true
	}
	text = strings.Map(normalizeRune, text)
	if strings.ContainsFunc(text, isOtherNumeral) {
		return false
	}
	for word := range strings.FieldsFuncSeq(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) }) {
		if numberWords[word] {
			return false
		}
	}
	for _, number := range digitRuns.FindAllString(text, -1) {
		if !isVisible(number, seen) {
			return false
		}
	}
	return true
}

// digitRuns matches digits together with the separators of groups and decimals: "1 234,50", and also "100, 95".
var digitRuns = regexp.MustCompile(`[0-9](?:[0-9.,'’ ]*[0-9])?`)

// isVisible reports whether a run of digits is one of the numbers, or several of them.
func isVisible(run string, seen map[string]bool) bool {
	if seen[canonicalNumber(run, 0)] || seen[canonicalNumber(run, '.')] || seen[canonicalNumber(run, ',')] {
		return true
	}
	parts := strings.Fields(run)
	for _, part := range parts {
		if len(parts) == 1 || !isVisible(strings.Trim(part, ".,'’"), seen) {
			return false
		}
	}
	return true
}

// canonicalNumber removes leading and trailing zeros and group separators from a number. It reads the last occurrence of point as
// the decimal point: "1,234.50" becomes 1234.5. If point is 0, the number has no decimals.
func canonicalNumber(number string, point byte) string {
	at := strings.LastIndexByte(number, point)
	if at < 0 || point == 0 {
		at = len(number)
	}
	whole, fraction := strings.TrimLeft(onlyDigits(number[:at]), "0"), strings.TrimRight(onlyDigits(number[at:]), "0")
	if fraction != "" {
		return whole + "." + fraction
	}
	return whole
}

func onlyDigits(text string) string {
	return strings.Map(func(r rune) rune {
		if r < '0' || r > '9' {
			return -1
		}
		return r
	}, text)
}

// normalizeRune drops invisible characters, because they could split a number, and replaces all white space by a space.
func normalizeRune(r rune) rune {
	switch {
	case unicode.IsSpace(r):
		return ' '
	case unicode.In(r, unicode.Cc, unicode.Cf, unicode.Mn, unicode.Me):
		return -1
	}
	return r
}

// isOtherNumeral reports whether r is a number other than the digits 0 to 9: full-width, superscript, Roman, or of another script.
func isOtherNumeral(r rune) bool { return unicode.IsNumber(r) && (r < '0' || r > '9') }

// numberWords are number words that rarely stand for anything but an amount.
var numberWords = map[string]bool{
	"eleven": true, "twelve": true, "thirteen": true, "fourteen": true, "fifteen": true, "sixteen": true, "seventeen": true,
	"eighteen": true, "nineteen": true, "twenty": true, "thirty": true, "forty": true, "fifty": true, "sixty": true,
	"seventy": true, "eighty": true, "ninety": true, "hundred": true, "thousand": true, "million": true,
}

// withoutName removes a product's name from a text where it stands as a word of its own. A name without letters, such as "80",
// stays in the text and is checked.
func withoutName(text, name string) string {
	if name == "" || !strings.ContainsFunc(name, unicode.IsLetter) || utf8.RuneCountInString(name) < 4 {
		return text
	}
	var rest strings.Builder
	for {
		at := strings.Index(text, name)
		if at < 0 {
			return rest.String() + text
		}
		before, _ := utf8.DecodeLastRuneInString(text[:at])
		after, _ := utf8.DecodeRuneInString(text[at+len(name):])
		rest.WriteString(text[:at])
		if inWord(before) || inWord(after) {
			rest.WriteString(name)
		} else {
			rest.WriteByte(' ')
		}
		text = text[at+len(name):]
	}
}

func inWord(c rune) bool {
	return c != utf8.RuneError && (unicode.IsLetter(c) || unicode.IsNumber(c) || unicode.Is(unicode.Mn, c))
}

// presentable reports whether a product's name or attribute is plain text that may be part of a prompt.
func presentable(name string) bool {
	lower := strings.ToLower(name)
	return utf8.ValidString(name) && name != "" && utf8.RuneCountInString(name) <= 200 &&
		!strings.ContainsFunc(name, func(c rune) bool { return unicode.Is(unicode.C, c) || strings.ContainsRune("<>`\u2028\u2029", c) }) &&
		!strings.Contains(lower, "://") && !strings.Contains(lower, "www.")
}
