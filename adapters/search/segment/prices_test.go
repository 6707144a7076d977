package segment

import (
	"slices"
	"testing"
)

func TestPriceSteps(t *testing.T) {
	t.Parallel()
	if !slices.IsSorted(PriceSteps) || len(PriceSteps) > 256 {
		t.Fatalf("steps %v", PriceSteps)
	}
	for _, minor := range []int64{-1, 0, 1, 9, 10, 11, 1999, 2000, 999_999_999_999} {
		step := PriceStep(minor)
		if minor >= 0 && PriceSteps[step] > minor || int(step)+1 < len(PriceSteps) && PriceSteps[step+1] <= minor {
			t.Errorf("%d is in the step from %d", minor, PriceSteps[step])
		}
	}
}
