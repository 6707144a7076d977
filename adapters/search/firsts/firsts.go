// Package firsts keeps the first of many in order.
package firsts

import "slices"

// Keep puts one more into a list that is in order and has at most so many. The last one makes room if it comes after
// the new one. compare must tell all apart, and most must be positive.
func Keep[T any](list []T, one T, most int, compare func(a, b T) int) []T {
	if len(list) == most {
		if compare(list[most-1], one) <= 0 {
			return list
		}
		list = list[:most-1]
	}
	at, _ := slices.BinarySearchFunc(list, one, compare)
	return slices.Insert(list, at, one)
}
