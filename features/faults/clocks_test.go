package faults

import "testing"

// clocks tests two replicas with wrong clocks. One is paid at and dies; the other takes over its work in time and announces
// every event, because the database's clock decides.
func (l *harness) clocks(t *testing.T) {
	together([]crash{
		// By the replica's own clock, which is fast, its lease would last six minutes longer.
		{engine: postgres, point: "finalize.charged", action: kill, retry: nobody, tokens: payments[0], clock: "+6m", otherClock: "-60s"},
		// By the replicas' own clocks, a slow one's events would be older than the subscription that was made at a fast one.
		{engine: postgres, point: "finalize.record_committed", action: kill, retry: sameClient, tokens: payments[0], clock: "-60s", otherClock: "+6m"},
	}, 2, func(c crash) {
		s := &scene{harness: l, crash: c}
		defer s.end()
		s.play()
		l.judge(t, "clocks", c.String(), s.violations, s.logs()...)
	})
}
