package commerce

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/html"
)

// MaxText is the limit, in characters, of a merchant's text that agents see.
const MaxText = 5_000

// PlainText returns a merchant's text for agents: without markup, control and bidirectional characters, at most MaxText
// characters. It does not change the wording: the text is data, not instructions.
func PlainText(text string) string { return plain(text, true) }

// PlainLine is PlainText on one line.
func PlainLine(text string) string { return plain(text, false) }

func plain(text string, lines bool) string {
	if strings.ContainsAny(text, "<&") {
		text = withoutMarkup(text)
	}
	w := plainWriter{lines: lines}
	for _, r := range text {
		if !w.add(r) {
			break
		}
	}
	return w.text.String()
}

// plainWriter collects the characters that may be shown. It collapses runs of white space.
type plainWriter struct {
	text  strings.Builder
	count int
	lines bool // line ends stay
	gap   rune // before the next character; 0: none
}

// add reports whether there is room for more.
func (w *plainWriter) add(r rune) bool {
	switch {
	case r == '\n' && w.lines:
		w.gap = '\n'
	case unicode.IsSpace(r):
		if w.gap == 0 {
			w.gap = ' '
		}
	case r == utf8.RuneError, unicode.Is(unicode.C, r): // controls, bidirectional and other format characters, private use
	default:
		if w.gap != 0 && w.count > 0 {
			w.text.WriteRune(w.gap)
			w.count++
		}
		if w.gap = 0; w.count >= MaxText {
			return false
		}
		w.text.WriteRune(r)
		w.count++
	}
	return w.count < MaxText
}

// hidden has the elements whose content is not text of the page.
var hidden = map[string]bool{
	"script": true, "style": true, "template": true, "noscript": true, "iframe": true, "noembed": true, "noframes": true, "title": true,
	"textarea": true, "xmp": true, "plaintext": true, "head": true, "svg": true, "math": true,
}

// inline has the elements that do not end a line.
var inline = map[string]bool{
	"a": true, "abbr": true, "b": true, "bdi": true, "bdo": true, "cite": true, "code": true, "em": true, "font": true, "i": true, "mark": true,
	"q": true, "s": true, "small": true, "span": true, "strong": true, "sub": true, "sup": true, "u": true, "wbr": true,
}

// withoutMarkup returns the text of HTML. Anything that the tokenizer does not recognize as markup stays.
func withoutMarkup(text string) string {
	var b strings.Builder
	z := html.NewTokenizer(strings.NewReader(text))
	z.SetMaxBuf(1 << 20)
	within, depth := "", 0 // a hidden element
	for {
		switch kind := z.Next(); kind {
		case html.ErrorToken:
			return b.String()
		case html.TextToken:
			if within == "" {
				b.Write(z.Text()) // unescaped; any markup in the result is text
			}
		case html.StartTagToken, html.EndTagToken, html.SelfClosingTagToken:
			raw, _ := z.TagName()
			name := string(raw)
			switch {
			case within == "" && kind == html.StartTagToken && hidden[name]:
				within, depth = name, 1
			case within == name && kind == html.StartTagToken:
				depth++
			case within == name && kind == html.EndTagToken:
				if depth--; depth == 0 {
					within = ""
				}
			case within == "" && !inline[name]:
				b.WriteByte('\n')
			}
		}
	}
}

// ImageURL returns the absolute address of a product's image, which may be stored as a path below the server's public address.
func (s *Services) ImageURL(url string) string {
	if strings.Contains(url, "://") {
		return url
	}
	return strings.TrimSuffix(s.PublicURL, "/") + "/" + strings.TrimPrefix(url, "/")
}
