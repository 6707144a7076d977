package ports

import "time"

// Schedules reads cron expressions.
type Schedules interface {
	// Problem returns why an expression is invalid, or that two of its times are less than apart from each other; "" if
	// it is valid.
	Problem(expression string, apart time.Duration, now time.Time) string
	// Next returns the first time of an expression after another time; zero if there is none.
	Next(expression string, after time.Time) time.Time
}
