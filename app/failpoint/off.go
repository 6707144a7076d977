//go:build !faults

package failpoint

import (
	"context"
	"time"
)

// At does nothing.
func At(context.Context, Point) error { return nil }

// ClockOffset is 0.
func ClockOffset() time.Duration { return 0 }
