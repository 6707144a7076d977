package pricepath

import (
	"strconv"
	"time"
	"unicode"
)

// Tone is the kind of a step's answer.
type Tone struct{ name string }

// String returns the name of the tone, for a CSS class.
func (t Tone) String() string { return t.name }

// The tones.
var (
	Names    = Tone{"names"} // the shop names a price, or comes down to it
	Holds    = Tone{"holds"}
	Accepts  = Tone{"accepts"}
	Declines = Tone{"declines"} // in old records, which have no price beside it
)

// Row describes a step in words, for a row of the table and for the card under the chart.
type Row struct {
	Step  int
	Href  string // chooses the step
	At    time.Time
	Buyer string // "$141.11", "Asks the price"
	Shop  string // "$149.57", "holds", "Accepts"
	Tone  Tone
	Title string // "Buyer offers $141.11, shop comes down to $149.57."
	Label string // "Step 4: buyer offers $141.11, shop asks $149.57, moves with the buyer"
	Rule  string // its code
	Name  string // "Moves with the buyer"; the code of a rule that has no words
	Known bool   // the rule has words. If not, show Name in mono
	Why   string
	Flags []string // "The price before had expired."
}

// Steps returns the rows of all steps, the first step first.
func Steps(p *Path) []Row {
	rows := make([]Row, len(p.steps))
	for i := range p.steps {
		rows[i] = p.row(&p.steps[i])
	}
	return rows
}

func (p *Path) row(s *step) Row {
	r := Row{
		Step:  s.n,
		Href:  p.opt.Href(s.n),
		At:    s.at,
		Buyer: p.buyer(s),
		Tone:  s.tone(),
		Title: p.title(s),
		Label: p.label(s),
		Rule:  s.rule,
		Flags: p.flagged(s.n),
	}
	r.Shop = p.shop(s, r.Tone)
	r.Name, r.Why, r.Known = p.why(s)
	return r
}

func (s *step) tone() Tone {
	switch {
	case s.accepted():
		return Accepts
	case !s.named:
		return Declines
	case s.holds():
		return Holds
	}
	return Names
}

func (p *Path) buyer(s *step) string {
	if s.offer == 0 {
		return "Asks the price"
	}
	return p.money(s.offer)
}

func (p *Path) shop(s *step, t Tone) string {
	switch {
	case t == Accepts && s.price != s.offer:
		return "Accepts at " + p.money(s.price)
	case t == Accepts:
		return "Accepts"
	case t == Holds && s.n > 1:
		return "holds"
	case t == Declines:
		return "Declines"
	}
	return p.money(s.price)
}

func (p *Path) title(s *step) string {
	asks := "Buyer asks the price, shop "
	if s.offer > 0 {
		asks = "Buyer offers " + p.money(s.offer) + ", shop "
	}
	switch s.tone() {
	case Accepts:
		if s.price != s.offer {
			return asks + "accepts at " + p.money(s.price) + "."
		}
		return asks + "accepts."
	case Declines:
		return asks + "declines."
	case Holds:
		return asks + "holds " + p.money(s.price) + "."
	}
	switch {
	case s.prior == 0:
		return asks + "names " + p.money(s.price) + "."
	case s.price < s.prior:
		return asks + "comes down to " + p.money(s.price) + "."
	}
	return asks + "goes up to " + p.money(s.price) + "."
}

// label is the accessible name of the step's link in the chart.
func (p *Path) label(s *step) string {
	said, offer := "buyer asks the price", ""
	if s.offer > 0 {
		said, offer = "buyer offers ", p.money(s.offer)
	}
	answer, price := p.answer(s)
	comma, rule := ", ", ""
	if s.rule != "" {
		rule = p.ruleInText(s)
	} else {
		comma = ""
	}
	text := "Step " + strconv.Itoa(s.n) + ": " + said + offer + ", " + answer + price + comma + rule // one allocation
	for _, f := range p.flags {
		if f.Step == s.n {
			text += ", " + flagName(f.Kind)
		}
	}
	return text
}

// answer returns the shop's answer, with the price if it differs from the offer.
func (p *Path) answer(s *step) (said, price string) {
	switch t := s.tone(); {
	case t == Accepts && s.price == s.offer:
		return "shop accepts", ""
	case t == Accepts:
		return "shop accepts at ", p.money(s.price)
	case t == Declines:
		return "shop declines", ""
	case t == Holds:
		return "shop holds ", p.money(s.price)
	}
	return "shop asks ", p.money(s.price)
}

// ruleInText is the rule's name inside a sentence.
func (p *Path) ruleInText(s *step) string {
	r, known := rules[s.rule]
	if !known {
		return s.rule
	}
	name := r.name(s)
	return string(unicode.ToLower(rune(name[0]))) + name[1:] // names begin with a letter of ASCII
}

func flagName(k FlagKind) string {
	switch k {
	case Expired:
		return "price had expired"
	case Changed:
		return "list price or limits changed"
	}
	return "bundle suggested"
}

func (p *Path) flagged(n int) (texts []string) {
	for _, f := range p.flags {
		switch {
		case f.Step != n:
		case f.Kind == Expired:
			texts = append(texts, "The price before had expired.")
		case f.Kind == Changed:
			texts = append(texts, "List price or limits changed since the step before.")
		default:
			texts = append(texts, "A bundle was suggested.")
		}
	}
	return texts
}
