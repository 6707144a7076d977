package retention

import (
	"context"
	"maps"
	"slices"
	"time"

	analyticsstore "github.com/haggle-commerce/haggle/adapters/sqlstore/analytics"
	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/db"
	"github.com/haggle-commerce/haggle/domain/agentid"
	"github.com/haggle-commerce/haggle/domain/analytics"
	"github.com/haggle-commerce/haggle/domain/id"
)

// settled is how old a slot is when its sessions are counted. A session is stored within seconds of its beginning, by
// replicas whose clocks may differ.
const settled = 24 * time.Hour

const (
	// selectSessionsCounted finds none of a closed project, which has no analytics.
	selectSessionsCounted = `
SELECT r.sessions_counted
FROM retention AS r
JOIN projects AS p ON p.id = r.project_id
WHERE r.project_id = $1
  AND p.status <> 'closed'`

	selectNextBegan = `
SELECT created_at
FROM sessions
WHERE project_id = $1
  AND created_at >= $2
  AND created_at < $3
ORDER BY created_at
LIMIT 1`

	noteSessionsCounted = `
UPDATE retention
SET sessions_counted = $2
WHERE project_id = $1`

	countBegun = `
INSERT INTO analytics_slots (project_id, at, figures, products, sessions, sessions_ucp, sessions_mcp)
VALUES `

	addCounted = `
ON CONFLICT (project_id, at) DO UPDATE
SET sessions = analytics_slots.sessions + excluded.sessions,
  sessions_ucp = analytics_slots.sessions_ucp + excluded.sessions_ucp,
  sessions_mcp = analytics_slots.sessions_mcp + excluded.sessions_mcp`
)

// begun counts the sessions that began in a slot, by protocol.
type begun struct{ all, ucp, mcp int64 }

func (b *begun) add(protocol agentid.Protocol, n int64) {
	b.all += n
	switch protocol {
	case agentid.UCP:
		b.ucp += n
	case agentid.MCP:
		b.mcp += n
	}
}

// counting adds the number of sessions of settled slots to analytics_slots, one day in a transaction. A query of figures then
// counts only later sessions itself, so its time does not grow with the project's history.
type counting struct {
	t       *db.Tx
	project id.Project
	now     time.Time
}

func (c *counting) run(ctx context.Context) (more bool, err error) {
	var counted int64
	found, err := c.t.Get(ctx, &counted, selectSessionsCounted, c.project)
	if err != nil || !found {
		return false, err
	}
	until := analytics.SlotOf(c.now.Add(-settled))
	_, found, err = c.next(ctx, counted, until)
	if err != nil || !found {
		return false, err
	}
	// Only one process counts at a time, and none while sessions are removed, so rows that were read before the lock
	// are read again.
	if _, err := c.t.Exec(ctx, analyticsstore.HoldFolds, c.project); err != nil {
		return false, err
	}
	if _, err := c.t.Get(ctx, &counted, selectSessionsCounted, c.project); err != nil {
		return false, err
	}
	first, found, err := c.next(ctx, counted, until)
	if err != nil || !found {
		return false, err
	}
	end := until
	if day := analytics.SlotOf(first).Add(24 * time.Hour); day.Before(end) {
		end = day
	}
	if err := c.count(ctx, first, end); err != nil {
		return false, err
	}
	_, err = c.t.Exec(ctx, noteSessionsCounted, c.project, end)
	return end.Before(until), err
}

// next returns when the next session to be counted began.
func (c *counting) next(ctx context.Context, counted int64, until time.Time) (first time.Time, found bool, err error) {
	found, err = c.t.Get(ctx, &first, selectNextBegan, c.project, counted, until)
	return first, found, err
}

func (c *counting) count(ctx context.Context, from, to time.Time) error {
	rows, err := db.All[analyticsstore.BeganIn](ctx, c.t, analyticsstore.SelectBeganIn, c.project, from, to)
	if err != nil {
		return err
	}
	began := map[int64]*begun{}
	for _, r := range rows {
		at := db.Millis(r.At)
		if began[at] == nil {
			began[at] = &begun{}
		}
		began[at].add(r.Protocol, r.Sessions)
	}
	return addBegun(ctx, c.t, c.project, began)
}

// addBegun adds sessions to the slots in which they began, and marks days that are merged already to be merged again.
func addBegun(ctx context.Context, t *db.Tx, project id.Project, began map[int64]*begun) error {
	if len(began) == 0 {
		return nil
	}
	first := slices.Min(slices.Collect(maps.Keys(began)))
	if _, err := t.Exec(ctx, noteSlotsAdded, project, first); err != nil {
		return err
	}
	var rows [][]any
	for at, n := range began {
		empty := analyticsstore.ToSlotRow(db.Time(at), analytics.Figures{})
		rows = append(rows, []any{project, at, empty.Figures, empty.Products, n.all, n.ucp, n.mcp})
	}
	return t.Insert(ctx, countBegun, rows, addCounted)
}
