package sqlstore_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/finance"
	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/db"
	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/storetest"
	"github.com/haggle-commerce/haggle/adapters/sqlstore/ledger"
	"github.com/haggle-commerce/haggle/adapters/sqlstore/purchase"
	"github.com/haggle-commerce/haggle/adapters/sqlstore/requests"
	"github.com/haggle-commerce/haggle/domain/audit"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/order"
	"github.com/haggle-commerce/haggle/ports"
	"github.com/haggle-commerce/haggle/ports/porttest"
)

// listed are lists that are paged by key, with the index that serves each filter.
var listed = map[string]struct {
	list    db.Listing
	table   string
	others  map[string]string // columns of what it is multiplied by: expressions over n
	indexes map[string]string // by a column and a value of it; "": all
}{
	"orders": {purchase.ListedOrders, "orders", map[string]string{
		"id":                 "'ord_' || n",
		"checkout_id":        "'chk_' || n",
		"confirmation":       "'HG-' || n",
		"created_at":         "created_at - n * 1000",
		"fulfillment_status": "CASE n % 2 WHEN 0 THEN 'delivered' ELSE 'shipped' END",
	}, map[string]string{
		"":                                "orders_newest",
		"o.status=refunded":               "orders_by_status",
		"o.fulfillment_status=processing": "orders_by_fulfillment",
	}},
	"returns": {purchase.ListedReturns, "returns", map[string]string{
		"id":         "'ret_' || n",
		"order_id":   "'ord_' || n",
		"created_at": "created_at - n * 1000",
	}, map[string]string{
		"":                "returns_newest",
		"status=approved": "returns_by_status",
	}},
	"payments": {finance.ListedPayments, "payments", map[string]string{
		"id":         "'pay_' || n",
		"order_id":   "'ord_' || n",
		"provider":   "'ch_' || n",
		"created_at": "created_at - n * 1000",
	}, map[string]string{
		"":                  "payments_newest",
		"p.status=refunded": "payments_by_status",
	}},
	"transactions": {ledger.ListedTransactions, "ledger_transactions", map[string]string{
		"id":         "'txn_' || n",
		"order_id":   "CASE n % 100 WHEN 0 THEN '' ELSE 'ord_' || n END",
		"payment_id": "CASE n % 100 WHEN 0 THEN '' ELSE 'pay_' || n END",
		"refund_id":  "''",
		"reference":  "CASE n % 100 WHEN 0 THEN 'po_' || n ELSE '' END",
		"at":         "at - n * 1000",
		"kind":       "CASE n % 100 WHEN 0 THEN 'payout' ELSE 'sale' END",
	}, map[string]string{
		"":            "ledger_transactions_newest",
		"kind=payout": "ledger_transactions_by_kind",
	}},
	"audit events": {requests.ListedEvents, "audit_events", map[string]string{
		"id":         "'aud_' || n",
		"account_id": "CASE n % 40 WHEN 0 THEN account_id ELSE 'acc_' || n % 40 END",
		"at":         "at - n * 1000",
		"action":     "'do-' || n % 50",
		"member_id":  "CASE n % 2 WHEN 0 THEN 'mem_' || n % 20 ELSE '' END",
		"key_id":     "CASE n % 2 WHEN 0 THEN '' ELSE 'key_' || n % 20 END",
	}, map[string]string{
		"":                       "audit_events_newest",
		"action=delete-project":  "audit_events_by_action",
		"member_id=mem_of_a_few": "audit_events_by_member",
		"key_id=key_of_a_few":    "audit_events_by_key",
	}},
}

// A page is read by an index from its place on: earlier rows are not read, and nothing is sorted.
func TestMigrations_listIndexes(t *testing.T) {
	storetest.OnEngines(t, func(t *testing.T, s *storetest.Store) {
		shop := porttest.OpenShop(t, storetest.Views(s))
		o := shop.GaveBack(shop.Sold(shop.Product(9), 2), 1).Order
		shop.CarryOn(o.ID, func(c *order.Case) error {
			items := []order.ReturnItem{{Product: o.Lines[0].Product, Variant: o.Lines[0].Variant, Quantity: 1, Reason: "r"}}
			_, err := c.RequestReturn(porttest.Random[id.Return](), items, "", order.Terms{WindowDays: 30}, porttest.Random[id.Event](), porttest.Noon)
			return err
		})
		shop.Must(storetest.Views(s).Records.Record(t.Context(), ports.Record{Event: &audit.Event{
			ID:      porttest.Random[id.AuditEvent](),
			Account: shop.Project.Account,
			Action:  "delete-project",
			At:      porttest.Noon,
		}}))
		storetest.WithoutReferences(t, s)
		for _, l := range listed {
			multiply(t, s, l.table, l.others, 20_000)
		}
		for name, l := range listed {
			of := shop.Project.ID.String()
			if l.table == "audit_events" {
				of = shop.Project.Account.String()
			}
			place := &ports.Place{At: porttest.Noon.Add(-time.Hour), ID: "x"}
			for condition, index := range l.indexes {
				for _, page := range []ports.Page{{}, {After: place}, {Before: place}, {After: place, Oldest: true}} {
					page.Limit = 26
					w := db.Conditions{Args: db.Args{of}}
					w.During(l.list.Time, porttest.Noon.Add(-900*time.Hour), porttest.Noon.Add(time.Hour))
					column, value, _ := strings.Cut(condition, "=")
					switch {
					case column == "":
					case l.table == "audit_events":
						w.Equal(column, value)
					default:
						w.Text += "\n  AND " + column + " = '" + value + "'" // as db.Conditions.Is
					}
					statement := l.list.Statement(&w, page)
					checkPlan(t, s, name+" where "+condition, index, planOf(t, s, shop.Project.ID, statement, w.Args))
				}
			}
		}
	})
}

// The orders of a buyer, and those to ship, are found by indexes among many newer ones.
func TestStore_Orders_fewAmongMany(t *testing.T) {
	storetest.OnEngines(t, func(t *testing.T, s *storetest.Store) {
		shop := porttest.OpenShop(t, storetest.Views(s))
		shop.Sold(shop.Product(9), 1)
		storetest.WithoutReferences(t, s)
		for _, name := range []string{"orders", "payments"} {
			others := maps.Clone(listed[name].others)
			if name == "orders" {
				others["email"] = "'buyer+' || (n % 5000) || '@example.com'"
			}
			multiply(t, s, name, others, 20_000)
		}
		toShip := ports.OrderFilter{Status: order.Confirmed, Fulfillment: order.FulfillmentStatuses["processing"]}
		for name, c := range map[string]struct {
			filter  ports.OrderFilter
			want    int
			indexes []string // any of them
		}{
			"a buyer": {ports.OrderFilter{Email: "buyer+7@example.com"}, 4, []string{"orders_by_email"}},
			"to ship": {toShip, 1, []string{"orders_to_ship", "orders_by_fulfillment"}},
		} {
			w, err := purchase.OrdersWhere(s.DB.Dialect, shop.Project.ID, c.filter)
			shop.Must(err)
			statement := purchase.ListedOrders.Statement(&w, ports.Page{Limit: 26})
			plan := planOf(t, s, shop.Project.ID, statement, w.Args)
			if !slices.ContainsFunc(c.indexes, func(index string) bool { return strings.Contains(plan, index) }) {
				t.Errorf("%s is not found by any of %v:\n%s", name, c.indexes, plan)
			}
			found, total, err := s.Orders().Orders(t.Context(), shop.Project.ID, c.filter, ports.Page{Limit: 26})
			if err != nil || len(found) != c.want || total != c.want {
				t.Errorf("%s: %d of %d orders, %v", name, len(found), total, err)
			}
		}
	})
}

func checkPlan(t *testing.T, s *storetest.Store, name, index, plan string) {
	t.Helper()
	upper := strings.ToUpper(plan)
	if !strings.Contains(plan, index+" ") || strings.Contains(upper, "SORT") || strings.Contains(upper, "TEMP B-TREE") || strings.Contains(plan, "Bitmap") {
		t.Errorf("%s is not read by %s:\n%s", name, index, plan)
	}
}

// planOf is the plan for any arguments, as of statements that keep coming.
func planOf(t *testing.T, s *storetest.Store, project id.Project, statement string, args db.Args) string {
	t.Helper()
	values, err := db.Plain(args)
	if err != nil {
		t.Fatal(err)
	}
	if !s.DB.Dialect.OneTrip {
		return storetest.PlanOf(t, s, project, "EXPLAIN QUERY PLAN "+statement, values...)
	}
	types, texts := make([]string, len(values)), make([]string, len(values))
	for i, v := range values {
		types[i], texts[i] = "text", fmt.Sprintf("'%v'", v)
		if _, number := v.(int64); number {
			types[i] = "bigint"
		}
	}
	return storetest.PlanOf(t, s, project, fmt.Sprintf("PREPARE listed (%s) AS %s; EXPLAIN (COSTS OFF) EXECUTE listed (%s); DEALLOCATE listed",
		strings.Join(types, ", "), statement, strings.Join(texts, ", ")))
}

// multiply adds rows that differ from the one that there is.
func multiply(t *testing.T, s *storetest.Store, table string, others map[string]string, rows int) {
	t.Helper()
	pool := s.DB.WritePool()
	found, err := pool.QueryxContext(t.Context(), "SELECT * FROM "+table+" WHERE false")
	if err != nil {
		t.Fatal(err)
	}
	columns, err := found.Columns()
	if err != nil || found.Close() != nil {
		t.Fatal(err)
	}
	values := make([]string, len(columns))
	for i, column := range columns {
		values[i] = column
		if other := others[column]; other != "" {
			values[i] = other
		}
	}
	for name := range maps.Keys(others) {
		if !slices.Contains(columns, name) {
			t.Fatalf("%s has no column %s", table, name)
		}
	}
	statement := fmt.Sprintf(`
WITH RECURSIVE counted (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM counted WHERE n < %d)
INSERT INTO %s (%s)
SELECT %s
FROM (SELECT * FROM %[2]s LIMIT 1) AS one
CROSS JOIN counted`, rows, table, strings.Join(columns, ", "), strings.Join(values, ", "))
	if !s.DB.Dialect.OneTrip {
		statement = fmt.Sprintf(`
INSERT INTO %[2]s (%[3]s)
WITH RECURSIVE counted (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM counted WHERE n < %[1]d)
SELECT %[4]s
FROM (SELECT * FROM %[2]s LIMIT 1) AS one
CROSS JOIN counted`, rows, table, strings.Join(columns, ", "), strings.Join(values, ", "))
	} else {
		statement = "RESET ROLE; SET haggle.project_id = '*'; " + statement + "; ANALYZE " + table
	}
	storetest.Change(t, s, statement)
}
