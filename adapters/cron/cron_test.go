package cron_test

import (
	"strings"
	"testing"
	"time"
	_ "time/tzdata"

	"github.com/haggle-commerce/haggle/adapters/cron"
)

var noon = time.Date(2026, 11, 28, 12, 0, 0, 0, time.UTC) // a Saturday

func TestSchedules_Problem(t *testing.T) {
	t.Parallel()
	for expression, want := range map[string]string{
		"0 6 * * *":                       "",
		"*/5 * * * *":                     "",
		"@hourly":                         "",
		"@every 90m":                      "",
		"0 6 29 2 *":                      "",
		"CRON_TZ=Europe/Berlin 0 6 * * 1": "",
		"*/4 * * * *":                     "at least 5 minutes",
		"0,58 * * * *":                    "at least 5 minutes", // 58 and 0
		"@every 10s":                      "at least 5 minutes",
		"0 0 30 2 *":                      "never comes",
		"* * *":                           "five fields",
		"0 0 0 0 * * *":                   "five fields",
		"61 * * * *":                      "five fields",
		", * * * *":                       "five fields",
		"0 , * * *":                       "five fields",
		"often":                           "five fields",
		"TZ=0":                            "five fields",
		"CRON_TZ=Mars/Base 0 6 * * *":     "five fields",
		"@reboot":                         "five fields",
		strings.Repeat("0", 201):          "200 characters",
	} {
		got := cron.Schedules{}.Problem(expression, 5*time.Minute, noon)
		if (want == "") != (got == "") || !strings.Contains(got, want) {
			t.Errorf("%q: %q, want %q", expression, got, want)
		}
	}
}

func TestSchedules_Next(t *testing.T) {
	t.Parallel()
	for expression, want := range map[string]time.Time{
		"0 6 * * *":                          time.Date(2026, 11, 29, 6, 0, 0, 0, time.UTC),
		"0 12 * * *":                         noon.AddDate(0, 0, 1),                         // not the one that is now
		"0 0 13 * 1":                         time.Date(2026, 11, 30, 0, 0, 0, 0, time.UTC), // a 13th, or a Monday
		"CRON_TZ=America/New_York 0 9 * * *": time.Date(2026, 11, 28, 14, 0, 0, 0, time.UTC),
		"0 0 30 2 *":                         {},
		"nonsense":                           {},
	} {
		if got := (cron.Schedules{}).Next(expression, noon); !got.Equal(want) {
			t.Errorf("%q: %s, want %s", expression, got, want)
		}
	}
	// The night on which clocks go forward has no half past two.
	march := time.Date(2027, 3, 27, 12, 0, 0, 0, time.UTC)
	if got := (cron.Schedules{}).Next("CRON_TZ=Europe/Berlin 30 2 * * *", march); got.Before(march) || got.After(march.Add(24*time.Hour)) {
		t.Errorf("as clocks go forward: %s", got)
	}
}
