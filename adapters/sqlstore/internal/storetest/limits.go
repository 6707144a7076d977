package storetest

import (
	"testing"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/db"
)

func WantCount(t *testing.T, s *Store, want int, query string, args ...any) {
	t.Helper()
	var n int
	err := s.DB.InTx(t.Context(), db.AnyProject, func(tx *db.Tx) error {
		_, err := tx.Get(t.Context(), &n, query, args...)
		return err
	})
	if err != nil || n != want {
		t.Errorf("%s: %d, %v, want %d", query, n, err, want)
	}
}
