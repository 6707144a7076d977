package verify_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/storetest"
	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/domain/event"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/order"
	"github.com/haggle-commerce/haggle/ports"
	"github.com/haggle-commerce/haggle/ports/porttest"
)

// reversedOnce is a store with one order, a refund of it that the provider took back, a dispute that was lost, and an
// orphaned charge that was given back.
func reversedOnce(t *testing.T, s *storetest.Store) *porttest.Sale {
	t.Helper()
	sale := storetest.SoldOnce(t, s)
	project, now, usd := sale.Project(), sale.Order.CreatedAt, func(n int64) money.Amount { return money.Of(n, money.USD) }
	refund := order.ExternalRefund{
		Charge:   sale.Order.Payment.Provider,
		Provider: "re_1",
		Amount:   usd(5_00),
		Outcome:  order.Refunded{Provider: "re_1"},
		At:       now,
	}
	dispute := order.DisputeReport{
		Charge:    refund.Charge,
		Provider:  "du_1",
		Status:    order.DisputeOpen,
		Amount:    usd(50_00),
		Withdrawn: usd(50_00),
		Fee:       usd(15_00),
		At:        now,
	}
	for _, change := range []func(*order.Case) error{
		func(c *order.Case) error { return c.ReportRefund(refund, refundIDs(1), now) },
		func(c *order.Case) error {
			failed := refund
			failed.Outcome = order.RefundFailed{Code: "expired_or_canceled_card"}
			return c.ReportRefund(failed, refundIDs(2), now)
		},
		func(c *order.Case) error { return c.ReportDispute(dispute, disputeIDs(3), now) },
		func(c *order.Case) error {
			lost := dispute
			lost.Status = order.DisputeLost
			return c.ReportDispute(lost, disputeIDs(5), now.Add(time.Second))
		},
	} {
		if _, err := s.Orders().Change(t.Context(), project, sale.Order.ID, change); err != nil {
			t.Fatal(err)
		}
	}
	changeOrphan(t, s, orphaned(t, s, sale, "ch_orphan", ""), func(o *checkout.Orphan, now time.Time) error {
		o.Refunded("re_orphan", now)
		return nil
	})
	return sale
}

func refundIDs(n byte) order.RefundIDs {
	return order.RefundIDs{
		Refund:   id.New[id.Refund]([16]byte{n}),
		Announce: id.New[id.Event]([16]byte{n}),
		Reversal: id.New[id.Transaction]([16]byte{n}),
	}
}

func disputeIDs(n byte) order.DisputeIDs {
	return order.DisputeIDs{
		Dispute:    id.New[id.Dispute]([16]byte{n}),
		Opened:     id.New[id.Event]([16]byte{n}),
		Closed:     id.New[id.Event]([16]byte{n + 1}),
		Withdrawal: id.New[id.Transaction]([16]byte{n}),
		Fee:        id.New[id.Transaction]([16]byte{n + 1}),
	}
}

// orphaned stores a charge without an order, and why it is left to a person, if it is.
func orphaned(t *testing.T, s *storetest.Store, sale *porttest.Sale, charge, reason string) *checkout.Orphan {
	t.Helper()
	c, err := s.Checkouts().Get(t.Context(), sale.Project(), sale.Order.Checkout)
	if err != nil {
		t.Fatal(err)
	}
	o := c.Orphaned(1, charge, sale.Order.CreatedAt)
	if reason != "" {
		o.MarkUncertain(reason, sale.Order.CreatedAt)
	}
	if err := s.Checkouts().InTx(t.Context(), sale.Project(), func(p ports.Purchase) error {
		_, err := p.Orphan(t.Context(), o, nil)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	return o
}

func changeOrphan(t *testing.T, s *storetest.Store, o *checkout.Orphan, change func(*checkout.Orphan, time.Time) error) {
	t.Helper()
	if err := s.Orphans().ChangeOrphan(t.Context(), o.Project, o.ID, func(o *checkout.Orphan, now time.Time) (*event.Event, error) {
		return nil, change(o, now)
	}); err != nil {
		t.Fatal(err)
	}
}

// A person refunds by hand a charge whose refund was reversed, and charges that the ledger does not have.
func TestVerify_orphansGivenBackByHand(t *testing.T) {
	storetest.OnEngines(t, func(t *testing.T, s *storetest.Store) {
		sale := storetest.SoldOnce(t, s)
		for i, reason := range []string{"", checkout.ErrSecondCharge, checkout.ErrAttemptUnknown} {
			o := orphaned(t, s, sale, fmt.Sprint("ch_", i), reason)
			if reason == "" {
				changeOrphan(t, s, o, func(o *checkout.Orphan, now time.Time) error { o.Refunded("re_1", now); return nil })
				changeOrphan(t, s, o, func(o *checkout.Orphan, now time.Time) error { o.RefundFailed("re_1", "expired_card", now); return nil })
			}
			changeOrphan(t, s, o, func(o *checkout.Orphan, now time.Time) error {
				return o.DecideManually(true, fmt.Sprint("re_by_hand_", i), now)
			})
		}
		if found := storetest.Verified(t, s).Violations(); len(found) > 0 {
			t.Errorf("broken %v", found)
		}
	})
}

func TestVerify_reversals(t *testing.T) {
	storetest.OnEngines(t, func(t *testing.T, s *storetest.Store) {
		reversedOnce(t, s)
		v := storetest.Verified(t, s)
		if found := v.Violations(); len(found) > 0 || v.Undecided > 0 {
			t.Errorf("%d undecided, broken %v", v.Undecided, found)
		}
		for _, i := range v.Invariants {
			if i.Checked == 0 && !strings.Contains(i.Holds, "under way") && !strings.Contains(i.Holds, "sandbox provider gave back") {
				t.Errorf("nothing was checked: %s", i.Holds)
			}
		}
	})
}

// A copy that has lost a table, or the newest row of one, does not pass.
func TestVerify_truncated(t *testing.T) {
	for _, table := range []string{
		"orders", "payments", "refunds", "disputes", "orphan_charges", "ledger_transactions", "ledger_postings",
		"checkouts", "quotes", "decisions", "outbox", "sandbox_charges",
	} {
		for what, where := range map[string]string{
			"empty":     "",
			"truncated": " WHERE (project_id, " + newestBy[table] + ") IN (SELECT project_id, max(" + newestBy[table] + ") FROM " + table + " GROUP BY project_id)",
		} {
			t.Run(table+"/"+what, func(t *testing.T) {
				storetest.OnEngines(t, func(t *testing.T, s *storetest.Store) {
					reversedOnce(t, s)
					storetest.WithoutReferences(t, s)
					withoutGuards(t, s, table)
					storetest.Change(t, s, "DELETE FROM "+table+where)
					if len(storetest.Verified(t, s).Violations()) == 0 {
						t.Error("nothing is found")
					}
				})
			})
		}
	}
}

// pg_dump by a role that row-level security hides rows from dumps the tables without a project's rows alone.
func TestVerify_hiddenRows(t *testing.T) {
	for _, table := range []string{"decision_chains", "agents", "agent_policies", "retention"} {
		t.Run(table, func(t *testing.T) {
			storetest.OnEngines(t, func(t *testing.T, s *storetest.Store) {
				storetest.StoreProject(t, s, 1)
				if found := storetest.Verified(t, s).Violations(); len(found) > 0 {
					t.Fatalf("a new shop breaks %v", found)
				}
				storetest.WithoutReferences(t, s)
				withoutGuards(t, s, table)
				storetest.Change(t, s, "DELETE FROM "+table)
				if found := fmt.Sprint(storetest.Verified(t, s).Violations()); !strings.Contains(found, "the shop shop-1 has no rows in "+table) {
					t.Errorf("found %s", found)
				}
			})
		})
	}
}

// newestBy is the column that tells a table's newest row.
var newestBy = map[string]string{
	"orders": "id", "payments": "id", "refunds": "id", "disputes": "id", "orphan_charges": "id", "ledger_transactions": "id",
	"ledger_postings": "transaction_id", "checkouts": "id", "quotes": "id", "decisions": "seq", "outbox": "created_at", "sandbox_charges": "key",
}

// withoutGuards removes what keeps the program from changing and deleting rows that have to stay.
func withoutGuards(t *testing.T, s *storetest.Store, table string) {
	t.Helper()
	names, drop := "SELECT name FROM sqlite_schema WHERE type = 'trigger' AND tbl_name = $1", "DROP TRIGGER %s"
	if s.DB.Dialect.OneTrip {
		names, drop = "SELECT tgname FROM pg_trigger WHERE NOT tgisinternal AND tgrelid = CAST($1 AS regclass)", "DROP TRIGGER %s ON "+table
	}
	var triggers []string
	if err := s.DB.WritePool().SelectContext(t.Context(), &triggers, names, table); err != nil {
		t.Fatal(err)
	}
	statements := make([]string, len(triggers))
	for i, name := range triggers {
		statements[i] = fmt.Sprintf(drop, name)
	}
	if s.DB.Dialect.OneTrip {
		statements = append(statements, "GRANT UPDATE, DELETE ON "+table+" TO haggle_app")
	}
	for _, statement := range statements {
		if _, err := s.DB.WritePool().ExecContext(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
}

// Each damage violates the invariant about it.
func TestVerify_damage(t *testing.T) {
	for says, damage := range map[string]string{
		"1 for sale at main, 2 oversold":              "UPDATE stock SET quantity = 1, oversold = 2",
		"it holds 1 pieces of 0":                      `UPDATE checkouts SET taken = replace(taken, '"variant":"var_', '"variant":"var_other')`,
		"nothing was decided about it":                "DELETE FROM decisions",
		"a quote that there is not":                   "UPDATE quotes SET id = id || '2'",
		"decisions of 3":                              "UPDATE decisions SET seq = 3",
		"its chain has 1 decisions of 2":              "UPDATE decisions SET position = 2, hash = 'x', prior = 'x'",
		"of events 2 to 5 it has 3 in 3, up to 5":     `DELETE FROM outbox WHERE type = 'refund.failed'`,
		"of events 2 to 6 it has 4 in 4, up to 5":     "UPDATE orders SET sequence = sequence + 1",
		"reversals of 0 for 500 USD":                  "DELETE FROM ledger_transactions WHERE kind = 'refund_reversal'",
		"the reversal of a refund that did not fail":  "DELETE FROM refunds",
		"the ledger has 1 reversals of":               "UPDATE refunds SET reversed_at = NULL",
		"it gives back a return that there is not":    "UPDATE refunds SET return_id = 'ret_other'",
		"the ledger and the dispute differ by":        "DELETE FROM ledger_transactions WHERE kind = 'dispute'",
		"of its 1 steps":                              "DELETE FROM ledger_transactions WHERE kind = 'dispute'",
		"it disputes a payment that there is not":     "UPDATE disputes SET payment_id = 'pay_other'",
		"the ledger has 0 charges of":                 "DELETE FROM ledger_transactions WHERE kind = 'orphan'",
		"the charge of an orphan that there is not":   "DELETE FROM orphan_charges",
		"the ledger has 0 refunds of":                 "DELETE FROM ledger_transactions WHERE kind = 'orphan_refund'",
		"nobody gives back":                           "UPDATE orphan_charges SET status = 'refunding', due_at = 1",
		"of charge ch_orphan could not be given back": "UPDATE orphan_charges SET status = 'failed', failure = 'x'",
		"it is a charge of checkout chk_other":        "UPDATE orphan_charges SET checkout_id = 'chk_other'",
	} {
		t.Run(says, func(t *testing.T) {
			storetest.OnEngines(t, func(t *testing.T, s *storetest.Store) {
				reversedOnce(t, s)
				storetest.WithoutReferences(t, s)
				for _, table := range []string{"decisions", "quotes", "orders", "refunds", "disputes", "checkouts", "ledger_transactions", "orphan_charges"} {
					withoutGuards(t, s, table)
				}
				withoutChecks(t, s)
				storetest.Change(t, s, damage)
				if found := fmt.Sprint(storetest.Verified(t, s).Violations()); !strings.Contains(found, says) {
					t.Errorf("found %s, want %s", found, says)
				}
			})
		})
	}
}

// withoutChecks lets a test store stock that the database refuses.
func withoutChecks(t *testing.T, s *storetest.Store) {
	t.Helper()
	statement := "PRAGMA ignore_check_constraints = on"
	if s.DB.Dialect.OneTrip {
		statement = "ALTER TABLE stock DROP CONSTRAINT stock_sold_out"
	}
	if _, err := s.DB.WritePool().ExecContext(t.Context(), statement); err != nil {
		t.Fatal(err)
	}
}
