package main

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
)

// between returns a number from low to high, inclusive, that depends only on the sku and the purpose.
func between(sku, purpose string, low, high int) int {
	h := fnv.New64a()
	fmt.Fprintf(h, "%s:%s", purpose, sku)
	n := h.Sum64()
	n ^= n >> 33 // the low bits of FNV are poorly mixed
	n *= 0xff51afd7ed558ccd
	n ^= n >> 33
	return low + int(n%uint64(high-low+1))
}

func oneIn(n int, sku, purpose string) bool { return between(sku, purpose, 1, n) == 1 }

// dollars formats 24950 cents as 249.5 and 24900 as 249.
func dollars(cents int) json.Number {
	switch {
	case cents%100 == 0:
		return json.Number(fmt.Sprint(cents / 100))
	case cents%10 == 0:
		return json.Number(fmt.Sprintf("%d.%d", cents/100, cents%100/10))
	}
	return json.Number(fmt.Sprintf("%d.%02d", cents/100, cents%100))
}
