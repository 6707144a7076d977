// Package firsts keeps the first elements of a long sequence, in order (top k). It does not sort the rest.
package firsts

import "slices"

// Keep inserts an element into a sorted list of at most so many elements. In a full list it replaces the last element if that
// comes after the new one. compare must return 0 for no two elements, and most must be positive.
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
