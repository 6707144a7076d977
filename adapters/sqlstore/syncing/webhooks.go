package syncing

import (
	"context"
	"strconv"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/db"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/integration"
	"github.com/haggle-commerce/haggle/ports"
)

// Webhooks is the store's view of the addresses at which platforms call.
type Webhooks struct{ store *db.DB }

var _ ports.IntegrationWebhooks = Webhooks{}

// NewWebhooks returns a view that keeps those of integrations.
func NewWebhooks(s *db.DB) Webhooks { return Webhooks{s} }

const (
	selectWebhook = `
SELECT project_id, id, integration_id, type, topic, actions, remote, signing, status, created_at
FROM integration_webhooks`

	insertWebhook = `
INSERT INTO integration_webhooks (project_id, id, integration_id, type, topic, actions, remote, signing, status, created_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`

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

	// lockedIntegration makes those who add webhooks to one wait for each other, and for who disconnects it.
	lockedIntegration = `
SELECT status
FROM integrations
WHERE project_id = $1
  AND id = $2`

	ofCalledWebhook = `
WHERE (project_id, id) = (SELECT w.project_id, w.integration_id FROM integration_webhooks AS w WHERE w.id = $1)`
)

func (v Webhooks) Add(ctx context.Context, w *integration.Webhook) error {
	r, err := toWebhookRow(w)
	if err != nil {
		return err
	}
	return v.store.InTx(ctx, w.Project, func(t *db.Tx) error {
		if there, err := db.ProjectStays(ctx, t, w.Project); err != nil || !there {
			return db.OrMissingProject(err)
		}
		var status string
		found, err := t.Get(ctx, &status, lockedIntegration+t.Dialect.ForUpdate, r.ProjectID, r.IntegrationID)
		switch {
		case err != nil:
			return err
		case !found:
			return fault.Missing("integration")
		case status == integration.Disconnected.String():
			return integration.ErrDisconnected()
		}
		var n int
		if _, err := t.Get(ctx, &n, countWebhooks, r.ProjectID, r.IntegrationID); err != nil {
			return err
		}
		if n >= integration.MaxWebhooks {
			return fault.New(fault.Conflict, "too_many_webhooks",
				"The integration has "+strconv.Itoa(integration.MaxWebhooks)+" webhooks already.")
		}
		_, err = t.Exec(ctx, insertWebhook, r.ProjectID, r.ID, r.IntegrationID, r.Type, r.Topic, r.Actions, r.Remote,
			db.OrNull(r.Signing), r.Status, r.CreatedAt)
		return err
	})
}

func (v Webhooks) List(ctx context.Context, of id.Project, at id.Integration) ([]*integration.Webhook, error) {
	var rows []webhookRow
	b := v.store.Read(of)
	b.Query(&rows, selectWebhook+`
WHERE project_id = $1
  AND integration_id = $2
ORDER BY topic`, of.String(), at.String())
	if err := b.Run(ctx); err != nil {
		return nil, err
	}
	list := make([]*integration.Webhook, len(rows))
	for n, r := range rows {
		var err error
		if list[n], err = fromWebhookRow(r); err != nil {
			return nil, err
		}
	}
	return list, nil
}

func (v Webhooks) Remove(ctx context.Context, of id.Project, at id.Integration, wanted id.Webhook) error {
	return v.store.InTx(ctx, of, func(t *db.Tx) error {
		rows, err := t.Exec(ctx, deleteWebhook, of.String(), at.String(), wanted.String())
		if err == nil && rows == 0 {
			return fault.Missing("webhook")
		}
		return err
	})
}

func (v Webhooks) Called(ctx context.Context, called id.Webhook) (*integration.Webhook, *integration.Integration, error) {
	var webhooks []webhookRow
	var integrations []integrationRow
	b := v.store.Read(db.AnyProject)
	b.Query(&webhooks, selectWebhook+"\nWHERE id = $1", called.String())
	b.Query(&integrations, selectIntegration+ofCalledWebhook, called.String())
	if err := b.Run(ctx); err != nil {
		return nil, nil, err
	}
	if len(webhooks) == 0 {
		return nil, nil, fault.Missing("webhook")
	}
	w, err := fromWebhookRow(webhooks[0])
	if err != nil {
		return nil, nil, err
	}
	i, err := fromIntegrationRow(integrations[0]) // which the webhook refers to
	return w, i, err
}
