package shopify

import "testing"

func TestPlainText(t *testing.T) {
	t.Parallel()
	for source, want := range map[string]string{
		"":                                    "",
		"just text":                           "just text",
		"<p>One</p><p>Two</p>":                "One\nTwo",
		"Hello <b>wor</b>ld,\n  again":        "Hello world, again",
		"a<br>b<br/>c":                        "a\nb\nc",
		"<ul>\n<li>x</li>\n<li>y</li>\n</ul>": "x\ny",
		"<table><tr><td>k</td><td>v</td></tr></table>":               "k v",
		"1 &lt; 2 &amp; &nbsp;3 &eacute;":                            "1 < 2 & 3 é",
		"<style>p{}</style>a<script>if (a<b) {}</script>b<!-- c -->": "ab",
		"<p>unclosed <b>bold":                                        "unclosed bold",
		"nul\x00 bell\x07":                                           "nul bell",
		"<iframe>x":                                                  "",
	} {
		if got := plainText(source); got != want {
			t.Errorf("%q: %q, want %q", source, got, want)
		}
	}
}
