package sqlstore

import (
	"fmt"
	"strings"
	"testing"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/db"
	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/queue"
)

// queueIndexes are the indexes that queues are read by.
var queueIndexes = map[string]queue.Table{
	"checkouts_waiting":          lapsedCheckouts,
	"refunds_waiting":            dueRefunds,
	"orphan_charges_waiting":     dueOrphans,
	"deliveries_waiting":         dueDeliveries,
	"webhook_deliveries_waiting": dueInbox,
	"sync_runs_due":              dueSyncRuns,
}

// Groups are found, and rows of a group claimed, by the queue's index: nothing is scanned or sorted, however
// much waits in other groups.
func TestQueues_index(t *testing.T) {
	onEngines(t, func(t *testing.T, s *Store) {
		explain := "EXPLAIN QUERY PLAN "
		if s.db.Dialect.OneTrip {
			explain = "SET LOCAL enable_seqscan = off; SET LOCAL enable_bitmapscan = off; EXPLAIN (COSTS OFF) "
		}
		for index, q := range queueIndexes {
			claim := strings.NewReplacer("$1", "'g'", "$2", "4", "$3", "1000").Replace(q.ClaimStatement(s.db.Dialect))
			for name, statement := range map[string]string{"groups": q.SelectGroups(s.db.Dialect), "claim": claim} {
				plan := planOf(t, s, db.AnyProject, explain+statement)
				if !usesIndex(s, plan, q.Table, index) {
					t.Errorf("%s of %s:\n%s", name, q.Name, plan)
				}
			}
		}
	})
}

// usesIndex reports whether all rows of a table that wait are found by an index. The claim's UPDATE finds rows
// by their primary key.
func usesIndex(s *Store, plan, table, index string) bool {
	if !strings.Contains(plan, index) {
		return false
	}
	for line := range strings.Lines(plan) {
		scan := s.db.Dialect.OneTrip && strings.Contains(line, fmt.Sprintf("Seq Scan on %s", table)) ||
			!s.db.Dialect.OneTrip && strings.HasPrefix(line, "SCAN "+table) && !strings.Contains(line, index)
		if scan {
			return false
		}
	}
	return true
}
