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

// Reasons go in front of the index's own, in results of their own; if one is not a fact of its product, none is added.
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
		w, _ := with(&ghost{writes: always(string(text))})
		given := found()
		got := w.Reasons(ports.NewOutbound(t.Context()), on, searchInput("lamp"), given)
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

// A search's prompt has the products' names and facts and what is sought, on one line and cut, and nothing else of either.
func TestWhatAModelIsToldOfASearch(t *testing.T) {
	t.Parallel()
	g := &ghost{writes: always("")}
	w, _ := with(g)
	many := found()
	for len(many.Hits) < 30 {
		many.Hits = append(many.Hits, many.Hits[0])
	}
	w.Reasons(ports.NewOutbound(t.Context()), on, searchInput("a\n\"}\u200b lamp "+strings.Repeat("é", 500)), many)
	asked := g.questions()
	if len(asked) != 1 {
		t.Fatal(asked)
	}
	var told map[string]any
	if err := json.Unmarshal([]byte(asked[0].User), &told); err != nil || len(told) != 3 {
		t.Fatal(err, told)
	}
	query := told["query"].(string)
	if !strings.HasPrefix(query, `a "} lamp é`) || len([]rune(query)) != 200 || len(told["products"].([]any)) != 10 || told["locale"] != "en-US" {
		t.Error(told)
	}
	first, _ := json.Marshal(told["products"].([]any)[0])
	if string(first) != `{"facts":["brand: Nordic","material: oak","use: reading"],"name":"Nordic Floor Lamp 80"}` {
		t.Errorf("%s", first)
	}
}
