package inbox

import (
	"context"
	"errors"
	"strconv"
	"time"

	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/integration"
)

const (
	// listedRefusals is how many refused calls of a webhook are logged per minute, each in its own row.
	listedRefusals = 5
	// refusalWindow is that minute.
	refusalWindow = time.Minute

	whyRefused = "The signature is missing, wrong or too old, or the call is for another topic or shop."
)

// refusals are the refused calls of a webhook in one window.
type refusals struct {
	webhook *integration.Webhook
	since   time.Time
	count   int
}

// rest returns how many calls of the window have no row.
func (f refusals) rest() int { return max(0, f.count-listedRefusals) }

// reject counts a refused call, and logs it if it is one of the first in its window. The merchant can read the log, but the
// caller cannot.
func (r *Receiver) reject(ctx context.Context, w *integration.Webhook, size int, now time.Time) {
	listed, before := r.countRefusal(w, now)
	if before.rest() > 0 {
		r.logRest(ctx, before, now)
	}
	if listed {
		r.logRefusal(ctx, w.Reject(id.New[id.WebhookLog](r.Entropy.IDBits()), whyRefused, size, now))
	}
}

// countRefusal reports whether the call gets a row, and returns the window that this call has ended. If too many webhooks
// have refused calls, further webhooks get no rows.
func (r *Receiver) countRefusal(w *integration.Webhook, now time.Time) (listed bool, ended refusals) {
	r.mu.Lock()
	defer r.mu.Unlock()
	of, known := r.refused[w.ID]
	if !known && len(r.refused) >= maxCached {
		return false, refusals{}
	}
	if !known || now.Sub(of.since) >= refusalWindow {
		ended, of = of, refusals{webhook: w, since: now}
	}
	of.count++
	r.refused[w.ID] = of
	return of.count <= listedRefusals, ended
}

// LogRefusals logs, for each webhook whose window is over, how many refused calls have no row. It must be called every few
// seconds. The count is kept in memory and is lost when the process ends.
func (r *Receiver) LogRefusals(ctx context.Context) error {
	now := r.Clock.Now()
	var failed error
	for _, ended := range r.endedRefusals(now) {
		if ended.rest() > 0 {
			failed = errors.Join(failed, r.logRest(ctx, ended, now))
		}
	}
	return failed
}

// endedRefusals removes and returns the windows that are over.
func (r *Receiver) endedRefusals(now time.Time) (list []refusals) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for w, of := range r.refused {
		if now.Sub(of.since) >= refusalWindow {
			list = append(list, of)
			delete(r.refused, w)
		}
	}
	return list
}

func (r *Receiver) logRest(ctx context.Context, of refusals, now time.Time) error {
	why := whyRefused + " " + strconv.Itoa(of.rest()) + " more calls were rejected within a minute; they have no rows of their own."
	return r.logRefusal(ctx, of.webhook.Reject(id.New[id.WebhookLog](r.Entropy.IDBits()), why, 0, now))
}

func (r *Receiver) logRefusal(ctx context.Context, d *integration.Delivery) error {
	err := r.batcher.add(ctx, d)
	if err != nil {
		r.Log.WarnContext(ctx, "a refused webhook call is not in the log", "webhook", d.Webhook.String(), "error", err)
	}
	return err
}
