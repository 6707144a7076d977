package sqlstore

import (
	"testing"

	"github.com/haggle-commerce/haggle/ports/porttest"
)

func TestAccounts(t *testing.T)     { suite(t, porttest.Accounts) }
func TestProjects(t *testing.T)     { suite(t, porttest.Projects) }
func TestProducts(t *testing.T)     { suite(t, porttest.Products) }
func TestBulkProducts(t *testing.T) { suite(t, porttest.BulkProducts) }
func TestCatalog(t *testing.T)      { suite(t, porttest.Catalog) }
func TestInventory(t *testing.T)    { suite(t, porttest.Inventory) }
func TestKeys(t *testing.T)         { suite(t, porttest.IdempotencyKeys) }
func TestIntegrations(t *testing.T) { suite(t, porttest.Integrations) }
func TestAuditLog(t *testing.T)     { suite(t, porttest.AuditLog) }
