package agents_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/haggle-commerce/haggle/domain/agent"
	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/ports"
)

func searchInput(query string) agent.SearchInput {
	return agent.SearchInput{Scene: scene("en-US"), Query: catalog.Query{Text: query}}
}

func found() catalog.Found {
	secret := usd(cost)
	hit := func(name, brand string, attributes map[string]string) catalog.Hit {
		return catalog.Hit{
			Product: &catalog.Product{
				Name:        name,
				Brand:       brand,
				Description: "Kept to 5 °C.",
				Attributes:  attributes,
				Price:       usd(list),
				Cost:        &secret,
			},
			Reasons: []string{"name"},
		}
	}
	return catalog.Found{Total: 2, Hits: []catalog.Hit{
		hit("Nordic Floor Lamp 80", "Nordic", map[string]string{"material": "oak", "use": "reading"}),
		hit("Tea for One, 250 g", "", map[string]string{"origin": "Assam", "note": "<b>best</b>"}),
	}}
}

// A reason precedes the index's own ones and leaves the argument unchanged. If one is not a fact of its product, none is added.
func TestReasons(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		reasons []string
		sent    bool
	}{
		{[]string{"use: reading", "origin: Assam"}, true},
		{[]string{"brand: Nordic", ""}, true},
		{[]string{"", ""}, true},
		{[]string{"use: reading"}, false},
		{[]string{"use: reading", "", ""}, false},
		{nil, false},
		{[]string{"origin: Assam", "use: reading"}, false}, // of the other product
		{[]string{"use: reading in bed", ""}, false},
		{[]string{"", "note: <b>best</b>"}, false},
		{[]string{"Only $5", ""}, false},
		{[]string{"", "Tea at tea.example"}, false},
	} {
		text, _ := json.Marshal(map[string]any{"reasons": test.reasons})
		w, _ := withModel(&fakeModel{writes: always(string(text))})
		given := found()
		got := w.Reasons(ports.NewOutbound(t.Context()), allOn, searchInput("lamp"), given)
		for i, hit := range got.Hits {
			want := []string{"name"}
			if test.sent && test.reasons[i] != "" {
				want = []string{test.reasons[i], "name"}
			}
			if !slices.Equal(hit.Reasons, want) || len(given.Hits[i].Reasons) != 1 {
				t.Errorf("%q: %q", test.reasons, hit.Reasons)
			}
		}
	}
}

// The prompt of a search contains the products' names and facts and the search text, on one line and shortened, and nothing else.
func TestWording_Reasons_prompt(t *testing.T) {
	t.Parallel()
	g := &fakeModel{writes: always("")}
	w, _ := withModel(g)
	many := found()
	for len(many.Hits) < 30 {
		many.Hits = append(many.Hits, many.Hits[0])
	}
	w.Reasons(ports.NewOutbound(t.Context()), allOn, searchInput("a\n\"}\u200b lamp "+strings.Repeat("é", 500)), many)
	asked := g.requests()
	if len(asked) != 1 {
		t.Fatal(asked)
	}
	var prompt map[string]any
	if err := json.Unmarshal([]byte(asked[0].User), &prompt); err != nil || len(prompt) != 3 {
		t.Fatal(err, prompt)
	}
	query := prompt["query"].(string)
	if !strings.HasPrefix(query, `a "} lamp é`) || len([]rune(query)) != 200 || len(prompt["products"].([]any)) != 10 || prompt["locale"] != "en-US" {
		t.Error(prompt)
	}
	first, _ := json.Marshal(prompt["products"].([]any)[0])
	if string(first) != `{"facts":["brand: Nordic","material: oak","use: reading"],"name":"Nordic Floor Lamp 80"}` {
		t.Errorf("%s", first)
	}
}
