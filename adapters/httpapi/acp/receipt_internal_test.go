package acp

import (
	"testing"
	"time"
)

func TestDays(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ from, to, want string }{
		{"2026-11-25", "2026-11-25", "25 November 2026"},
		{"2026-03-06", "2026-03-10", "6 to 10 March 2026"},
		{"2026-02-27", "2026-03-03", "27 February to 3 March 2026"},
		{"2026-12-30", "2027-01-04", "30 December 2026 to 4 January 2027"},
	} {
		from, _ := time.Parse(time.DateOnly, test.from)
		to, _ := time.Parse(time.DateOnly, test.to)
		if got := days(from, to); got != test.want {
			t.Errorf("%s, want %s", got, test.want)
		}
	}
}
