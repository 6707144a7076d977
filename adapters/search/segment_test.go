package search

import (
	"fmt"
	"slices"
	"testing"

	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/ports"
)

func TestLengths(t *testing.T) {
	t.Parallel()
	for _, words := range []int{0, 1, 127, 128, 135, 136, 900, 100_000} {
		got := lengthOf(words).words()
		if got > words || words < 1000 && words-got > 7 {
			t.Errorf("%d words count as %d", words, got)
		}
	}
}

func TestFrequencies(t *testing.T) {
	t.Parallel()
	var f frequencies
	for range 40 {
		f = f.more(category)
	}
	f = f.more(description)
	if f.in(titleHead) != 0 || f.in(category) != 31 || f.in(titleTail) != 0 || f.in(description) != 1 {
		t.Errorf("counted %b", f)
	}
	if f.lowest() != category || f.without(category).lowest() != description || f.without(category).without(description) != 0 {
		t.Errorf("fields of %b", f)
	}
}

func TestPriceSteps(t *testing.T) {
	t.Parallel()
	if !slices.IsSorted(priceSteps) || len(priceSteps) > 256 {
		t.Fatalf("steps %v", priceSteps)
	}
	for _, minor := range []int64{-1, 0, 1, 9, 10, 11, 1999, 2000, 999_999_999_999} {
		step := priceStep(minor)
		if minor >= 0 && priceSteps[step] > minor || int(step)+1 < len(priceSteps) && priceSteps[step+1] <= minor {
			t.Errorf("%d is in the step from %d", minor, priceSteps[step])
		}
	}
}

func TestTiers(t *testing.T) {
	t.Parallel()
	for score, want := range map[float32]int{.8: 0, .4: 0, .39: 1, .2: 1, .1: 2, .0001: 8} {
		if got := tierOf(score, .8); got != want {
			t.Errorf("%v is in tier %d, want %d", score, got, want)
		}
	}
}

func TestRarestWordsOfLongTexts(t *testing.T) {
	t.Parallel()
	x, text := New(Options{}), "common"
	var all []*catalog.Product
	for i := range 60 {
		word := fmt.Sprintf("word%d", i)
		all = append(all, &catalog.Product{ID: id.Stored[id.Product](word), Name: "common " + word, Status: catalog.Active})
		text += " " + word
	}
	x.Apply(liveProject, ports.CatalogChanges{Version: 1, Changed: all})
	q := x.snapshot(liveProject).read(text)
	if len(q.groups) != maxWords || slices.ContainsFunc(q.groups, func(g group) bool { return g.text == "common" }) {
		t.Errorf("%d words, the first %q", len(q.groups), q.groups[0].text)
	}
}
