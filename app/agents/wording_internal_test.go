package agents

import (
	"reflect"
	"slices"
	"testing"

	"github.com/haggle-commerce/haggle/domain/agent"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/project"
)

// An agent uses the project's model if it names none, and never one provider's name with another provider.
func TestModelOfAnAgent(t *testing.T) {
	t.Parallel()
	settings := project.DefaultSettings()
	settings.LLMProvider, settings.LLMModel = "openai", "small"
	for _, test := range []struct{ set, want agent.Model }{
		{agent.Model{Temperature: -1}, agent.Model{
			Provider:    "openai",
			Name:        "small",
			MaxTokens:   1024,
			Temperature: 700,
		}},
		{agent.Model{}, agent.Model{
			Provider:  "openai",
			Name:      "small",
			MaxTokens: 1024,
		}},
		{agent.Model{
			Name:      "large",
			MaxTokens: 5,
			Wording:   true,
		}, agent.Model{
			Provider:  "openai",
			Name:      "large",
			MaxTokens: 5,
			Wording:   true,
		}},
		{agent.Model{Provider: "OpenAI"}, agent.Model{
			Provider:  "OpenAI",
			Name:      "small",
			MaxTokens: 1024,
		}},
		{agent.Model{Provider: "anthropic"}, agent.Model{Provider: "anthropic", MaxTokens: 1024}},
	} {
		scene := agent.Scene{Project: &project.Project{Settings: settings}, Mandate: agent.Mandate{Agent: &agent.Agent{Model: test.set}}}
		if got := modelOf(scene); !reflect.DeepEqual(got, test.want) || hasModel(got) != (test.want.Name != "") {
			t.Errorf("%+v: %+v", test.set, got)
		}
	}
}

// For any text of a model, the choice is one of those that were given to it.
func FuzzWhatAModelWrites(f *testing.F) {
	for _, seed := range []string{
		`{"template": "house-counter-1"}`, `{"template": "it is free"}`, `{"reasons": ["use: reading"]}`, `{"reasons": [""]}`,
		`{"reasons": ["use: reading, at 5 USD"]}`, `{"action": "counter", "price": "1.50"}`, "\xff\xfe",
	} {
		f.Add(seed)
	}
	choices := agent.Model{}.TemplatesFor(agent.OnCounter)
	facts := []productFacts{{"Lamp 80", []string{"use: reading"}}}
	limits := band{money.Of(1, money.USD), money.Of(2, money.USD), false}
	f.Fuzz(func(t *testing.T, text string) {
		if chosen, err := chosenOf(text, choices); err == nil && !slices.Contains(choices, chosen) {
			t.Errorf("%q chooses %+v", text, chosen)
		}
		if reasons, err := readReasons(text, facts); err == nil && (len(reasons) != 1 || reasons[0] != "" && reasons[0] != "use: reading") {
			t.Errorf("%q says %q", text, reasons)
		}
		if price, err := limits.read(text); err == nil && (price.Minor() < 1 || price.Minor() > 2) {
			t.Errorf("%q asks for %s", text, price)
		}
	})
}

func TestReadReasons(t *testing.T) {
	t.Parallel()
	products := []productFacts{{"Lamp 80", []string{"use: reading"}}, {"Tea", nil}}
	for text, c := range map[string]struct {
		want []string
		err  error
	}{
		`{"reasons": ["use: reading", ""]}`:        {want: []string{"use: reading", ""}},
		`{"reasons": ["use: reading"]}`:            {err: errShape},
		`use: reading`:                             {err: errShape},
		`{"reasons": ["", "use: reading"]}`:        {err: errChoice}, // of the other product
		`{"reasons": ["use: reading in bed", ""]}`: {err: errChoice},
	} {
		if got, err := readReasons(text, products); !slices.Equal(got, c.want) || err != c.err {
			t.Errorf("%s: %q, %v", text, got, err)
		}
	}
}
