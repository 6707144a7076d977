package ratelimit

import (
	"sync/atomic"
	"time"
)

// pause is how long no request is sent to a Redis that did not answer.
const pause = time.Second

// outage is a circuit breaker: it records whether Redis answers, so that requests do not wait for it one after another while
// it does not. It starts closed.
type outage struct {
	start time.Time
	until atomic.Int64 // when Redis may be asked again, in nanoseconds after start; 0: it answers
}

// ask reports whether to ask Redis now. During an outage, one request per pause does, as a trial that decides whether the
// outage is over.
func (o *outage) ask() (yes, trial bool) {
	until := o.until.Load()
	if until == 0 {
		return true, false
	}
	now := o.now()
	won := now >= until && o.until.CompareAndSwap(until, now+int64(pause))
	return won, won
}

// begin and end report whether they changed the state.
func (o *outage) begin() bool { return o.until.Swap(o.now()+int64(pause)) == 0 }
func (o *outage) end() bool   { return o.until.Swap(0) != 0 }

func (o *outage) lasts() bool { return o.until.Load() != 0 }

func (o *outage) now() int64 { return int64(time.Since(o.start)) }
