package catalogue_test

import (
	"testing"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/storetest"
	"github.com/haggle-commerce/haggle/ports/porttest"
)

func TestProducts(t *testing.T) { storetest.Suite(t, porttest.Products) }

func TestBulkProducts(t *testing.T) { storetest.Suite(t, porttest.BulkProducts) }

func TestCatalog(t *testing.T) { storetest.Suite(t, porttest.Catalog) }

func TestInventory(t *testing.T) { storetest.Suite(t, porttest.Inventory) }

func TestSynonyms(t *testing.T) { storetest.Suite(t, porttest.Synonyms) }

func TestStockRoom(t *testing.T) { storetest.Suite(t, porttest.StockRoom) }

func TestStockNews(t *testing.T) { storetest.Suite(t, porttest.StockNews) }
