package db

import (
	"cmp"
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/lib/pq"

	"github.com/haggle-commerce/haggle/domain/account"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/ports"
)

// AnyProject is the project of background work over all projects.
var AnyProject = id.Stored[id.Project]("*")

// NoProject is the project of work on accounts, keys and projects themselves, which belong to none.
var NoProject id.Project

// Dialect has the differences between the engines.
type Dialect struct {
	// ForUpdate ends a SELECT whose rows are to be changed. On SQLite the transaction has locked
	// everything already.
	ForUpdate string
	// SkipLocked is ForUpdate for work that others may have taken already.
	SkipLocked string
	// ForKeyShare ends a SELECT whose rows are to be referred to, and so must not go.
	ForKeyShare string
	// ForNoKeyUpdate is ForUpdate for rows that may be referred to meanwhile.
	ForNoKeyUpdate string
	// Begin starts a writing transaction in a project, BeginRead one that reads one state of it.
	Begin, BeginRead func(id.Project) string
	// InProject goes on in another project, within a transaction.
	InProject func(id.Project) string
	// OneTrip means that a batch is sent as one text.
	OneTrip bool
	// transactionName is a statement that names the transaction it is in; empty: they have no names.
	transactionName string
	// Clock is the database's clock, in unix milliseconds.
	Clock string
	// stopped is the time at which a test has stopped the clock, in unix milliseconds; nil or 0: it runs.
	stopped *atomic.Int64
	// Enterprise overrides the limits of the enterprise plan where it is not zero.
	Enterprise account.Limits
	// EventBus means that the installation has an event bus, to which all events go.
	EventBus bool
	// SomeRows is a condition: to be among the first $2 rows of a table that a where clause finds, of project $1.
	SomeRows func(table, where string) string
	// Without is a JSON text in a column without the values at paths such as "data.email".
	Without func(column string, paths ...string) string
	// WithoutEach is a JSON list of objects in a column, each without a key.
	WithoutEach func(column, key string) string
	// MaxRows is the maximum number of rows of one INSERT, by measurement: SQLite looks up every parameter among all of
	// the statement.
	MaxRows int
	// Vault seals addresses; nil: they are stored as they are.
	Vault ports.Vault
}

// keysWithoutRowID are the keys of SQLite's tables that have no rowid.
var keysWithoutRowID = map[string]string{
	"stock":             "project_id, variant_id, location",
	"cart_items":        "project_id, session_id, line",
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
	"analytics_folds":   "project_id",
	"retention":         "project_id",
	"sessions_held":     "project_id, session_id",
}

var sqliteDialect = Dialect{
	Begin:     func(id.Project) string { return "BEGIN IMMEDIATE" },
	BeginRead: func(id.Project) string { return "BEGIN" },
	InProject: func(id.Project) string { return "" },
	Clock:     "CAST(round(unixepoch('subsec') * 1000) AS INTEGER)",
	SomeRows: func(table, where string) string {
		key := cmp.Or(keysWithoutRowID[table], "rowid")
		return "(" + key + ") IN (SELECT " + key + " FROM " + table + where + " LIMIT $2)"
	},
	Without: func(column string, paths ...string) string {
		return "json_remove(" + column + ", '$." + strings.Join(paths, "', '$.") + "')"
	},
	WithoutEach: func(column, key string) string {
		return "(SELECT json_group_array(json_remove(value, '$." + key + "')) FROM json_each(" + column + "))"
	},
	MaxRows: 20,
}

var PostgresDialect = Dialect{
	ForUpdate:   "\nFOR UPDATE",
	SkipLocked:  "\nFOR UPDATE SKIP LOCKED",
	ForKeyShare: "\nFOR KEY SHARE",

	ForNoKeyUpdate: "\nFOR NO KEY UPDATE",

	Begin:     func(p id.Project) string { return "BEGIN" + inProject(p) },
	BeginRead: func(p id.Project) string { return beginSnapshot + inProject(p) },
	InProject: setProject,
	OneTrip:   true,
	Clock:     "CAST(extract(epoch FROM clock_timestamp()) * 1000 AS BIGINT)",
	SomeRows: func(table, where string) string {
		// A ctid alone would mean other rows on other nodes, were the table distributed.
		return "project_id = $1 AND ctid = ANY(ARRAY(SELECT ctid FROM " + table + where + " LIMIT $2))"
	},
	Without: func(column string, paths ...string) string {
		for i, p := range paths {
			paths[i] = "#- '{" + strings.ReplaceAll(p, ".", ",") + "}'"
		}
		return "CAST(CAST(" + column + " AS JSONB) " + strings.Join(paths, " ") + " AS TEXT)"
	},
	WithoutEach: func(column, key string) string {
		return "CAST((SELECT COALESCE(jsonb_agg(value - '" + key + "'), '[]') FROM jsonb_array_elements(CAST(" + column + " AS JSONB))) AS TEXT)"
	},
	MaxRows: 500,

	transactionName: "SELECT CAST(pg_current_xact_id() AS TEXT) AS number, CAST(pg_postmaster_start_time() AS TEXT) AS server, CAST(clock_timestamp() AS TEXT) AS began",
}

// ForKeyShareOf is ForKeyShare for the rows of one table of several.
func (d Dialect) ForKeyShareOf(alias string) string {
	if d.ForKeyShare == "" {
		return ""
	}
	return d.ForKeyShare + " OF " + alias
}

// JsonOf is a JSON text that can be looked into with -> and ->>.
func (d Dialect) JsonOf(text string) string {
	if d.OneTrip {
		return "CAST(" + text + " AS JSONB)"
	}
	return text
}

// beginSnapshot begins a transaction that reads one state.
const beginSnapshot = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"

// setRole sets the role that row-level security applies to, if the connection does not have it (pgConn).
const setRole = "; SET LOCAL ROLE haggle_app"

// inProject enters the project whose rows the role may see.
func inProject(p id.Project) string { return setRole + setProject(p) }

func setProject(p id.Project) string {
	return "; SET LOCAL haggle.project_id = " + pq.QuoteLiteral(p.String())
}

// Moment is the database's clock, evaluated once in a statement, so that an index can be searched for it.
func (d Dialect) Moment() string {
	if d.stopped != nil && d.stopped.Load() != 0 {
		return "(SELECT CAST(" + strconv.FormatInt(d.stopped.Load(), 10) + " AS BIGINT))"
	}
	return "(SELECT " + d.Clock + ")"
}
