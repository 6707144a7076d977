// Package cron parses cron expressions: the five fields of POSIX, or descriptors such as @hourly, optionally preceded by a
// time zone (CRON_TZ=Europe/Berlin 0 6 * * *). Without one, times are in UTC. It runs nothing itself.
package cron

import (
	"fmt"
	"time"

	"github.com/netresearch/go-cron"

	"github.com/haggle-commerce/haggle/ports"
)

// Schedules implements ports.Schedules.
type Schedules struct{}

var _ ports.Schedules = Schedules{}

// parser matches a day of the month or a day of the week if both are given, as crontab does.
var parser = cron.MustNewParser(cron.Minute | cron.Hour | cron.Dom | cron.Month | cron.Dow | cron.DowOrDom | cron.Descriptor)

const (
	maxLength = 200
	// maxTimesChecked is how many times Problem checks for two that are too close together.
	maxTimesChecked = 500
)

func (Schedules) Problem(expression string, apart time.Duration, now time.Time) string {
	if len(expression) > maxLength {
		return fmt.Sprintf("must have at most %d characters", maxLength)
	}
	schedule, err := parser.Parse(expression)
	if err != nil || hasEmptyField(schedule) {
		return `must be a cron expression of five fields, such as "0 6 * * *", or @hourly, @daily or @weekly`
	}
	last := schedule.Next(now.UTC())
	if last.IsZero() {
		return "names a time that never comes"
	}
	for range maxTimesChecked {
		next := schedule.Next(last)
		if next.IsZero() {
			break
		}
		if next.Sub(last) < apart {
			return fmt.Sprintf("must leave at least %d minutes between two syncs", int(apart.Minutes()))
		}
		last = next
	}
	return ""
}

// hasEmptyField reports whether a field has no values, as "," does. The parser accepts it and then searches years for a time.
func hasEmptyField(schedule cron.Schedule) bool {
	s, is := schedule.(*cron.SpecSchedule)
	return is && (s.Minute == 0 || s.Hour == 0 || s.Dom == 0 || s.Month == 0 || s.Dow == 0)
}

func (Schedules) Next(expression string, after time.Time) time.Time {
	schedule, err := parser.Parse(expression)
	if err != nil {
		return time.Time{}
	}
	return schedule.Next(after.UTC())
}
