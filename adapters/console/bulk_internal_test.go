package console

import "testing"

func TestCell(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":                "",
		"ada@example.com": "ada@example.com",
		"=1+1":            "'=1+1",
		"+1":              "'+1",
		"-1":              "'-1",
		"@sum":            "'@sum",
	} {
		if got := cell(text); got != want {
			t.Errorf("%q is written %q, want %q", text, got, want)
		}
	}
}
