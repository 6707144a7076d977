package syncing

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/db"
	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/queue"
	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/stored"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/integration"
	"github.com/haggle-commerce/haggle/ports"
)

// Webhooks stores the webhooks that platforms call.
type Webhooks struct{ Store *db.DB }

var _ ports.IntegrationWebhooks = Webhooks{}

var (
	webhooks = db.NewTable[integration.Webhook]("integration_webhooks", db.Columns{"Actions": ",json", "CheckedAt": ",null", "RestoredAt": ",null"})
	_        = stored.JSON[[]integration.Action](nil)
)

// NewWebhookChecks returns a view that leases webhooks that are to be checked.
func NewWebhookChecks(s *db.DB) ports.WebhookChecks {
	return queue.Queue[integration.Webhook, *integration.Webhook]{
		Store: s,
		Table: WebhookChecks,
		Item:  queue.Row[integration.Webhook],
	}
}

var WebhookChecks = queue.Table{
	Name:    "webhook_checks",
	Table:   "integration_webhooks",
	Key:     "id",
	Group:   "integration_id",
	Waits:   "check_at IS NOT NULL",
	Due:     "check_at",
	Lease:   "check_at",
	Retry:   "check_at",
	Columns: webhooks.Columns(),
}

var (
	checkWebhook   = webhooks.Update([]string{"project_id", "id"}, "status", "problem", "checked_at", "check_at")
	restoreWebhook = webhooks.Update([]string{"project_id", "id"}, "remote", "signing", "status", "problem", "checked_at", "restored_at", "check_at")
)

const (
	countWebhooks = `
SELECT count(*) AS n
FROM integration_webhooks
WHERE project_id = $1
  AND integration_id = $2`

	deleteWebhook = `
DELETE FROM integration_webhooks
WHERE project_id = $1
  AND integration_id = $2
  AND id = $3`

	// lockedIntegration locks the integration, so that adding webhooks to it and disconnecting it wait for each other.
	lockedIntegration = `
SELECT status
FROM integrations
WHERE project_id = $1
  AND id = $2`

	ofCalledWebhook = `
WHERE (project_id, id) = (SELECT w.project_id, w.integration_id FROM integration_webhooks AS w WHERE w.id = $1)`

	selectSignings = `
SELECT project_id, id, signing AS secret
FROM integration_webhooks
WHERE signing IS NOT NULL
ORDER BY project_id, id`

	updateSigning = `
UPDATE integration_webhooks
SET signing = $3
WHERE project_id = $1
  AND id = $2`
)

func (v Webhooks) Add(ctx context.Context, w *integration.Webhook) error {
	return v.Store.InTx(ctx, w.Project, func(t *db.Tx) error {
		if there, err := db.ProjectStays(ctx, t, w.Project); err != nil || !there {
			return db.OrMissingProject(err)
		}
		var status string
		found, err := t.Get(ctx, &status, lockedIntegration+t.Dialect.ForUpdate, w.Project, w.Integration)
		switch {
		case err != nil:
			return err
		case !found:
			return fault.Missing("integration")
		case status == integration.Disconnected.String():
			return integration.ErrDisconnected()
		}
		var n int
		if _, err := t.Get(ctx, &n, countWebhooks, w.Project, w.Integration); err != nil {
			return err
		}
		if n >= integration.MaxWebhooks {
			return fault.New(fault.Conflict, "too_many_webhooks",
				"The integration has "+strconv.Itoa(integration.MaxWebhooks)+" webhooks already.")
		}
		_, err = t.Exec(ctx, webhooks.Insert(), webhooks.Args(*w)...)
		return err
	})
}

func (v Webhooks) List(ctx context.Context, of id.Project, at id.Integration) ([]*integration.Webhook, error) {
	return db.All[*integration.Webhook](ctx, v.Store.Read(of), webhooks.Select()+`
WHERE project_id = $1
  AND integration_id = $2
ORDER BY topic`, of, at)
}

func (v Webhooks) Remove(ctx context.Context, of id.Project, at id.Integration, wanted id.Webhook) error {
	return v.Store.InTx(ctx, of, func(t *db.Tx) error {
		rows, err := t.Exec(ctx, deleteWebhook, of, at, wanted)
		if err == nil && rows == 0 {
			return fault.Missing("webhook")
		}
		return err
	})
}

func (v Webhooks) Check(ctx context.Context, w *integration.Webhook, lease time.Time, restored bool) error {
	return v.Store.InTx(ctx, w.Project, func(t *db.Tx) error {
		update := checkWebhook
		if restored {
			update = restoreWebhook
		}
		args := update.Args(*w)
		rows, err := t.Exec(ctx, fmt.Sprintf("%s\n  AND check_at = $%d", update.Text, len(args)+1), append(args, lease)...)
		if err == nil && rows == 0 {
			return fault.Missing("webhook")
		}
		return err
	})
}

func (v Webhooks) Called(ctx context.Context, called id.Webhook) (*integration.Webhook, *integration.Integration, error) {
	var w *integration.Webhook
	var i *integration.Integration
	b := v.Store.Read(db.AnyProject)
	b.Query(&w, webhooks.Select()+"\nWHERE id = $1", called)
	b.Query(&i, integrations.Select()+ofCalledWebhook, called)
	if err := b.Run(ctx); err != nil {
		return nil, nil, err
	}
	if w == nil {
		return nil, nil, fault.Missing("webhook")
	}
	return w, i, nil
}

func (v Webhooks) Reseal(ctx context.Context, seal func(id.Webhook, []byte) ([]byte, error)) (n int, err error) {
	return db.Reseal(ctx, v.Store, db.AnyProject, selectSignings, updateSigning, func(r db.SealedRow) ([]any, error) {
		sealed, err := seal(id.Stored[id.Webhook](r.ID), r.Secret)
		return []any{r.ProjectID, r.ID, sealed}, err
	})
}
