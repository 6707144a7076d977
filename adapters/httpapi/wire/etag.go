package wire

import "strings"

// Matches reports whether an ETag matches If-None-Match, which may be a list of weak or strong tags.
func Matches(known, tag string) bool {
	for one := range strings.SplitSeq(known, ",") {
		one = strings.TrimPrefix(strings.TrimSpace(one), "W/")
		if one == tag || one == "*" {
			return true
		}
	}
	return false
}
