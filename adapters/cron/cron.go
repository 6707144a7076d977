// Package cron reads cron expressions: five fields as POSIX has them, or descriptors such as @hourly, maybe with a time zone
// before them (CRON_TZ=Europe/Berlin 0 6 * * *). Without one, times are in UTC.
package cron

import (
	"fmt"
	"time"

	"github.com/netresearch/go-cron"

	"github.com/haggle-commerce/haggle/ports"
)

// Schedules reads expressions.
type Schedules struct{}

var _ ports.Schedules = Schedules{}

// parser joins a day of the month and a day of the week by or, as crontab does.
var parser = cron.MustNewParser(cron.Minute | cron.Hour | cron.Dom | cron.Month | cron.Dow | cron.DowOrDom | cron.Descriptor)

const (
	// longest is how long an expression may be.
	longest = 200
	// looked is how many times of a schedule are looked at to find two that are too close: a week of one for every 20 minutes.
	looked = 500
)

func (Schedules) Problem(expression string, apart time.Duration, now time.Time) string {
	if len(expression) > longest {
		return fmt.Sprintf("must have at most %d characters", longest)
	}
	schedule, err := parser.Parse(expression)
	if err != nil {
		return `must be a cron expression of five fields, such as "0 6 * * *", or @hourly, @daily or @weekly`
	}
	last := schedule.Next(now.UTC())
	if last.IsZero() {
		return "names a time that never comes"
	}
	for range looked {
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

func (Schedules) Next(expression string, after time.Time) time.Time {
	schedule, err := parser.Parse(expression)
	if err != nil {
		return time.Time{}
	}
	return schedule.Next(after.UTC())
}
