package db

import (
	"slices"
	"testing"
)

type tentRow struct {
	placeRow
	Name   string
	Price  *int64 `db:"list_price"`
	Photo  []byte
	Viewed int64 `db:",read"` // of a query
}

type placeRow struct {
	ProjectID string `db:"project_id"`
	ID        string
}

func TestTable(t *testing.T) {
	t.Parallel()
	tents := NewTable[tentRow]("tents")
	change := tents.Update([]string{"project_id", "id"}, "photo", "name")
	for what, c := range map[string]struct{ got, want string }{
		"columns":  {tents.ColumnsOf("t"), "t.project_id, t.id, t.name, t.list_price, t.photo"},
		"insert":   {tents.Insert("seq"), "\nINSERT INTO tents (project_id, id, name, list_price, photo, seq)\nVALUES ($1, $2, $3, $4, $5, $6)"},
		"values":   {tents.ValuesBut(map[string]string{"photo": "NULL"}), "$1, $2, $3, $4, NULL"},
		"set":      {tents.Set("photo", "name"), "photo = $5, name = $3"},
		"update":   {change.Text, "\nUPDATE tents\nSET photo = $3, name = $4\nWHERE project_id = $1\n  AND id = $2"},
		"excluded": {Excluded("name", "photo"), "name = excluded.name, photo = excluded.photo"},
	} {
		if c.got != c.want {
			t.Errorf("%s: %s, want %s", what, c.got, c.want)
		}
	}
	price := int64(7)
	row := tentRow{
		placeRow: placeRow{ProjectID: "proj", ID: "tent"},
		Name:     "Dome",
		Price:    &price,
		Photo:    []byte{},
		Viewed:   3,
	}
	if got := tents.Args(row, 9); !slices.Equal(got, []any{"proj", "tent", "Dome", price, nil, 9}) {
		t.Errorf("arguments %v", got)
	}
	if got := change.Args(row); !slices.Equal(got, []any{"proj", "tent", nil, "Dome"}) {
		t.Errorf("arguments of the update %v", got)
	}
}

// A column that is misspelt is found when the program starts.
func TestTable_unknownColumn(t *testing.T) {
	t.Parallel()
	tents := NewTable[tentRow]("tents")
	for name, use := range map[string]func(){
		"param":  func() { tents.Param("colour") },
		"update": func() { tents.Update([]string{"project_id", "id"}, "colour") },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s takes an unknown column", name)
				}
			}()
			use()
		}()
	}
}
