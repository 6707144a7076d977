package boot_test

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"time"
)

// soakQuery is the body of a search.
type soakQuery struct {
	Session string `json:"session_id,omitempty"`
	Query   string `json:"query"`
	Limit   int    `json:"limit"`
	Filters struct {
		Category string   `json:"category,omitempty"`
		PriceMax *int     `json:"price_max,omitempty"`
		Colors   []string `json:"color_preference,omitempty"`
	} `json:"filters"`
}

type soakAnswer struct {
	Session string       `json:"session_id"`
	Total   int          `json:"total_count"`
	Results []soakResult `json:"results"`
}

type soakResult struct {
	ID           string  `json:"product_id"`
	Name         string  `json:"name"`
	Price        float64 `json:"list_price"`
	Availability struct {
		InStock  bool `json:"in_stock"`
		Quantity int  `json:"quantity"`
	} `json:"availability"`
	Variants []struct {
		InStock bool `json:"in_stock"`
	} `json:"variants"`
}

// searchUntil searches until done is closed, every other time in a new session.
func (s *soak) searchUntil(random *rand.Rand, done chan struct{}) {
	session := ""
	for n := 0; ; n++ {
		select {
		case <-done:
			return
		default:
		}
		w := s.randomQuery(random)
		if n%2 == 1 {
			w.Session = session
		}
		if session = s.search(w).Session; s.Failed() {
			return
		}
	}
}

// randomQuery returns a random search: for everything in a category, a noun, a misspelled noun, or a product's own word.
func (s *soak) randomQuery(random *rand.Rand) (w soakQuery) {
	w.Limit = soakLimit
	if random.IntN(4) == 0 {
		w.Limit = 10
	}
	noun := soakNouns[random.IntN(len(soakNouns))]
	switch random.IntN(6) {
	case 0:
	case 1, 2:
		w.Filters.Category = fmt.Sprint("shelf", random.IntN(soakShelves))
	case 3:
		w.Query = noun
	case 4:
		w.Query = noun[:2] + noun[3:]
	case 5:
		w.Query = s.goods[random.IntN(len(s.goods))].truth.Load().word
	}
	if random.IntN(3) == 0 {
		w.Filters.PriceMax = new(10 + random.IntN(80))
	}
	if random.IntN(4) == 0 {
		w.Filters.Colors = soakColors[:1+random.IntN(2)]
	}
	return w
}

// goodBefore is a product's state when a search began.
type goodBefore struct {
	writes int64
	truth  *productState
}

// search sends a search and checks the response. Products that no write touched meanwhile must be shown exactly.
func (s *soak) search(w soakQuery) (f soakAnswer) {
	s.searches.Add(1)
	body, _ := json.Marshal(w)
	before := make([]goodBefore, len(s.goods))
	for i, g := range s.goods {
		before[i].writes = g.writes.Load()
		before[i].truth = g.truth.Load()
	}
	began := time.Now()
	answer := send(s.T, request(s.T, "POST", s.shop+"/acp/search", string(body))).expect(s.T, 200)
	if answer.StatusCode != 200 || time.Since(began) > soakPatience {
		return f
	}
	known := make(map[*soakProduct]*productState, len(s.goods))
	for i, g := range s.goods {
		if before[i].writes%2 == 0 && before[i].writes == g.writes.Load() && began.UnixNano()-g.written.Load() > int64(s.lag) {
			known[g] = before[i].truth
		}
	}
	if err := json.Unmarshal([]byte(answer.body), &f); err != nil {
		s.Fatal(err)
	}
	for _, wrong := range s.check(w, f, known) {
		s.Errorf("%s: %s", body, wrong)
	}
	return f
}

// check returns what is wrong with a response. known holds the products that did not change during the search.
func (s *soak) check(w soakQuery, f soakAnswer, known map[*soakProduct]*productState) (wrong []string) {
	say := func(format string, a ...any) { wrong = append(wrong, fmt.Sprintf(format, a...)) }
	if len(f.Results) != min(f.Total, w.Limit) {
		say("%d results of %d", len(f.Results), f.Total)
	}
	shown := make(map[*soakProduct]bool, len(f.Results))
	for _, r := range f.Results {
		g := s.byID[r.ID]
		switch {
		case g == nil:
			say("%s is unknown", r.ID)
			continue
		case shown[g]:
			say("%s twice", g.sku)
		case w.Filters.PriceMax != nil && r.Price > float64(*w.Filters.PriceMax):
			say("%s costs %v", g.sku, r.Price)
		case !w.passes(g):
			say("%s of %s in %q does not pass", g.sku, g.shelf, g.colors)
		}
		shown[g] = true
		if t := known[g]; t != nil {
			s.judged.Add(1)
			if r.seen() != t.seen() || t.archived {
				say("%s is shown as %+v, but is %+v, archived: %v", g.sku, r.seen(), t.seen(), t.archived)
			}
		}
	}
	for g, t := range known {
		if f.Total <= w.Limit && w.passes(g) && w.finds(t) {
			s.demanded.Add(1)
			if !shown[g] {
				say("%s, %+v, is missing", g.sku, t.seen())
			}
		}
	}
	return wrong
}

// visibleState is what buyers see of a product.
type visibleState struct {
	name     string
	cents    int
	quantity int
	inStock  bool
	variants string
}

func (f *soakResult) seen() visibleState {
	var variants []bool
	for _, v := range f.Variants {
		variants = append(variants, v.InStock)
	}
	return visibleState{f.Name, int(math.Round(f.Price * 100)), f.Availability.Quantity, f.Availability.InStock, fmt.Sprint(variants)}
}

func (t *productState) seen() visibleState {
	var variants []bool
	for _, at := range t.pieces {
		variants = append(variants, sum(at) > 0)
	}
	return visibleState{t.name(), t.cents, t.total(), t.total() > 0, fmt.Sprint(variants)}
}

// passes reports whether a product passes the filters except the price.
func (w *soakQuery) passes(g *soakProduct) bool {
	colored := w.Filters.Colors == nil || slices.ContainsFunc(g.colors, func(c string) bool { return slices.Contains(w.Filters.Colors, c) })
	return colored && (w.Filters.Category == "" || w.Filters.Category == g.shelf)
}

// finds reports whether a product must be found if it passes.
func (w *soakQuery) finds(t *productState) bool {
	cheap := w.Filters.PriceMax == nil || t.cents <= 100**w.Filters.PriceMax
	return cheap && !t.archived && (w.Query == "" || w.Query == t.noun || w.Query == t.word)
}
