package retention

import (
	"context"
	"time"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/accounts"
	analyticsstore "github.com/haggle-commerce/haggle/adapters/sqlstore/analytics"
	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/db"
	"github.com/haggle-commerce/haggle/domain/analytics"
	"github.com/haggle-commerce/haggle/domain/id"
)

const (
	selectSlotsJoined = `
SELECT r.slots_until, p.settings
FROM retention AS r
JOIN projects AS p ON p.id = r.project_id
WHERE r.project_id = $1`

	selectNextSlot = `
SELECT at
FROM analytics_slots
WHERE project_id = $1
  AND at >= $2
  AND at < $3
ORDER BY at
LIMIT 1`

	selectSlotsOfDay = `
SELECT at, figures, products, sessions, sessions_ucp, sessions_mcp
FROM analytics_slots
WHERE project_id = $1
  AND at >= $2
  AND at < $3`

	deleteSlotsOfDay = `
DELETE FROM analytics_slots
WHERE project_id = $1
  AND at >= $2
  AND at < $3`

	insertDay = `
INSERT INTO analytics_slots (project_id, at, figures, products, sessions, sessions_ucp, sessions_mcp)
VALUES ($1, $2, $3, $4, $5, $6, $7)`

	noteSlotsJoined = `
UPDATE retention
SET slots_until = $2
WHERE project_id = $1`

	// noteSlotsAdded marks days to which sessions were added to be merged again.
	noteSlotsAdded = `
UPDATE retention
SET slots_until = $2
WHERE project_id = $1
  AND slots_until > $2`
)

// joining merges the slots of a project's oldest unmerged day into one slot at the day's beginning. A project then
// grows by a row a day.
type joining struct {
	t       *db.Tx
	project id.Project
	before  time.Time
}

func (j *joining) run(ctx context.Context) (more bool, err error) {
	var at struct {
		Until    int64 `db:"slots_until"`
		Settings string
	}
	found, err := j.t.Get(ctx, &at, selectSlotsJoined, j.project.String())
	if err != nil || !found {
		return false, err
	}
	var first int64
	found, err = j.t.Get(ctx, &first, selectNextSlot, j.project.String(), at.Until, db.Millis(j.before))
	if err != nil || !found {
		return false, err
	}
	settings, err := accounts.ReadSettings(at.Settings)
	if err != nil {
		return false, err
	}
	zone, err := time.LoadLocation(settings.Timezone)
	if err != nil {
		zone = time.UTC
	}
	y, m, d := db.Time(first).In(zone).Date()
	start, end := analytics.StartOfDay(y, m, d, zone), analytics.StartOfDay(y, m, d+1, zone)
	if end.After(j.before) {
		return false, nil
	}
	return true, j.day(ctx, db.Millis(start), db.Millis(end))
}

// day waits for folds, which write the same rows.
func (j *joining) day(ctx context.Context, start, end int64) error {
	if _, err := j.t.Exec(ctx, analyticsstore.HoldFolds, j.project.String()); err != nil {
		return err
	}
	var rows []analyticsstore.SlotRow
	if err := j.t.Select(ctx, &rows, selectSlotsOfDay, j.project.String(), start, end); err != nil {
		return err
	}
	var figures analytics.Figures
	var gone begun
	for _, r := range rows {
		f, err := analyticsstore.FromSlotRow(r)
		if err != nil {
			return err
		}
		figures.Add(f, 1)
		gone.all, gone.ucp, gone.mcp = gone.all+r.Sessions, gone.ucp+r.UCP, gone.mcp+r.MCP
	}
	if len(rows) > 1 || len(rows) == 1 && db.Millis(rows[0].At) != start {
		if _, err := j.t.Exec(ctx, deleteSlotsOfDay, j.project.String(), start, end); err != nil {
			return err
		}
		day := analyticsstore.ToSlotRow(db.Time(start), figures)
		if _, err := j.t.Exec(ctx, insertDay, j.project.String(), day.At, day.Figures, day.Products, gone.all, gone.ucp, gone.mcp); err != nil {
			return err
		}
	}
	_, err := j.t.Exec(ctx, noteSlotsJoined, j.project.String(), end)
	return err
}
