package syncing

import (
	"context"
	"fmt"
	"time"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/db"
	"github.com/haggle-commerce/haggle/domain/integration"
	"github.com/haggle-commerce/haggle/ports"
)

// syncAges reads each integration once, no matter how much it has synchronised. It is completed by the clock.
const syncAges = `
SELECT type, count(*) AS integrations, max(%s - coalesce(last_sync, created_at)) AS oldest
FROM integrations
WHERE status <> 'disconnected'
GROUP BY type
ORDER BY type`

// SyncAges covers all projects. Types that are not synchronised, such as payment providers, are left out.
func (v Integrations) SyncAges(ctx context.Context) ([]ports.SyncAge, error) {
	rows, err := db.All[struct {
		Type         integration.Type
		Integrations int
		Oldest       int64
	}](ctx, v.Store.Read(db.AnyProject), fmt.Sprintf(syncAges, v.Store.Dialect.Moment()))
	var ages []ports.SyncAge
	for _, r := range rows {
		if len(r.Type.Resources()) == 0 {
			continue
		}
		ages = append(ages, ports.SyncAge{
			Type:         r.Type.String(),
			Integrations: r.Integrations,
			Oldest:       max(0, time.Duration(r.Oldest)*time.Millisecond),
		})
	}
	return ages, err
}
