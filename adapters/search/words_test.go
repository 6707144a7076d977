package search

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/ports"
)

func TestWords(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":                            "",
		"Ridgeline 2-Person TENT":     "ridgeline 2 person tent",
		"Men's and Women’s jackets":   "men and women jackets",
		"O'Neill's don't":             "oneill dont",
		"43.2 cm (17\") v1. .5 a.b":   "43.2 cm 17 v1 5 a b",
		"Crème Brûlée – ÉCRU®":        "crème brûlée écru",
		"outdoor/tents_family":        "outdoor tents family",
		"\xff\xfe'; --テント⛺Größe":      "テント größe",
		"4GB DDR2-SDRAM, 1,000 pc(s)": "4gb ddr2 sdram 1 000 pc s",
	} {
		var got []string
		for scan := (scanner{text: text}); scan.next(); {
			got = append(got, string(scan.word))
		}
		if joined := strings.Join(got, " "); joined != want {
			t.Errorf("%q reads %q, want %q", text, joined, want)
		}
	}
}

func TestTied(t *testing.T) {
	t.Parallel()
	var tied []string
	for scan := (scanner{text: "wi-fi - t-shirt -x y--z"}); scan.next(); {
		if scan.tied {
			tied = append(tied, string(scan.word))
		}
	}
	if !slices.Equal(tied, []string{"fi", "shirt"}) {
		t.Errorf("tied: %q", tied)
	}
}

func TestTerm(t *testing.T) {
	t.Parallel()
	for word, want := range map[string]string{
		"tents": "tent", "batteries": "batteri", "battery": "batteri", "the": "", "für": "fur",
		"größe": "gross", "crème": "creme", "4gb": "4gb", "000": "000", "ｔｅｎｔｓ": "tent", "ﬁns": "fin",
		"テント": "テント", "łódź": "lodz",
	} {
		if got := termOf(word); got != want {
			t.Errorf("%q is kept as %q, want %q", word, got, want)
		}
	}
	if termOf("デスク") == termOf("テスク") {
		t.Error("marks that make another letter were dropped")
	}
}

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
	if f.in(title) != 0 || f.in(category) != 31 || f.in(tags) != 0 || f.in(description) != 1 {
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
	x, text := New(), "common"
	var all []*catalog.Product
	for i := range 60 {
		word := fmt.Sprintf("word%d", i)
		all = append(all, &catalog.Product{ID: id.Stored[id.Product](word), Name: "common " + word, Status: catalog.Active})
		text += " " + word
	}
	x.Apply(liveProject, ports.CatalogChanges{Version: 1, Changed: all})
	q := x.snapshot(liveProject).read(text)
	if len(q.words) != maxWords || slices.ContainsFunc(q.words, func(w wanted) bool { return w.text == "common" }) {
		t.Errorf("%d words, the first %q", len(q.words), q.words[0].text)
	}
}
