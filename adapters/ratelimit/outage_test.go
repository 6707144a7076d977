package ratelimit

import (
	"testing"
	"testing/synctest"
	"time"
)

// During an outage, Redis is tried once per pause.
func TestOutage_ask(t *testing.T) {
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
		asks(true, true) // the trial failed, or never ended
		if !o.end() || o.end() || o.lasts() {
			t.Error("the first answer alone is the change")
		}
		asks(true, false)
	})
}
