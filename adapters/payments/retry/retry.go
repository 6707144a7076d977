// Package retry repeats requests to payment providers whose answers do not say what became of them.
package retry

import (
	"context"
	"time"
)

// pauses are the waits before the tries after the first.
var pauses = []time.Duration{200 * time.Millisecond, 600 * time.Millisecond}

// Errors tells errors of a provider apart.
type Errors struct {
	Unclear func(error) bool // the request may or may not have been carried out
	Refused func(error) bool // the credentials were refused
}

// Do runs a request that may be repeated until its answer says something, at most three times and within
// the context. If no answer does, the error is that of the last try. Credentials that are refused now say
// nothing of a try before: the error of that one stays.
func (e Errors) Do(ctx context.Context, request func() error) error {
	before := request()
	for _, pause := range pauses {
		if before == nil || !e.Unclear(before) || !wait(ctx, pause) {
			return before
		}
		if err := request(); err == nil || !e.Refused(err) {
			before = err
		} else {
			return before
		}
	}
	return before
}

// wait reports whether the context outlived the pause.
func wait(ctx context.Context, pause time.Duration) bool {
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}
