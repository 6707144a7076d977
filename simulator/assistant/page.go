package assistant

import (
	"fmt"
	"io"
	"strings"
	"unicode"

	eastasian "golang.org/x/text/width"

	"github.com/haggle-commerce/haggle/simulator/decimal"
	"github.com/haggle-commerce/haggle/simulator/ucp"
)

// The page has 80 columns. The first seven name the speaker.
const (
	pageWidth = 80
	margin    = 7
	longest   = 600 // columns of one message of the shop
	mostMarks = 2   // combining marks on one character
)

// Page prints the conversation.
type Page struct {
	W     io.Writer
	Color bool
}

func (p Page) style(code, text string) string {
	if !p.Color || text == "" {
		return text
	}
	return "\x1b[" + code + "m" + text + "\x1b[0m"
}

func (p Page) print(format string, args ...any) { _, _ = fmt.Fprintf(p.W, format, args...) }

// you prints the buyer's request and the tool that it calls.
func (p Page) you(tool, format string, args ...any) {
	lines := wrap(fmt.Sprintf(format, args...), pageWidth-margin)
	p.print("\n")
	for i, line := range lines {
		who := ""
		if i == 0 {
			who = "You"
		}
		p.print("%s%s", p.style("1", fmt.Sprintf("%-*s", margin, who)), line)
		if i < len(lines)-1 {
			p.print("\n")
		}
	}
	room := pageWidth - margin - width(lines[len(lines)-1]) - width(tool)
	if tool != "" && room < 2 {
		p.print("\n")
		room = pageWidth - width(tool)
	}
	p.print("%s%s\n", strings.Repeat(" ", max(0, room)*min(1, len(tool))), p.style("2", tool))
}

// shop prints what the shop says.
func (p Page) shop(format string, args ...any) {
	for i, line := range wrap(clean(fmt.Sprintf(format, args...)), pageWidth-margin) {
		who := ""
		if i == 0 {
			who = "Shop"
		}
		p.print("%s%s\n", p.style("1;36", fmt.Sprintf("%-*s", margin, who)), line)
	}
}

// aside prints a line without a speaker.
func (p Page) aside(format string, args ...any) {
	for _, line := range wrap(clean(fmt.Sprintf(format, args...)), pageWidth) {
		p.print("%s\n", p.style("2", line))
	}
}

// row prints a line of a list or a receipt, with text on the left and figures on the right.
func (p Page) row(left, right string) {
	room := pageWidth - margin - 2 - width(right) - 2
	left = clipped(clean(left), room)
	p.print("%s%s%s\n", strings.Repeat(" ", margin+2), left+strings.Repeat(" ", room-width(left)+2), right)
}

// receipt prints lines and totals.
func (p Page) receipt(lines []ucp.Line, totals ucp.Totals, currency string) {
	for _, line := range lines {
		title := line.Item.Title
		if line.Quantity != 1 {
			title = fmt.Sprintf("%d × %s", line.Quantity, title)
		}
		p.row(title, amount(line.Totals.Of("subtotal"), currency))
	}
	for _, entry := range totals {
		switch entry.Type {
		case "subtotal":
		case "total":
			p.row(named(entry), amount(entry.Amount, currency)+" "+clean(currency))
		default:
			p.row(named(entry), amount(entry.Amount, currency))
		}
	}
}

func named(entry ucp.Total) string {
	if entry.DisplayText != "" {
		return entry.DisplayText
	}
	return entry.Type
}

// amount formats minor units with the currency's decimals.
func amount(minor int64, currency string) string {
	sign, places := "", decimal.Places(currency)
	if minor < 0 {
		sign, minor = "-", -minor
	}
	digits := fmt.Sprintf("%0*d", places+1, minor)
	if places == 0 {
		return sign + digits
	}
	return sign + digits[:len(digits)-places] + "." + digits[len(digits)-places:]
}

func price(m ucp.Money) string { return amount(m.Amount, m.Currency) + " " + clean(m.Currency) }

// sentences joins the shop's messages.
func sentences(messages ucp.Messages) string {
	var said []string
	for _, m := range messages {
		said = append(said, m.Content)
	}
	return clean(strings.Join(said, " "))
}

// clean makes a shop's text safe to print on a terminal. It removes control characters, changes of writing direction,
// invisible characters and piles of combining marks, and limits the length.
func clean(text string) string {
	marks := 0
	text = strings.Map(func(r rune) rune {
		if marks++; columns(r) > 0 {
			marks = 0
		}
		switch {
		case unicode.IsSpace(r):
			return ' '
		case unicode.Is(unicode.C, r), marks > mostMarks:
			return -1
		}
		return r
	}, text)
	return clipped(text, longest)
}

// printable removes terminal control sequences from an error.
func printable(err error) error {
	if err == nil {
		return nil
	}
	return cleaned{err}
}

type cleaned struct{ error }

func (c cleaned) Error() string { return clean(c.error.Error()) }

func (c cleaned) Unwrap() error { return c.error }

// columns returns how many terminal columns a character takes.
func columns(r rune) int {
	if unicode.In(r, unicode.Mn, unicode.Me, unicode.C) {
		return 0
	}
	if kind := eastasian.LookupRune(r).Kind(); kind == eastasian.EastAsianWide || kind == eastasian.EastAsianFullwidth {
		return 2
	}
	return 1
}

func width(text string) (sum int) {
	for _, r := range text {
		sum += columns(r)
	}
	return sum
}

// cut splits a text after as many characters as fit into most columns.
func cut(text string, most int) (begin, rest string) {
	for i, r := range text {
		if most -= columns(r); most < 0 {
			return text[:i], text[i:]
		}
	}
	return text, ""
}

func clipped(text string, most int) string {
	if width(text) <= most {
		return text
	}
	begin, _ := cut(text, max(0, most-1))
	return strings.TrimRight(begin, " ") + "…"
}

// wrap breaks text into lines at spaces, and words that are longer than a line anywhere. URLs stay whole, so that a
// terminal can open them.
func wrap(text string, most int) []string {
	lines := []string{""}
	for _, word := range strings.Fields(text) {
		last := &lines[len(lines)-1]
		switch {
		case *last == "":
			*last = word
		case width(*last)+1+width(word) <= most:
			*last += " " + word
		default:
			lines = append(lines, word)
		}
		for width(lines[len(lines)-1]) > most && !strings.HasPrefix(word, "http") {
			begin, rest := cut(lines[len(lines)-1], most)
			lines[len(lines)-1] = begin
			lines = append(lines, rest)
		}
	}
	return lines
}
