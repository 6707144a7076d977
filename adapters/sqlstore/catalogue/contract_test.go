package catalogue_test

import (
	"testing"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/storetest"
)

func TestProducts(t *testing.T) { storetest.Suite(t, Products) }

func TestCatalog_Upsert(t *testing.T) { storetest.Suite(t, BulkProducts) }

func TestCatalog(t *testing.T) { storetest.Suite(t, Catalog) }

func TestInventory(t *testing.T) { storetest.Suite(t, Inventory) }

func TestSynonyms(t *testing.T) { storetest.Suite(t, Synonyms) }

func TestStockAdjuster(t *testing.T) { storetest.Suite(t, StockAdjuster) }

func TestAvailabilityChanges(t *testing.T) { storetest.Suite(t, AvailabilityChanges) }
