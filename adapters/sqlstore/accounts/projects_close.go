package accounts

import (
	"context"
	"fmt"
	"time"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/db"
	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/personal"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/ports"
)

var _ ports.ProjectClosings = Projects{}

const (
	// payingRealMoney finds attempts at providers other than the sandbox's, because anyone can cause undecided payments
	// there.
	payingRealMoney = `EXISTS (SELECT 1 FROM checkouts WHERE project_id = $1 AND status = 'processing' AND queue <> project_id || '/sandbox')`

	// moneyMoves leaves out refunds that were made at the provider, because nothing here waits for their end.
	moneyMoves = `(EXISTS (SELECT 1 FROM checkouts WHERE project_id = $1 AND status = 'processing')
  OR EXISTS (SELECT 1 FROM refunds WHERE project_id = $1 AND due_at IS NOT NULL)
  OR EXISTS (SELECT 1 FROM orphan_charges WHERE project_id = $1 AND due_at IS NOT NULL))`

	// tookRealMoney reports whether a project has books to keep. Payments of the sandbox provider do not count as
	// money.
	tookRealMoney = `(EXISTS (SELECT 1 FROM payments WHERE project_id = $1 AND gateway <> 'sandbox' AND amount > 0)
  OR EXISTS (SELECT 1 FROM ledger_transactions WHERE project_id = $1 AND provider <> 'sandbox'))`

	selectUnfinished = `
SELECT id
FROM projects
WHERE status IN ('closing', 'deleting')
  AND closing_at <= `

	selectClosing = `
SELECT status, progress
FROM projects
WHERE id = $1
  AND status IN ('closing', 'deleting')`

	setClosing = `
UPDATE projects
SET progress = $2
WHERE id = $1`

	postponeClosing = `
UPDATE projects
SET closing_at = `

	keepBooks = `
UPDATE projects
SET status = 'closing', progress = ''
WHERE id = $1
  AND status = 'deleting'`

	// closeProject is completed by the database's clock.
	closeProject = `
UPDATE projects
SET status = 'closed', progress = '', credentials_until = %s
WHERE id = $1`

	deleteProject = `
DELETE FROM projects
WHERE id = $1`
)

func (p Projects) Delete(ctx context.Context, account id.Account, of id.Project, now time.Time) error {
	return p.Store.InTx(ctx, of, func(t *db.Tx) error {
		closing, err := lockProject(ctx, t, account, of)
		if err != nil {
			return err
		}
		var money struct{ Paying, Books bool }
		if _, err := t.Get(ctx, &money, "SELECT "+payingRealMoney+" AS paying, "+tookRealMoney+" AS books", of); err != nil {
			return err
		}
		if money.Paying {
			return fault.New(fault.Conflict, "payment_unresolved", "A payment in the project is not decided yet. Try again later.").After(5 * time.Second)
		}
		slug := closing.Slug
		closing.Close(money.Books, now)
		r, err := toProjectRow(t.Dialect, closing)
		if err != nil {
			return err
		}
		_, err = t.Exec(ctx, `
UPDATE projects
SET slug = $2, settings = $3, status = $4, updated_at = $5, closing_at = `+t.Dialect.Clock+`
WHERE id = $1`, of, closing.Slug, r.Settings, closing.Status, closing.UpdatedAt)
		if err != nil {
			return err
		}
		return freeSlug(ctx, t, slug, account)
	})
}

func (p Projects) Unfinished(ctx context.Context, quiet time.Duration, limit int) ([]id.Project, error) {
	query := selectUnfinished + p.Store.Dialect.Clock + " - $1\nORDER BY closing_at, id\nLIMIT $2"
	return db.All[id.Project](ctx, p.Store.Read(db.NoProject), query, quiet.Milliseconds(), limit)
}

func (p Projects) Settle(ctx context.Context, of id.Project) (ports.Settled, error) {
	return db.InTx(ctx, p.Store, of, func(t *db.Tx) (settled ports.Settled, err error) {
		if _, err = t.Get(ctx, &settled, "SELECT "+tookRealMoney+" AS books, NOT "+moneyMoves+" AS ready", of); err != nil {
			return settled, err
		}
		if settled.Books {
			if _, err = t.Exec(ctx, keepBooks, of); err != nil {
				return settled, err
			}
		}
		if !settled.Ready { // it waits again, behind all others
			_, err = t.Exec(ctx, postponeClosing+t.Dialect.Clock+"\nWHERE id = $1\n  AND closing_at IS NOT NULL", of)
		}
		return settled, err
	})
}

// closingStage is a table that closing a project goes through.
type closingStage struct {
	Table string
	// key is the column by which rows are processed in order, some at a time. If it is empty, the table is emptied.
	key string
	// where narrows the rows that are removed or erased, in addition to the project.
	where string
	// set is the assignment that erases a row; empty: the row is removed.
	set string
}

// deletions are the tables with a project's rows, those that refer to others first: the schema's foreign keys hold
// after each step.
var deletions = emptied(
	"authorizations", "integration_webhooks", "integrations", "sync_runs", "sync_problems", "sync_changes", "copies",
	"event_subscriptions", "sandbox_disputes", "sandbox_refunds", "sandbox_charges", "sandbox_failures", "declines", "claim_locks",
	"labels", "order_notes", "platform_orders", "crm_deals", "ledger_postings", "ledger_transactions", "disputes", "refunds", "returns", "orphan_charges", "payments", "orders", "checkouts",
	"agents", "agent_policies", "decisions", "decision_chains",
	"quotes", "shown", "cart_items", "sessions",
	"stock_moves", "stock", "variants", "products", "synonyms", "stock_turns",
	"stock_checks", "low_stock", "haggled_sessions", "reconciliations", "money_differences",
	"analytics_folds", "analytics_pending", "analytics_slots", "analytics_lost",
	"embedding_progress", "embeddings",
	"outbox", "deliveries", "webhook_deliveries", "jobs_set_aside", "retention", "sessions_held", "signing_keys", "agent_keys",
	"import_files", "import_refusals", "jobs",
)

// kept are the tables that closing a project leaves unchanged: its books, the evidence of how prices were agreed, and
// the state of retention.
var kept = []string{
	"payments", "refunds", "disputes", "orphan_charges", "ledger_transactions", "ledger_postings", "integrations", "agent_policies", "decision_chains",
	"sandbox_charges", "sandbox_refunds", "sandbox_disputes", "sandbox_failures", "reconciliations", "money_differences",
	"retention", "sessions_held",
}

func emptied(tables ...string) []closingStage {
	stages := make([]closingStage, len(tables))
	for i, table := range tables {
		stages[i].Table = table
	}
	return stages
}

// closings are the stages of closing a project that keeps its books.
func closings(d db.Dialect) []closingStage {
	stages := emptied(
		"authorizations", "integration_webhooks", "sync_runs", "sync_problems", "sync_changes", "copies", "event_subscriptions", "declines", "claim_locks",
		"shown", "cart_items", "stock_moves", "stock", "variants", "products", "synonyms", "stock_turns",
		"stock_checks", "low_stock", "haggled_sessions",
		"analytics_folds", "analytics_pending", "analytics_slots", "analytics_lost",
		"embedding_progress", "embeddings", "outbox", "deliveries", "webhook_deliveries", "jobs_set_aside", "signing_keys", "agent_keys",
		"import_files", "import_refusals", "jobs",
	)
	stages = append(stages,
		closingStage{
			Table: "quotes",
			key:   "id",
			where: "redeemed_by = '' AND claimed_by = ''",
		},
		closingStage{
			Table: "checkouts",
			key:   "id",
			where: "attempt = 0 AND status <> 'completed'",
		},
		closingStage{
			Table: "agents",
			key:   "id",
			set:   "secret = NULL, automatic = FALSE",
		},
	)
	return append(stages, erasures(d)...)
}

// closedAtOnce is the number of rows that a statement removes or erases.
const closedAtOnce = 500

// closingJSON is the progress of closing. If the stages have changed it begins anew.
type closingJSON struct {
	Stages int    `json:"stages"`
	Stage  int    `json:"stage"`
	Table  string `json:"table"` // of the stage
	After  string `json:"after"` // the last key that was done
}

// within reports whether at is a place among the stages.
func (at closingJSON) within(stages []closingStage) bool {
	return at.Stages == len(stages) && at.Stage < len(stages) && at.Table == stages[at.Stage].Table
}

func (p Projects) Step(ctx context.Context, of id.Project) (last bool, err error) {
	return db.InTx(ctx, p.Store, of, func(t *db.Tx) (last bool, err error) {
		var row struct{ Status, Progress string }
		held, err := t.Get(ctx, &row, selectClosing+t.Dialect.SkipLocked, of)
		if err != nil || !held {
			return false, err
		}
		stages, finish := deletions, deleteProject
		if row.Status == project.Closing.String() {
			stages, finish = closings(t.Dialect), fmt.Sprintf(closeProject, t.Dialect.Moment())
		}
		var at closingJSON
		if err := db.FromJSON(row.Progress, &at); err != nil || !at.within(stages) {
			at = closingJSON{Stages: len(stages)}
		}
		if last, err = at.advance(ctx, t, of, stages); err != nil {
			return false, err
		}
		if last {
			_, err = t.Exec(ctx, finish, of)
			return true, err
		}
		at.Table = stages[at.Stage].Table
		text, err := db.ToJSON(at)
		if err != nil {
			return false, err
		}
		_, err = t.Exec(ctx, setClosing, of, text)
		return false, err
	})
}

// advance makes a step, skipping stages without work, and reports whether all stages are done. Before it reports the
// last one, it looks again at the tables that were emptied, because rows may have been added meanwhile.
func (at *closingJSON) advance(ctx context.Context, t *db.Tx, of id.Project, stages []closingStage) (done bool, err error) {
	for ; at.Stage < len(stages); at.Stage, at.After = at.Stage+1, "" {
		worked, err := stages[at.Stage].step(ctx, t, of, &at.After)
		if err != nil || worked {
			return false, err
		}
	}
	for i, s := range stages {
		if s.key != "" {
			continue
		}
		after := ""
		if worked, err := s.step(ctx, t, of, &after); err != nil || worked {
			at.Stage = i
			return false, err
		}
	}
	return true, nil
}

// step removes or erases some rows, and reports whether there were any to look at.
func (s closingStage) step(ctx context.Context, t *db.Tx, of id.Project, after *string) (worked bool, err error) {
	if s.key == "" {
		rows, err := t.Exec(ctx, "DELETE FROM "+s.Table+"\nWHERE "+t.Dialect.SomeRows(s.Table, " WHERE project_id = $1"),
			of, closedAtOnce)
		return rows > 0, err
	}
	var end *string
	if _, err := t.Get(ctx, &end, `
SELECT max(key)
FROM (
  SELECT `+s.key+` AS key
  FROM `+s.Table+`
  WHERE project_id = $1
    AND `+s.key+` > $2
  ORDER BY `+s.key+`
  LIMIT $3
) AS chunk`, of, *after, closedAtOnce); err != nil || end == nil {
		return false, err
	}
	where := "\nWHERE project_id = $1\n  AND " + s.key + " > $2\n  AND " + s.key + " <= $3"
	if s.where != "" {
		where += "\n  AND " + s.where
	}
	_, err = t.Exec(ctx, s.verb()+where, of, *after, *end)
	*after = *end
	return true, err
}

func (s closingStage) verb() string {
	if s.set == "" {
		return "DELETE FROM " + s.Table
	}
	return "UPDATE " + s.Table + "\nSET " + s.set
}

// erasures are the stages of closing a project that erase personal data. Other stages empty the tables without a key.
func erasures(d db.Dialect) (stages []closingStage) {
	for _, p := range personal.Tables(d) {
		if p.Key != "" {
			stages = append(stages, closingStage{
				Table: p.Table,
				key:   p.Key,
				where: p.Where,
				set:   p.Set(),
			})
		}
	}
	return stages
}
