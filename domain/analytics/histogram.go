package analytics

import (
	"maps"
	"slices"
)

// Quantile is the smallest key of a histogram that at least per hundred of all lie at or below, and false
// for an empty one.
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

// Coarser is a histogram with keys of the width: 25 and 29 are both 2 of 10.
func Coarser(counts map[int]int64, width int) map[int]int64 {
	joined := make(map[int]int64)
	for key, n := range counts {
		joined[key/width] += n
	}
	return joined
}

// share is what part lies under whole, in parts of scale, rounded down.
func share(part, whole, scale int64) int64 {
	if whole <= 0 {
		return 0
	}
	return part/whole*scale + part%whole*scale/whole
}
