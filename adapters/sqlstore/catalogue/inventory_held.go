package catalogue

import (
	"context"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/db"
	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/stored"
	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/id"
)

// selectTakenInFlight finds the stock held by payment attempts in flight. No column counts it, because an attempt that
// completes would then have to write to stock, too.
const selectTakenInFlight = `
SELECT taken
FROM checkouts
WHERE project_id = $1
  AND status = 'processing'`

var _ = stored.JSON[catalog.Reservation](nil)

// takenRow is the stock that an attempt holds. A row that cannot be read counts as nothing: the reconciler sets it
// aside and reports it, and the shop can go on with its stock.
type takenRow struct{ Attempt db.Decoded[takes] }

type takes struct {
	Taken []catalog.Reservation `db:",json"`
}

// stockKey identifies a level.
type stockKey struct {
	variant  id.Variant
	location string
}

// heldBy sums up the stock that attempts hold.
func heldBy(rows []takenRow) map[stockKey]int {
	held := make(map[stockKey]int)
	for _, r := range rows {
		if r.Attempt.Err == nil {
			for _, t := range r.Attempt.Value.Taken {
				held[stockKey{t.Variant, t.Location}] += t.Quantity
			}
		}
	}
	return held
}

// held returns the stock that attempts in flight hold. It is exact for levels that the transaction has locked before.
func held(ctx context.Context, t *db.Tx, project id.Project) (map[stockKey]int, error) {
	rows, err := db.All[takenRow](ctx, t, selectTakenInFlight, project)
	return heldBy(rows), err
}

// hold adds to shelves the stock that attempts hold.
func hold(shelves []catalog.Shelf, taken []takenRow) {
	held := heldBy(taken)
	for i, s := range shelves {
		shelves[i].Held = held[stockKey{s.Variant, s.Location}]
	}
}
