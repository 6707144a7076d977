// Package history exports a project's records to a file, and loads such a file into a new project, at another time. The
// file holds rows that a server wrote, so that books, stock and decisions agree. It is no backup: it leaves out secrets
// that are encrypted with the installation's keys, work in progress and short-lived records.
//
// Ids, times and the project itself are marks in the file: Load generates new ids, in the same order, and moves all
// times.
package history

import (
	"errors"
	"slices"
	"time"

	"github.com/haggle-commerce/haggle/domain/id"
)

// Names are the owners of the rows. In the file they are marks.
type Names struct {
	Project id.Project
	Account id.Account
	Member  id.Member // who did what the audit log has
}

// ErrOutdated means that a file was made with other tables than the database has.
var ErrOutdated = errors.New("the demo's history was made with an older schema: run make demo-history")

// tables are written in this order, so that rows come after those that they refer to. The columns that a table leaves out
// have their defaults: hashes of tokens that nobody has, seals, and the keys that SQLite counts.
var tables = []table{
	{name: "products"},
	{name: "variants"},
	{name: "stock", order: rowOf("variants", "stock.variant_id") + ", location"},
	{name: "stock_moves", without: []string{"id"}},
	{name: "low_stock", order: "since, " + rowOf("variants", "low_stock.variant_id")},
	{name: "agents", without: []string{"secret"}},
	{name: "agent_policies"},
	{name: "sessions"},
	{
		name:     "quotes",
		without:  []string{"token_hash", "token_salt"},
		required: []string{"token_hash"},
	},
	{name: "decisions", without: []string{"position", "hash", "prior", "personal", "salt"}},
	{name: "checkouts"},
	{name: "cart_items", order: rowOf("sessions", "cart_items.session_id") + ", line"},
	{name: "orders", without: []string{"token_hash", "token_salt"}},
	{name: "payments"},
	{name: "disputes"},
	{name: "returns"},
	{name: "refunds"},
	{
		name:  "ledger_postings",
		order: rowOf("ledger_transactions", "ledger_postings.transaction_id") + ", position",
		whole: "transaction_id",
	},
	{name: "ledger_transactions"},
	{name: "sandbox_charges"},
	{name: "sandbox_refunds"},
	{name: "sandbox_disputes"},
	{name: "outbox"},
	{name: "audit_events"},
	{
		name:    "analytics_slots",
		order:   "at",
		without: []string{"sessions", "sessions_ucp", "sessions_mcp"},
	},
	{name: "analytics_lost", order: "began, " + rowOf("sessions", "analytics_lost.session_id") + ", quantity"},
	{name: "haggled_sessions", order: "due_at, " + rowOf("sessions", "haggled_sessions.session_id")},
}

// rowOf returns an expression for the position at which a referenced row was written, because ids sort by chance.
func rowOf(table, named string) string {
	return "(SELECT rowid FROM " + table + " AS r WHERE r.id = " + named + ")"
}

// table is a table with rows in the file.
type table struct {
	name     string
	order    string   // "": as they were written
	without  []string // columns
	required []string // of those, what has no default and is empty
	whole    string   // a column: rows that agree in it are written by one statement
}

// columns are those of the file, of all that a table has.
func (t table) columns(all []string) []string {
	kept := slices.DeleteFunc(slices.Clone(all), func(c string) bool { return slices.Contains(t.without, c) })
	return append(kept, t.required...)
}

// LeftOut are the tables of projects without rows in the file, and why.
var LeftOut = map[string]string{
	"agent_keys":           "secrets of agents",
	"analytics_folds":      "counts how often a project was counted",
	"analytics_pending":    "what is to be counted: the file has the result",
	"authorizations":       "consents that are being given",
	"claim_locks":          "locks",
	"copies":               "of a platform that the demo has not",
	"crm_deals":            "of a CRM that the demo has not",
	"decision_chains":      "made when the project is, and extended by the sealing of decisions",
	"declines":             "makes buyers wait for some minutes",
	"deliveries":           "to receivers that the demo has not",
	"embedding_progress":   "of a model that is configured or not",
	"embeddings":           "of a model that is configured or not",
	"event_subscriptions":  "of receivers that the demo has not",
	"integration_webhooks": "of a platform that the demo has not",
	"integrations":         "credentials of a platform that the demo has not",
	"import_files":         "files that wait to be imported",
	"import_refusals":      "what was refused of such files",
	"jobs":                 "simulations, which are forgotten after 30 days",
	"jobs_set_aside":       "work that failed again and again",
	"labels":               "of a carrier that the demo has not",
	"platform_orders":      "of a platform that the demo has not",
	"money_differences":    "of a provider that the demo has not",
	"order_notes":          "the demo's people have written none",
	"orphan_charges":       "charges without an order, of which there are none",
	"reconciliations":      "of a provider that the demo has not",
	"retention":            "made when the project is; nothing was removed",
	"sandbox_failures":     "payments that the provider is to fail",
	"sessions_held":        "sessions whose removal waits for an order",
	"shown":                "what searches showed, thousands of rows that no page reads",
	"signing_keys":         "sealed, and made when they are needed",
	"stock_checks":         "work that was done",
	"stock_turns":          "what indexes in memory have heard",
	"sync_changes":         "of a platform that the demo has not",
	"sync_problems":        "of a platform that the demo has not",
	"sync_runs":            "of a platform that the demo has not",
	"synonyms":             "the demo has none",
	"webhook_deliveries":   "of a platform that the demo has not",
}

// Tables returns the names of the tables with rows in the file.
func Tables() []string {
	names := make([]string, len(tables))
	for i, t := range tables {
		names[i] = t.name
	}
	return names
}

// day is the unit by which times are moved.
const day = 24 * time.Hour

// MovedBy returns how far a history that ended at a time is moved: by whole days, so that it keeps its hours and the
// slots of analytics, to an end within the day before now.
func MovedBy(until, now time.Time) time.Duration {
	by := now.Sub(until).Truncate(day)
	if until.Add(by).After(now) { // it was rounded up, towards zero
		by -= day
	}
	return by
}
