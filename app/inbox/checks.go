package inbox

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"time"

	"github.com/haggle-commerce/haggle/app/jobs"
	"github.com/haggle-commerce/haggle/domain/event"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/integration"
	"github.com/haggle-commerce/haggle/ports"
)

const (
	checkPoll  = 2 * time.Second
	checkLease = time.Minute
	// checkTimeout bounds the requests to the platform for the webhooks of one integration.
	checkTimeout = 40 * time.Second
)

// checkLimits let a platform that hangs occupy only one of the workers.
var checkLimits = jobs.Limits{
	Slots: 4,
	Slow:  2,
	Batch: integration.MaxWebhooks,
	Long:  5 * time.Second,
}

// Checker checks periodically that platforms still have the webhooks of integrations, because they delete or disable those whose
// calls failed for some time. It registers a missing webhook again and requests a sync of the data that it may have missed.
// The caller runs its Job.
type Checker struct {
	Queue        ports.WebhookChecks
	Integrations ports.Integrations
	Unit         ports.SyncUnit
	Platforms    map[string]ports.CalledConnector // by type
	Listers      map[string]ports.WebhookLister   // by type
	Accounts     ports.IntegrationAccounts
	Vault        ports.Vault
	Clock        ports.Clock
	Entropy      ports.Entropy
	Log          *slog.Logger
	// Address returns the public URL of a webhook, or "" if the platform cannot reach this server.
	Address func(integration.Type, id.Webhook) string
	// Restored is called with a webhook that was registered again, possibly with another secret. It must not block.
	Restored func(id.Webhook)
	// Wanted is called when an integration has a sync to do. It must not block.
	Wanted func()
}

// Job checks the webhooks that are due.
func (c *Checker) Job() jobs.Job[*integration.Webhook] {
	return jobs.Job[*integration.Webhook]{
		Name:   "check webhooks at platforms",
		Queue:  c.Queue,
		Work:   c.batch,
		Limits: checkLimits,
		Lease:  checkLease,
		Poll:   checkPoll,
		Clock:  c.Clock,
		Log:    c.Log,
	}
}

// webhookCheck checks the webhooks of one integration.
type webhookCheck struct {
	*Checker
	integration *integration.Integration
	platform    ports.CalledConnector
	listed      []ports.RemoteWebhook
}

// batch checks webhooks of one integration. It finishes even if the worker is stopped.
func (c *Checker) batch(ctx ports.Outbound, t jobs.Task[*integration.Webhook]) error {
	ctx, cancel := ctx.WithoutCancel().WithTimeout(checkTimeout)
	defer cancel()
	at := *c
	at.Clock = t.Clock
	first := t.Items[0].Item
	i, err := c.Integrations.ByID(ctx, first.Project, first.Integration)
	switch {
	case fault.KindOf(err) == fault.NotFound:
		return nil // the webhook is deleted with its project
	case err != nil:
		return err
	}
	k := webhookCheck{
		Checker:     &at,
		integration: i,
		platform:    c.Platforms[i.Type.String()],
	}
	lister := c.Listers[i.Type.String()]
	if k.platform == nil || lister == nil || i.Status == integration.Disconnected {
		return k.reschedule(ctx, t.Items, (*integration.Webhook).SkipCheck)
	}
	err = c.Accounts.Use(ctx, i, func(conn ports.Connection) (err error) {
		if k.listed, err = lister.Webhooks(ctx, conn); err != nil {
			return err
		}
		for _, l := range t.Items {
			if err := k.checkOne(ctx, conn, l.Item); err != nil {
				return err
			}
		}
		return nil
	})
	if err == nil {
		return nil
	}
	return k.handleFailure(ctx, t.Items, err)
}

// handleFailure reschedules the webhooks that could not be checked.
func (k webhookCheck) handleFailure(ctx context.Context, items []ports.Leased[*integration.Webhook], err error) error {
	var slow ports.Throttled
	var failure *ports.PlatformFailure
	var refusal *ports.PlatformRefusal
	switch {
	case errors.As(err, &refusal): // the platform does not list its webhooks
		return k.reschedule(context.WithoutCancel(ctx), items, (*integration.Webhook).SkipCheck)
	case errors.As(err, &slow), errors.As(err, &failure), errors.Is(err, ports.ErrCredentialsRefused),
		errors.Is(err, context.DeadlineExceeded), fault.Is(err, integration.ErrDisconnected().Code):
		return k.reschedule(context.WithoutCancel(ctx), items, func(w *integration.Webhook, now time.Time) { w.CheckAgain(slow.After, now) })
	}
	return err
}

// reschedule changes when webhooks are checked next, unless another worker has them by now.
func (k webhookCheck) reschedule(ctx context.Context, items []ports.Leased[*integration.Webhook], change func(*integration.Webhook, time.Time)) error {
	for _, l := range items {
		w := *l.Item
		change(&w, k.Clock.Now())
		err := k.Unit.InTx(ctx, w.Project, func(s ports.SyncStores) error { return s.Webhooks.Check(ctx, &w, l.Item.CheckAt, false) })
		if err != nil && fault.KindOf(err) != fault.NotFound {
			return err
		}
	}
	return nil
}

// checkOne checks a webhook. If the platform does not have it at its address, checkOne registers it again.
func (k webhookCheck) checkOne(ctx ports.Outbound, conn ports.Connection, found *integration.Webhook) error {
	address, w := k.Address(k.integration.Type, found.ID), *found
	if address == "" {
		return k.fail(ctx, &w, found, "This server has no public https address that the platform could call.")
	}
	// A webhook at another address belongs to another server, even under the same id, for example after a shop was restored from a
	// backup.
	at := slices.IndexFunc(k.listed, func(r ports.RemoteWebhook) bool { return r.Address == address && r.Topic == w.Topic })
	if at >= 0 {
		switch there := k.listed[at]; {
		case there.Paused:
			return k.fail(ctx, &w, found, "The webhook is paused at "+k.integration.Type.Label()+". Activate it there.")
		case there.Remote == w.Remote && !there.Disabled && (!there.Outdated || w.RestoredRecently(k.Clock.Now())):
			w.Confirm(k.Clock.Now())
			return k.storeConfirmed(ctx, &w, found)
		case there.Outdated:
			if err := k.platform.Unregister(ctx, conn, there.Remote); err != nil {
				return k.handleRefusal(ctx, &w, found, err)
			}
		}
	}
	remote, signing, err := k.platform.Register(ctx, conn, w.Topic, address)
	if err != nil {
		return k.handleRefusal(ctx, &w, found, err)
	}
	var sealed []byte
	if signing != "" {
		sealed = k.Vault.Seal([]byte(signing), Purpose(w.ID))
	}
	w.Restore(remote, sealed, k.Clock.Now())
	err = k.store(ctx, &w, found, true, func(s ports.SyncStores) error { return k.wantSync(ctx, s, &w) })
	switch {
	case errors.Is(err, errRemoved):
		return k.platform.Unregister(ctx, conn, remote)
	case err != nil:
		return err
	}
	k.Log.WarnContext(ctx, "a webhook was missing at the platform, and is registered again", "platform", k.integration.Type.String(),
		"integration", w.Integration.String(), "topic", w.Topic, "webhook", w.ID.String())
	k.Restored(w.ID)
	k.Wanted()
	return nil
}

func (k webhookCheck) storeConfirmed(ctx context.Context, w, found *integration.Webhook) error {
	err := k.store(ctx, w, found, false, nil)
	if errors.Is(err, errRemoved) {
		return nil
	}
	return err
}

// handleRefusal stores a platform's refusal. It returns other errors, because another attempt may succeed.
func (k webhookCheck) handleRefusal(ctx context.Context, w, found *integration.Webhook, err error) error {
	var refusal *ports.PlatformRefusal
	if errors.As(err, &refusal) {
		return k.fail(ctx, w, found, refusal.Reason)
	}
	return err
}

// fail stores that the platform does not call a webhook, and announces it once.
func (k webhookCheck) fail(ctx context.Context, w, found *integration.Webhook, why string) error {
	isNew := w.Fail(why, k.Clock.Now())
	err := k.store(ctx, w, found, false, func(s ports.SyncStores) error {
		if !isNew {
			return nil
		}
		return s.Events.Announce(ctx, event.New(k.Entropy.IDBits(), w.Project, k.Clock.Now(), event.IntegrationError{
			Integration: w.Integration,
			Platform:    w.Type.String(),
			Name:        k.integration.Name,
			Error:       "The webhook of the topic " + w.Topic + " is not called: " + w.Problem,
		}))
	})
	if errors.Is(err, errRemoved) {
		return nil
	}
	return err
}

// wantSync requests a sync of the data of the webhook's topic, because calls may have been lost.
func (k webhookCheck) wantSync(ctx context.Context, s ports.SyncStores, w *integration.Webhook) error {
	of := w.Resources()
	if len(of) == 0 {
		return nil
	}
	_, err := s.Integrations.Update(ctx, w.Project, w.Integration, func(i *integration.Integration) error {
		i.Want(of...)
		return nil
	})
	return err
}

// errRemoved means that a webhook was removed, or checked by another worker, in the meantime.
var errRemoved = errors.New("the webhook is no longer in hand")

// store stores a checked webhook, and runs also in the same transaction.
func (k webhookCheck) store(ctx context.Context, w, found *integration.Webhook, restored bool, also func(ports.SyncStores) error) error {
	return k.Unit.InTx(ctx, w.Project, func(s ports.SyncStores) error {
		err := s.Webhooks.Check(ctx, w, found.CheckAt, restored)
		switch {
		case fault.KindOf(err) == fault.NotFound:
			return errRemoved
		case err != nil || also == nil:
			return err
		}
		return also(s)
	})
}
