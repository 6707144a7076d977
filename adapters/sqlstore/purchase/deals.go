package purchase

import (
	"context"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/db"
	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/queue"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/order"
	"github.com/haggle-commerce/haggle/ports"
)

var _ ports.CRMDeals = Orders{}

var (
	crmDeals = db.NewTable[order.CRMDeal]("crm_deals", db.Columns{"URL": "remote_url", "UnsureUntil": ",null", "DueAt": ",null"})

	selectCRMDeal = crmDeals.Select() + `
WHERE project_id = $1
  AND order_id = $2`

	updateCRMDeal = crmDeals.Update([]string{"project_id", "order_id"}, "status", "remote", "remote_url", "written", "named", "unsure_until", "paused", "problem", "failures", "due_at", "updated_at")
)

const (
	// addCRMDeal stores a pending deal of a new order for the integration that writes the project's deals, the oldest
	// of several. Most projects have none.
	addCRMDeal = `
INSERT INTO crm_deals (project_id, order_id, integration_id, status, due_at, created_at, updated_at)
SELECT i.project_id, $2, i.id, 'pending', $3, $3, $3
FROM integrations AS i
WHERE i.project_id = $1
  AND i.may_write_deals AND NOT i.skip_writing
  AND i.status <> 'disconnected'
ORDER BY i.created_at, i.id
LIMIT 1`

	// wakeCRMDeal makes the deal of a changed order due. A leased deal is left alone: before the lease ends, the
	// order's state is compared with the written one. A deal that waits for a retry becomes due at once; if that ends a
	// lease, it is written again.
	wakeCRMDeal = `
UPDATE crm_deals
SET due_at = $3
WHERE project_id = $1
  AND order_id = $2
  AND status = 'written'
  AND NOT paused
  AND (due_at IS NULL OR unsure_until IS NOT NULL)`
)

// NewDueCRMDeals returns a view that leases deals that are to be written to CRMs.
func NewDueCRMDeals(s *db.DB) ports.DueCRMDeals {
	return queue.Queue[order.CRMDeal, *order.CRMDeal]{
		Store: s,
		Table: DueCRMDeals,
		Item:  queue.Row[order.CRMDeal],
	}
}

var DueCRMDeals = queue.Table{
	Name:    "crm_deals",
	Table:   "crm_deals",
	Key:     "order_id",
	Group:   "integration_id",
	Waits:   "due_at IS NOT NULL",
	Due:     "due_at",
	Lease:   "due_at",
	Retry:   "due_at",
	Columns: crmDeals.Columns(),
}

func (v Orders) CRMDeal(ctx context.Context, project id.Project, of id.Order) (*order.CRMDeal, error) {
	return db.First[order.CRMDeal](ctx, v.Store.Read(project), selectCRMDeal, project, of)
}

func (v Orders) ChangeCRMDeal(ctx context.Context, project id.Project, of id.Order,
	change func(*order.Case, *order.CRMDeal) error) (*order.CRMDeal, error) {
	return changePerOrderRow(ctx, v, project, of, perOrderRow[order.CRMDeal]{"crm_deal", selectCRMDeal, updateCRMDeal.Text, updateCRMDeal.Args}, change)
}
