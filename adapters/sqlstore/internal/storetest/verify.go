package storetest

import (
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/db"
	"github.com/haggle-commerce/haggle/adapters/sqlstore/verify"
	"github.com/haggle-commerce/haggle/ports/porttest"
)

// ProvidersCharges selects the sandbox provider's charges.
const ProvidersCharges = `
INSERT INTO sandbox_charges (project_id, key, id, currency, amount, method, token_hash, result, created_at)
SELECT p.project_id, o.checkout_id || '-1', p.provider, p.currency, p.amount, p.method, '', 'paid', 0
FROM payments AS p
JOIN orders AS o ON o.project_id = p.project_id AND o.id = p.order_id
WHERE p.provider <> ''`

// SoldOnce fills a store with one order, whose payment the sandbox provider charged.
func SoldOnce(t *testing.T, s *Store) *porttest.Sale {
	t.Helper()
	sale := porttest.NewSale(t, Views(s))
	sale.Finalize(sale.Init(sale.Quote()))
	Change(t, s, ProvidersCharges)
	return sale
}

func Change(t *testing.T, s *Store, statement string) {
	t.Helper()
	if err := s.DB.InTx(t.Context(), db.AnyProject, func(t2 *db.Tx) error {
		_, err := t2.Exec(t.Context(), statement)
		return err
	}); err != nil {
		t.Fatalf("%v\n%s", err, statement)
	}
}

func Verified(t *testing.T, s *Store) verify.Verification {
	t.Helper()
	v, err := s.Verify(t.Context(), time.Now(), nil)
	if err != nil {
		t.Fatal(err)
	}
	return v
}
