package db

import (
	"context"
	"testing"

	"github.com/haggle-commerce/haggle/domain/id"
)

const addCharge = `INSERT INTO sandbox_failures (project_id, key, failures) VALUES ($1, $2, $3)`

const countCharge = `SELECT count(*) AS n FROM sandbox_failures WHERE project_id = $1`

type countRow struct{ N int }

var mine = id.Stored[id.Project]("proj_mine")

func failures(t *testing.T, s *DB, p id.Project) int {
	t.Helper()
	var rows []countRow
	b := s.Read(p)
	b.Query(&rows, countCharge, p.String())
	if err := b.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	return rows[0].N
}

func add(ctx context.Context, t *Tx, key string) error {
	_, err := t.Exec(ctx, addCharge, "proj_mine", key, 1)
	return err
}

// addIn writes through a view by a batch, and through an ordinary transaction.
func addIn(t *testing.T, view *DB, keys ...string) error {
	for i, key := range keys {
		var err error
		if i%2 == 0 {
			b := view.Write(mine)
			b.Exec(addCharge, "proj_mine", key, 1)
			err = b.Run(t.Context())
		} else {
			err = view.InTx(t.Context(), mine, func(x *Tx) error { return add(t.Context(), x, key) })
		}
		if err != nil {
			return err
		}
	}
	return nil
}
