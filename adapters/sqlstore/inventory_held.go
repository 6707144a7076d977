package sqlstore

import (
	"context"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/db"
	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/id"
)

// selectTakenInFlight finds what payment attempts in flight have taken out of stock. No column counts it: an attempt
// that completes would have to write to stock too.
const selectTakenInFlight = `
SELECT taken
FROM checkouts
WHERE project_id = $1
  AND status = 'processing'`

type takenRow struct{ Taken string }

// heldBy sums up what attempts hold, by variant and location. An attempt that cannot be read counts for nothing: the
// reconciler sets it aside and reports it, and the shop can go on with its stock.
func heldBy(rows []takenRow) map[[2]string]int {
	held := make(map[[2]string]int)
	for _, r := range rows {
		takes, err := fromTakes(r.Taken)
		if err != nil {
			continue
		}
		for _, t := range takes {
			held[[2]string{t.Variant.String(), t.Location}] += t.Quantity
		}
	}
	return held
}

// held is what attempts in flight hold. It is exact for levels that the transaction has locked before.
func held(ctx context.Context, t *db.Tx, project id.Project) (map[[2]string]int, error) {
	var rows []takenRow
	if err := t.Select(ctx, &rows, selectTakenInFlight, project.String()); err != nil {
		return nil, err
	}
	return heldBy(rows), nil
}

func fromShelfRows(rows []levelRow, held map[[2]string]int) []catalog.Shelf {
	shelves := make([]catalog.Shelf, len(rows))
	for i, l := range fromLevelRows(rows) {
		shelves[i] = catalog.Shelf{
			Level:    l,
			Held:     held[[2]string{rows[i].VariantID, l.Location}],
			Oversold: rows[i].Oversold,
		}
	}
	return shelves
}
