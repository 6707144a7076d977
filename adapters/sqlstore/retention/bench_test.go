package retention_test

import (
	"flag"
	"fmt"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/db"
	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/storetest"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/ports"
)

var expiredSessions = flag.Int("expired", 2_000, "expired sessions in the benchmark of retention, each with a quote and a decision")

// BenchmarkRetention removes -expired sessions, each with a quote and a decision with a message. It prints the rows
// that go in a second, the longest transaction, and on PostgreSQL the bytes of WAL for each row.
func BenchmarkRetention(b *testing.B) {
	storetest.OnEachEngine(b, func(b *testing.B, s *storetest.Store) {
		of := storetest.StoreProject(b, s, 1).ID
		for b.Loop() {
			b.StopTimer()
			expire(b, s, of, *expiredSessions)
			b.StartTimer()
			day := 24 * time.Hour
			for _, phase := range []struct {
				name string
				step func() (bool, error)
			}{
				{"messages", func() (bool, error) {
					return s.Retention().Remove(b.Context(), of, ports.OldMessages, 30*day, plainSeals{})
				}},
				{"sessions", func() (bool, error) {
					return s.Retention().Remove(b.Context(), of, ports.OldSessions, 30*day, plainSeals{})
				}},
				{"decisions", func() (bool, error) { return s.Retention().Fold(b.Context(), of, 180*day, plainSeals{}) }},
			} {
				start, longest, wal := time.Now(), time.Duration(0), walOf(b, s)
				var firsts, lasts time.Duration
				steps := 0
				for more := true; more; steps++ {
					begin := time.Now()
					var err error
					if more, err = phase.step(); err != nil {
						b.Fatal(err)
					}
					took := time.Since(begin)
					longest = max(longest, took)
					if steps < 100 {
						firsts += took
					}
					lasts += (took - lasts) / 100
				}
				rows, took := float64(*expiredSessions), time.Since(start)
				b.ReportMetric(rows/took.Seconds(), phase.name+"/s")
				b.ReportMetric(float64(longest.Milliseconds()), phase.name+"-longest-ms")
				if *expiredSessions > 100_000 {
					b.Logf("%s: %d steps, the first 100 took %s each, the last ones %s", phase.name, steps, firsts/100, lasts)
				}
				if s.DB.Dialect.OneTrip {
					b.ReportMetric(float64(walOf(b, s)-wal)/rows, phase.name+"-WAL-B/row")
				}
			}
			b.StopTimer()
			for _, table := range []string{"sessions", "quotes", "decisions"} {
				if n := countOf(b, s, "SELECT count(*) FROM "+table); n > 0 {
					b.Fatalf("%d %s are left", n, table)
				}
			}
			b.StartTimer()
		}
	})
}

// expire stores sessions that ended a year ago, a second apart.
func expire(b *testing.B, s *storetest.Store, of id.Project, n int) {
	b.Helper()
	const atOnce = 10_000
	start := time.Now().AddDate(-1, 0, 0).Add(-time.Duration(n) * time.Second).UnixMilli()
	numbers := `WITH RECURSIVE numbers (n) AS (SELECT %[1]d UNION ALL SELECT n + 1 FROM numbers WHERE n < %[2]d) `
	if s.DB.Dialect.OneTrip {
		numbers = "WITH numbers (n) AS (SELECT generate_series(%[1]d, %[2]d)) "
	}
	name := func(prefix string) string {
		return "'" + prefix + "_' || substr('00000000' || ((n * 7919) % 9973), -4) || n"
	}
	if s.DB.Dialect.OneTrip {
		name = func(prefix string) string {
			return "'" + prefix + "_' || lpad(CAST((CAST(n AS BIGINT) * 7919) % 9973 AS TEXT), 4, '0') || n"
		}
	}
	made := fmt.Sprintf("%d + CAST(n AS BIGINT) * 1000", start)
	if !s.DB.Dialect.OneTrip {
		made = fmt.Sprintf("%d + n * 1000", start)
	}
	for from := 1; from <= n; from += atOnce {
		part := fmt.Sprintf(numbers, from, min(from+atOnce-1, n))
		err := s.DB.InTx(b.Context(), of, func(t *db.Tx) error {
			for _, statement := range []string{
				"INSERT INTO sessions (project_id, id, loyalty_tier, location, purchase_history, urgency, created_at, last_activity, expires_at) " +
					part + "SELECT $1, " + name("sess") + ", '', '', 0, '', " + made + ", " + made + ", " + made + " + 1800000 FROM numbers",
				"INSERT INTO quotes (project_id, id, session_id, product_id, variant_id, quantity, state, currency, list_price, opening, target, floor, " +
					"rounds, moves, best_offer, counter, policy_version, final_price, with_bundle, token_hash, created_at, valid_until, seq) " +
					part + "SELECT $1, " + name("quote") + ", " + name("sess") + ", 'prod', 'prod', 1, 'open', 'USD', 10000, 10000, 9000, 8000, 1, 0, " +
					"NULL, NULL, 1, NULL, " + map[bool]string{true: "FALSE", false: "0"}[s.DB.Dialect.OneTrip] + ", '', " + made + ", " + made + ", 1 FROM numbers",
				"INSERT INTO decisions (project_id, session_id, seq, id, quote_id, product_id, variant_id, quantity, at, currency, offer, response, price, rule, " +
					"policy_version, list_price, opening, target, floor, before, signals, message, client, agent_id, handler) " +
					part + "SELECT $1, " + name("sess") + ", 1, " + name("dec") + ", " + name("quote") + ", 'prod', 'prod', 1, " + made + ", 'USD', 8500, 'counter_offer', 9500, 'concession', " +
					`1, 10000, 10000, 9000, 8000, '{"rounds":0,"moves":0}', '{"list":10000,"cart_value":0}', 'Is there anything that you can do about the price?', 'client_' || (n % 1000), 'agent_one', 'builtin' FROM numbers`,
				"DELETE FROM analytics_pending WHERE project_id = $1",
			} {
				if _, err := t.Exec(b.Context(), statement, of.String()); err != nil {
					return fmt.Errorf("%w\n%s", err, statement)
				}
			}
			return nil
		})
		if err != nil {
			b.Fatal(err)
		}
	}
	storetest.SealAll(b, s)
}

func countOf(b testing.TB, s *storetest.Store, query string) (n int64) {
	b.Helper()
	err := s.DB.InTx(b.Context(), db.AnyProject, func(t *db.Tx) error {
		_, err := t.Get(b.Context(), &n, query)
		return err
	})
	if err != nil {
		b.Fatal(err)
	}
	return n
}

// walOf is how many bytes of WAL PostgreSQL has written.
func walOf(b *testing.B, s *storetest.Store) int64 {
	if !s.DB.Dialect.OneTrip {
		return 0
	}
	return countOf(b, s, "SELECT CAST(pg_current_wal_lsn() - '0/0' AS BIGINT)")
}
