package project

import (
	"time"

	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/patch"
)

// Retention is how many days a project keeps the data of buyers and platforms. Orders and payments are always kept, and
// so are the sessions, quotes and checkouts that became orders.
type Retention struct {
	Messages   int // of buyers, and their clients
	Sessions   int // after they expired, with their quotes and checkouts
	Decisions  int
	Events     int
	Deliveries int // of events
	Logs       int // of webhook calls and syncs
}

// DefaultRetention returns the default retention of a project.
func DefaultRetention() Retention {
	return Retention{
		Messages:   30,
		Sessions:   30,
		Decisions:  180,
		Events:     90,
		Deliveries: 90,
		Logs:       90,
	}
}

// Days returns a number of days as a duration.
func Days(n int) time.Duration { return time.Duration(n) * 24 * time.Hour }

// RetentionPatch is a partial change of a retention.
type RetentionPatch struct {
	Messages   patch.Field[int]
	Sessions   patch.Field[int]
	Decisions  patch.Field[int]
	Events     patch.Field[int]
	Deliveries patch.Field[int]
	Logs       patch.Field[int]
}

// Decisions must be kept longer than sessions live, which is a day at most.
const (
	shortestRetention = 1
	shortestRecord    = 7 // of decisions
	longestRetention  = 3650
)

func (r *Retention) apply(p RetentionPatch, c fault.Check) {
	defaults := DefaultRetention()
	p.Messages.Apply(&r.Messages, defaults.Messages)
	p.Sessions.Apply(&r.Sessions, defaults.Sessions)
	p.Decisions.Apply(&r.Decisions, defaults.Decisions)
	p.Events.Apply(&r.Events, defaults.Events)
	p.Deliveries.Apply(&r.Deliveries, defaults.Deliveries)
	p.Logs.Apply(&r.Logs, defaults.Logs)

	for _, f := range []struct {
		name     string
		days     int
		shortest int
		message  string
	}{
		{"messages", r.Messages, shortestRetention, "must be between 1 and 3,650 days"},
		{"sessions", r.Sessions, shortestRetention, "must be between 1 and 3,650 days"},
		{"decisions", r.Decisions, shortestRecord, "must be between 7 and 3,650 days"},
		{"events", r.Events, shortestRetention, "must be between 1 and 3,650 days"},
		{"deliveries", r.Deliveries, shortestRetention, "must be between 1 and 3,650 days"},
		{"logs", r.Logs, shortestRetention, "must be between 1 and 3,650 days"},
	} {
		c.That(f.days >= f.shortest && f.days <= longestRetention, f.name, f.message)
	}
	c.That(r.Decisions >= r.Sessions, "decisions", "must be at least sessions")
	c.That(r.Deliveries <= r.Events, "deliveries", "must be at most events")
}
