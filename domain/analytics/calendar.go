package analytics

import (
	"sort"
	"time"

	"github.com/haggle-commerce/haggle/domain/fault"
)

// Interval is the length of a time series' spans.
type Interval struct{ name string }

var (
	Hour  = Interval{"hour"}
	Day   = Interval{"day"}
	Week  = Interval{"week"} // from Monday on
	Month = Interval{"month"}
)

// Intervals are all intervals by name.
var Intervals = map[string]Interval{"hour": Hour, "day": Day, "week": Week, "month": Month}

// MaxBuckets is the largest number of spans in a series.
const MaxBuckets = 400

// Cut splits the time from from to before to at the starts of the zone's hours, days, weeks or months. It returns from,
// to and all starts between them.
func Cut(from, to time.Time, by Interval, zone *time.Location) ([]time.Time, error) {
	bounds := []time.Time{from}
	for next := by.after(from, zone); next.Before(to); next = by.after(next, zone) {
		bounds = append(bounds, next.UTC())
		if len(bounds) > MaxBuckets {
			return nil, fault.Field("interval", "divides the period into more than 400 buckets; use a longer interval")
		}
	}
	return append(bounds, to), nil
}

// after returns the first start of an interval after t.
func (i Interval) after(t time.Time, zone *time.Location) time.Time {
	t = t.In(zone)
	y, m, d := t.Date()
	switch i {
	case Hour:
		return hourAfter(t)
	case Week:
		return StartOfDay(y, m, d+7-int(t.Weekday()+6)%7, zone)
	case Month:
		return StartOfDay(y, m+1, 1, zone)
	}
	return StartOfDay(y, m, d+1, zone)
}

// hourAfter adds elapsed time, so that a repeated hour counts as two. If clocks move by half an hour, there is a
// shorter hour.
func hourAfter(t time.Time) time.Time {
	into := time.Duration(t.Minute())*time.Minute + time.Duration(t.Second())*time.Second + time.Duration(t.Nanosecond())
	next := t.Add(time.Hour - into)
	if over := time.Duration(next.Minute()) * time.Minute; over != 0 {
		if sharp := next.Add(-over); sharp.After(t) && sharp.Minute() == 0 {
			return sharp
		}
	}
	return next
}

// StartOfDay returns the first moment of a day, even if clocks skip midnight or reach it twice. Days and months may be
// outside their usual ranges, as for time.Date.
func StartOfDay(y int, m time.Month, d int, zone *time.Location) time.Time {
	day := time.Date(y, m, d, 0, 0, 0, 0, time.UTC)
	start := time.Date(y, m, d, 0, 0, 0, 0, zone)
	for reached(start.Add(-Slot), day) {
		start = start.Add(-Slot)
	}
	for !reached(start, day) {
		start = start.Add(Slot)
	}
	return start
}

// reached reports whether the local date of t is that day or a later one.
func reached(t, day time.Time) bool {
	y, m, d := t.Date()
	return !time.Date(y, m, d, 0, 0, 0, 0, time.UTC).Before(day)
}

// Span returns the index of the span that contains t. Each span lasts from a bound to before the next.
func Span(bounds []time.Time, t time.Time) (int, bool) {
	after := sort.Search(len(bounds), func(i int) bool { return bounds[i].After(t) })
	return after - 1, after > 0 && after < len(bounds)
}
