package agents

import (
	"regexp"
	"strings"
	"testing"
	"unicode"

	"github.com/haggle-commerce/haggle/domain/agent"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/negotiation"
	"github.com/haggle-commerce/haggle/domain/project"
)

// An agent uses the project's model where it names none, and never the one's name with the other's provider.
func TestModelOfAnAgent(t *testing.T) {
	t.Parallel()
	settings := project.DefaultSettings()
	settings.LLMProvider, settings.LLMModel = "openai", "small"
	for _, test := range []struct{ set, want agent.Model }{
		{agent.Model{Temperature: -1}, agent.Model{Provider: "openai", Name: "small", MaxTokens: 1024, Temperature: 700}},
		{agent.Model{}, agent.Model{Provider: "openai", Name: "small", MaxTokens: 1024}},
		{agent.Model{Name: "large", MaxTokens: 5, Wording: true}, agent.Model{Provider: "openai", Name: "large", MaxTokens: 5, Wording: true}},
		{agent.Model{Provider: "OpenAI"}, agent.Model{Provider: "OpenAI", Name: "small", MaxTokens: 1024}},
		{agent.Model{Provider: "anthropic"}, agent.Model{Provider: "anthropic", MaxTokens: 1024}},
	} {
		scene := agent.Scene{Project: &project.Project{Settings: settings}, Mandate: agent.Mandate{Agent: &agent.Agent{Model: test.set}}}
		if got := modelOf(scene); got != test.want || named(got) != (test.want.Name != "") {
			t.Errorf("%+v: %+v", test.set, got)
		}
	}
}

var digits = regexp.MustCompile(`[0-9][0-9.,]*[0-9]|[0-9]`)

// Whatever a model writes, what passes has no number but the two, and is plain text.
func FuzzWhatAModelWrites(f *testing.F) {
	for _, seed := range []string{
		"It is yours at 1234.50 USD.", "It is yours at 1,319 USD, Lamp 80.", "Lamp 80Lamp 80 80", "a.b", "f r e e", "¼ of it", "\xff\xfe", "1234.50USD", "Lamp 8\u0338",
		"it is 1234.50\u202f000", "it is $1,234.50", "1.234,50", "１２", "ﬁne", "Lamp 800", "it is Lamp 80.50", "1234.50.", "1234..50", "it is 1319-1234.50",
	} {
		f.Add(seed)
	}
	speech, _ := speechOf("en-US")
	r := speech.allowing("Lamp 80", negotiation.Countered{Price: money.Of(123450, money.USD)}, money.Of(131900, money.USD))
	f.Fuzz(func(t *testing.T, text string) {
		_, _ = readReasons(text, []string{"Lamp 80"})
		_, _ = band{money.Of(1, money.USD), money.Of(2, money.USD), false}.read(text)
		if r.check(text) != nil {
			return
		}
		rest := strings.ReplaceAll(text, "Lamp 80", " ")
		for _, number := range digits.FindAllString(rest, -1) {
			if plain := strings.ReplaceAll(number, ",", ""); plain != "1234.50" && plain != "1319" && plain != "1319.00" {
				t.Errorf("%s is in %q", number, text)
			}
		}
		for _, c := range rest {
			if unicode.Is(unicode.C, c) || unicode.IsNumber(c) && c > '9' || strings.ContainsRune("<>[]{}`*_\\/@#%=+|^~", c) {
				t.Errorf("%q is in %q", c, text)
			}
		}
	})
}
