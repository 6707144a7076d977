package sqlstore

import (
	"testing"

	"github.com/haggle-commerce/haggle/ports/porttest"
)

func TestAccounts(t *testing.T)          { suite(t, porttest.Accounts) }
func TestProjects(t *testing.T)          { suite(t, porttest.Projects) }
func TestProducts(t *testing.T)          { suite(t, porttest.Products) }
func TestBulkProducts(t *testing.T)      { suite(t, porttest.BulkProducts) }
func TestCatalog(t *testing.T)           { suite(t, porttest.Catalog) }
func TestInventory(t *testing.T)         { suite(t, porttest.Inventory) }
func TestSynonyms(t *testing.T)          { suite(t, porttest.Synonyms) }
func TestIdempotencyKeys(t *testing.T)   { suite(t, porttest.IdempotencyKeys) }
func TestIntegrations(t *testing.T)      { suite(t, porttest.Integrations) }
func TestAuthorizations(t *testing.T)    { suite(t, porttest.Authorizations) }
func TestWebhooks(t *testing.T)          { suite(t, porttest.IntegrationWebhooks) }
func TestInbox(t *testing.T)             { suite(t, porttest.Inbox) }
func TestAuditLog(t *testing.T)          { suite(t, porttest.AuditLog) }
func TestLabels(t *testing.T)            { suite(t, porttest.Labels) }
func TestSyncRuns(t *testing.T)          { suite(t, porttest.SyncRuns) }
func TestCopies(t *testing.T)            { suite(t, porttest.Copies) }
func TestStockRoom(t *testing.T)         { suite(t, porttest.StockRoom) }
func TestSyncUnit(t *testing.T)          { suite(t, porttest.SyncUnit) }
func TestSales(t *testing.T)             { suite(t, porttest.Sales) }
func TestOrphans(t *testing.T)           { suite(t, porttest.Orphans) }
func TestStockNews(t *testing.T)         { suite(t, porttest.StockNews) }
func TestVectors(t *testing.T)           { suite(t, porttest.Vectors) }
func TestAnalytics(t *testing.T)         { suite(t, porttest.Analytics) }
func TestLateAnnouncements(t *testing.T) { suite(t, porttest.LateAnnouncements) }
func TestUnresolved(t *testing.T)        { suite(t, porttest.Unresolved) }
func TestReconciliations(t *testing.T)   { suite(t, porttest.Reconciliations) }
