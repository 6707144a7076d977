package boot_test

import (
	"database/sql"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/haggle-commerce/haggle/cmd/boot"
	"github.com/haggle-commerce/haggle/cmd/boot/boottest"
	"github.com/haggle-commerce/haggle/ports/porttest/pgbouncer"
	"github.com/haggle-commerce/haggle/ports/porttest/pgserver"
)

func pooled(c *boot.Config) { c.Pooler = "transaction" }

// A server behind PgBouncer, which has two PostgreSQL sessions for twenty connections, sells to many buyers at once. Orders, stock
// and invariants are correct.
func TestPooler_pgBouncer(t *testing.T) {
	t.Parallel()
	direct := boottest.Engines[1].URL(t)
	url := pgbouncer.Start(t, direct).URL(direct)
	app := boottest.Start(t, url, pooled)
	shops := []pooledShop{openPooledShop(t, app, "one"), openPooledShop(t, app, "two")}
	const buyers, journeys = 6, 2
	var all sync.WaitGroup
	for b := range buyers {
		all.Go(func() {
			for range journeys {
				shops[b%2].journey()
			}
		})
	}
	all.Wait()
	for _, s := range shops {
		orders := s.owner.call(http.StatusOK, "GET", "/v1/orders?limit=50", "", s.project)["data"].([]any)
		left := s.owner.call(http.StatusOK, "GET", "/v1/catalog/products/"+s.product, "", s.project)["quantity"]
		if len(orders) != buyers*journeys/2 || fmt.Sprint(left) != fmt.Sprint(100-len(orders)) {
			t.Errorf("%d orders, %v pieces are left", len(orders), left)
		}
	}
	get(t, app.OpsURL()+"/readyz").expect(t, http.StatusOK)
	found, err := boot.Verify(t.Context(), boot.Config{
		DatabaseURL: url,
		Pooler:      "transaction",
		Env:         "sandbox",
	}, "", 0, nil)
	if err != nil || found.Undecided > 0 || len(found.Violations()) > 0 {
		t.Errorf("%+v, %v", found, err)
	}
}

const guardedTables = `
SELECT relname
FROM pg_class
WHERE relnamespace = 'public'::regnamespace
  AND relrowsecurity`

// Behind PgBouncer, clients that set a project see only its rows in every table, and clients without a project see none, even on
// a PostgreSQL session that was used for another project before. Half of the transactions are rolled back.
func TestPooler_pgBouncerRowLevelSecurity(t *testing.T) {
	t.Parallel()
	direct := boottest.Engines[1].URL(t)
	url := pgbouncer.Start(t, direct).URL(direct)
	app := boottest.Start(t, url, pooled)
	shops := []pooledShop{openPooledShop(t, app, "one"), openPooledShop(t, app, "two")}
	for _, s := range shops {
		s.journey()
	}
	tables := guardedRows(t, boottest.Inspect(t, direct))
	const clients, rounds = 8, 12
	var all sync.WaitGroup
	for c := range clients {
		all.Go(func() {
			bare, _, _ := strings.Cut(url, "&") // PgBouncer refuses the timeout parameters
			db, err := sql.Open("postgres", bare+"&sslmode=disable")
			if err != nil {
				t.Error(err)
				return
			}
			defer db.Close()
			for n := range rounds {
				project := ""
				if who := (c + n) % 3; who < len(shops) {
					_, project, _ = strings.Cut(shops[who].project, ": ")
				}
				expectVisibleRows(t, db, project, tables, n%2 == 0)
			}
		})
	}
	for _, s := range shops { // their transactions use the same PostgreSQL sessions
		all.Go(s.journey)
	}
	all.Wait()
}

// guardedRows returns the tables with row-level security that have rows, and the projects of the rows.
func guardedRows(t *testing.T, db *sql.DB) map[string][]string {
	t.Helper()
	found := map[string][]string{}
	rows, err := db.QueryContext(t.Context(), guardedTables)
	for err == nil && rows.Next() {
		var name string
		if err = rows.Scan(&name); err == nil {
			found[name] = nil
		}
	}
	if err != nil || rows.Err() != nil {
		t.Fatal(err, rows.Err())
	}
	for name := range found {
		rows, err := db.QueryContext(t.Context(), "SELECT DISTINCT project_id FROM "+name)
		if err != nil {
			t.Fatal(err)
		}
		for rows.Next() {
			var project string
			if err := rows.Scan(&project); err != nil {
				t.Fatal(err)
			}
			found[name] = append(found[name], project)
		}
		if len(found[name]) == 0 {
			delete(found, name)
		}
	}
	delete(found, "analytics_pending") // a background loop empties it
	if len(found) < 15 {
		t.Fatalf("only %d tables have rows: %v", len(found), found)
	}
	return found
}

// expectVisibleRows reads tables in one transaction of a project ("" for none) and expects to see only that project's rows.
func expectVisibleRows(t *testing.T, db *sql.DB, project string, tables map[string][]string, commits bool) {
	t.Helper()
	tx, err := db.BeginTx(t.Context(), nil)
	if err != nil {
		t.Error(err)
		return
	}
	if project != "" {
		_, err = tx.ExecContext(t.Context(), "SELECT set_config('haggle.project_id', $1, true)", project)
	}
	for name, owners := range tables {
		var own, others int
		if err == nil {
			err = tx.QueryRowContext(t.Context(), "SELECT count(*) FILTER (WHERE project_id = $1), count(*) FILTER (WHERE project_id <> $1) FROM "+name, project).
				Scan(&own, &others)
		}
		if err == nil && (others > 0 || slices.Contains(owners, project) != (own > 0)) {
			t.Errorf("%s in project %q: %d rows of its own and %d of others", name, project, own, others)
		}
	}
	if err != nil {
		t.Error(err)
	}
	end := tx.Rollback
	if commits {
		end = tx.Commit
	}
	if err := end(); err != nil {
		t.Error(err)
	}
}

// pooledShop is a shop on a server behind a pooler.
type pooledShop struct {
	owner, buyer     apiClient
	project, product string
}

func openPooledShop(t *testing.T, app *boot.App, slug string) pooledShop {
	t.Helper()
	owner := apiClient{t, app.URL(), boottest.Key}
	project := "X-Project-ID: " + owner.openShop(slug, false)
	product := owner.call(http.StatusCreated, "POST", "/v1/catalog/products", `{"name": "Tent", "sku": "T-1", "price": 200, "quantity": 100}`, project)
	return pooledShop{
		owner:   owner,
		buyer:   apiClient{t, app.URL() + "/p/" + slug, ""},
		project: project,
		product: fmt.Sprint(product["id"]),
	}
}

// journey buys a product: search, product, quote, checkout, payment.
func (s pooledShop) journey() {
	s.buyer.Helper()
	if found := fmt.Sprint(s.buyer.call(http.StatusOK, "POST", "/acp/search", `{"query": "tent"}`)["results"]); !strings.Contains(found, s.product) {
		s.buyer.Errorf("%s is not in %s", s.product, found)
	}
	s.buyer.call(http.StatusOK, "GET", "/acp/products/"+s.product, "")
	quote := s.buyer.call(http.StatusOK, "POST", "/acp/quote", fmt.Sprintf(`{"product_id": %q, "quantity": 1, "offer_price": 200}`, s.product))
	opened := s.buyer.call(http.StatusOK, "POST", "/acp/checkout/init", fmt.Sprintf(`{"session_id": %q, "checkout_token": %q,
		"items": [{"product_id": %q, "quantity": 1}], "shipping_address": {"name": "A. Buyer", "line1": "1 Main St", "city": "Springfield",
		"state": "CA", "postal_code": "90001", "country": "US"}}`, quote["session_id"], quote["checkout_token"], s.product))
	paid := s.buyer.call(http.StatusOK, "POST", "/acp/checkout/finalize", fmt.Sprintf(`{"checkout_id": %q,
		"payment": {"method": "psp_spt", "token": "spt_sandbox_ok"}, "buyer_email": "buyer@example.com"}`, opened["checkout_id"]))
	if paid["status"] != "success" {
		s.buyer.Errorf("finalize answered %v", paid)
	}
}

// Without the right HAGGLE_DATABASE_POOLER a server does not start behind PgBouncer. The error and the doctor name the variable.
func TestPooler_notConfigured(t *testing.T) {
	t.Parallel()
	server := pgserver.Shared(t)
	direct, fresh := boottest.Engines[1].URL(t), server.Database(t, "")
	bouncer := pgbouncer.Start(t, direct)
	for _, c := range []struct{ name, url, pooler, about string }{
		{"no pooler expected", bouncer.URL(direct), "", "database"},
		{"an old schema", bouncer.URL(fresh), "transaction", "schema"},
	} {
		config := boot.Config{
			Addr:        "127.0.0.1:0",
			OpsAddr:     "127.0.0.1:0",
			DatabaseURL: c.url,
			Pooler:      c.pooler,
			Env:         "sandbox",
		}
		app, err := boot.New(t.Context(), config, slog.New(slog.NewTextHandler(io.Discard, nil)))
		if err == nil {
			_ = app.Close()
		}
		if err == nil || !strings.Contains(err.Error(), "HAGGLE_DATABASE_POOLER") {
			t.Errorf("%s: started with %v", c.name, err)
		}
		warned := false
		for _, f := range boot.Diagnose(t.Context(), config) {
			warned = warned || f.Verdict == boot.Fail && f.About == c.about && strings.Contains(f.Says+f.Remedy, "HAGGLE_DATABASE_POOLER")
		}
		if !warned {
			t.Errorf("%s: the doctor finds no fault", c.name)
		}
	}
}
