package catalogue_test

import (
	"fmt"
	"runtime"
	"testing"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/db"
	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/storetest"
	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/ports"
	"github.com/haggle-commerce/haggle/ports/porttest"
)

// An attempt that begins while a sync reads levels is in all of what it reads, or in nothing.
func TestStockAdjuster_levelsAreOfOneMoment(t *testing.T) {
	t.Parallel()
	s := storetest.FreshPostgres(t)
	sale := porttest.NewSale(t, storetest.Views(s))
	attempt := sale.Checkouts(1, false)[0]
	var variants []catalog.Level
	if err := s.DB.InTx(t.Context(), db.AnyProject, func(x *db.Tx) error {
		return x.Select(t.Context(), &variants, "SELECT id AS variant_id, sku FROM variants")
	}); err != nil {
		t.Fatal(err)
	}
	sku, variant := variants[0].SKU, variants[0].Variant
	at := ports.StockPlace{SKU: sku, Location: "main"}
	if _, err := s.Inventory().Set(t.Context(), sale.Project(), []ports.StockSet{{SKU: sku, Location: "main", Quantity: 10}}); err != nil {
		t.Fatal(err)
	}

	// Every read of variants waits for the holder.
	holder, err := s.DB.WritePool().Connx(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer holder.Close()
	for _, statement := range []string{
		"CREATE FUNCTION hold() RETURNS boolean LANGUAGE plpgsql AS 'BEGIN PERFORM pg_advisory_xact_lock_shared(7); RETURN TRUE; END'",
		"CREATE POLICY held ON variants AS RESTRICTIVE FOR SELECT USING (hold())",
		"SELECT pg_advisory_lock(7)",
	} {
		if _, err := holder.ExecContext(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
	var levels []catalog.Shelf
	read := make(chan error, 1)
	go func() {
		read <- s.SyncUnit().InTx(t.Context(), sale.Project(), func(stores ports.SyncStores) (err error) {
			levels, err = stores.StockAdjuster.Levels(t.Context(), sale.Project(), []ports.StockPlace{at})
			return err
		})
	}()
	for waiting := 0; waiting == 0 && len(read) == 0; runtime.Gosched() {
		if err := holder.GetContext(t.Context(), &waiting, "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted"); err != nil {
			t.Fatal(err)
		}
	}
	storetest.Change(t, s, fmt.Sprintf(`
WITH taken AS (UPDATE stock SET quantity = quantity - 2 WHERE variant_id = '%[1]s')
UPDATE checkouts
SET status = 'processing', attempt = 1, lease_until = 1, taken = '[{"variant":"%[1]s","location":"main","quantity":2}]'
WHERE id = '%[2]s'`, variant, attempt))
	if _, err := holder.ExecContext(t.Context(), "SELECT pg_advisory_unlock(7)"); err != nil {
		t.Fatal(err)
	}
	if err := <-read; err != nil || len(levels) != 1 || levels[0].Count() != 10 {
		t.Errorf("levels %+v, %v; want 10 pieces", levels, err)
	}
}
