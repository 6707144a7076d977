package sqlstore_test

import (
	"context"
	"testing"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/db"
	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/storetest"
	"github.com/haggle-commerce/haggle/domain/id"
)

const countCharge = `SELECT count(*) AS n FROM sandbox_failures WHERE project_id = $1`

var mine = id.Stored[id.Project]("proj_mine")

func failures(t *testing.T, s *storetest.Store, p id.Project) int {
	t.Helper()
	var n int
	b := s.DB.Read(p)
	b.Query(&n, countCharge, p.String())
	if err := b.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	return n
}

func add(ctx context.Context, t *db.Tx, key string) error {
	_, err := t.Exec(ctx, storetest.AddCharge, "proj_mine", key, 1)
	return err
}

// addIn writes through a view by a batch, and through an ordinary transaction.
func addIn(t *testing.T, view *storetest.Store, keys ...string) error {
	for i, key := range keys {
		var err error
		if i%2 == 0 {
			b := view.DB.Write(mine)
			b.Exec(storetest.AddCharge, "proj_mine", key, 1)
			err = b.Run(t.Context())
		} else {
			err = view.DB.InTx(t.Context(), mine, func(x *db.Tx) error { return add(t.Context(), x, key) })
		}
		if err != nil {
			return err
		}
	}
	return nil
}
