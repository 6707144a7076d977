package finance_test

import (
	"errors"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/storetest"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/ports"
)

// A movement of an account without a charge is booked by one project, even if several projects use the account.
func TestAccountBooked(t *testing.T) {
	storetest.OnEngines(t, func(t *testing.T, s *storetest.Store) {
		storetest.Rewrite(t, s, "INSERT INTO accounts (id, name, email, plan, created_at) VALUES ('acc_1', 'Owner', 'a@example.com', 'starter', 1)")
		for n, name := range []string{"prj_first", "prj_next", "prj_other"} {
			account := map[bool]string{true: "acct_1", false: "acct_2"}[n < 2]
			storetest.Rewrite(t, s, "INSERT INTO projects (id, account_id, slug, name, description, currency, settings, storefront, catalog_version, created_at, updated_at) VALUES ($1, 'acc_1', $1, $1, '', 'USD', '{}', '{}', 0, 1, 1)", name)
			storetest.Rewrite(t, s, `INSERT INTO integrations (project_id, id, type, name, status, account, live, webhook_id, webhook_remote, webhook_status, sealed, last_error, created_at, updated_at)
				VALUES ($1, $2, 'stripe', '', 'connected', $3, TRUE, $1, '', 'none', $4, '', $5, 1)`, name, "int_"+name, account, []byte("x"), n+1)
		}
		r := s.Reconciliations()
		if err := r.Enroll(t.Context()); err != nil {
			t.Fatal(err)
		}
		booked := time.UnixMilli(20_000)
		want := func(of string, books bool, others, until int64) {
			t.Helper()
			c := &ports.Reconciliation{
				Project: id.Stored[id.Project](of), Route: project.PaymentRoute{Provider: "stripe", Integration: id.Stored[id.Integration]("int_" + of)},
				Booked: booked,
			}
			a, err := r.AccountBooked(t.Context(), c)
			if err != nil || a.Books != books || books && (a.Others.UnixMilli() != others || a.Until.UnixMilli() != until) {
				t.Errorf("%s books: %+v, %v; want %t, others until %d, all until %d", of, a, err, books, others, until)
			}
		}
		until := func(of string, at int64) {
			storetest.Rewrite(t, s, "UPDATE reconciliations SET account_until = $1 WHERE project_id = $2", at, of)
		}
		want("prj_first", true, 0, booked.UnixMilli())
		want("prj_next", false, 0, 0)
		want("prj_other", true, 0, booked.UnixMilli())
		until("prj_first", 5000)
		want("prj_first", true, 0, 5000)
		want("prj_next", false, 0, 0)
		// prj_next takes over where prj_first stopped, though its own charges are booked for longer.
		storetest.Rewrite(t, s, "UPDATE integrations SET status = 'disconnected', sealed = NULL WHERE project_id = 'prj_first'")
		want("prj_next", true, 5000, 5000)
		want("prj_other", true, 0, booked.UnixMilli())
		until("prj_next", 9000)
		want("prj_next", true, 5000, 9000)
		// prj_first connects the account again, which is the same row (connecting.former): what prj_next booked is not its.
		storetest.Rewrite(t, s, "UPDATE integrations SET status = 'connected', sealed = $1 WHERE project_id = 'prj_first'", []byte("x"))
		want("prj_first", true, 9000, 9000)
		want("prj_next", false, 0, 0)
		var c *ports.Reconciliation
		for c == nil || c.Project.String() != "prj_first" {
			var err error
			if c, err = r.Claim(t.Context(), time.Minute, false); err != nil || c == nil {
				t.Fatal(c, err)
			}
		}
		c.Account, c.Others = true, time.UnixMilli(9000)
		if _, err := r.Book(t.Context(), c, nil, time.UnixMilli(12_000)); err != nil {
			t.Fatal(err)
		}
		want("prj_first", true, 9000, 12_000)
		// A step under way when it is disconnected books no more: prj_next may have begun.
		storetest.Rewrite(t, s, "UPDATE integrations SET status = 'disconnected', sealed = NULL WHERE project_id = 'prj_first'")
		if _, err := r.Book(t.Context(), c, nil, time.UnixMilli(15_000)); !fault.Is(err, "lease_lost") {
			t.Errorf("booked after the integration was disconnected: %v", err)
		}
		// prj_first connects the account once more while prj_next books: only one of them books what is left.
		var next *ports.Reconciliation
		for next == nil || next.Project.String() != "prj_next" {
			var err error
			if next, err = r.Claim(t.Context(), time.Minute, false); err != nil || next == nil {
				t.Fatal(next, err)
			}
		}
		next.Account, next.Others = true, time.UnixMilli(12_000)
		if _, err := r.Book(t.Context(), next, nil, time.UnixMilli(13_000)); err != nil {
			t.Fatal(err)
		}
		storetest.Rewrite(t, s, "UPDATE integrations SET status = 'connected', sealed = $1 WHERE project_id = 'prj_first'", []byte("x"))
		if _, err := r.Book(t.Context(), next, nil, time.UnixMilli(14_000)); !errors.Is(err, ports.ErrBookedElsewhere) {
			t.Errorf("prj_next books after prj_first connected again: %v", err)
		}
		if _, err := r.Book(t.Context(), c, nil, time.UnixMilli(14_000)); !errors.Is(err, ports.ErrBookedElsewhere) {
			t.Errorf("prj_first books what prj_next booked since it asked: %v", err)
		}
		c.Others = time.UnixMilli(13_000)
		if _, err := r.Book(t.Context(), c, nil, time.UnixMilli(14_000)); err != nil {
			t.Error(err)
		}
	})
}
