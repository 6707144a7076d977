package analytics

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/db"
	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/stored"
	"github.com/haggle-commerce/haggle/domain/analytics"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/negotiation"
)

const (
	// noted joins a record r of the sessions %s with the note that it waits to be folded. The two are committed
	// together, so one statement sees both or neither.
	noted = `
LEFT JOIN analytics_pending AS p
  ON p.project_id = r.project_id
  AND p.session_id = r.session_id
  AND p.record_id = r.id
  AND p.session_id IN %s
WHERE r.project_id = $1
  AND r.session_id IN %s`

	selectBegan = `
SELECT id, created_at
FROM sessions
WHERE project_id = $1
  AND id IN `

	// Costs are recorded with the inputs of decisions, and matter of deals.
	selectTold = `
SELECT r.session_id, r.id, r.quote_id, r.product_id, r.variant_id, r.quantity, r.at, r.currency, r.offer, r.response,
  r.price, r.rule, r.agent_id, r.policy_version, r.handler, r.fallback, r.list_price, r.floor,
  CASE WHEN r.response = 'accept' THEN r.signals ELSE '{}' END AS signals,
  p.record_id IS NOT NULL AS fresh
FROM decisions AS r` + noted + `
ORDER BY r.session_id, r.seq`

	selectOpened = `
SELECT r.session_id, r.id, r.lines,
  p.record_id IS NOT NULL AS fresh
FROM checkouts AS r` + noted + `
ORDER BY r.id`

	selectOrdered = `
SELECT r.session_id, r.id, r.lines, r.total, r.created_at,
  p.record_id IS NOT NULL AS fresh
FROM orders AS r` + noted + `
ORDER BY r.created_at, r.id`
)

var (
	lost = db.NewTable[lostRow]("analytics_lost", db.Columns{"Lost.List": "list_price"})
	_    = stored.JSON[analytics.Line](stored.Tags{"Line.List": "original"})
)

type BeganRow struct {
	ID        id.Session
	CreatedAt time.Time
}

type toldRow struct {
	Decision analytics.Decision
	Outcome  negotiation.Outcome   `db:"response"`
	Policy   int                   `db:"policy_version"`
	List     int64                 `db:"list_price"`
	Signals  struct{ Cost *int64 } `db:",json"`
}

func (r toldRow) decision() analytics.Decision {
	d := r.Decision
	d.Outcome, d.Policy, d.List, d.Cost = r.Outcome, r.Policy, r.List, r.Signals.Cost
	return d
}

type openedRow struct {
	Session id.Session
	ID      string
	Lines   []analytics.Line `db:",json"`
	Fresh   bool
}

type orderedRow struct {
	openedRow
	Total     int64
	CreatedAt time.Time
}

type lostRow struct {
	Project id.Project
	Lost    analytics.Lost
}

// Recorded reads the records of sessions. Orders come first: what an order refers to is there when the
// decisions are read, also where each statement sees a later state.
func Recorded(ctx context.Context, t *db.Tx, project id.Project, ids []id.Session) ([]analytics.Session, error) {
	var all []analytics.Session
	for part := range slices.Chunk(ids, db.Listed) {
		var began []BeganRow
		var ordered []orderedRow
		var opened []openedRow
		var told []toldRow
		args := db.Args{project}
		in := args.List(db.Strings(part))
		for _, s := range []struct {
			into  any
			query string
		}{
			{&ordered, strings.ReplaceAll(selectOrdered, "%s", in)},
			{&opened, strings.ReplaceAll(selectOpened, "%s", in)},
			{&told, strings.ReplaceAll(selectTold, "%s", in)},
			{&began, selectBegan + in},
		} {
			if err := t.Select(ctx, s.into, s.query, args...); err != nil {
				return nil, err
			}
		}
		all = append(all, gathered(began, told, opened, ordered)...)
	}
	return all, nil
}

// gathered puts records into their sessions. There may be none: a project may be deleted meanwhile.
func gathered(began []BeganRow, told []toldRow, opened []openedRow, ordered []orderedRow) []analytics.Session {
	sessions := make([]analytics.Session, len(began))
	of := make(map[id.Session]*analytics.Session, len(began))
	for i, r := range began {
		sessions[i] = analytics.Session{ID: r.ID, Began: r.CreatedAt}
		of[r.ID] = &sessions[i]
	}
	for _, r := range told {
		if s := of[r.Decision.Item.Session]; s != nil {
			s.Decisions = append(s.Decisions, r.decision())
		}
	}
	for _, r := range opened {
		c := analytics.Checkout{ID: r.ID, Fresh: r.Fresh}
		for _, l := range r.Lines {
			c.Quotes = append(c.Quotes, l.Quote)
		}
		if s := of[r.Session]; s != nil {
			s.Checkouts = append(s.Checkouts, c)
		}
	}
	for _, r := range ordered {
		o := analytics.Order{ID: r.ID, Fresh: r.Fresh, At: r.CreatedAt, Gross: r.Total, Lines: r.Lines}
		if s := of[r.Session]; s != nil {
			s.Orders = append(s.Orders, o)
		}
	}
	return sessions
}
