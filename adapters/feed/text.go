package feed

import (
	"strings"
	"unicode"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// hidden are the elements whose text is not for people.
var hidden = map[atom.Atom]bool{atom.Script: true, atom.Style: true, atom.Iframe: true, atom.Noscript: true, atom.Template: true}

// inline are the elements that do not start a line of their own.
var inline = map[atom.Atom]bool{
	atom.A: true, atom.Abbr: true, atom.B: true, atom.Code: true, atom.Em: true, atom.Font: true, atom.I: true, atom.Img: true,
	atom.Small: true, atom.Span: true, atom.Strong: true, atom.Sub: true, atom.Sup: true, atom.U: true,
}

// plainText is what a description says, without its mark-up: a line for each block, and no empty ones.
func plainText(source string) string {
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
			text.WriteString(token.Data)
		case kind != html.CommentToken && !inline[token.DataAtom]:
			text.WriteByte('\n')
		}
	}
	return tidy(text.String())
}

func tidy(text string) string {
	var lines []string
	for part := range strings.SplitSeq(strings.ReplaceAll(text, `\n`, "\n"), "\n") {
		if part = oneLine(part); part != "" {
			lines = append(lines, part)
		}
	}
	return strings.Join(lines, "\n")
}

// oneLine is text without control characters, and with single spaces.
func oneLine(text string) string {
	return strings.Join(strings.FieldsFunc(text, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }), " ")
}

// cut is text of so many characters at most.
func cut(text string, most int) string {
	if list := []rune(text); len(list) > most {
		return strings.TrimSpace(string(list[:most]))
	}
	return text
}

// path turns "Clothing > T-shirts" into clothing's path, Clothing/T-shirts.
func path(category string) string {
	var parts []string
	for part := range strings.SplitSeq(category, ">") {
		if part = oneLine(strings.ReplaceAll(part, "/", " ")); part != "" {
			parts = append(parts, part)
		}
	}
	return cut(strings.Join(parts, "/"), 200)
}

// listed are the values of a list, each once.
func listed(text, separator string, most int) (all []string) {
	seen := map[string]bool{}
	for one := range strings.SplitSeq(text, separator) {
		if one = oneLine(one); one != "" && !seen[one] && len(all) < most {
			seen[one] = true
			all = append(all, one)
		}
	}
	return all
}
