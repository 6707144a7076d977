package sqlstore_test

import (
	"testing"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/db"
	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/storetest"
)

// The transaction of a request begins with its first step: two steps and COMMIT are three round trips.
func TestStore_Within_roundTrips(t *testing.T) {
	t.Parallel()
	s, w := storetest.WiredPostgres(t)
	project := storetest.StoreProject(t, s, 1).ID
	count := func(view *db.DB) error {
		return view.InTx(t.Context(), project, func(x *db.Tx) error { return x.Select(t.Context(), new(int), "SELECT 1 AS n") })
	}
	batch := func(view *db.DB) error {
		b := view.Write(project)
		b.Query(new(int), "SELECT 1 AS n")
		return b.Run(t.Context())
	}
	for name, steps := range map[string][]func(*db.DB) error{
		"a transaction, then a batch": {count, batch},
		"a batch, then a transaction": {batch, count},
	} {
		var err error
		trips := w.Count(func() {
			err = s.Within(t.Context(), nil, func(view *storetest.Store) error {
				for _, step := range steps {
					if err := step(view.DB); err != nil {
						return err
					}
				}
				return nil
			})
		})
		if trips != 3 || err != nil {
			t.Errorf("%s: %d round trips, %v", name, trips, err)
		}
	}
}
