package syncing

import (
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/syncrun"
)

func TestImportLevels(t *testing.T) {
	t.Parallel()
	f := newFixture()
	f.importByWebhook(t, tent(1, early))
	f.Set("T-1", "main", 3)
	minute := func(n int) time.Time { return early.Add(time.Duration(n) * time.Minute) }
	for n, step := range []struct {
		sold, quantity int
		at             time.Time
		verdict        string
		left           int
	}{
		{0, 10, minute(1), "created", 10}, // set to the platform's quantity
		{2, 10, minute(2), "unchanged", 8},
		{0, 7, minute(3), "updated", 5},
		{0, 12, minute(2), "unchanged", 5}, // arrived late
		{0, -4, minute(4), "updated", 0},   // two are oversold: they were sold here
		{0, 6, minute(5), "updated", 4},
		{1, 6, minute(5), "unchanged", 3},
	} {
		f.Set("T-1", "main", f.Stock("T-1", "main")-step.sold)
		wantVerdicts(t, "level", f.importByWebhook(t, level(1, step.quantity, step.at)), step.verdict)
		if got := f.Stock("T-1", "main"); got != step.left {
			t.Fatalf("step %d leaves %d, want %d", n, got, step.left)
		}
	}
	wantVerdicts(t, "in full", f.importFull(t, level(1, 6, minute(5))), "unchanged")
	if got := f.Stock("T-1", "main"); got != 3 {
		t.Errorf("a full run puts what was sold on sale again: %d", got)
	}
}

// The platform counts stock that payment attempts hold. It is not for sale.
func TestImportLevels_heldStock(t *testing.T) {
	t.Parallel()
	f := newFixture()
	f.importByWebhook(t, tent(1, early))
	f.Set("T-1", "main", 3)
	f.Hold("T-1", "main", 2)
	for n, step := range []struct{ quantity, left int }{{10, 8}, {7, 5}, {1, 0}, {4, 2}} {
		f.importByWebhook(t, level(1, step.quantity, early.Add(time.Duration(n+1)*time.Minute)))
		if got := f.Stock("T-1", "main"); got != step.left {
			t.Errorf("of %d, %d are for sale, want %d", step.quantity, got, step.left)
		}
	}
	f.Hold("T-1", "main", -2)
	if got := f.Stock("T-1", "main"); got != 4 {
		t.Errorf("%d are for sale once none is held, want 4", got)
	}
}

// A platform lets variants share a SKU. Here the second variant has its own SKU and its own stock.
func TestImportLevels_sharedSKU(t *testing.T) {
	t.Parallel()
	shirt := tent(1, early)
	shirt.Product.Item, shirt.Product.Variants = "", []syncrun.Variant{{SKU: "A", Size: "S", Item: "i1"}, {SKU: "own-2", Size: "M", Item: "i2"}}
	first, second := level(1, 0, early), level(2, 50, early)
	first.Level.SKU, second.Level.SKU = "A", "A"
	f := newFixture()
	f.importByWebhook(t, shirt, first, second)
	if f.Stock("A", "main") != 0 || f.Stock("own-2", "main") != 50 {
		t.Errorf("%d and %d, want 0 and 50", f.Stock("A", "main"), f.Stock("own-2", "main"))
	}
}

// A level's variant may change: its product was removed here and imported again, or the platform gave the item another SKU. The
// new variant has no history, so its stock is set to the platform's quantity.
func TestImportLevels_otherVariant(t *testing.T) {
	t.Parallel()
	f := newFixture()
	f.importByWebhook(t, tent(1, early), level(1, 10, early))
	other := tent(1, early.Add(time.Minute))
	other.Product.SKU = "T-1-NEW"
	other.Product.Variants = []syncrun.Variant{{SKU: "T-1-RED", Color: "red", Item: "i1"}}
	wantVerdicts(t, "another sku", f.importByWebhook(t, other), "updated")
	wantVerdicts(t, "its level", f.importByWebhook(t, level(1, 9, early.Add(time.Hour))), "updated")
	if got := f.Stock("T-1-RED", "main"); got != 9 {
		t.Errorf("%d of 9 are there", got)
	}
	f.Set("T-1-RED", "main", 7) // two are sold
	f.importByWebhook(t, level(1, 8, early.Add(2*time.Hour)))
	if got := f.Stock("T-1-RED", "main"); got != 6 {
		t.Errorf("%d are left of 8, after two that were sold here", got)
	}
}

func TestLocate(t *testing.T) {
	t.Parallel()
	f := newFixture()
	bySKU := level(2, 4, early)
	bySKU.Level.Item, bySKU.Level.SKU, bySKU.Level.Location = "", "T-2", ""
	unknown := bySKU
	unknown.Remote, unknown.Level = "x", &syncrun.Level{SKU: "nobody's"}
	elsewhere := level(1, 1, early)
	elsewhere.Remote, elsewhere.Level.Location = "y", "Not A Location"
	many := level(1, catalog.MaxStock+1, early)
	many.Remote = "z"
	taken := f.importByWebhook(t, level(1, 3, early), tent(1, early), tent(2, early), bySKU, unknown, level(9, 1, early), elsewhere, many)
	wantVerdicts(t, "a call", taken, "created", "created", "created", "created", "unknown", "unknown", "failed", "failed")
	if f.Stock("T-1", "main") != 3 || f.Stock("T-2", "main") != 4 || len(taken.Products) != 4 {
		t.Errorf("%d and %d, %d changed", f.Stock("T-1", "main"), f.Stock("T-2", "main"), len(taken.Products))
	}
	f.importByWebhook(t, tent(9, early))
	wantVerdicts(t, "once its product is there", f.importByWebhook(t, level(9, 1, early)), "created")
}
