package plaintext

import "testing"

func TestFromHTML(t *testing.T) {
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
		if got := FromHTML(source); got != want {
			t.Errorf("%q: %q, want %q", source, got, want)
		}
	}
}

func TestCut(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text string
		most int
		want string
	}{
		{"tiny", 4, "tiny"},
		{"tiny", 3, "tin"},
		{"né e", 3, "né"},
		{"", 0, ""},
	} {
		if got := Cut(c.text, c.most); got != c.want {
			t.Errorf("%q, %d: %q, want %q", c.text, c.most, got, c.want)
		}
	}
}
