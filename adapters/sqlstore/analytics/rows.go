package analytics

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/db"
	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/stored"
	"github.com/haggle-commerce/haggle/domain/agentid"
	"github.com/haggle-commerce/haggle/domain/analytics"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/negotiation"
)

const (
	// ofSessions is completed by the sessions.
	ofSessions = `
WHERE project_id = $1
  AND session_id IN %s`

	selectBegan = `
SELECT id, created_at, protocol
FROM sessions
WHERE project_id = $1
  AND id IN `

	// Costs are recorded with the inputs of decisions, and only count for deals.
	selectDecided = `
SELECT session_id, id, quote_id, product_id, variant_id, quantity, at, currency, offer, response,
  price, rule, agent_id, policy_version, handler, fallback, list_price, floor,
  CASE WHEN response = 'accept' THEN signals ELSE '{}' END AS signals
FROM decisions` + ofSessions + `
ORDER BY session_id, seq`

	selectOpened = `
SELECT session_id, id, lines
FROM checkouts` + ofSessions + `
ORDER BY id`

	selectOrdered = `
SELECT session_id, id, lines, total, created_at, protocol
FROM orders` + ofSessions + `
ORDER BY created_at, id`
)

var (
	lost = db.NewTable[lostRow]("analytics_lost", db.Columns{"Lost.List": "list_price"})
	_    = stored.JSON[analytics.Line](stored.Tags{"Line.List": "original"})
)

type BeganRow struct {
	ID        id.Session
	CreatedAt time.Time
}

type begunRow struct {
	BeganRow
	Protocol agentid.Protocol
}

type decidedRow struct {
	Decision analytics.Decision
	Outcome  negotiation.Outcome   `db:"response"`
	Policy   int                   `db:"policy_version"`
	List     int64                 `db:"list_price"`
	Signals  struct{ Cost *int64 } `db:",json"`
}

func (r decidedRow) decision() analytics.Decision {
	d := r.Decision
	d.Outcome, d.Policy, d.List, d.Cost = r.Outcome, r.Policy, r.List, r.Signals.Cost
	return d
}

type openedRow struct {
	Session id.Session
	ID      string
	Lines   []analytics.Line `db:",json"`
}

type orderedRow struct {
	openedRow
	Total     int64
	CreatedAt time.Time
	Protocol  agentid.Protocol
}

type lostRow struct {
	Project id.Project
	Lost    analytics.Lost
}

// Recorded reads the records of sessions, whether they are folded or not.
func Recorded(ctx context.Context, t *db.Tx, project id.Project, ids []id.Session) ([]analytics.Session, error) {
	return recorded(ctx, t, project, ids, nil)
}

// recorded also marks new records. It reads orders first, so that the decisions that they refer to exist when decisions
// are read, even if each statement sees a later state.
func recorded(ctx context.Context, t *db.Tx, project id.Project, ids []id.Session, fresh notes) ([]analytics.Session, error) {
	var all []analytics.Session
	for part := range slices.Chunk(ids, db.Listed) {
		var began []begunRow
		var ordered []orderedRow
		var opened []openedRow
		var decided []decidedRow
		args := db.Args{project}
		in := args.List(db.Strings(part))
		for _, s := range []struct {
			into  any
			query string
		}{
			{&ordered, fmt.Sprintf(selectOrdered, in)},
			{&opened, fmt.Sprintf(selectOpened, in)},
			{&decided, fmt.Sprintf(selectDecided, in)},
			{&began, selectBegan + in},
		} {
			if err := t.Select(ctx, s.into, s.query, args...); err != nil {
				return nil, err
			}
		}
		all = append(all, gathered(began, decided, opened, ordered, fresh)...)
	}
	return all, nil
}

// gathered groups records by session. There may be none, because a project may be deleted meanwhile.
func gathered(began []begunRow, decided []decidedRow, opened []openedRow, ordered []orderedRow, fresh notes) []analytics.Session {
	sessions := make([]analytics.Session, len(began))
	of := make(map[id.Session]*analytics.Session, len(began))
	for i, r := range began {
		sessions[i] = analytics.Session{
			ID:       r.ID,
			Began:    r.CreatedAt,
			Protocol: r.Protocol,
		}
		of[r.ID] = &sessions[i]
	}
	for _, r := range decided {
		if s := of[r.Decision.Item.Session]; s != nil {
			d := r.decision()
			d.Fresh = fresh.has(s.ID, d.ID)
			s.Decisions = append(s.Decisions, d)
		}
	}
	for _, r := range opened {
		c := analytics.Checkout{ID: r.ID, Fresh: fresh.has(r.Session, r.ID)}
		for _, l := range r.Lines {
			c.Quotes = append(c.Quotes, l.Quote)
		}
		if s := of[r.Session]; s != nil {
			s.Checkouts = append(s.Checkouts, c)
		}
	}
	for _, r := range ordered {
		o := analytics.Order{
			ID:       r.ID,
			Fresh:    fresh.has(r.Session, r.ID),
			At:       r.CreatedAt,
			Gross:    r.Total,
			Protocol: r.Protocol,
			Lines:    r.Lines,
		}
		if s := of[r.Session]; s != nil {
			s.Orders = append(s.Orders, o)
		}
	}
	return sessions
}
