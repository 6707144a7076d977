package agents

import (
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/haggle-commerce/haggle/domain/money"
)

// fit reports whether a text names no number but those that the buyer sees anyway: the quantity and the visible amounts,
// in any usual way to write them. It is what keeps an agent that means no harm from telling its floor, its cost or a
// percentage off them (decisions 9). A merchant's handler that wants to tell them to its own buyers still can.
func fit(text string, quantity int, visible ...money.Amount) bool {
	seen := map[string]bool{strconv.Itoa(quantity): true}
	for _, a := range visible {
		seen[canonical(a.String(), '.')] = true
	}
	text = strings.Map(ordinary, text)
	if strings.ContainsFunc(text, exotic) {
		return false
	}
	for word := range strings.FieldsFuncSeq(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) }) {
		if spelled[word] {
			return false
		}
	}
	for _, number := range digitRuns.FindAllString(text, -1) {
		if !seenIn(number, seen) {
			return false
		}
	}
	return true
}

// digitRuns are runs of digits with what separates groups and decimals: "1 234,50", and "100, 95" too.
var digitRuns = regexp.MustCompile(`[0-9](?:[0-9.,'’ ]*[0-9])?`)

// seenIn reports whether a run is one of the numbers, or several of them.
func seenIn(run string, seen map[string]bool) bool {
	if seen[canonical(run, 0)] || seen[canonical(run, '.')] || seen[canonical(run, ',')] {
		return true
	}
	parts := strings.Fields(run)
	for _, part := range parts {
		if len(parts) == 1 || !seenIn(strings.Trim(part, ".,'’"), seen) {
			return false
		}
	}
	return true
}

// canonical is a number with a decimal point and without what means nothing, if its last separator of the kind is
// its decimal point: "1,234.50" is 1234.5. It has no decimals where point is 0.
func canonical(number string, point byte) string {
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

// ordinary leaves out what is not seen, for it could part a number, and makes all space one.
func ordinary(r rune) rune {
	switch {
	case unicode.IsSpace(r):
		return ' '
	case unicode.In(r, unicode.Cc, unicode.Cf, unicode.Mn, unicode.Me):
		return -1
	}
	return r
}

// exotic is a digit or number that is none of the ten: full width, superscript, Roman, of another script.
func exotic(r rune) bool { return unicode.IsNumber(r) && (r < '0' || r > '9') }

// spelled are number words that hardly stand for anything but an amount.
var spelled = map[string]bool{
	"eleven": true, "twelve": true, "thirteen": true, "fourteen": true, "fifteen": true, "sixteen": true, "seventeen": true,
	"eighteen": true, "nineteen": true, "twenty": true, "thirty": true, "forty": true, "fifty": true, "sixty": true,
	"seventy": true, "eighty": true, "ninety": true, "hundred": true, "thousand": true, "million": true,
}

// without takes a product's name out of a text where it stands by itself. A name without a word, such as "80", stays
// in and is judged.
func without(text, name string) string {
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

// presentable reports whether a product's name or attribute is plain text, which a model may be told.
func presentable(name string) bool {
	lower := strings.ToLower(name)
	return utf8.ValidString(name) && name != "" && utf8.RuneCountInString(name) <= 200 &&
		!strings.ContainsFunc(name, func(c rune) bool { return unicode.Is(unicode.C, c) || strings.ContainsRune("<>`\u2028\u2029", c) }) &&
		!strings.Contains(lower, "://") && !strings.Contains(lower, "www.")
}
