package agent

import (
	"strconv"
	"strings"
	"unicode"

	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/negotiation"
)

const (
	mostTemplates      = 40
	longestTemplate    = 240 // characters per text
	longestTemplateID  = 40
	validUntilTemplate = "2006-01-02 15:04 MST"
)

// Occasion is the kind of answer that a template is for.
type Occasion struct{ name string }

var (
	OnAccept  = Occasion{"accepted"}
	OnCounter = Occasion{"countered"}
	OnFinal   = Occasion{"final"}   // the last counter offer
	OnUnmoved = Occasion{"unmoved"} // the counter offer to a buyer who has offered no more than before
	OnReject  = Occasion{"rejected"}
)

// Occasions are all occasions.
var Occasions = []Occasion{OnAccept, OnCounter, OnFinal, OnUnmoved, OnReject}

// String returns a name for logs and tests. The Management API, tables and language models have their own names.
func (o Occasion) String() string { return o.name }

// OccasionOf returns the occasion of a decision. Price inquiries and products at list price have none.
func OccasionOf(d negotiation.Decision) (Occasion, bool) {
	switch d := d.(type) {
	case negotiation.Accepted:
		return OnAccept, true
	case negotiation.Countered:
		switch {
		case d.Final:
			return OnFinal, true
		case d.By == negotiation.NoMovement || d.By == negotiation.ProbingLimit:
			return OnUnmoved, true
		}
		return OnCounter, true
	case negotiation.Rejected:
		return OnReject, d.By != negotiation.ListOnly
	}
	return Occasion{}, false
}

// Template is one wording of an answer. Its texts have numbers only as placeholders, which are filled from the answer:
// {product}, {quantity}, {price}, {list_price}, {valid_until}, and in a rejection {hint}, the lowest offer that is
// negotiated.
type Template struct {
	ID        string
	On        Occasion
	Reasoning string
	Message   string
}

// BuiltinTemplates word answers if the merchant has written no templates.
var BuiltinTemplates = []Template{
	{"house-accept-1", OnAccept, "", "Agreed: {quantity} × {product} at {price} each."},
	{"house-accept-2", OnAccept, "", "We accept: {product} is yours at {price} each. The price holds until {valid_until}."},
	{"house-counter-1", OnCounter, "We can come down to {price}.", "{product} is yours at {price}."},
	{"house-counter-2", OnCounter, "Our list price is {list_price}; for you we can make it {price}.", "What do you think of {price}?"},
	{"house-counter-3", OnCounter, "{price} is a fair price for {product}.", "It is yours at {price} until {valid_until}."},
	{"house-final-1", OnFinal, "{price} is our final price.", "This is the best that we can do for {product}."},
	{"house-final-2", OnFinal, "We have come down as far as we can: {price}.", "It is yours at {price} until {valid_until}."},
	{"house-unmoved-1", OnUnmoved, "Your offer has risen too little, so our price stays at {price}.", "It is yours at {price}."},
	{"house-unmoved-2", OnUnmoved, "Our price stays at {price} for now.", "Can you come closer to {price}?"},
	{"house-reject-1", OnReject, "The offer is too low for {product}.", "It is yours at {price}."},
	{"house-reject-2", OnReject, "We cannot sell {product} at that price.", "Our price is {price}."},
}

// placeholders returns the placeholders allowed in the occasion's texts.
func (o Occasion) placeholders() []string {
	names := []string{"product", "quantity", "price", "list_price", "valid_until"}
	if o == OnReject {
		names = append(names, "hint")
	}
	return names
}

// TemplatesFor returns the templates of an occasion, or the built-in ones if the merchant has none.
func (m Model) TemplatesFor(o Occasion) []Template {
	of := func(all []Template) (found []Template) {
		for _, t := range all {
			if t.On == o {
				found = append(found, t)
			}
		}
		return found
	}
	if own := of(m.Templates); len(own) > 0 {
		return own
	}
	return of(BuiltinTemplates)
}

// Fill fills the template's texts from an answer of the same occasion.
func (t Template) Fill(in WordInput) Texts {
	price, hint := in.List, in.List
	if decided := negotiation.PriceIn(in.Decision); decided != nil {
		price = *decided
	}
	if rejected, ok := in.Decision.(negotiation.Rejected); ok {
		hint = rejected.Hint
	}
	fill := strings.NewReplacer(
		"{product}", in.Product.Name,
		"{quantity}", strconv.Itoa(in.Product.Quantity),
		"{price}", FormatAmount(price),
		"{list_price}", FormatAmount(in.List),
		"{valid_until}", in.ValidUntil.UTC().Format(validUntilTemplate),
		"{hint}", FormatAmount(hint),
	)
	return Texts{
		Reasoning: fill.Replace(t.Reasoning),
		Message:   fill.Replace(t.Message),
	}
}

// FormatAmount formats an amount as the built-in texts do: 92.50 USD.
func FormatAmount(a money.Amount) string { return a.String() + " " + a.Currency().Code() }

// templatesOf checks templates. It refuses digits, because a price written in a text would not be the answer's.
func templatesOf(drafts []Template, check fault.Check) []Template {
	check.That(len(drafts) <= mostTemplates, "templates", "must have at most "+strconv.Itoa(mostTemplates)+" elements")
	check = check.In("templates")
	seen := map[string]bool{}
	var list []Template
	for i, d := range drafts[:min(len(drafts), mostTemplates)] {
		check := check.At(i)
		check.That(isTemplateID(d.ID), "id", "must have 1 to 40 characters of a-z, 0-9, - and _")
		check.That(!seen[d.ID], "id", "must differ from the ids of other templates")
		check.That(strings.TrimSpace(d.Reasoning+d.Message) != "", "message", "must not be empty if reasoning is not empty")
		checkTemplate(check, "reasoning", d.Reasoning, d.On)
		checkTemplate(check, "message", d.Message, d.On)
		seen[d.ID] = true
		list = append(list, d)
	}
	return list
}

func isTemplateID(name string) bool {
	return name != "" && len(name) <= longestTemplateID && strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789-_") == ""
}

func checkTemplate(check fault.Check, field, value string, on Occasion) {
	text(check, field, value, longestTemplate)
	rest := value
	for _, name := range on.placeholders() {
		rest = strings.ReplaceAll(rest, "{"+name+"}", "")
	}
	check.That(!strings.ContainsAny(rest, "{}"), field, "may have the placeholders {"+strings.Join(on.placeholders(), "}, {")+"} and no other braces")
	check.That(!strings.ContainsFunc(rest, unicode.IsNumber), field, "must not contain numbers: use placeholders")
	check.That(!strings.ContainsFunc(rest, func(c rune) bool { return unicode.Is(unicode.C, c) || c == '<' || c == '>' }), field,
		"must be plain text on one line")
}
