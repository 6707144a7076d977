package purchase_test

import (
	"sync"
	"sync/atomic"
	"testing"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/storetest"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/session"
	"github.com/haggle-commerce/haggle/ports"
	"github.com/haggle-commerce/haggle/ports/porttest"
)

// finalizeTrips is the number of round trips of a finalize: one read and two transactions, each of which locks and
// reads, then writes and commits.
const finalizeTrips = 1 + 2 + 2

// mostOnSQLite is more because on SQLite each effect of a transaction is a statement, among them the two of the ledger
// and the two that have the order written to its platform and its CRM. A statement is no round trip there.
const mostOnSQLite = 16

func TestCheckouts_InTx_roundTrips(t *testing.T) {
	t.Parallel()
	s, w := storetest.WiredPostgres(t)
	sale := porttest.NewSale(t, storetest.Views(s))
	c := sale.Init(sale.Quote())
	if n := w.Count(func() { sale.Finalize(c) }); n != finalizeTrips {
		t.Errorf("finalize took %d round trips, want %d", n, finalizeTrips)
	}
}

func TestCheckouts_InTx_statementsOnSQLite(t *testing.T) {
	t.Parallel()
	s, count := storetest.CountedSQLite(t)
	sale := porttest.NewSale(t, storetest.Views(s))
	c := sale.Init(sale.Quote())
	if n := count(func() { sale.Finalize(c) }); n > mostOnSQLite {
		t.Errorf("finalize took %d statements without BEGIN and COMMIT, want at most %d", n, mostOnSQLite)
	}
}

// An init is two round trips, with and without a session to be touched.
func TestCheckouts_Create_roundTrips(t *testing.T) {
	t.Parallel()
	s, w := storetest.WiredPostgres(t)
	sale := porttest.NewSale(t, storetest.Views(s))
	for _, touched := range []session.Touched{{}, {Time: true}, {Time: true, Claims: true}} {
		answer := sale.Quote()
		if trips := w.Count(func() { sale.OpenCheckout(answer, touched) }); trips != 2 {
			t.Errorf("with %+v an init took %d round trips, want 2", touched, trips)
		}
	}
}

// Two purchases lock each other's checkouts: PostgreSQL rolls one back, and it is tried again.
func TestCheckouts_InTx_deadlock(t *testing.T) {
	t.Parallel()
	s := storetest.FreshPostgres(t)
	sale := porttest.NewSale(t, storetest.Views(s))
	answer := sale.Quote()
	a, b := sale.Init(answer).ID(), sale.Init(answer).ID()
	var met, done sync.WaitGroup
	met.Add(2)
	var runs atomic.Int64
	for _, pair := range [][2]id.Checkout{{a, b}, {b, a}} {
		meet := sync.OnceFunc(func() { met.Done(); met.Wait() })
		done.Go(func() {
			err := s.Checkouts().InTx(t.Context(), sale.Project(), func(p ports.Purchase) error {
				runs.Add(1)
				if _, _, err := p.Lock(t.Context(), pair[0]); err != nil {
					return err
				}
				meet()
				_, _, err := p.Lock(t.Context(), pair[1])
				return err
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
	done.Wait()
	if runs.Load() < 3 {
		t.Errorf("the two ran %d times, want a third", runs.Load())
	}
}
