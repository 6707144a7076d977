package sqlstore

import (
	"cmp"
	"strings"
	"sync/atomic"

	"github.com/lib/pq"

	"github.com/haggle-commerce/haggle/domain/account"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/ports"
)

// anyProject is the project of background work over all projects.
var anyProject = id.Stored[id.Project]("*")

// noProject is the project of work on accounts, keys and projects themselves, which belong to none.
var noProject id.Project

// dialect is what differs between the engines.
type dialect struct {
	// forUpdate ends a SELECT whose rows are to be changed. On SQLite the transaction has locked
	// everything already.
	forUpdate string
	// skipLocked is forUpdate for work that others may have taken already.
	skipLocked string
	// forKeyShare ends a SELECT whose rows are to be referred to, and so must not go.
	forKeyShare string
	// forNoKeyUpdate is forUpdate for rows that may be referred to meanwhile.
	forNoKeyUpdate string
	// begin starts a writing transaction in a project, beginRead one that reads one state of it.
	begin, beginRead func(id.Project) string
	// inProject goes on in another project.
	inProject func(id.Project) string
	// oneTrip tells that a batch goes as one text.
	oneTrip bool
	// transactionName is a statement that names the transaction it is in; empty: they have no names.
	transactionName string
	// clock is the database's clock, in unix milliseconds.
	clock string
	// stopped is where a test has stopped the clock, in unix milliseconds; nil or 0: it runs.
	stopped *atomic.Int64
	// enterprise is how much accounts on the enterprise plan can keep, where it is not as the plan says.
	enterprise account.Limits
	// someRows is a condition: to be among the first $2 rows of a table that a where clause finds.
	someRows func(table, where string) string
	// without is a JSON text in a column without the values at paths such as "data.email".
	without func(column string, paths ...string) string
	// withoutEach is a JSON list of objects in a column, each without a key.
	withoutEach func(column, key string) string
	// maxRows is how many rows one INSERT has at most, by measurement: SQLite looks every parameter up
	// among all of the statement.
	maxRows int
	// vault seals addresses; nil: they are stored as they are.
	vault ports.Vault
}

// keysWithoutRowID are the keys of SQLite's tables that have no rowid.
var keysWithoutRowID = map[string]string{
	"stock":             "project_id, variant_id, location",
	"cart_items":        "project_id, session_id, variant_id",
	"shown":             "project_id, session_id, product_id",
	"sandbox_failures":  "project_id, key",
	"declines":          "project_id, subject, checkout_id, attempt",
	"claim_locks":       "project_id, slot",
	"ledger_postings":   "project_id, transaction_id, position",
	"stock_turns":       "project_id, at, variant_id, location",
	"jobs_set_aside":    "project_id, queue, row_id",
	"low_stock":         "project_id, variant_id",
	"haggled_sessions":  "project_id, session_id",
	"reconciliations":   "project_id, integration_id",
	"money_differences": "project_id, integration_id, kind, refund, provider",
	"analytics_lost":    "project_id, began, session_id, product_id, variant_id, quantity",
	"analytics_pending": "project_id, session_id, record_id",
	"analytics_folds":   "project_id",
	"retention":         "project_id",
	"sessions_held":     "project_id, session_id",
}

var sqliteDialect = dialect{
	begin:     func(id.Project) string { return "BEGIN IMMEDIATE" },
	beginRead: func(id.Project) string { return "BEGIN" },
	inProject: func(id.Project) string { return "" },
	clock:     "CAST(round(unixepoch('subsec') * 1000) AS INTEGER)",
	someRows: func(table, where string) string {
		key := cmp.Or(keysWithoutRowID[table], "rowid")
		return "(" + key + ") IN (SELECT " + key + " FROM " + table + where + " LIMIT $2)"
	},
	without: func(column string, paths ...string) string {
		return "json_remove(" + column + ", '$." + strings.Join(paths, "', '$.") + "')"
	},
	withoutEach: func(column, key string) string {
		return "(SELECT json_group_array(json_remove(value, '$." + key + "')) FROM json_each(" + column + "))"
	},
	maxRows: 20,
}

var postgresDialect = dialect{
	forUpdate:   "\nFOR UPDATE",
	skipLocked:  "\nFOR UPDATE SKIP LOCKED",
	forKeyShare: "\nFOR KEY SHARE",

	forNoKeyUpdate: "\nFOR NO KEY UPDATE",

	begin:     func(p id.Project) string { return "BEGIN" + inProject(p) },
	beginRead: func(p id.Project) string { return "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY" + inProject(p) },
	inProject: inProject,
	oneTrip:   true,
	clock:     "CAST(extract(epoch FROM clock_timestamp()) * 1000 AS BIGINT)",
	someRows: func(table, where string) string {
		return "ctid = ANY(ARRAY(SELECT ctid FROM " + table + where + " LIMIT $2))"
	},
	without: func(column string, paths ...string) string {
		for i, p := range paths {
			paths[i] = "#- '{" + strings.ReplaceAll(p, ".", ",") + "}'"
		}
		return "CAST(CAST(" + column + " AS JSONB) " + strings.Join(paths, " ") + " AS TEXT)"
	},
	withoutEach: func(column, key string) string {
		return "CAST((SELECT COALESCE(jsonb_agg(value - '" + key + "'), '[]') FROM jsonb_array_elements(CAST(" + column + " AS JSONB))) AS TEXT)"
	},
	maxRows: 500,

	transactionName: "SELECT CAST(pg_current_xact_id() AS TEXT), CAST(pg_postmaster_start_time() AS TEXT), CAST(clock_timestamp() AS TEXT)",
}

// jsonOf is a JSON text that can be looked into with -> and ->>.
func (d dialect) jsonOf(text string) string {
	if d.oneTrip {
		return "CAST(" + text + " AS JSONB)"
	}
	return text
}

// inProject takes on the role that row-level security holds, in the project whose rows it may see.
func inProject(p id.Project) string {
	return "; SET LOCAL ROLE haggle_app; SET LOCAL haggle.project_id = " + pq.QuoteLiteral(p.String())
}
