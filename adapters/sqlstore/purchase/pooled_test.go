package purchase_test

import (
	"testing"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/storetest"
	"github.com/haggle-commerce/haggle/domain/session"
	"github.com/haggle-commerce/haggle/ports/porttest"
)

func TestCheckouts_behindPgBouncer(t *testing.T) { storetest.PooledSuite(t, porttest.Checkouts) }

func TestPurchase_behindPgBouncer(t *testing.T) { storetest.PooledSuite(t, porttest.Purchase) }

// pooledInit and pooledFinalize are the most statements that an init and a finalize take behind a pooler, BEGIN and COMMIT
// included. They have two transactions and three.
const pooledInit, pooledFinalize = 23, 35

// Behind a pooler a purchase takes the round trips that it takes without one. A transaction begins with the role and five
// settings beside the project: six statements more.
func TestCheckouts_roundTripsBehindPgBouncer(t *testing.T) {
	t.Parallel()
	s, w := storetest.CountedPooled(t)
	sale := porttest.NewSale(t, storetest.Views(s))
	for range 8 { // as often as would prepare every statement elsewhere
		answer := sale.Quote()
		trips, statements := w.Count(func() { sale.OpenCheckout(answer, session.Touched{}) })
		if trips != 2 || statements > pooledInit {
			t.Errorf("an init took %d round trips and %d statements", trips, statements)
		}
		c := sale.Init(sale.Quote())
		trips, statements = w.Count(func() { sale.Finalize(c) })
		if trips != finalizeTrips || statements > pooledFinalize {
			t.Errorf("a finalize took %d round trips and %d statements", trips, statements)
		}
	}
}
