package agents_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/haggle-commerce/haggle/domain/agent"
	"github.com/haggle-commerce/haggle/domain/catalog"
)

func searchInput(query string) agent.SearchInput {
	return agent.SearchInput{Scene: scene("en-US"), Query: catalog.Query{Text: query}}
}

func found() catalog.Found {
	hit := func(name string) catalog.Hit {
		secret := usd(cost)
		return catalog.Hit{Product: &catalog.Product{Name: name, Description: "Kept to 5 °C.", Price: usd(list), Cost: &secret}, Reasons: []string{"name"}}
	}
	return catalog.Found{Total: 2, Hits: []catalog.Hit{hit("Nordic Floor Lamp 80"), hit("Tea for One, 250 g")}}
}

// Reasons go in front of the index's own, in results of their own; if one may not be sent, none is.
func TestReasons(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		reasons []string
		sent    bool
	}{
		{[]string{"A floor lamp for reading", "250 g of tea, as you like it"}, true},
		{[]string{"A lamp, see Nordic Floor Lamp 80", "Tea"}, true},
		{[]string{"A lamp"}, false}, {[]string{"A lamp", "Tea", "More"}, false}, {[]string{"A lamp", ""}, false}, {[]string{"A lamp", "..."}, false}, {nil, false},
		{[]string{"A lamp", "Only $5"}, false}, {[]string{"A lamp", "250 USD"}, false}, {[]string{"A lamp for 80 dollars", "Tea"}, false},
		{[]string{"A lamp", "Tea with a discount"}, false}, {[]string{"A lamp with free delivery", "Tea"}, false},
		{[]string{"A lamp", "Tea at tea.example"}, false}, {[]string{"A lamp", "<b>Tea</b>"}, false}, {[]string{"A lamp", "Tea\n"}, false},
		{[]string{"A lamp", strings.Repeat("tea ", 31)}, false}, {[]string{"A lamp", "500 g"}, false}, {[]string{"We accept your offer", "Tea"}, false}, {[]string{"A lamp", "Our floor lamp costs little"}, false},
	} {
		text, _ := json.Marshal(map[string]any{"reasons": test.reasons})
		w, _ := with(&ghost{writes: always(string(text))})
		given := found()
		got := w.Reasons(t.Context(), on, searchInput("lamp"), given)
		for i, hit := range got.Hits {
			want := []string{"name"}
			if test.sent {
				want = []string{test.reasons[i], "name"}
			}
			if !slices.Equal(hit.Reasons, want) || len(given.Hits[i].Reasons) != 1 {
				t.Errorf("%q: %q", test.reasons, hit.Reasons)
			}
		}
	}
}

// A search's prompt has the products' names and what is sought, on one line and cut, and nothing else of either.
func TestWhatAModelIsToldOfASearch(t *testing.T) {
	t.Parallel()
	g := &ghost{writes: always("")}
	w, _ := with(g)
	many := found()
	for len(many.Hits) < 30 {
		many.Hits = append(many.Hits, many.Hits[0])
	}
	w.Reasons(t.Context(), on, searchInput("a\n\"}\u200b lamp "+strings.Repeat("é", 500)), many)
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
}
