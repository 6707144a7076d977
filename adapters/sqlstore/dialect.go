package sqlstore

import (
	"sync/atomic"

	"github.com/lib/pq"

	"github.com/haggle-commerce/haggle/domain/id"
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
	// maxRows is how many rows one INSERT has at most, by measurement: SQLite looks every parameter up
	// among all of the statement.
	maxRows int
}

var sqliteDialect = dialect{
	begin:     func(id.Project) string { return "BEGIN IMMEDIATE" },
	beginRead: func(id.Project) string { return "BEGIN" },
	inProject: func(id.Project) string { return "" },
	clock:     "CAST(round(unixepoch('subsec') * 1000) AS INTEGER)",
	maxRows:   20,
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
	maxRows:   500,

	transactionName: "SELECT CAST(pg_current_xact_id() AS TEXT), CAST(pg_postmaster_start_time() AS TEXT), CAST(clock_timestamp() AS TEXT)",
}

// inProject takes on the role that row-level security holds, in the project whose rows it may see.
func inProject(p id.Project) string {
	return "; SET LOCAL ROLE haggle_app; SET LOCAL haggle.project_id = " + pq.QuoteLiteral(p.String())
}
