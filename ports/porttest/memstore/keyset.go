package memstore

import (
	"cmp"
	"slices"
	"strings"

	"github.com/haggle-commerce/haggle/ports"
)

// keyed is a page of a list that is ordered by time, the newest first, then by id, and the number of all of it.
func keyed[T any](list []T, page ports.Page, place func(T) ports.Place) ([]T, int, error) {
	compare := func(a, b ports.Place) int {
		c := cmp.Or(b.At.Compare(a.At), strings.Compare(b.ID, a.ID))
		if page.Oldest {
			return -c
		}
		return c
	}
	slices.SortFunc(list, func(a, b T) int { return compare(place(a), place(b)) })
	switch {
	case page.After != nil:
		list = slices.DeleteFunc(list, func(t T) bool { return compare(place(t), *page.After) <= 0 })
		return part(list, page), 0, nil
	case page.Before != nil:
		list = slices.DeleteFunc(list, func(t T) bool { return compare(place(t), *page.Before) >= 0 })
		return list[max(0, len(list)-page.Limit):], 0, nil
	}
	total := len(list)
	if page.CountTo > 0 {
		total = min(total, page.CountTo)
	}
	return part(list, page), total, nil
}
