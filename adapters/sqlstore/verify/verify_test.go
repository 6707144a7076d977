package verify_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/db"
	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/storetest"
	"github.com/haggle-commerce/haggle/adapters/sqlstore/verify"
	"github.com/haggle-commerce/haggle/ports/porttest"
)

func TestVerify_sale(t *testing.T) {
	storetest.OnEngines(t, func(t *testing.T, s *storetest.Store) {
		if v := storetest.Verified(t, s); len(v.Violations()) > 0 || v.Undecided > 0 {
			t.Errorf("an empty database breaks %v", v.Violations())
		}
		storetest.SoldOnce(t, s)
		v := storetest.Verified(t, s)
		if len(v.Violations()) > 0 || v.Undecided > 0 {
			t.Errorf("a sale breaks %v", v.Violations())
		}
		for _, i := range v.Invariants {
			unchecked := strings.Contains(i.Holds, "refund") || strings.Contains(i.Holds, "given back") ||
				strings.Contains(i.Holds, "under way") || strings.Contains(i.Holds, "dispute") || strings.Contains(i.Holds, "orphan") || strings.Contains(i.Holds, "without an order")
			if i.Checked == 0 && !unchecked {
				t.Errorf("nothing was checked: %s", i.Holds)
			}
		}
	})
}

// The progress counts the invariants.
func TestVerify_progress(t *testing.T) {
	storetest.OnEngines(t, func(t *testing.T, s *storetest.Store) {
		calls := 0
		v, err := s.Verify(t.Context(), time.Now(), func(done, of int) {
			if done != calls || of < 10 {
				t.Errorf("after %d: %d of %d", calls, done, of)
			}
			calls++
		})
		if err != nil || calls != len(v.Invariants)+1 {
			t.Errorf("%d pictures of %d invariants, %v", calls, len(v.Invariants), err)
		}
	})
}

// A floor that is raised after a quote does not violate the invariant.
func TestVerify_raisedFloor(t *testing.T) {
	storetest.OnEngines(t, func(t *testing.T, s *storetest.Store) {
		storetest.SoldOnce(t, s)
		storetest.Change(t, s, "UPDATE quotes SET floor = final_price + 1, target = list_price, opening = list_price WHERE redeemed_by <> ''")
		if found := storetest.Verified(t, s).Violations(); len(found) > 0 {
			t.Errorf("a promise that was kept is found: %v", found)
		}
		storetest.Change(t, s, "UPDATE quotes SET quantity = quantity + 1 WHERE redeemed_by <> ''") // nothing was promised for so many
		if found := fmt.Sprint(storetest.Verified(t, s).Violations()); !strings.Contains(found, "an item under its floor, for") {
			t.Errorf("found %s", found)
		}
	})
}

// A provider without answers is asked again after a pause that grows to minutes.
func TestVerify_attemptAskedAgainLater(t *testing.T) {
	storetest.OnEngines(t, func(t *testing.T, s *storetest.Store) {
		porttest.NewSale(t, storetest.Views(s)).Checkouts(1, false)
		for says, retry := range map[bool]time.Time{false: time.Now().Add(4 * time.Minute), true: time.Now().Add(-2 * verify.LeftAlone)} {
			storetest.Change(t, s, fmt.Sprintf("UPDATE checkouts SET status = 'processing', attempt = 1, lease_until = 1, retry_at = %d", db.Millis(retry)))
			if found := fmt.Sprint(storetest.Verified(t, s).Violations()); strings.Contains(found, "nobody has looked after attempt") != says {
				t.Errorf("to be asked at %s: found %s", retry, found)
			}
		}
	})
}

// The books of a closed shop still add up, and a partly deleted shop is no damage.
func TestVerify_closingProject(t *testing.T) {
	for _, provider := range []string{"stripe", "sandbox"} {
		t.Run(provider, func(t *testing.T) {
			storetest.OnEngines(t, func(t *testing.T, s *storetest.Store) {
				storetest.SoldOnce(t, s)
				books := provider != "sandbox"
				if books {
					storetest.Change(t, s, "UPDATE projects SET status = 'closing', closing_at = 1, slug = id")
				} else {
					storetest.Change(t, s, "UPDATE projects SET status = 'deleting', closing_at = 1, slug = id")
				}
				list, err := s.Projects().Unfinished(t.Context(), 0, 10)
				if err != nil || len(list) != 1 {
					t.Fatal(list, err)
				}
				last, steps := false, 0
				for ; !last && steps < 1000; steps++ {
					if last, err = s.Projects().Step(t.Context(), list[0]); err != nil {
						t.Fatal(err)
					}
					if found := storetest.Verified(t, s).Violations(); len(found) > 0 {
						t.Fatalf("after step %d: %v", steps, found)
					}
				}
				if !last || steps < 5 {
					t.Errorf("%d steps", steps)
				}
			})
		})
	}
}

// Each damage violates the invariants about it.
func TestVerify_damageOfSale(t *testing.T) {
	for says, damage := range map[string][]string{
		"completed without an order":            {"DELETE FROM orders"},
		"its checkout is ready":                 {"UPDATE checkouts SET status = 'ready'"},
		"it has no payment":                     {"DELETE FROM payments"},
		"of a missing order":                    {"UPDATE payments SET order_id = 'ord_other'"},
		"its parts do not sum to its total":     {"UPDATE orders SET subtotal = subtotal + 1, total = total + 1"},
		"nobody has looked after attempt":       {"UPDATE checkouts SET status = 'processing', lease_until = 1"},
		"it holds 0 pieces of 1 of":             {"UPDATE checkouts SET taken = '[]'"},
		"used up by an order that there is not": {"UPDATE quotes SET redeemed_by = 'ord_other' WHERE redeemed_by <> ''"},
		"it does not use up the token":          {"UPDATE quotes SET redeemed_by = '' WHERE redeemed_by <> ''"},
		"held by a checkout that is completed":  {"UPDATE quotes SET redeemed_by = '' WHERE redeemed_by <> ''"},
		"an item under its floor, for":          {"UPDATE quotes SET final_price = final_price - 1, floor = 0, target = 0 WHERE redeemed_by <> ''"},
		"it is announced 0 times":               {"DELETE FROM outbox"},
		"it is announced 2 times": {`INSERT INTO outbox (project_id, id, type, payload, created_at, attempts)
			SELECT project_id, id || '2', type, payload, created_at, 0 FROM outbox WHERE type = 'order.completed'`},
		"announces an order that there is not":  {"DELETE FROM orders"},
		"a sale without its payment":            {"DELETE FROM payments"},
		"the ledger has 1 sales of":             {"UPDATE payments SET amount = amount + 1"},
		"the ledger and the payments differ by": {"UPDATE payments SET amount = amount + 1"},
		"to be, of":                             {"UPDATE payments SET refunding = 1"},
		"taken without an order":                {"DELETE FROM payments"},
		"the provider did not take it":          {"DELETE FROM sandbox_charges"},
		"our refund is missing": {`INSERT INTO sandbox_refunds (project_id, key, id, charge_id, currency, amount, created_at)
			SELECT project_id, 'ref_1', 're_1', id, currency, 1, 0 FROM sandbox_charges`},
		"the ledger has 0 refunds of": {`INSERT INTO refunds (project_id, id, order_id, payment_id, return_id, status, currency, amount, reason, failure, provider, created_at, updated_at, attempts)
			SELECT project_id, 'ref_1', order_id, id, '', 'succeeded', currency, 1, '', '', '', 0, 0, 0 FROM payments`},
	} {
		t.Run(says, func(t *testing.T) {
			storetest.OnEngines(t, func(t *testing.T, s *storetest.Store) {
				storetest.SoldOnce(t, s)
				storetest.WithoutReferences(t, s)
				for _, statement := range damage {
					storetest.Change(t, s, statement)
				}
				if found := fmt.Sprint(storetest.Verified(t, s).Violations()); !strings.Contains(found, says) {
					t.Errorf("found %s, want %s", found, says)
				}
			})
		})
	}
}

// extraSales is the number of copies of the one sale, in every table that has it.
const extraSales = 2000

// multiplied writes copies of the rows of a table: each column as it is, or by an expression over the
// row and a number n.
func multiplied(t *testing.T, s *storetest.Store, table, columns string, changed map[string]string) {
	t.Helper()
	values := strings.Split(columns, ", ")
	for i, c := range values {
		values[i] = "r." + c
		if expression, ok := changed[c]; ok {
			values[i] = expression
		}
	}
	storetest.Change(t, s, fmt.Sprintf(`
WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < %d)
INSERT INTO %s (%s)
SELECT %s
FROM %s AS r
CROSS JOIN numbers`, extraSales, table, columns, strings.Join(values, ", "), table))
}

func TestVerify_manySales(t *testing.T) {
	storetest.OnEngines(t, func(t *testing.T, s *storetest.Store) {
		storetest.SoldOnce(t, s)
		storetest.WithoutReferences(t, s)
		id := func(column string) string { return "r." + column + " || n" }
		multiplied(t, s, "checkouts", "project_id, id, session_id, status, lines, address, options, selected, currency, subtotal, tax, savings, "+
			"attempt, declines, lease_until, retry_at, payment, taken, created_at, valid_until, claimed_at, queue", map[string]string{"id": id("id"), "lines": "replace(r.lines, '\"quote\"', '\"was\"')"})
		multiplied(t, s, "orders", "project_id, id, checkout_id, session_id, confirmation, status, lines, address, email, notes, currency, subtotal, shipping, tax, savings, total, fulfillment, fulfillment_status, created_at",
			map[string]string{"id": id("id"), "checkout_id": id("checkout_id"), "confirmation": id("confirmation"), "lines": "replace(r.lines, '\"quote\"', '\"was\"')"})
		multiplied(t, s, "payments", "project_id, id, order_id, status, currency, amount, method, label, gateway, integration_id, provider, refunded, refunding, created_at",
			map[string]string{"id": id("id"), "order_id": id("order_id"), "provider": id("provider")})
		multiplied(t, s, "ledger_transactions", "project_id, id, kind, order_id, payment_id, refund_id, provider, at",
			map[string]string{"id": id("id"), "order_id": id("order_id"), "payment_id": id("payment_id")})
		multiplied(t, s, "ledger_postings", "project_id, transaction_id, position, debit, credit, currency, amount",
			map[string]string{"transaction_id": id("transaction_id")})
		multiplied(t, s, "sandbox_charges", "project_id, key, id, currency, amount, method, token_hash, result, created_at",
			map[string]string{"id": id("id"), "key": "replace(r.key, '-1', n || '-1')"})
		multiplied(t, s, "outbox", "project_id, id, type, payload, created_at, attempts",
			map[string]string{"id": id("id"), "payload": "replace(r.payload, (SELECT id FROM orders ORDER BY length(id) LIMIT 1), (SELECT id FROM orders ORDER BY length(id) LIMIT 1) || n)"})
		begun := time.Now()
		v := storetest.Verified(t, s)
		if took := time.Since(begun); took > 5*time.Second {
			t.Errorf("%d sales took %s", extraSales, took)
		}
		if found := v.Violations(); len(found) > 0 {
			t.Errorf("%d broken: %v", len(found), found[:1])
		}
		if n := v.Invariants[0].Checked; n != extraSales+1 {
			t.Errorf("%d checked", n)
		}
	})
}
