package segment

import (
	"testing"
)

func TestLength_Words(t *testing.T) {
	t.Parallel()
	for _, words := range []int{0, 1, 127, 128, 135, 136, 900, 100_000} {
		got := lengthOf(words).Words()
		if got > words || words < 1000 && words-got > 7 {
			t.Errorf("%d words count as %d", words, got)
		}
	}
}

func TestFrequencies(t *testing.T) {
	t.Parallel()
	var f Frequencies
	for range 40 {
		f = f.more(Category)
	}
	f = f.more(Description)
	if f.In(TitleHead) != 0 || f.In(Category) != 31 || f.In(TitleTail) != 0 || f.In(Description) != 1 {
		t.Errorf("counted %b", f)
	}
	if f.Lowest() != Category || f.Without(Category).Lowest() != Description || f.Without(Category).Without(Description) != 0 {
		t.Errorf("fields of %b", f)
	}
}
