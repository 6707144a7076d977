// Package attention finds records of all areas that wait for merchants. It changes nothing.
package attention

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/finance"
	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/db"
	"github.com/haggle-commerce/haggle/adapters/sqlstore/purchase"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/ports"
)

// Attention finds waiting records.
type Attention struct{ Store *db.DB }

var _ ports.Attention = Attention{}

// source is the table and condition of the waiting records of a kind. Each condition is that of an index, or reads only
// current records.
type source struct {
	table, where, at string
	amount           string // "": none
	late, due        string // completed by the fulfillment; "": none
	dueBy            string // a time; "": none
	id, words        string
}

const orderOf = "(SELECT o.confirmation FROM orders AS o WHERE o.project_id = w.project_id AND o.id = w.order_id)"

var sources = map[ports.WaitingKind]source{
	ports.PaymentUnresolved: {
		table: "checkouts",
		where: finance.UnresolvedPayment,
		at:    finance.AttemptBegan,
		id:    "w.id",
		words: "''",
	},
	ports.RefundUnresolved: {
		table:  "refunds",
		where:  finance.UnresolvedRefund,
		at:     "created_at",
		amount: "amount",
		id:     "w.id",
		words:  orderOf,
	},
	ports.DisputeOpen: {
		table:  "disputes",
		where:  "status = 'open' AND response = 'needed'",
		at:     "created_at",
		amount: "amount",
		dueBy:  "min(due_by)",
		id:     "w.id",
		words:  orderOf,
	},
	ports.ReturnRequested: {
		table:  "returns",
		where:  "status = 'requested'",
		at:     "created_at",
		amount: "estimate",
		id:     "w.id",
		words:  orderOf,
	},
	ports.OrderToShip: {
		table:  "orders",
		where:  "status = 'confirmed' AND fulfillment_status = 'processing'",
		at:     "created_at",
		amount: "total",
		late:   "count(CASE WHEN substr(%[1]s ->> 'ships_on', 1, 10) < $3 THEN 1 END)",
		due:    "min(substr(%[1]s ->> 'ships_on', 1, 10))",
		id:     "w.id",
		words:  "w.confirmation",
	},
	ports.SyncFailed: {
		table: `(
    SELECT i.project_id, i.id, (
      SELECT CASE WHEN r.status = 'failed' THEN r.ended_at END
      FROM sync_runs AS r
      WHERE r.project_id = i.project_id
        AND r.integration_id = i.id
        AND NOT r.preview
      ORDER BY r.started_at DESC, r.id DESC
      LIMIT 1
    ) AS failed_at, i.type
    FROM integrations AS i
    WHERE i.project_id = $1
  )`,
		where: "failed_at IS NOT NULL",
		at:    "failed_at",
		id:    "w.id",
		words: "w.type",
	},
	ports.SubscriptionDisabled: {
		table: "event_subscriptions",
		where: "status = 'disabled' AND reason NOT IN ('', 'merchant')",
		at:    "updated_at",
		id:    "w.id",
		words: "w.reason",
	},
	ports.WorkSetAside: {
		table: "jobs_set_aside",
		where: "TRUE",
		at:    "first_at",
		id:    "''",
		words: "w.queue",
	},
}

// query is one row, or none if nothing waits.
func (s source) query(d db.Dialect, kind ports.WaitingKind) string {
	amount, late, due := "CAST(NULL AS BIGINT)", "0", "CAST(NULL AS TEXT)"
	dueBy := cmp.Or(s.dueBy, "CAST(NULL AS BIGINT)")
	if s.amount != "" {
		amount = "CAST(sum(CASE WHEN currency = $2 THEN " + s.amount + " END) AS BIGINT)"
	}
	if s.late != "" {
		fulfillment := d.JsonOf("fulfillment")
		late, due = fmt.Sprintf(s.late, fulfillment), fmt.Sprintf(s.due, fulfillment)
	}
	oldest := func(what string) string {
		return fmt.Sprintf("(SELECT %s FROM %s AS w WHERE project_id = $1 AND %s ORDER BY %s LIMIT 1)", what, s.table, s.where, s.at)
	}
	return fmt.Sprintf(`
SELECT '%s' AS kind, count(*) AS waiting, min(%s) AS oldest, %s AS amount, %s AS late, %s AS ships_on, %s AS due_by, %s AS example, %s AS words
FROM %s AS v
WHERE project_id = $1
  AND %s
HAVING count(*) > 0`, kind, s.at, amount, late, due, dueBy, oldest(s.id), oldest(s.words), s.table, s.where)
}

type waitingRow struct {
	Kind    string
	Waiting int
	Oldest  time.Time
	Amount  int64 `db:",null"`
	Late    int
	ShipsOn string    `db:",null"`
	DueBy   time.Time `db:",null"`
	Example string
	Words   string `db:",null"`
}

// selectAttempts reads the amounts of unresolved payments, which no column has.
const selectAttempts = "\nSELECT %s\nFROM checkouts\nWHERE project_id = $1\n  AND %s\nLIMIT 1000"

type attemptRow struct{ Checkout purchase.DecodedCheckout }

func (v Attention) Waiting(ctx context.Context, project id.Project, kinds []ports.WaitingKind, in money.Currency, today string) ([]ports.Waiting, error) {
	if len(kinds) == 0 {
		return nil, nil
	}
	var queries []string
	for _, kind := range kinds {
		queries = append(queries, sources[kind].query(v.Store.Dialect, kind))
	}
	text := strings.Join(queries, "\nUNION ALL")
	args := []any{project, in.Code(), today}
	var rows []waitingRow
	var attempts []attemptRow
	b := v.Store.Read(project)
	b.Query(&rows, "SELECT kind, waiting, oldest, amount, late, ships_on, due_by, example, words FROM ("+text+"\n) AS found\nWHERE $2 <> '' AND $3 <> ''", args...)
	if slices.Contains(kinds, ports.PaymentUnresolved) {
		b.Query(&attempts, fmt.Sprintf(selectAttempts, purchase.CheckoutColumns, finance.UnresolvedPayment), project)
	}
	if err := b.Run(ctx); err != nil {
		return nil, err
	}
	list := make([]ports.Waiting, len(rows))
	for i, r := range rows {
		list[i] = r.waiting(in)
		if list[i].Kind == ports.PaymentUnresolved {
			list[i].Amount = sumOf(attempts, in)
		}
	}
	slices.SortFunc(list, func(a, b ports.Waiting) int {
		return slices.Index(ports.WaitingKinds, a.Kind) - slices.Index(ports.WaitingKinds, b.Kind)
	})
	return list, nil
}

func (r waitingRow) waiting(in money.Currency) ports.Waiting {
	w := ports.Waiting{
		Kind:    ports.WaitingKind(r.Kind),
		Count:   r.Waiting,
		Oldest:  r.Oldest,
		Late:    r.Late,
		ShipsOn: r.ShipsOn,
		DueBy:   r.DueBy,
		Example: r.Example,
		Words:   r.Words,
	}
	if r.Amount != 0 {
		w.Amount = new(money.Of(r.Amount, in))
	}
	return w
}

// sumOf leaves out rows that cannot be read, because the job that works on them reports them.
func sumOf(attempts []attemptRow, in money.Currency) *money.Amount {
	sum := money.Zero(in)
	for _, r := range attempts {
		if r.Checkout.Err != nil {
			continue
		}
		if more, err := sum.Add(purchase.FromCheckoutRow(r.Checkout.Value).Charge().Amount); err == nil {
			sum = more
		}
	}
	if !sum.IsPositive() {
		return nil
	}
	return &sum
}
