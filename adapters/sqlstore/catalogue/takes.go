package catalogue

import (
	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/db"
	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/id"
)

// Gone when purchase reads takes as JSON columns.

type TakenRow struct{ Taken string }

type LevelRow = catalog.Level

func FromLevelRows(rows []LevelRow) []catalog.Level { return rows }

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
