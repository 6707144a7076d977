package syncing

import (
	"context"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/db"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/ports"
)

var _ ports.Sealed[id.Webhook] = Webhooks{}

const (
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

func (v Webhooks) Reseal(ctx context.Context, seal func(id.Webhook, []byte) ([]byte, error)) (n int, err error) {
	return db.Reseal(ctx, v.store, db.AnyProject, selectSignings, updateSigning, func(r db.SealedRow) ([]any, error) {
		sealed, err := seal(id.Stored[id.Webhook](r.ID), r.Secret)
		return []any{r.ProjectID, r.ID, sealed}, err
	})
}
