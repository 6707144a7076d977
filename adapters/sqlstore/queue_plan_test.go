package sqlstore_test

import (
	"strings"
	"testing"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/events"
	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/db"
	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/queue"
	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/storetest"
	"github.com/haggle-commerce/haggle/adapters/sqlstore/jobs"
	"github.com/haggle-commerce/haggle/adapters/sqlstore/purchase"
	"github.com/haggle-commerce/haggle/adapters/sqlstore/syncing"
)

// queueIndexes are the indexes that queues are read by.
var queueIndexes = map[string]queue.Table{
	"checkouts_waiting":          purchase.LapsedCheckouts,
	"refunds_waiting":            purchase.DueRefunds,
	"orphan_charges_waiting":     purchase.DueOrphans,
	"platform_orders_waiting":    purchase.DuePlatformOrders,
	"crm_deals_waiting":          purchase.DueCRMDeals,
	"deliveries_waiting":         events.DueDeliveries,
	"webhook_deliveries_waiting": syncing.DueInbox,
	"integration_webhooks_due":   syncing.WebhookChecks,
	"sync_runs_due":              syncing.DueSyncRuns,
	"jobs_due":                   jobs.Due,
}

// A shop is looked up by an index among the integrations of all projects.
func TestMigrations_integrationsStoreIndex(t *testing.T) {
	storetest.OnEngines(t, func(t *testing.T, s *storetest.Store) {
		explain := "EXPLAIN QUERY PLAN "
		if s.DB.Dialect.OneTrip {
			explain = "SET LOCAL enable_seqscan = off; SET LOCAL enable_bitmapscan = off; EXPLAIN (COSTS OFF) "
		}
		statement := strings.NewReplacer("$1", "'shopify'", "$2", "'shop.example'").Replace(syncing.SelectOfStore)
		if plan := storetest.PlanOf(t, s, db.AnyProject, explain+statement); !storetest.UsesIndex(s, plan, "integrations", "integrations_store") {
			t.Error(plan)
		}
	})
}

// The queue's index finds groups and the rows of a group: nothing is scanned or sorted, no matter how much waits in
// other groups.
func TestMigrations_queueIndexes(t *testing.T) {
	storetest.OnEngines(t, func(t *testing.T, s *storetest.Store) {
		explain := "EXPLAIN QUERY PLAN "
		if s.DB.Dialect.OneTrip {
			explain = "SET LOCAL enable_seqscan = off; SET LOCAL enable_bitmapscan = off; EXPLAIN (COSTS OFF) "
		}
		for index, q := range queueIndexes {
			claim := strings.NewReplacer("$1", "'g'", "$2", "4", "$3", "1000").Replace(q.ClaimStatement(s.DB.Dialect))
			for name, statement := range map[string]string{"groups": q.SelectGroups(s.DB.Dialect), "claim": claim} {
				plan := storetest.PlanOf(t, s, db.AnyProject, explain+statement)
				if !storetest.UsesIndex(s, plan, q.Table, index) {
					t.Errorf("%s of %s:\n%s", name, q.Name, plan)
				}
			}
		}
	})
}
