package commerce

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestPlainText(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":                                "",
		"Keeps dry":                       "Keeps dry",
		"<p>Keeps <b>dry</b></p><p>2</p>": "Keeps dry\n2",
		"a &amp; b &lt;c&gt;":             "a & b <c>",
		"3 < 4 and 5 > 2":                 "3 < 4 and 5 > 2",
		"a<script>alert(1)</script>b":     "ab",
		"a<style>p{}</style >b":           "ab",
		"a<!-- hidden -->b":               "ab",
		"a<img src=x onerror=alert(1)>":   "a",
		"a<svg><svg>x</svg>y</svg>b":      "ab",
		"\u202eevil\u202c \u2066x\u2069":  "evil x",
		"a\x00b\x1bc\x7fd\u200be":         "abcde",
		"&#8238;evil":                     "evil",
		" a \t\r\n\n  b ":                 "a\nb",
		"<a href='javascript:x'>go</a>":   "go",
		"a\xffb":                          "ab",
		"日本語 é":                           "日本語 é",
	} {
		if got := PlainText(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	if got := PlainLine("a<br>b\nc"); got != "a b c" {
		t.Errorf("one line: %q", got)
	}
	for _, long := range []string{strings.Repeat("ä", 6_000), strings.Repeat("a ", 6_000), strings.Repeat("<b>", 9_000) + "a"} {
		if n := utf8.RuneCountInString(PlainText(long)); n > MaxText || n == 0 {
			t.Errorf("%d characters", n)
		}
	}
}
