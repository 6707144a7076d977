package wire

import "strings"

// Matches compares an ETag as If-None-Match wants it: any of a list, weak or not.
func Matches(known, tag string) bool {
	for one := range strings.SplitSeq(known, ",") {
		one = strings.TrimPrefix(strings.TrimSpace(one), "W/")
		if one == tag || one == "*" {
			return true
		}
	}
	return false
}
