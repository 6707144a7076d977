package sqlstore

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/db"
	"github.com/haggle-commerce/haggle/domain/id"
)

// Of more than can be summed up, the newest orders count.
func TestSalesOfManyOrders(t *testing.T) {
	onEngines(t, func(t *testing.T, s *Store) {
		const lines = 50
		orders := mostSold/lines + 5
		p, old, recent := storeProject(t, s, 1), numbered[id.Product](1), numbered[id.Product](2)
		storeOrders(t, s, p.ID, orders, lines, func(order, _ int) string {
			if order < 5 {
				return old.String()
			}
			return recent.String()
		})
		sales, err := s.Sales().Sales(t.Context(), p.ID, time.UnixMilli(0), 5)
		if err != nil || len(sales.Sold) != 1 || sales.Sold[recent] != mostSold {
			t.Errorf("%v, %v", sales.Sold, err)
		}
		newest, err := s.Sales().Sales(t.Context(), p.ID, time.UnixMilli(int64(orders-3)*1000), 5)
		if err != nil || newest.Sold[recent] != 3*lines {
			t.Errorf("of the last three orders: %v, %v", newest.Sold, err)
		}
	})
}

// Orders come in the order of an index, from where the page before ended: no page is sorted, and none reads
// what others have.
func TestSalesAreReadByIndex(t *testing.T) {
	onEngines(t, func(t *testing.T, s *Store) {
		p := storeProject(t, s, 1)
		storeOrders(t, s, p.ID, 3000, 1, func(order, _ int) string { return numbered[id.Product](order).String() })
		explain, want := "EXPLAIN QUERY PLAN ", []string{"USING INDEX orders_newest (project_id=? AND created_at>? AND (created_at,id)<(?,?))"}
		if s.db.Dialect.OneTrip {
			explain, want = "EXPLAIN (COSTS OFF) ", []string{"Scan Backward using orders_newest", "Index Cond:", "ROW(created_at, id) < ROW("}
			if _, err := s.db.WritePool().ExecContext(t.Context(), "ANALYZE orders"); err != nil { // as it does by itself after a minute
				t.Fatal(err)
			}
		}
		plan := planOf(t, s, p.ID, explain+selectSold, p.ID.String(), 0, 2_000_000, "", 1000)
		for _, part := range want {
			if !strings.Contains(plan, part) {
				t.Errorf("%q is not in the plan:\n%s", part, plan)
			}
		}
		if upper := strings.ToUpper(plan); strings.Contains(upper, "SORT") || strings.Contains(upper, "TEMP B-TREE") {
			t.Errorf("what is read is sorted:\n%s", plan)
		}
	})
}

// planOf is what EXPLAIN tells, in its last column.
func planOf(t *testing.T, s *Store, project id.Project, query string, args ...any) string {
	t.Helper()
	var plan strings.Builder
	err := s.db.InTx(t.Context(), project, func(x *db.Tx) error {
		rows, err := x.Connection().QueryxContext(t.Context(), query, args...)
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			values, err := rows.SliceScan()
			if err != nil {
				return err
			}
			text, isBytes := values[len(values)-1].([]byte)
			if !isBytes {
				text = fmt.Append(nil, values[len(values)-1])
			}
			plan.Write(append(text, '\n'))
		}
		return rows.Err()
	})
	if err != nil {
		t.Fatal(err)
	}
	return plan.String()
}
