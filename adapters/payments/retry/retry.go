// Package retry repeats idempotent requests to payment providers until their outcome is known. It knows no provider.
package retry

import (
	"context"
	"time"
)

// pauses are the waits before the second and the third try.
var pauses = []time.Duration{200 * time.Millisecond, 600 * time.Millisecond}

// Errors classifies the errors of a provider.
type Errors struct {
	Unclear func(error) bool // it is unknown whether the request was carried out
	Refused func(error) bool // the credentials were refused
}

// Do runs an idempotent request until its outcome is clear, at most three times and within the context. If
// the outcome stays unclear, Do returns the error of the last try. A refusal of credentials in a later try says
// nothing about an earlier one, so Do then returns the error of the earlier try.
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

// wait waits for a pause, and reports whether the context is still valid afterwards.
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
