package integration

import (
	"hash/crc32"
	"strings"
	"time"

	"github.com/haggle-commerce/haggle/domain/syncrun"
)

const (
	// checkEvery is how often we ask the platform whether it still has a webhook, plus up to checkSpread, so that the
	// webhooks of many integrations are not checked at the same time.
	checkEvery  = 6 * time.Hour
	checkSpread = 30 * time.Minute
	// checkAgain is the pause after a check that the platform did not answer.
	checkAgain = 10 * time.Minute
)

func (w *Webhook) nextCheck(now time.Time) time.Time {
	spread := time.Duration(crc32.ChecksumIEEE([]byte(w.Integration.String()))) * time.Millisecond % checkSpread
	return now.Add(checkEvery + spread)
}

// Confirm records that the platform has the webhook.
func (w *Webhook) Confirm(now time.Time) {
	w.Status, w.Problem = WebhookActive, ""
	w.CheckedAt, w.CheckAt = now, w.nextCheck(now)
}

// RestoredRecently reports whether the webhook was registered again within a day. If the platform still reports other
// fields than requested, the webhook is then left as it is, so that it is not registered again at each check.
func (w *Webhook) RestoredRecently(now time.Time) bool {
	return !w.RestoredAt.IsZero() && now.Before(w.RestoredAt.Add(24*time.Hour))
}

// Restore records that the platform's registration was missing or wrong, and that the webhook was registered again:
// with another ID there and an encrypted signing secret for its calls from now on.
func (w *Webhook) Restore(remote string, signing []byte, now time.Time) {
	w.Remote, w.Signing, w.RestoredAt = remote, signing, now
	w.Confirm(now)
}

// Fail records that the platform does not call the webhook, and why. It reports whether that changes the webhook.
func (w *Webhook) Fail(why string, now time.Time) bool {
	isNew := w.Status != WebhookFailed
	w.Status, w.Problem = WebhookFailed, clip(why)
	w.CheckedAt, w.CheckAt = now, w.nextCheck(now)
	return isNew
}

// CheckAgain postpones a check that the platform did not answer.
func (w *Webhook) CheckAgain(wait time.Duration, now time.Time) {
	w.CheckAt = now.Add(min(max(wait, checkAgain), checkEvery))
}

// SkipCheck postpones a check of a platform that cannot list its webhooks.
func (w *Webhook) SkipCheck(now time.Time) { w.CheckAt = w.nextCheck(now) }

// Resources returns the resources of the webhook's topic.
func (w *Webhook) Resources() (list []syncrun.Resource) {
	thing, _, _ := strings.Cut(strings.ReplaceAll(w.Topic, ".", "/"), "/")
	switch strings.TrimSuffix(thing, "s") {
	case "product":
		list = []syncrun.Resource{syncrun.Products, syncrun.Inventory}
	case "inventory_level":
		list = []syncrun.Resource{syncrun.Inventory}
	case "order", "refund", "SHIP_NOTIFY":
		list = []syncrun.Resource{syncrun.Orders}
	case "customer":
		list = []syncrun.Resource{syncrun.Customers}
	}
	return list
}
