package storetest

import (
	"testing"

	"github.com/jmoiron/sqlx"
)

// As runs work under the role and in the project that a transaction of the store begins with.
func As(t *testing.T, s *Store, statement string, work func(*sqlx.Conn)) {
	t.Helper()
	err := s.DB.OnWriter(t.Context(), func(conn *sqlx.Conn) error {
		if _, err := conn.ExecContext(t.Context(), statement); err != nil {
			return err
		}
		work(conn)
		_, err := conn.ExecContext(t.Context(), "ROLLBACK")
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
