package sqlstore

import (
	"context"
	"time"

	"github.com/haggle-commerce/haggle/ports"
)

var _ ports.AccountBooks = Reconciliations{}

// accountBefore finds whether an integration that was connected earlier uses the same account now, and until when
// those that did have booked.
const accountBefore = `
SELECT coalesce(max(CASE WHEN o.status = 'disconnected' THEN 0 ELSE 1 END), 0) AS in_use, coalesce(max(r.booked_until), 0) AS booked_until
FROM integrations AS i
JOIN integrations AS o ON o.type = i.type AND o.account = i.account AND o.live = i.live
  AND (o.created_at, o.project_id, o.id) < (i.created_at, i.project_id, i.id)
LEFT JOIN reconciliations AS r ON r.project_id = o.project_id AND r.integration_id = o.id
WHERE i.project_id = $1
  AND i.id = $2
  AND i.account <> ''`

func (v Reconciliations) AccountBooked(ctx context.Context, r *ports.Reconciliation) (from time.Time, books bool, err error) {
	var rows []struct {
		InUse       int   `db:"in_use"`
		BookedUntil int64 `db:"booked_until"`
	}
	b := v.store.reading(anyProject)
	b.query(&rows, accountBefore, r.Project.String(), r.Route.Integration.String())
	if err := b.run(ctx); err != nil {
		return time.Time{}, false, err
	}
	return fromMillis(rows[0].BookedUntil), rows[0].InUse == 0, nil
}
