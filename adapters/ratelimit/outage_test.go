package ratelimit

import (
	"testing"
	"testing/synctest"
	"time"
)

func TestAnOutageIsTriedOnceAPause(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		o := outage{start: time.Now()}
		asks := func(wantYes, wantTrial bool) {
			t.Helper()
			if yes, trial := o.ask(); yes != wantYes || trial != wantTrial {
				t.Errorf("after %v: ask %v, trial %v", time.Since(o.start), yes, trial)
			}
		}
		asks(true, false)
		if !o.begin() || o.begin() || !o.lasts() {
			t.Error("the first failure alone is the change")
		}
		asks(false, false)
		time.Sleep(pause - 1)
		asks(false, false)
		time.Sleep(time.Nanosecond)
		asks(true, true)
		asks(false, false) // while the trial runs
		time.Sleep(pause)
		asks(true, true) // it failed, or was never heard of again
		if !o.end() || o.end() || o.lasts() {
			t.Error("the first answer alone is the change")
		}
		asks(true, false)
	})
}
