package segment

import (
	"slices"

	"github.com/haggle-commerce/haggle/domain/money"
)

// PriceSteps are round numbers of minor units up to money.Limit. A price range starts at one and ends just before another. A
// product's price is that of its cheapest variant: the least that a buyer pays, which price filters compare, too.
var PriceSteps = func() []int64 {
	steps := []int64{0}
	for scale := int64(1); scale < money.Limit; scale *= 10 {
		for _, tenths := range []int64{10, 12, 15, 20, 25, 30, 40, 50, 60, 80} {
			if tenths*scale%10 == 0 {
				steps = append(steps, tenths*scale/10)
			}
		}
	}
	return steps
}()

// PriceStep returns the index of the last step that is not above a price.
func PriceStep(minor int64) uint32 {
	i, found := slices.BinarySearch(PriceSteps, minor)
	if !found {
		i--
	}
	return uint32(max(0, i))
}
