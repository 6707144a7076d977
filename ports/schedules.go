package ports

import "time"

// Schedules reads cron expressions.
type Schedules interface {
	// Problem is why an expression is no schedule, or none whose times are at least some time apart; "": it is one.
	Problem(expression string, apart time.Duration, now time.Time) string
	// Next is the first time after another one; zero: there is none.
	Next(expression string, after time.Time) time.Time
}
