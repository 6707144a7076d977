package failpoint

import "testing"

func TestAll_uniqueNames(t *testing.T) {
	seen := map[Point]bool{}
	for _, p := range All {
		if p == "" || seen[p] {
			t.Errorf("%q is there twice", p)
		}
		seen[p] = true
	}
	if len(All) < 14 {
		t.Errorf("%d points", len(All))
	}
}
