package purchase

import (
	"context"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/db"
	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/queue"
	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/stored"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/order"
	"github.com/haggle-commerce/haggle/ports"
)

var _ ports.PlatformOrders = Orders{}

var (
	_ = stored.JSON[order.PlatformSync](stored.Tags{"PlatformSync.Canceled": ",omitempty", "PlatformSync.Refunds": ",omitempty", "PlatformSync.Shipment": ",omitempty",
		"PlatformSync.Changes": ",omitempty", "PlatformSync.Unread": ",omitempty", "PlatformSync.Read": ",omitempty", "PlatformSync.Asked": ",omitempty", "PlatformSync.Unfinished": ",omitempty",
		"PlatformSync.Recorded": ",omitempty"})

	platformOrders = db.NewTable[order.PlatformOrder]("platform_orders", db.Columns{"Told": ",json", "Moved": ",json", "Name": "remote_name", "URL": "remote_url", "DueAt": ",null"})

	selectPlatformOrder = platformOrders.Select() + `
WHERE project_id = $1
  AND order_id = $2`

	updatePlatformOrder = platformOrders.Update([]string{"project_id", "order_id"}, "status", "remote", "remote_name", "remote_url", "told", "moved",
		"problem", "failures", "due_at", "updated_at")
)

const (
	// addPlatformOrder stores a pending counterpart of a new order for the integration that writes the project's
	// orders, the oldest of several. Most projects have none.
	addPlatformOrder = `
INSERT INTO platform_orders (project_id, order_id, integration_id, status, due_at, created_at, updated_at)
SELECT i.project_id, $2, i.id, 'pending', $3, $3, $3
FROM integrations AS i
WHERE i.project_id = $1
  AND i.may_write_orders AND NOT i.skip_writing
  AND i.status <> 'disconnected'
ORDER BY i.created_at, i.id
LIMIT 1`

	// wakePlatformOrder makes changes of an order due for its platform. The holder of a lease looks for changes before
	// the lease ends.
	wakePlatformOrder = `
UPDATE platform_orders
SET due_at = $3
WHERE project_id = $1
  AND order_id = $2
  AND status = 'written'
  AND due_at IS NULL`
)

// NewDuePlatformOrders returns a view that leases orders that are to be written, or have changes to be reported, to
// platforms.
func NewDuePlatformOrders(s *db.DB) ports.DuePlatformOrders {
	return queue.Queue[order.PlatformOrder, *order.PlatformOrder]{
		Store: s,
		Table: DuePlatformOrders,
		Item:  queue.Row[order.PlatformOrder],
	}
}

var DuePlatformOrders = queue.Table{
	Name:    "platform_orders",
	Table:   "platform_orders",
	Key:     "order_id",
	Group:   "integration_id",
	Waits:   "due_at IS NOT NULL",
	Due:     "due_at",
	Lease:   "due_at",
	Retry:   "due_at",
	Columns: platformOrders.Columns(),
}

func (v Orders) PlatformOrder(ctx context.Context, project id.Project, of id.Order) (*order.PlatformOrder, error) {
	return db.First[order.PlatformOrder](ctx, v.Store.Read(project), selectPlatformOrder, project, of)
}

func (v Orders) ChangePlatformOrder(ctx context.Context, project id.Project, of id.Order,
	change func(*order.Case, *order.PlatformOrder) error) (*order.PlatformOrder, error) {
	return changePerOrderRow(ctx, v, project, of, perOrderRow[order.PlatformOrder]{"platform_order", selectPlatformOrder, updatePlatformOrder.Text, updatePlatformOrder.Args}, change)
}

// perOrderRow describes a table with at most one row for each order.
type perOrderRow[R any] struct {
	name         string
	read, update string
	args         func(R, ...any) []any
}

// changePerOrderRow changes an order's row of a table. It locks the order first, as Change does, so that no change of
// it is missed.
func changePerOrderRow[R any](ctx context.Context, v Orders, project id.Project, of id.Order, table perOrderRow[R],
	change func(*order.Case, *R) error) (*R, error) {
	return db.InTx(ctx, v.Store, project, func(t *db.Tx) (*R, error) {
		c, err := v.readCase(project, of, lock(t.Dialect, "o, p"), func(b *db.Batch) error { return t.Run(ctx, b) })
		if fault.KindOf(err) == fault.NotFound {
			return nil, fault.Missing(table.name)
		}
		if err != nil {
			return nil, err
		}
		row, err := db.One[R](ctx, t, table.name, table.read+t.Dialect.ForUpdate, project, of)
		if err != nil {
			return nil, err
		}
		if err := change(c, row); err != nil {
			return nil, err
		}
		_, err = t.Exec(ctx, table.update, table.args(*row)...)
		return row, err
	})
}

// written returns the effects that queue a new order for its platform and its CRM.
func written(o *order.Order) []db.Effect {
	args := []any{o.Project, o.ID, o.CreatedAt}
	return []db.Effect{{
		Statement: addPlatformOrder,
		Args:      args,
		Rows:      db.AnyRows,
	}, {
		Statement: addCRMDeal,
		Args:      args,
		Rows:      db.AnyRows,
	}}
}

// woken returns the effects that queue a changed order for its platform and its CRM.
func woken(c *order.Case) []db.Effect {
	if len(c.Events) == 0 {
		return nil
	}
	args := []any{c.Order.Project, c.Order.ID, c.Events[len(c.Events)-1].At}
	return []db.Effect{{
		Statement: wakePlatformOrder,
		Args:      args,
		Rows:      db.AnyRows,
	}, {
		Statement: wakeCRMDeal,
		Args:      args,
		Rows:      db.AnyRows,
	}}
}
