package agents

import (
	"errors"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/negotiation"
)

// A model's text may be sent if nothing in it can be taken for another price, a promise or an address. That is
// decided without understanding it: by its characters, by its numbers, which must be ones that the buyer sees, and
// by words that it must not have. Numbers are held exactly. Words are held by lists (wording_terms.go) in the
// languages that there are lists for; in any other language nothing of a model is sent.

const longestText = 240 // characters

var (
	errLength    = errors.New("a text is empty or too long")
	errCharacter = errors.New("a text has a character that is not for plain text")
	errNumber    = errors.New("a text has a number that the answer does not have")
	errWord      = errors.New("a text has a word that could promise or tell something")
	errCurrency  = errors.New("a text has another currency")
	errLanguage  = errors.New("a text is not in the shop's language")
)

// rules are what one text is held to.
type rules struct {
	name     string // may be in the text, whatever it is; once it is taken out, the rest has to pass
	numbers  map[string]bool
	currency money.Currency // zero: no amounts at all
	firm     bool           // no offer is taken, and nothing may sound as if one were
	speech   *speech        // nil: too short a text to tell its language
	exempt   map[string]bool
}

// allowing are the rules for the words of a decision: the only numbers are the decided price and the list price.
// The offer is not among them unless it is the price: beside "counter_offer" it could only mislead.
func (s *speech) allowing(name string, d negotiation.Decision, list money.Amount) rules {
	r := rules{name: name, numbers: map[string]bool{}, currency: list.Currency(), speech: s}
	s.spell(r.numbers, list)
	switch d := d.(type) {
	case negotiation.Accepted:
		s.spell(r.numbers, d.Price)
	case negotiation.Countered:
		r.firm = true
		s.spell(r.numbers, d.Price)
	case negotiation.Rejected:
		r.firm = true
		s.spell(r.numbers, d.Price)
	}
	return r
}

func (r rules) check(text string) error {
	if n := utf8.RuneCountInString(text); n > longestText || strings.TrimSpace(text) == "" {
		return errLength
	}
	text = without(text, r.name)
	if err := r.checkCharacters(text); err != nil {
		return err
	}
	if err := r.checkNumbers(text); err != nil {
		return err
	}
	return r.checkWords(text)
}

// plainMarks are the marks of ordinary prose.
const plainMarks = " \u00a0\u202f.,;:!?'’\"“”„«»()-–—…&"

func (r rules) checkCharacters(text string) error {
	before, dotted := rune(0), false
	for _, c := range text { // of invalid UTF-8, U+FFFD, which is no letter
		letter := unicode.Is(unicode.Latin, c) && unicode.IsLetter(c) && norm.NFKC.String(string(c)) == string(c)
		switch {
		case letter && dotted:
			return errCharacter // an address, such as a.example
		case letter, c >= '0' && c <= '9', strings.ContainsRune(plainMarks, c):
		case unicode.Is(unicode.Sc, c):
			if symbols[r.currency.Code()] != c {
				return errCurrency
			}
		default:
			return errCharacter
		}
		dotted = (c == '.' || c == ':') && unicode.IsLetter(before)
		before = c
	}
	return nil
}

// checkNumbers holds each number of a text to those that are allowed. A number beside a letter is none of them.
func (r rules) checkNumbers(text string) error {
	for rest := text; ; {
		start := strings.IndexAny(rest, "0123456789")
		if start < 0 {
			return nil
		}
		before, _ := utf8.DecodeLastRuneInString(rest[:start])
		number := leading(rest[start:])
		rest = rest[start+len(number):]
		after, _ := utf8.DecodeRuneInString(rest)
		if unicode.IsLetter(before) || unicode.IsLetter(after) || !r.numbers[number] {
			return errNumber
		}
	}
}

// leading is the number that a text begins with: digits, and what groups them or parts their decimals.
func leading(text string) string {
	end := 0
	for i, c := range text {
		switch {
		case c >= '0' && c <= '9':
			end = i + 1
		case !strings.ContainsRune(".,'’\u00a0\u202f", c):
			return text[:end]
		}
	}
	return text[:end]
}

func (r rules) checkWords(text string) error {
	words := strings.FieldsFunc(text, func(c rune) bool { return !unicode.IsLetter(c) })
	if len(words) == 0 {
		return errLength
	}
	singles, known := 0, 0
	for _, word := range words {
		plain := folded(word)
		if singles++; len(plain) > 1 {
			singles = 0
		}
		switch {
		case singles == 3, !r.harmless(plain) && (denied(plain) || r.firm && consents(plain)):
			return errWord
		case r.foreign(word, plain):
			return errCurrency
		}
		if r.speech != nil && r.speech.common[plain] {
			known++
		}
	}
	if r.speech != nil && known*5 < len(words) {
		return errLanguage
	}
	return nil
}

// harmless tells whether a word is one of the name's own, or means something else in the text's language: eleven in
// French is our in Dutch.
func (r rules) harmless(plain string) bool {
	return r.exempt[plain] || r.speech != nil && r.speech.common[plain]
}

// foreign tells whether a word names a currency other than ours. Codes are meant in capitals only.
func (r rules) foreign(word, plain string) bool {
	if currencyWords[plain] {
		return true
	}
	if len(word) != 3 || word != strings.ToUpper(word) || word == r.currency.Code() {
		return false
	}
	_, err := money.ParseCurrency(word)
	return err == nil
}

// folded is a word in lower case without accents.
func folded(word string) string {
	word = strings.NewReplacer("ß", "ss", "æ", "ae", "œ", "oe", "ø", "o", "ł", "l", "đ", "d").Replace(strings.ToLower(word))
	return strings.Map(func(c rune) rune {
		if unicode.Is(unicode.Mn, c) {
			return -1
		}
		return c
	}, norm.NFD.String(word))
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

// presentable tells whether a product's name is plain text, which a model may be told and may repeat.
func presentable(name string) bool {
	lower := strings.ToLower(name)
	return utf8.ValidString(name) && name != "" && utf8.RuneCountInString(name) <= 200 &&
		!strings.ContainsFunc(name, func(c rune) bool { return unicode.Is(unicode.C, c) || strings.ContainsRune("<>`\u2028\u2029", c) }) &&
		!strings.Contains(lower, "://") && !strings.Contains(lower, "www.")
}
