package db

import (
	"context"
	"errors"
	"strings"

	"github.com/jmoiron/sqlx"
	"github.com/lib/pq"
)

// New tables have no statistics, and with the planner's guesses a statement may read all of a project's rows for one.
// PostgreSQL's autovacuum analyses a table a minute after it has grown, at the earliest.

// grownTable is a table that has no statistics, or has at least twice the rows that it had when they were made.
type grownTable struct {
	Name string
	Ours bool // the login may analyse it
}

// selectGrown reads counters in shared memory and a row of pg_class for each table, and no table of ours. reltuples is -1
// before the first ANALYZE or VACUUM. A backend reports the rows that it wrote once a second. A small table is scanned
// whatever is known about it: the twenty rows keep one that is filled and emptied again and again, as queues are, from
// being analysed each time.
const selectGrown = `
SELECT c.relname AS name,
  pg_has_role(session_user, c.relowner, 'USAGE') OR CASE
    WHEN CAST(current_setting('server_version_num') AS INTEGER) >= 170000 THEN has_table_privilege(session_user, c.oid, 'MAINTAIN')
    ELSE false
  END AS ours
FROM pg_class c
WHERE c.relnamespace = CAST('public' AS regnamespace)
  AND c.relkind = 'r'
  AND pg_stat_get_live_tuples(c.oid) > CASE
    WHEN pg_stat_get_analyze_count(c.oid) + pg_stat_get_autoanalyze_count(c.oid) = 0 THEN 0
    ELSE 2 * c.reltuples + 20
  END
ORDER BY c.relname`

// AnalyzeGrown brings the planner's statistics of grown tables up to date. Prepared statements are planned anew after
// that. It returns the grown tables that the login may not analyse. Replicas may run it together: a table that another
// one is analysing is skipped. SQLite has fixed statistics (migrations/sqlite/00002_planner.sql).
func (s *DB) AnalyzeGrown(ctx context.Context) (refused []string, err error) {
	if !s.Dialect.OneTrip {
		return nil, nil
	}
	grown, err := All[grownTable](ctx, s.Read(AnyProject), selectGrown)
	if err != nil {
		return nil, err
	}
	var failed []error
	for _, table := range grown {
		if table.Ours {
			failed = append(failed, s.analyze(ctx, table.Name))
		} else {
			refused = append(refused, table.Name)
		}
	}
	return refused, errors.Join(failed...)
}

// Analyze brings the statistics of a catalogue up to date after a large import.
func (s *DB) Analyze(ctx context.Context) error {
	if !s.Dialect.OneTrip {
		return nil
	}
	return s.analyze(ctx, "products", "variants", "stock")
}

func (s *DB) analyze(ctx context.Context, tables ...string) error {
	quoted := make([]string, len(tables))
	for i, table := range tables {
		quoted[i] = pq.QuoteIdentifier(table)
	}
	return translate(ctx, s.onLogin(ctx, func(conn *sqlx.Conn) error {
		_, err := conn.ExecContext(ctx, "ANALYZE (SKIP_LOCKED) "+strings.Join(quoted, ", "))
		return err
	}))
}
