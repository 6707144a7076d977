package demo

import (
	"slices"
	"strings"
	"testing"
)

func TestTile_escaped(t *testing.T) {
	t.Parallel()
	drawn := tile("X", `<script>"A & B"</script>`, "home/<b>")
	if strings.Contains(drawn, "<script>") || strings.Contains(drawn, "<b>") || !strings.Contains(drawn, "A &amp; B") {
		t.Errorf("not escaped: %s", drawn)
	}
}

func TestWrap(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text string
		want []string
	}{
		{"Kettle", []string{"Kettle"}},
		{"Copper Gooseneck Kettle", []string{"Copper", "Gooseneck", "Kettle"}},
		{"a b c d e f", []string{"a b c d e", "f"}},
		{"one-very-long-word a", []string{"one-very-long-word", "a"}},
		{"aaaaaaaa bbbbbbbb cccccccc dddddddd", []string{"aaaaaaaa", "bbbbbbbb", "cccccccc …"}},
		{"Sauté äöü ééé", []string{"Sauté äöü", "ééé"}},
	} {
		if got := wrap(c.text, 10, 3); !slices.Equal(got, c.want) {
			t.Errorf("wrap(%q) is %q, want %q", c.text, got, c.want)
		}
	}
}

func TestLooks(t *testing.T) {
	t.Parallel()
	for _, shown := range pictured() {
		department, _, _ := strings.Cut(shown.Category, "/")
		if _, ok := looks[department]; !ok {
			t.Errorf("%s: no look for %s", shown.SKU, department)
		}
	}
}
