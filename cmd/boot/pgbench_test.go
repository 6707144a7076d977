package boot_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/haggle-commerce/haggle/cmd/boot/boottest"
	"github.com/haggle-commerce/haggle/ports/porttest/pgserver"
)

const (
	benchClients  = 16
	benchProducts = 40 // products that are sold concurrently
)

// benchEach returns how many transactions each client of pgbench runs.
func benchEach() int {
	if testing.Short() {
		return 5
	}
	return 150
}

// BenchmarkFinalizeAgainstPgbench pays checkouts of many products and of one hot product over HTTP, on a PostgreSQL that syncs its
// commits. It compares that with pgbench, which runs the statements of a finalize with their values on the same server, and
// reports orders/s, pgbench/s and the first as a percentage of the second.
func BenchmarkFinalizeAgainstPgbench(b *testing.B) {
	server, err := pgserver.Start(pgserver.Options{Durable: true})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { server.Close() })
	for name, products := range map[string]int{"many products": benchProducts, "one hot product": 1} {
		b.Run(name, func(b *testing.B) {
			database := fmt.Sprintf("bench_%d_%d", products, b.N)
			if err := server.CreateDatabase(database, ""); err != nil {
				b.Fatal(err)
			}
			s := openOn(b, boottest.Start(b, server.URL(database)))
			skus := s.addProducts(b, products)
			checkouts := make(chan string, b.N)
			for i := range b.N {
				checkouts <- s.openCheckout(b, skus[i%len(skus)])
			}
			b.SetParallelism(benchClients / 2)
			s.parallel(b, func() { s.finalize(b, <-checkouts) })
			orders := float64(b.N) / b.Elapsed().Seconds()
			reference := (&pgbench{
				b:        b,
				server:   server,
				database: database,
				products: products,
			}).run()
			b.ReportMetric(orders, "orders/s")
			b.ReportMetric(reference, "pgbench/s")
			b.ReportMetric(100*orders/reference, "%ofpgbench")
		})
	}
}

// pgbench runs the statements of a recorded finalize with the program pgbench.
type pgbench struct {
	b        *testing.B
	server   *pgserver.Server
	database string
	products int
}

// run returns transactions per second.
func (p *pgbench) run() float64 {
	p.b.Helper()
	p.prepare()
	script := filepath.Join(p.b.TempDir(), "finalize.sql")
	if err := os.WriteFile(script, []byte(p.script()), 0o644); err != nil {
		p.b.Fatal(err)
	}
	command := exec.Command(p.server.Program("pgbench"), "-n", "-f", script, "-D", "i=0", "-c", strconv.Itoa(benchClients),
		"-t", strconv.Itoa(benchEach()), p.server.ToolURL(p.database))
	output, err := command.CombinedOutput()
	found := regexp.MustCompile(`tps = ([0-9.]+)`).FindSubmatch(output)
	if err != nil || found == nil {
		p.b.Fatalf("pgbench: %v\n%s", err, output)
	}
	tps, err := strconv.ParseFloat(string(found[1]), 64)
	if err != nil {
		p.b.Fatal(err)
	}
	return tps
}

func (p *pgbench) sql(text string) string {
	p.b.Helper()
	rows, err := p.server.PSQL(p.database, text)
	if err != nil {
		p.b.Fatal(err)
	}
	return rows
}

// prepare creates a ready checkout and its accepted quote for every transaction.
func (p *pgbench) prepare() {
	p.b.Helper()
	numbers := fmt.Sprintf("generate_series(0, %d) AS bench_client, generate_series(1, %d) AS i", benchClients-1, benchEach())
	duplicate := func(table, which, set string) {
		p.sql(fmt.Sprintf(`INSERT INTO %[1]s SELECT (jsonb_populate_record(NULL::%[1]s, to_jsonb(one) || jsonb_build_object(%[2]s))).*
			FROM (SELECT * FROM %[1]s WHERE %[3]s ORDER BY id LIMIT 1) AS one, %[4]s`, table, set, which, numbers))
	}
	duplicate("checkouts", "status = 'completed'", `'id', 'chk_' || bench_client || '_' || i, 'status', 'ready', 'attempt', 0`)
	duplicate("quotes", "state = 'accepted'", `'id', 'quote_' || bench_client || '_' || i, 'token_hash', bench_client || '_' || i, 'claimed_by', '', 'redeemed_by', ''`)
	p.sql("ANALYZE")
}

// row returns a row that a finalize wrote, as SQL literals by column.
func (p *pgbench) row(table, where string) map[string]string {
	p.b.Helper()
	decoder := json.NewDecoder(bytes.NewBufferString(p.sql("SELECT to_jsonb(t) FROM " + table + " AS t WHERE " + where + " LIMIT 1")))
	decoder.UseNumber()
	var row map[string]any
	if err := decoder.Decode(&row); err != nil {
		p.b.Fatal(err)
	}
	literals := make(map[string]string, len(row))
	for column, value := range row {
		switch v := value.(type) {
		case nil:
			literals[column] = "NULL"
		case string:
			literals[column] = "'" + strings.ReplaceAll(v, "'", "''") + "'"
		default:
			literals[column] = fmt.Sprint(v)
		}
	}
	return literals
}

// insert returns a statement that inserts such a row, with other values in some columns.
func (p *pgbench) insert(table, where string, other ...string) string {
	p.b.Helper()
	row := p.row(table, where)
	for i := 0; i < len(other); i += 2 {
		row[other[i]] = other[i+1]
	}
	columns := slices.Sorted(maps.Keys(row))
	values := make([]string, len(columns))
	for i, c := range columns {
		values[i] = row[c]
	}
	return "INSERT INTO " + table + " (" + strings.Join(columns, ", ") + ") VALUES (" + strings.Join(values, ", ") + ")"
}

// script returns the statements of a finalize: read the shop, read the checkout and its declines, claim the attempt, charge at
// the sandbox provider, record the order.
func (p *pgbench) script() string {
	project := p.sql("SELECT id FROM projects LIMIT 1")
	variants := strings.Fields(p.sql(fmt.Sprintf("SELECT variant_id FROM stock WHERE quantity > 100000 ORDER BY variant_id LIMIT %d", p.products)))
	mine := func(prefix string) string { return "'" + prefix + "' || :client_id || '_' || :i" }
	order := p.sql("SELECT id FROM orders ORDER BY id LIMIT 1")
	of, sale := "order_id = '"+order+"'", "order_id = '"+order+"' AND kind = 'sale'"
	checkout := p.row("checkouts", "id = (SELECT checkout_id FROM orders WHERE id = '"+order+"')")
	posting := func(position string) string {
		where := "position = " + position + " AND transaction_id = (SELECT id FROM ledger_transactions WHERE " + sale + ")"
		return p.insert("ledger_postings", where, "transaction_id", mine("txn_"))
	}
	in := `\; SET LOCAL ROLE haggle_app\; SET LOCAL haggle.project_id = '` + project + `'\; `
	begin, read := "BEGIN"+in, "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"+in
	locked := "SELECT * FROM checkouts WHERE project_id = '" + project + "' AND id = " + mine("chk_")
	var variant strings.Builder
	for i, v := range variants {
		fmt.Fprintf(&variant, "WHEN %d THEN '%s' ", i, v)
	}
	chosen := fmt.Sprintf("(CASE (:client_id + :i) %% %d %sEND)", len(variants), variant.String())
	saved := fmt.Sprintf("UPDATE checkouts SET status = '%%s', selected = %s, attempt = 1, declines = 0, lease_until = 1, payment = %s, taken = %s, claimed_at = 1, client = %s WHERE project_id = '%s' AND id = %s",
		checkout["selected"], checkout["payment"], checkout["taken"], mine("client_"), project, mine("chk_"))
	admitted := ""
	for _, column := range []string{"session_id", "client"} {
		payer := mine(column + "_")
		admitted += " AND 10 > (SELECT count(*) FROM declines WHERE project_id = '" + project + "' AND subject = " + payer + " AND at > 1)" +
			" + (SELECT count(*) FROM checkouts AS c WHERE c.project_id = '" + project + "' AND c." + column + " = " + payer + " AND c.status = 'processing' AND c.claimed_at > 1)"
	}
	slot := func(n int) string {
		return fmt.Sprintf("('%s', (:client_id * %d + :i) * 2 %% 1024 + %d)", project, benchEach(), n)
	}
	quote := "WHERE project_id = '" + project + "' AND redeemed_by = '' AND claimed_by IN ('', " + mine("chk_") + ") AND id IN (" + mine("quote_") + ")"
	withAll := func(statements ...string) string {
		var with, counts []string
		for n, s := range statements {
			with = append(with, fmt.Sprintf("effect_%d AS (%s RETURNING 1)", n, s))
			counts = append(counts, fmt.Sprintf("(SELECT count(*) FROM effect_%d)", n))
		}
		return "WITH " + strings.Join(with, ", ") + " SELECT " + strings.Join(counts, ", ")
	}
	key := mine("chk_") + " || '-1'"
	lines := []string{
		`\set i :i + 1`,
		read + "SELECT * FROM projects WHERE slug = 'demo'" + `\; COMMIT;`,
		read + locked + `\; SELECT count(*), min(at) FROM declines WHERE project_id = '` + project + "' AND subject IN (" + checkout["session_id"] + `, '') AND at > 1 GROUP BY subject\; COMMIT;`,
		begin + "SELECT CAST(pg_current_xact_id() AS TEXT);",
		locked + " FOR UPDATE;",
		"WITH locked AS (INSERT INTO claim_locks (project_id, slot) VALUES " + slot(0) + ", " + slot(1) + " ON CONFLICT (project_id, slot) DO UPDATE SET slot = excluded.slot RETURNING slot) " +
			"SELECT v.product_id, s.variant_id, v.sku, s.location, s.quantity FROM stock AS s JOIN variants AS v ON v.project_id = s.project_id AND v.id = s.variant_id " +
			"JOIN products AS p ON p.project_id = v.project_id AND p.id = v.product_id WHERE s.project_id = '" + project +
			"' AND p.status = 'active' AND p.deleted_at IS NULL AND s.variant_id IN (" + chosen + ") AND (SELECT count(*) FROM locked) > 0 ORDER BY s.variant_id, s.location;",
		withAll(fmt.Sprintf(saved, "processing")+admitted,
			"UPDATE stock AS s SET quantity = s.quantity - 1 WHERE s.project_id = '"+project+"' AND s.variant_id = "+chosen+" AND s.location = 'main' AND s.quantity >= 1",
			"UPDATE quotes SET claimed_by = "+mine("chk_")+" "+quote) + ";",
		"COMMIT;",
		begin + p.insert("sandbox_charges", "true", "key", key) + ` ON CONFLICT DO NOTHING\; SELECT * FROM sandbox_charges WHERE project_id = '` + project + "' AND key = " + key + `\; COMMIT;`,
		begin + "SELECT CAST(pg_current_xact_id() AS TEXT);",
		locked + " FOR UPDATE;",
		withAll(fmt.Sprintf(saved, "completed"),
			p.insert("orders", "id = '"+order+"'", "id", mine("ord_"), "checkout_id", mine("chk_"), "confirmation", mine("HG-")),
			p.insert("payments", of, "id", mine("pay_"), "order_id", mine("ord_"), "provider", mine("ch_")),
			p.insert("ledger_transactions", sale, "id", mine("txn_"), "order_id", mine("ord_"), "payment_id", mine("pay_")),
			posting("0"),
			posting("1"),
			posting("2"),
			p.insert("outbox", "true", "id", mine("evt_")),
			"UPDATE quotes SET redeemed_by = "+mine("ord_")+" "+quote) + ";",
		"COMMIT;",
	}
	return strings.Join(lines, "\n") + "\n"
}
