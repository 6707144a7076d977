package retention

import (
	"context"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/db"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/syncrun"
	"github.com/haggle-commerce/haggle/ports"
)

// ImportedPeople erases imported personal data.
type ImportedPeople struct{ Store *db.DB }

var _ ports.ImportedPeople = ImportedPeople{}

const (
	deleteImported = `
DELETE FROM copies
WHERE project_id = $1
  AND integration_id = $2
  AND resource IN ('customers', 'orders')`

	deleteImportedOne = `
DELETE FROM copies
WHERE project_id = $1
  AND integration_id = $2
  AND resource = $3
  AND remote = $4`

	eraseImportedPayloads = `
UPDATE webhook_deliveries
SET payload = NULL
WHERE project_id = $1
  AND integration_id = $2
  AND payload IS NOT NULL
  AND status = 'failed'`
)

func (v ImportedPeople) Erase(ctx context.Context, project id.Project, of id.Integration, customers, orders []string) (erased int, err error) {
	err = v.Store.InTx(ctx, project, func(t *db.Tx) error {
		erased = 0
		exec := func(query string, args ...any) error {
			n, err := t.Exec(ctx, query, append([]any{project, of}, args...)...)
			erased += int(n)
			return err
		}
		if customers == nil && orders == nil {
			if err := exec(deleteImported); err != nil {
				return err
			}
			return exec(eraseImportedPayloads)
		}
		for resource, list := range map[syncrun.Resource][]string{syncrun.Customers: customers, syncrun.Orders: orders} {
			for _, remote := range list {
				if err := exec(deleteImportedOne, resource.String(), remote); err != nil {
					return err
				}
			}
		}
		return nil
	})
	return erased, err
}
