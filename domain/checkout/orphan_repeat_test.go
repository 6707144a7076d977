package checkout

import (
	"testing"
	"time"
)

// Reports of a failed refund repeat, by webhooks and in the hourly balance report. After a person returned the money by
// another refund, they do not concern that one.
func TestOrphan_failureRepeats(t *testing.T) {
	now := time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC)
	o := &Orphan{State: OrphanDetected, DetectedAt: now.Add(-time.Hour)}
	o.Refunded("re_1", now)
	o.RefundFailed("re_1", "lost_or_stolen_card", now)
	if err := o.DecideManually(true, "re_other", now); err != nil {
		t.Fatal(err)
	}
	if o.RefundFailed("re_1", "lost_or_stolen_card", now) || o.State != OrphanRefunded {
		t.Errorf("%+v: the failure of re_1 takes re_other back", o)
	}
	if !o.RefundFailed("re_other", "lost_or_stolen_card", now) || o.State != OrphanFailed {
		t.Errorf("%+v: the failure of re_other is dropped", o)
	}
}
