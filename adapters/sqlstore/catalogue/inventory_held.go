package catalogue

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

type TakenRow struct{ Taken string }

// heldBy sums up what attempts hold, by variant and location. An attempt that cannot be read counts for nothing: the
// reconciler sets it aside and reports it, and the shop can go on with its stock.
func heldBy(rows []TakenRow) map[[2]string]int {
	held := make(map[[2]string]int)
	for _, r := range rows {
		takes, err := FromTakes(r.Taken)
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
	var rows []TakenRow
	if err := t.Select(ctx, &rows, selectTakenInFlight, project.String()); err != nil {
		return nil, err
	}
	return heldBy(rows), nil
}

func fromShelfRows(rows []LevelRow, held map[[2]string]int) []catalog.Shelf {
	shelves := make([]catalog.Shelf, len(rows))
	for i, l := range FromLevelRows(rows) {
		shelves[i] = catalog.Shelf{
			Level:    l,
			Held:     held[[2]string{rows[i].VariantID, l.Location}],
			Oversold: rows[i].Oversold,
		}
	}
	return shelves
}

type TakeJSON struct {
	Variant  string `json:"variant"`
	Location string `json:"location"`
	Quantity int    `json:"quantity"`
}

// FromTakesJSON is nil when nothing is taken, as the domain has it.
func FromTakesJSON(list []TakeJSON) []catalog.Take {
	var takes []catalog.Take
	for _, t := range list {
		takes = append(takes, catalog.Take{Variant: id.Stored[id.Variant](t.Variant), Location: t.Location, Quantity: t.Quantity})
	}
	return takes
}

func FromTakes(text string) ([]catalog.Take, error) {
	var list []TakeJSON
	err := db.FromJSON(text, &list)
	return FromTakesJSON(list), err
}
