package integration

import (
	"hash/crc32"
	"time"

	"github.com/haggle-commerce/haggle/domain/fault"
)

const (
	// MinSyncInterval is the shortest time between two scheduled syncs.
	MinSyncInterval = 5 * time.Minute
	// syncSpread is how much later than its schedule says a sync may start, so that not all shops' syncs start at once.
	syncSpread = time.Minute
	// noMoreSyncs is when a schedule is read again that has no time left.
	noMoreSyncs = 365 * 24 * time.Hour
)

// CheckSchedule judges a schedule. problem is what a reader of cron expressions has found wrong with it; "": nothing.
func (t Type) CheckSchedule(c fault.Check, schedule, problem string) {
	at := c.In("config")
	if schedule != "" && at.That(len(t.Resources()) > 0, "sync_schedule", "is for platforms whose data is synchronised") {
		at.That(problem == "", "sync_schedule", problem)
	}
}

// SyncDue reports whether it is time to start a scheduled sync, or to find out when the first one is.
func (i *Integration) SyncDue(now time.Time) bool {
	return i.Config.Schedule != "" && i.Status == Connected && !i.NextSync.After(now)
}

// Schedule sets when the next scheduled sync starts: at the next time of the schedule, and always as much later as the
// integration's id says. next returns the first time of the schedule after another. If a sync is due now, all that is synchronised
// is asked for.
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
