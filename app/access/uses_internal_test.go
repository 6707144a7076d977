package access

import (
	"maps"
	"testing"
	"time"
)

// A use is due once, and the next one of the same key a minute after the last write.
func TestRecent_due(t *testing.T) {
	t.Parallel()
	noon := time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)
	u := newRecent[string]()
	check := func(after time.Duration, want map[string]time.Time) {
		t.Helper()
		due := u.due(noon.Add(after))
		if !maps.Equal(due, want) {
			t.Errorf("after %v: %v, want %v", after, due, want)
		}
		u.wrote(due, noon.Add(after))
	}
	u.note("a", noon)
	check(0, map[string]time.Time{"a": noon})
	later := noon.Add(time.Second)
	u.note("a", later)
	u.note("b", later)
	check(time.Second, map[string]time.Time{"b": later})
	check(writtenEvery-1, nil)
	check(writtenEvery, map[string]time.Time{"a": later})
	check(time.Hour, nil)
}
