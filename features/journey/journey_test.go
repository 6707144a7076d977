// Package journey measures what a buyer's journey costs: search, product, quote, checkout and payment over HTTP
// against the program that merchants run, on both engines. README.md has the results and how to read them.
package journey

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/cmd/boot/boottest"
	"github.com/haggle-commerce/haggle/simulator/decimal"
	"github.com/haggle-commerce/haggle/simulator/exchange"
	"github.com/haggle-commerce/haggle/simulator/faults"
	"github.com/haggle-commerce/haggle/simulator/merchant"
)

const (
	price   = "40"
	offered = "37.20" // 93 % of the price, which the default policy accepts
	stock   = 1_000_000
	warmUp  = 100 // journeys before the measured ones
	counted = 100 // journeys whose traffic with PostgreSQL is counted
)

// number returns an integer from the environment.
func number(name string, or int) int {
	if n, err := strconv.Atoi(os.Getenv(name)); err == nil {
		return n
	}
	return or
}

var (
	products = number("PRODUCTS", 1_000)
	clients  = number("CLIENTS", 8)
	history  = number("HISTORY", 0)    // past sessions, each with a quote, a decision and a checkout; PostgreSQL only
	replicas = number("REPLICAS", 1)   // servers on one database; PostgreSQL only
	hot      = number("HOT", 0) != 0   // all orders are of one variant
	fresh    = number("FRESH", 0) != 0 // no query is in the search index's cache
	flush    = number("FLUSH", 0)      // minimum µs per flush of PostgreSQL's log, to simulate another disk
)

// BenchmarkJourney makes b.N journeys. CPU times are the kernel's for whole processes, so they include background work.
func BenchmarkJourney(b *testing.B) {
	asked(b)
	dir := b.TempDir()
	program := built(b)
	b.Run("sqlite", func(b *testing.B) {
		file := filepath.Join(dir, fmt.Sprintf("%d.db", b.N))
		s := start(b, program, "sqlite://"+file, 1)
		s.file = file
		s.measure(b)
	})
	b.Run("postgres", func(b *testing.B) { onPostgres(b, program) })
}

// asked skips benchmarks that take minutes unless PRODUCTS is set.
func asked(b *testing.B) {
	b.Helper()
	if os.Getenv("PRODUCTS") == "" {
		b.Skip("PRODUCTS says how many products the shop has")
	}
}

// built returns the path of the program to measure: PROGRAM, or a build of the sources.
func built(b *testing.B) string {
	b.Helper()
	if program := os.Getenv("PROGRAM"); program != "" {
		return program
	}
	program := filepath.Join(b.TempDir(), "haggle")
	out, err := exec.Command("go", "build", "-tags", buildTags(), "-o", program, "github.com/haggle-commerce/haggle/cmd/haggle").CombinedOutput()
	if err != nil {
		b.Fatalf("building haggle: %v\n%s", err, out)
	}
	return program
}

func onPostgres(b *testing.B, program string) {
	cluster := boottest.StartCluster(b, true)
	must(b, cluster.CreateDatabase("journey", ""))
	for _, set := range []string{fmt.Sprintf("commit_delay = %d", flush), "commit_siblings = 0"} {
		_, err := cluster.PSQL("postgres", "ALTER SYSTEM SET "+set)
		must(b, err)
	}
	_, err := cluster.PSQL("postgres", "SELECT pg_reload_conf()")
	must(b, err)
	s := start(b, program, cluster.URL("journey"), replicas)
	s.cluster = cluster
	if history > 0 {
		s.live(b, history)
	}
	s.measure(b)
	for _, r := range s.replicas {
		r.stop()
	}
	s.countTraffic(b, program)
	reference(b, cluster)
}

// server is a shop on its own servers.
type server struct {
	replicas []*replica
	cluster  *boottest.Cluster // nil for SQLite
	file     string            // of SQLite
	slug     string
	project  string
	buyer    *buyer
}

// replica is one process.
type replica struct {
	process  *faults.Process
	profiler profiler
	stop     func()
}

func start(b *testing.B, program, database string, replicas int) *server {
	b.Helper()
	s := &server{slug: "journey"}
	for range replicas {
		s.replicas = append(s.replicas, run(b, program, database))
	}
	ctx, m := context.Background(), s.merchant()
	p, err := m.CreateProject(ctx, merchant.NewProject{Name: "Journey", Slug: s.slug})
	must(b, err)
	s.project = p.ID
	must(b, fill(ctx, m.In(p.ID), products))
	s.buyer = newBuyer(s.slug, s.urls()...)
	return s
}

// run starts the program. Rate limits are effectively off.
func run(b *testing.B, program, database string) *replica {
	b.Helper()
	profiles := newProfiler(b)
	log, err := os.CreateTemp(b.TempDir(), "log") // the request log is too large to keep in memory
	must(b, err)
	process, err := faults.Start(faults.Command{
		Path: program,
		Log:  log,
		Args: []string{"serve", "--addr=127.0.0.1:0", "--ops-addr=127.0.0.1:0"},
		Env: []string{
			"HAGGLE_DATABASE_URL=" + database, "HAGGLE_BOOTSTRAP_KEY=" + boottest.Key, "HAGGLE_ACP_RATE=off",
			"HAGGLE_ENTERPRISE_RATE=1000000/1000000", "HAGGLE_TRUSTED_PROXIES=127.0.0.0/8",
			"PROFILE_ADDR=" + profiles.address,
		},
	})
	must(b, err)
	stop := func() {
		if process.Running() {
			process.Kill()
		}
	}
	b.Cleanup(stop)
	return &replica{
		process:  process,
		profiler: profiles,
		stop:     stop,
	}
}

func (s *server) urls() (all []string) {
	for _, r := range s.replicas {
		all = append(all, r.process.URL)
	}
	return all
}

func (s *server) merchant() *merchant.Client {
	url := s.replicas[0].process.URL
	return merchant.New(exchange.NewClient(exchange.Config{URL: url, HTTP: http.DefaultClient}), boottest.Key, "")
}

// fill adds products that match the buyer's queries.
func fill(ctx context.Context, m *merchant.Client, products int) error {
	plenty := stock
	for done := 0; done < products; {
		var batch []merchant.Product
		for ; len(batch) < 100 && done < products; done++ {
			thing := words[done%len(words)]
			batch = append(batch, merchant.Product{
				Name:     fmt.Sprintf("Model %d %s", done, thing),
				SKU:      fmt.Sprintf("SKU-%d", done),
				Price:    decimal.MustParse(price),
				Category: "things/" + strings.ReplaceAll(thing, " ", "-"),
				Quantity: &plenty,
			})
		}
		if _, err := m.BatchProducts(ctx, batch); err != nil {
			return err
		}
	}
	return nil
}

func (s *server) ask(b *testing.B, database, sql string) int {
	b.Helper()
	text, err := s.cluster.PSQL(database, sql)
	must(b, err)
	n, err := strconv.Atoi(text)
	must(b, err)
	return n
}

// witness fails the benchmark unless every journey is an order and took one piece from stock.
func (s *server) witness(b *testing.B) {
	b.Helper()
	want := int(s.buyer.number.Load())
	p, err := s.merchant().In(s.project).Project(context.Background(), s.project)
	must(b, err)
	if p.Statistics == nil || p.Statistics.Orders30D != want {
		b.Fatalf("after %d journeys the statistics are %+v", want, p.Statistics)
	}
	for what, query := range map[string]string{
		"orders":           "SELECT count(*) FROM orders",
		"charges":          "SELECT count(*) FROM sandbox_charges",
		"tokens redeemed":  "SELECT count(*) FROM quotes WHERE redeemed_by <> ''",
		"pieces sold":      fmt.Sprintf("SELECT sum(%d - quantity) FROM stock", stock),
		"order.completed":  "SELECT count(*) FROM outbox WHERE type = 'order.completed'",
		"orders of a sale": "SELECT count(DISTINCT order_id) FROM ledger_transactions WHERE kind = 'sale'",
	} {
		if n := s.count(b, query); n != want {
			b.Errorf("after %d journeys: %d %s", want, n, what)
		}
	}
}

// count queries the shop's database for a number.
func (s *server) count(b *testing.B, query string) (n int) {
	b.Helper()
	if s.cluster != nil {
		return s.ask(b, "journey", query)
	}
	must(b, boottest.Inspect(b, "sqlite://"+s.file).QueryRow(query).Scan(&n))
	return n
}

// countTraffic counts the messages between a server and PostgreSQL, through a proxy that is not used in the measurement before.
func (s *server) countTraffic(b *testing.B, program string) {
	b.Helper()
	socket := s.text(b, "SELECT setting FROM pg_settings WHERE name = 'unix_socket_directories'") + "/.s.PGSQL.5432"
	proxy, err := faults.NewProxy("unix", socket)
	must(b, err)
	b.Cleanup(proxy.Close)
	through := run(b, program, fmt.Sprintf("postgres://haggle_owner@%s/journey?sslmode=disable", proxy.Addr()))
	buyer := newBuyer(s.slug, through.process.URL)
	buyer.hot = s.buyer.hot
	buyer.number.Store(s.buyer.number.Load())
	must(b, buyer.run(warmUp, clients))
	time.Sleep(time.Second) // background work of the first journeys
	before := proxy.Traffic()
	must(b, buyer.run(counted, clients))
	after := proxy.Traffic()
	b.ReportMetric(float64(after.Statements-before.Statements)/counted, "statements")
	b.ReportMetric(float64(after.Transactions-before.Transactions)/counted, "transactions")
	b.ReportMetric(float64(after.Trips-before.Trips)/counted, "trips")
	through.stop()
}

func (s *server) text(b *testing.B, sql string) string {
	b.Helper()
	text, err := s.cluster.PSQL("postgres", sql)
	must(b, err)
	return text
}

var tps = regexp.MustCompile(`tps = ([0-9.]+)`)

// reference runs pgbench's own transaction on the same server, so that results of different machines and times can be compared.
func reference(b *testing.B, cluster *boottest.Cluster) {
	b.Helper()
	must(b, cluster.CreateDatabase("pgbench", ""))
	for _, arguments := range [][]string{{"-i", "-q", "-s", "10"}, {"-n", "-c", strconv.Itoa(clients), "-T", "3"}} {
		out, err := exec.Command(cluster.Program("pgbench"), append(arguments, cluster.ToolURL("pgbench"))...).CombinedOutput()
		if err != nil {
			b.Fatalf("pgbench: %v\n%s", err, out)
		}
		if found := tps.FindSubmatch(out); found != nil {
			n, err := strconv.ParseFloat(string(found[1]), 64)
			must(b, err)
			b.ReportMetric(n, "pgbench/s")
		}
	}
}
