package acp

import (
	"slices"
	"strings"
	"testing"
)

func TestFromAPIColors(t *testing.T) {
	t.Parallel()
	many := slices.Repeat([]string{"blue"}, 21)
	for name, test := range map[string]struct {
		said *buyerContext
		want []string
	}{
		"nothing said":           {nil, nil},
		"no colours":             {&buyerContext{LoyaltyTier: "gold"}, nil},
		"colours":                {&buyerContext{ColorPreference: []string{"Green", "blue"}}, []string{"Green", "blue"}},
		"a hundred characters":   {&buyerContext{ColorPreference: []string{strings.Repeat("é", 100)}}, []string{strings.Repeat("é", 100)}},
		"nonsense among colours": {&buyerContext{ColorPreference: []string{"", strings.Repeat("é", 101), "a\x00b", "red"}}, []string{"red"}},
		"more than twenty":       {&buyerContext{ColorPreference: many}, many[:20]},
	} {
		if got := fromAPIColors(test.said); !slices.Equal(got, test.want) {
			t.Errorf("%s: %q, want %q", name, got, test.want)
		}
	}
}
