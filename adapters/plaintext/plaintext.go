// Package plaintext converts the HTML and texts that platforms have for products to plain text. It keeps no markup, so it is no
// HTML sanitizer.
package plaintext

import (
	"strings"
	"unicode"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// Line returns text as one line, without control characters and with single spaces.
func Line(text string) string { return strings.Join(strings.Fields(strings.Map(spaced, text)), " ") }

// Cut returns the first characters of text, at most so many.
func Cut(text string, most int) string {
	if list := []rune(text); len(list) > most {
		return strings.TrimSpace(string(list[:most]))
	}
	return text
}

// breaks are the elements that start a new line.
var breaks = map[atom.Atom]bool{
	atom.P: true, atom.Br: true, atom.Div: true, atom.Li: true, atom.Ul: true, atom.Ol: true, atom.Tr: true, atom.Table: true,
	atom.H1: true, atom.H2: true, atom.H3: true, atom.H4: true, atom.H5: true, atom.H6: true, atom.Hr: true,
	atom.Blockquote: true, atom.Section: true, atom.Article: true, atom.Dd: true, atom.Dt: true,
}

// hidden are the elements whose text is not shown.
var hidden = map[atom.Atom]bool{atom.Script: true, atom.Style: true, atom.Iframe: true, atom.Noscript: true, atom.Template: true}

// FromHTML returns the text of an HTML fragment: a line for each block, without empty lines.
func FromHTML(source string) string {
	var text strings.Builder
	within := atom.Atom(0)
	tokens := html.NewTokenizer(strings.NewReader(source))
	for kind := tokens.Next(); kind != html.ErrorToken; kind = tokens.Next() {
		token := tokens.Token()
		switch {
		case within != 0:
			if kind == html.EndTagToken && token.DataAtom == within {
				within = 0
			}
		case kind == html.StartTagToken && hidden[token.DataAtom]:
			within = token.DataAtom
		case kind == html.TextToken:
			text.WriteString(strings.Map(spaced, token.Data))
		case breaks[token.DataAtom]:
			text.WriteByte('\n')
		case token.DataAtom == atom.Td || token.DataAtom == atom.Th:
			text.WriteByte(' ')
		}
	}
	return tidy(text.String())
}

func spaced(r rune) rune {
	if unicode.IsSpace(r) || unicode.IsControl(r) {
		return ' '
	}
	return r
}

func tidy(text string) string {
	var lines []string
	for part := range strings.SplitSeq(text, "\n") {
		if part = Line(part); part != "" {
			lines = append(lines, part)
		}
	}
	return strings.Join(lines, "\n")
}
