package analytics

import (
	"maps"
	"slices"
)

// Quantile returns the smallest key of a histogram such that at least per percent of all values are at or below it. It
// returns false for an empty histogram.
func Quantile(counts map[int]int64, per int64) (int, bool) {
	var all, below int64
	for _, n := range counts {
		all += n
	}
	for _, key := range slices.Sorted(maps.Keys(counts)) {
		below += counts[key]
		if below*100 >= all*per {
			return key, true
		}
	}
	return 0, false
}

// Coarser returns a histogram with keys of the given width: with width 10, 25 and 29 are both 2.
func Coarser(counts map[int]int64, width int) map[int]int64 {
	joined := make(map[int]int64)
	for key, n := range counts {
		joined[key/width] += n
	}
	return joined
}

// share returns part/whole in parts of scale, rounded down. It returns 0 if whole is not positive.
func share(part, whole, scale int64) int64 {
	if whole <= 0 {
		return 0
	}
	return part/whole*scale + part%whole*scale/whole
}
