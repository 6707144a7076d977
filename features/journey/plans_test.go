package journey

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/cmd/boot/boottest"
	"github.com/haggle-commerce/haggle/simulator/decimal"
	"github.com/haggle-commerce/haggle/simulator/exchange"
	"github.com/haggle-commerce/haggle/simulator/merchant"
)

// clone copies the rows of a project's journeys many times, with numbered ids and hashes and earlier times. Six tenths of the
// repeats stay in the project, the others go to two more projects.
const clone = `
CREATE FUNCTION renamed(text, bigint) RETURNS text IMMUTABLE LANGUAGE sql AS $$
  SELECT CASE
    WHEN $1 ~ '^[0-9a-f]{64}$' THEN md5($1 || $2) || md5($2 || $1)
    WHEN $1 ~ '^(prod|var|sess|quote|dec|chk|ord|pay|evt|txn|neg|ch_sandbox)_[0-9a-z]{16}' THEN
      regexp_replace($1, '_([0-9a-z]*?)[0-9a-z]{6}(-[0-9]+)?$', '_\1' || lpad(to_hex($2), 6, '0') || coalesce(substring($1 FROM '-[0-9]+$'), ''))
    ELSE $1
  END
$$;
SET session_replication_role = replica;
SET auto_explain.log_min_duration = -1;
DO $do$
DECLARE
  one text; columns text;
BEGIN
  FOREACH one IN ARRAY string_to_array('%[1]s', ' ') LOOP
    SELECT string_agg(CASE
        WHEN column_name = 'project_id' THEN text '(CASE WHEN n %% 10 < 6 THEN ''%[2]s'' WHEN n %% 10 < 9 THEN ''%[3]s'' ELSE ''%[4]s'' END)'
        WHEN column_name IN ('sku', 'confirmation') THEN column_name || ' || ''-'' || n'
        WHEN column_name IN ('created_at', 'updated_at', 'at', 'last_activity', 'claimed_at') THEN quote_ident(column_name) || ' - 1000 * n'
        WHEN column_name = 'position' AND one = 'decisions' THEN '"position" + 1000 * n'
        WHEN data_type = 'text' THEN 'renamed(' || quote_ident(column_name) || ', n)'
        ELSE quote_ident(column_name)
      END, ', ' ORDER BY ordinal_position)
    INTO columns
    FROM information_schema.columns
    WHERE table_name = one;
    EXECUTE format('INSERT INTO %%I SELECT %%s FROM %%I, generate_series(1, %[5]d) AS n WHERE project_id = ''%[2]s''', one, columns, one);
  END LOOP;
END
$do$;
DROP FUNCTION renamed(text, bigint)`

const cloned = "products variants stock sessions shown cart_items quotes decisions haggled_sessions checkouts sandbox_charges " +
	"orders payments ledger_transactions ledger_postings outbox"

const watch = `
ALTER DATABASE %[1]s SET session_preload_libraries = 'auto_explain';
ALTER DATABASE %[1]s SET auto_explain.log_min_duration = 0;
ALTER DATABASE %[1]s SET auto_explain.log_analyze = on;
ALTER DATABASE %[1]s SET auto_explain.log_timing = off;
ALTER DATABASE %[1]s SET auto_explain.log_nested_statements = on;
ALTER DATABASE %[1]s SET auto_explain.log_format = json`

// steps are the operations of journeys and background loops. All of them must be among the plans.
var steps = strings.Split("Insert cart_items, Insert checkouts, Insert decisions, Insert haggled_sessions, Insert ledger_postings, "+
	"Insert ledger_transactions, Insert orders, Insert outbox, Insert payments, Insert quotes, "+
	"Insert sandbox_charges, Insert sessions, Insert shown, Update checkouts, Update quotes, Update stock, "+
	"Insert analytics_pending, Delete analytics_pending, Update decisions, Update decision_chains, Scan products, "+
	"Scan variants, Scan stock, Scan declines, Scan deliveries, Scan orphan_charges, Scan refunds, "+
	"Scan stock_turns", ", ")

// TestPlans runs journeys and the background loops, and fails if PostgreSQL reads rows only to discard them: in a new database
// without statistics, and after the database has grown and the server has run ANALYZE.
func TestPlans(t *testing.T) {
	p := plansOf(t)
	app := boottest.Start(t, p.cluster.URL(database))
	t.Run("new", func(t *testing.T) {
		release := p.hold(t) // before there are rows, which the server's ANALYZE would find
		for _, slug := range []string{"plans", "second", "third"} {
			p.projects = append(p.projects, open(t, app.URL(), slug))
		}
		p.explain(t, 2*before, app.URL()) // no table has more rows: a plan that discards more reads rows repeatedly
		release()
	})
	size := number("PLANS", 1_000)
	t.Run(fmt.Sprintf("%d rows", size), func(t *testing.T) {
		p.sql(t, fmt.Sprintf(clone, cloned, p.projects[0], p.projects[1], p.projects[2], size/before))
		until(t, "tables are analyzed", func() bool { return p.sql(t, fmt.Sprintf(unanalyzed, cloned)) == "0" })
		p.explain(t, 20, app.URL(), boottest.Start(t, p.cluster.URL(database)).URL())
	})
}

const (
	database   = "plans"
	shelf      = 16 // products per project
	before     = 24 // journeys in a new database
	unanalyzed = "SELECT count(*) FROM pg_class WHERE relname = ANY (string_to_array('%[1]s', ' ')) AND 3 * reltuples < pg_stat_get_live_tuples(oid)"
)

type plans struct {
	cluster  *boottest.Cluster
	log      string
	projects []string
}

func plansOf(t *testing.T) *plans {
	t.Helper()
	p := &plans{cluster: boottest.StartCluster(t, false)}
	must(t, p.cluster.CreateDatabase(database, ""))
	p.sql(t, "ALTER SYSTEM SET autovacuum = off")
	p.sql(t, "SELECT pg_reload_conf()")
	p.sql(t, fmt.Sprintf(watch, database))
	p.log = p.sql(t, "SELECT setting FROM pg_settings WHERE name = 'unix_socket_directories'") + "/log"
	return p
}

func (p *plans) sql(t *testing.T, text string) string {
	t.Helper()
	out, err := p.cluster.PSQL(database, text)
	must(t, err)
	return out
}

// until polls until a condition holds.
func until(t *testing.T, what string, met func() bool) {
	t.Helper()
	for deadline := time.Now().Add(30 * time.Second); !met(); time.Sleep(50 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("not in 30 s: " + what)
		}
	}
}

// left counts the work that journeys leave to the background loops.
const left = `SELECT (SELECT count(*) FROM decisions WHERE position IS NULL)
  + (SELECT count(*) FROM outbox WHERE due_at IS NOT NULL) + (SELECT count(*) FROM analytics_pending)`

// explain runs journeys and the background loops after them, and reports plans that discard more than few rows.
func (p *plans) explain(t *testing.T, few float64, urls ...string) {
	t.Helper()
	logged, err := os.Stat(p.log)
	must(t, err)
	buyer := newBuyer("plans", urls...)
	must(t, buyer.run(before-8, 4))
	work(t, urls[0], p.projects[0])
	if few < before { // in a new database PostgreSQL scans the project's few products to find one by name
		m := merchant.New(exchange.NewClient(exchange.Config{URL: urls[0], HTTP: http.DefaultClient}), boottest.Key, "")
		look(t, m.In(p.projects[0]))
	}
	must(t, buyer.run(8, 4))
	until(t, "background work is done", func() bool { return p.sql(t, left) == "0" })
	list, err := plansIn(p.log, logged.Size())
	must(t, err)
	report(t, list, few)
	p.distributed(t, list)
}

// report reports each wasteful node once, and each of steps that no plan has.
func report(t *testing.T, list []planned, few float64) {
	t.Helper()
	type found struct {
		times   int
		dropped float64
		text    string
	}
	all := map[string]*found{}
	for _, one := range list {
		one.Plan.visit(func(n node) {
			if n.wasteful(few) {
				f := all[n.String()]
				if f == nil {
					f = &found{text: one.Text}
					all[n.String()] = f
				}
				f.times++
				f.dropped = max(f.dropped, n.dropped())
			}
		})
	}
	for plan, f := range all {
		t.Errorf("dropped %.0f rows, %d times: %s\n%s", f.dropped, f.times, plan, f.text)
	}
	done := touched(list)
	for _, one := range steps {
		if !done[one] {
			t.Errorf("not seen: %s", one)
		}
	}
}

// work changes prices and stock, so that replicas read changes.
func work(t *testing.T, url, project string) {
	t.Helper()
	m := merchant.New(exchange.NewClient(exchange.Config{URL: url, HTTP: http.DefaultClient}), boottest.Key, "").In(project)
	for i := range 10 {
		_, err := m.BatchProducts(t.Context(), []merchant.Product{{
			Name:     "Model 1 camping tent",
			SKU:      "SKU-1",
			Price:    decimal.MustParse(price),
			Category: fmt.Sprintf("things/camping-tent-%d", i),
		}})
		must(t, err)
	}
}

// look reads the list of negotiations, and one of them.
func look(t *testing.T, m *merchant.Client) {
	t.Helper()
	var list struct {
		Data []struct{ ID string }
	}
	answer, err := m.Do(t.Context(), http.MethodGet, "/v1/negotiations?limit=50", nil, nil)
	must(t, err)
	must(t, json.Unmarshal(answer.Body, &list))
	if len(list.Data) == 0 {
		t.Fatalf("no negotiations: %s", answer.Body)
	}
	answer, err = m.Do(t.Context(), http.MethodGet, "/v1/negotiations/"+list.Data[0].ID, nil, nil)
	must(t, err)
	if answer.Status != http.StatusOK {
		t.Fatalf("the newest negotiation: %d %s", answer.Status, answer.Body)
	}
}

// hold keeps the server from analyzing tables.
func (p *plans) hold(t *testing.T) (release func()) {
	t.Helper()
	tables := p.sql(t, "SELECT string_agg(quote_ident(tablename), ', ') FROM pg_tables WHERE schemaname = 'public'")
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_, _ = p.cluster.PSQL(database, "BEGIN; LOCK TABLE "+tables+" IN SHARE UPDATE EXCLUSIVE MODE; SELECT pg_sleep(600)")
	}()
	const holding = "FROM pg_stat_activity WHERE query LIKE 'BEGIN; LOCK TABLE%'"
	until(t, "tables are locked", func() bool {
		return p.sql(t, "SELECT count(*) "+holding+" AND wait_event = 'PgSleep'") == "1"
	})
	return func() {
		p.sql(t, "SELECT pg_terminate_backend(pid) "+holding)
		<-ended
	}
}

// open creates a shop with products that match the buyer's queries.
func open(t *testing.T, url, slug string) (project string) {
	t.Helper()
	m := merchant.New(exchange.NewClient(exchange.Config{URL: url, HTTP: http.DefaultClient}), boottest.Key, "")
	p, err := m.CreateProject(t.Context(), merchant.NewProject{Name: slug, Slug: slug})
	must(t, err)
	must(t, fill(t.Context(), m.In(p.ID), shelf))
	return p.ID
}
