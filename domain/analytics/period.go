package analytics

import (
	"time"

	"github.com/haggle-commerce/haggle/domain/fault"
)

// usualDays is the number of days of a period without a beginning.
const usualDays = 30

// Period parses a period from RFC 3339 times, or from dates, which mean the start of the day in the zone. Without an
// end it ends with today. Without a beginning it has 30 days.
func Period(from, to string, now time.Time, zone *time.Location) (begin, end time.Time, err error) {
	check := fault.NewCheck()
	if to == "" {
		end = Day.after(now, zone)
	} else {
		end = moment(to, "to", zone, check)
	}
	if from == "" {
		y, m, d := end.In(zone).Date()
		begin = end.AddDate(0, 0, -usualDays)
		if midnight := StartOfDay(y, m, d, zone); midnight.Equal(end) {
			begin = StartOfDay(y, m, d-usualDays, zone)
		}
	} else {
		begin = moment(from, "from", zone, check)
	}
	if err := check.Err(); err != nil {
		return time.Time{}, time.Time{}, err
	}
	if !begin.Before(end) {
		return time.Time{}, time.Time{}, fault.Field("from", "must be before to")
	}
	return begin.UTC(), end.UTC(), nil
}

// moment parses a time or a date.
func moment(text, field string, zone *time.Location, check fault.Check) time.Time {
	if day, err := time.Parse(time.DateOnly, text); err == nil {
		return StartOfDay(day.Year(), day.Month(), day.Day(), zone)
	}
	t, err := time.Parse(time.RFC3339, text)
	check.That(err == nil, field, "must be an RFC 3339 time or a date")
	return t.Truncate(time.Millisecond)
}
