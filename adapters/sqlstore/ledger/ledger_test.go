package ledger_test

import (
	"testing"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/db"
	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/storetest"
	"github.com/haggle-commerce/haggle/ports/porttest"
)

// No statement can change or delete rows of the ledger.
func TestLedger_unchangeable(t *testing.T) {
	storetest.OnEngines(t, func(t *testing.T, s *storetest.Store) {
		sale := porttest.NewSale(t, storetest.Views(s))
		sale.Finalize(sale.Init(sale.Quote()))
		for _, statement := range []string{
			"UPDATE ledger_transactions SET at = at + 1", "UPDATE ledger_postings SET amount = 1",
			"DELETE FROM ledger_transactions", "DELETE FROM ledger_postings",
		} {
			err := s.DB.InTx(t.Context(), sale.Project(), func(x *db.Tx) error {
				_, err := x.Exec(t.Context(), statement)
				return err
			})
			if err == nil {
				t.Errorf("%s went through", statement)
			}
		}
	})
}
