package faults

import "testing"

// clocks has two replicas whose own clocks are wrong. The one pays and dies; what it left is taken over in time,
// and every event is told: the database's clock decides.
func (l *lab) clocks(t *testing.T) {
	together([]crash{
		// A fast replica's lease would last for as long as it is fast.
		{engine: postgres, point: "finalize.charged", action: kill, retry: nobody, tokens: payments[0], clock: "+6m", otherClock: "-60s"},
		// Events of a slow replica would be older than the subscription made at a fast one.
		{engine: postgres, point: "finalize.record_committed", action: kill, retry: sameClient, tokens: payments[0], clock: "-60s", otherClock: "+6m"},
	}, 2, func(c crash) {
		s := &scene{lab: l, crash: c}
		defer s.end()
		s.play()
		l.judge(t, "clocks", c.String(), s.violations, s.logs()...)
	})
}
