package sqlstore

import (
	"context"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/db"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/ports"
)

var _ ports.SealedWebhooks = Webhooks{}

const (
	selectSignings = `
SELECT project_id, id, signing
FROM integration_webhooks
WHERE signing IS NOT NULL
ORDER BY project_id, id`

	updateSigning = `
UPDATE integration_webhooks
SET signing = $3
WHERE project_id = $1
  AND id = $2`
)

func (v Webhooks) Reseal(ctx context.Context, seal func(id.Webhook, []byte) ([]byte, error)) (n int, err error) {
	err = v.store.InTx(ctx, db.AnyProject, func(t *db.Tx) error {
		var rows []struct {
			ProjectID string `db:"project_id"`
			ID        string
			Signing   []byte
		}
		if err := t.Select(ctx, &rows, selectSignings+t.Dialect.ForUpdate); err != nil {
			return err
		}
		n = len(rows)
		for _, r := range rows {
			sealed, err := seal(id.Stored[id.Webhook](r.ID), r.Signing)
			if err != nil {
				return err
			}
			if _, err := t.Exec(ctx, updateSigning, r.ProjectID, r.ID, sealed); err != nil {
				return err
			}
		}
		return nil
	})
	return n, err
}
