package catalogue

import (
	"context"
	"time"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/db"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/ports"
)

// AvailabilityChanges reads availability changes: rows for stock that changed to or from zero. Triggers write them (migration
// 18).
type AvailabilityChanges struct{ Store *db.DB }

var _ ports.AvailabilityChanges = AvailabilityChanges{}

// LateCommits is how long after an availability change its transaction may still commit. The change has the time of its
// write, and nobody sees it before the commit. A request has to be answered within 25 s, no matter what the limits of
// its statements (5 s each) and of the pauses between them (10 s) add up to, and its COMMIT may take 3 s more
// (commitTimeout in package db).
const LateCommits = 30 * time.Second

// soonCommits is the time after an availability change by which nearly every transaction has committed.
const soonCommits = 3 * time.Second

const (
	// selectChanges looks up the stock by variant, no matter how many changes there are.
	selectChanges = `
SELECT turned.variant_id, CAST(coalesce(sum(stock.quantity), 0) AS BIGINT) AS total
FROM (
    SELECT DISTINCT variant_id
    FROM stock_turns
    WHERE project_id = $1
      AND at >= $2
) AS turned
LEFT JOIN stock ON stock.project_id = $1 AND stock.variant_id = turned.variant_id
GROUP BY turned.variant_id`

	deleteChanges = `
DELETE FROM stock_turns
WHERE (project_id, at, variant_id, location) IN (
    SELECT project_id, at, variant_id, location
    FROM stock_turns
    WHERE at < $1
    ORDER BY at
    LIMIT 5000
)`
)

func (n AvailabilityChanges) ChangedSince(ctx context.Context, project id.Project, since time.Time, late bool) (map[id.Variant]int, time.Time, error) {
	var now time.Time
	var rows []struct {
		Variant id.Variant
		Total   int
	}
	from := int64(0)
	if !since.IsZero() {
		from = db.Millis(since.Add(-soonCommits))
		if late {
			from = db.Millis(since.Add(-LateCommits))
		}
	}
	b := n.Store.Read(project)
	b.Query(&now, "SELECT "+n.Store.Dialect.Moment()+" AS at")
	b.Query(&rows, selectChanges, project, from)
	if err := b.Run(ctx); err != nil {
		return nil, time.Time{}, err
	}
	totals := make(map[id.Variant]int, len(rows))
	for _, r := range rows {
		totals[r.Variant] = r.Total
	}
	return totals, now, nil
}

// PruneBefore goes in steps, each short: SQLite's other writers wait meanwhile.
func (n AvailabilityChanges) PruneBefore(ctx context.Context, before time.Time) error {
	for {
		gone, err := db.InTx(ctx, n.Store, db.AnyProject, func(t *db.Tx) (int64, error) { return t.Exec(ctx, deleteChanges, before) })
		if err != nil || gone == 0 {
			return err
		}
	}
}
