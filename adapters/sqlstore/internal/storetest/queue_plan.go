package storetest

import (
	"fmt"
	"strings"
)

// UsesIndex reports whether all rows of a table that wait are found by an index. The claim's UPDATE finds rows
// by their primary key.
func UsesIndex(s *Store, plan, table, index string) bool {
	if !strings.Contains(plan, index) {
		return false
	}
	for line := range strings.Lines(plan) {
		scan := s.DB.Dialect.OneTrip && strings.Contains(line, fmt.Sprintf("Seq Scan on %s", table)) ||
			!s.DB.Dialect.OneTrip && strings.HasPrefix(line, "SCAN "+table) && !strings.Contains(line, index)
		if scan {
			return false
		}
	}
	return true
}
