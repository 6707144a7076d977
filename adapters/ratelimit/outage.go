package ratelimit

import (
	"sync/atomic"
	"time"
)

// pause is how long a Redis that did not answer is left alone.
const pause = time.Second

// outage remembers whether Redis answers, so that requests do not wait for it in turn when it does not.
// It starts answering.
type outage struct {
	start time.Time
	until atomic.Int64 // after start, when Redis may be asked again; 0: it answers
}

// ask reports whether to ask Redis now. In an outage that is one request a pause, and its answer is the
// trial that decides whether the outage is over.
func (o *outage) ask() (yes, trial bool) {
	until := o.until.Load()
	if until == 0 {
		return true, false
	}
	now := o.now()
	won := now >= until && o.until.CompareAndSwap(until, now+int64(pause))
	return won, won
}

// begin and end tell whether that is a change.
func (o *outage) begin() bool { return o.until.Swap(o.now()+int64(pause)) == 0 }
func (o *outage) end() bool   { return o.until.Swap(0) != 0 }

func (o *outage) lasts() bool { return o.until.Load() != 0 }

func (o *outage) now() int64 { return int64(time.Since(o.start)) }
