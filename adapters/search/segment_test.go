package search

import (
	"fmt"
	"slices"
	"testing"

	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/ports"
)

func TestTierOf(t *testing.T) {
	t.Parallel()
	for score, want := range map[float32]int{.8: 0, .4: 0, .39: 1, .2: 1, .1: 2, .0001: 8} {
		if got := tierOf(score, .8); got != want {
			t.Errorf("%v is in tier %d, want %d", score, got, want)
		}
	}
}

func TestShorten_rarestWords(t *testing.T) {
	t.Parallel()
	x, text := New(Options{}), "common"
	var all []*catalog.Product
	for i := range 60 {
		word := fmt.Sprintf("word%d", i)
		all = append(all, &catalog.Product{
			ID:     id.Stored[id.Product](word),
			Name:   "common " + word,
			Status: catalog.Active,
		})
		text += " " + word
	}
	x.Apply(liveProject, ports.CatalogChanges{Version: 1, Changed: all})
	q := x.snapshot(liveProject).read(text)
	if len(q.groups) != maxWords || slices.ContainsFunc(q.groups, func(g group) bool { return g.text == "common" }) {
		t.Errorf("%d words, the first %q", len(q.groups), q.groups[0].text)
	}
}
