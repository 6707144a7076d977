package sqlstore

import (
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/ports"
)

// What changes an account without a charge is booked by one project, whichever others use the account.
func TestAccountBooked(t *testing.T) {
	onEngines(t, func(t *testing.T, s *Store) {
		rewrite(t, s, "INSERT INTO accounts (id, name, email, plan, created_at) VALUES ('acc_1', 'Owner', 'a@example.com', 'starter', 1)")
		for n, name := range []string{"prj_first", "prj_next", "prj_other"} {
			account := map[bool]string{true: "acct_1", false: "acct_2"}[n < 2]
			rewrite(t, s, "INSERT INTO projects (id, account_id, slug, name, description, currency, settings, storefront, catalog_version, created_at, updated_at) VALUES ($1, 'acc_1', $1, $1, '', 'USD', '{}', '{}', 0, 1, 1)", name)
			rewrite(t, s, `INSERT INTO integrations (project_id, id, type, name, status, account, live, webhook_id, webhook_remote, webhook_status, sealed, last_error, created_at, updated_at)
				VALUES ($1, $2, 'stripe', '', 'connected', $3, TRUE, $1, '', 'none', $4, '', $5, 1)`, name, "int_"+name, account, []byte("x"), n+1)
		}
		r := s.Reconciliations()
		if err := r.Enroll(t.Context()); err != nil {
			t.Fatal(err)
		}
		want := func(of string, since time.Time, books bool) {
			t.Helper()
			c := &ports.Reconciliation{
				Project: id.Stored[id.Project](of), Route: project.PaymentRoute{Provider: "stripe", Integration: id.Stored[id.Integration]("int_" + of)},
			}
			if from, ok, err := r.AccountBooked(t.Context(), c); err != nil || ok != books || ok && !from.Equal(since) {
				t.Errorf("%s books: %t from %s, %v; want %t from %s", of, ok, from, err, books, since)
			}
		}
		beginning := time.UnixMilli(0)
		want("prj_first", beginning, true)
		want("prj_next", beginning, false)
		want("prj_other", beginning, true)
		rewrite(t, s, "UPDATE reconciliations SET booked_until = 5000 WHERE project_id = 'prj_first'")
		rewrite(t, s, "UPDATE integrations SET status = 'disconnected', sealed = NULL WHERE project_id = 'prj_first'")
		want("prj_next", time.UnixMilli(5000), true)
		want("prj_other", beginning, true)
	})
}
