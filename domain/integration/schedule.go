package integration

import (
	"hash/crc32"
	"time"

	"github.com/haggle-commerce/haggle/domain/fault"
)

const (
	// MinSyncInterval is the shortest time between two scheduled syncs.
	MinSyncInterval = 5 * time.Minute
	// syncSpread is the largest delay of a sync after its scheduled time, so that not all shops' syncs start at once.
	syncSpread = time.Minute
	// noMoreSyncs is when a schedule without any future time is evaluated again.
	noMoreSyncs = 365 * 24 * time.Hour
)

// CheckSchedule checks a schedule. problem is the problem that the parser of cron expressions found; "": none.
func (t Type) CheckSchedule(c fault.Check, schedule, problem string) {
	at := c.In("config")
	if schedule != "" && at.That(len(t.Resources()) > 0, "sync_schedule", "is only for platforms with data to sync") {
		at.That(problem == "", "sync_schedule", problem)
	}
}

// SyncDue reports whether to start a scheduled sync, or to compute when the first one starts.
func (i *Integration) SyncDue(now time.Time) bool {
	return i.Config.Schedule != "" && i.Status == Connected && !i.NextSync.After(now)
}

// Schedule sets when the next scheduled sync starts: at the next time of the schedule, plus a fixed delay derived from
// the integration's ID. next returns the first scheduled time after a time. If a sync is due now, it requests all
// synchronised resources.
func (i *Integration) Schedule(next func(after time.Time) time.Time, now time.Time) {
	if !i.NextSync.IsZero() {
		i.Want(i.Type.Resources()...)
	}
	spread := time.Duration(crc32.ChecksumIEEE([]byte(i.ID.String()))) * time.Millisecond % syncSpread
	at := next(now.Add(-spread))
	if at.IsZero() {
		at = now.Add(noMoreSyncs)
	}
	i.NextSync = at.Add(spread)
}
