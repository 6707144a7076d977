package retention

import (
	"context"
	"fmt"
	"time"

	analyticsstore "github.com/haggle-commerce/haggle/adapters/sqlstore/analytics"
	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/db"
	"github.com/haggle-commerce/haggle/domain/agentid"
	"github.com/haggle-commerce/haggle/domain/analytics"
	"github.com/haggle-commerce/haggle/domain/id"
)

const (
	// sessionsAtOnce is the number of sessions that a transaction looks at.
	sessionsAtOnce = 200

	// attemptsKept is how long a session with a payment attempt at a provider of real money is kept: a charge may turn
	// up late, and its checkout is needed to refund it.
	attemptsKept = 180 * 24 * time.Hour

	// heldAgain is the pause before a session that cannot be removed yet is looked at again.
	heldAgain = 6 * time.Hour
)

const (
	selectSessionsSeen = `
SELECT sessions_at, sessions_id
FROM retention
WHERE project_id = $1`

	// selectSessionsNext goes on where it was left, in the order in which sessions began.
	selectSessionsNext = `
SELECT id, created_at
FROM sessions
WHERE project_id = $1
  AND created_at >= $2
  AND created_at < $3
  AND (created_at, id) > ($2, $4)
ORDER BY created_at, id
LIMIT $5`

	noteSessionsSeen = `
UPDATE retention
SET sessions_at = $2, sessions_id = $3
WHERE project_id = $1`

	noteSessionsGone = `
UPDATE retention
SET sessions_until = $2
WHERE project_id = $1
  AND sessions_until < $2`

	selectSessionsHeld = `
SELECT session_id
FROM sessions_held
WHERE project_id = $1
  AND due_at <= $2
ORDER BY due_at
LIMIT $3`

	// judgeSessions is completed by the sessions. dealt keeps a session permanently, busy for now.
	judgeSessions = `
SELECT s.id, s.created_at, s.expires_at, s.protocol,
  EXISTS (
    SELECT 1 FROM orders AS o WHERE o.project_id = s.project_id AND o.session_id = s.id
  ) OR EXISTS (
    SELECT 1
    FROM checkouts AS c
    JOIN orphan_charges AS x ON x.project_id = c.project_id AND x.checkout_id = c.id
    WHERE c.project_id = s.project_id AND c.session_id = s.id
  ) AS dealt,
  EXISTS (
    SELECT 1
    FROM checkouts AS c
    WHERE c.project_id = s.project_id
      AND c.session_id = s.id
      AND (c.status IN ('incomplete', 'ready', 'pending', 'processing') OR c.attempt > 0 AND c.queue <> c.project_id || '/sandbox' AND s.expires_at > $2)
  ) OR s.id IN (
    SELECT session_id FROM analytics_pending WHERE project_id = $1
  ) OR EXISTS (
    SELECT 1 FROM haggled_sessions AS h WHERE h.project_id = s.project_id AND h.session_id = s.id
  ) AS busy
FROM sessions AS s
WHERE s.project_id = $1
  AND s.id IN `

	holdSessions = `
INSERT INTO sessions_held (project_id, session_id, due_at)
VALUES `

	holdLonger = `
ON CONFLICT (project_id, session_id) DO UPDATE
SET due_at = excluded.due_at`

	selectTried = `
SELECT id
FROM checkouts
WHERE project_id = $1
  AND attempt > 0
  AND session_id IN `

	selectClosed = `
SELECT status = 'closed'
FROM projects
WHERE id = $1`
)

// ending removes ended sessions of a project, with their records. It looks at sessions in the order in which they
// began, each once; those that cannot be removed yet are noted, and looked at again.
type ending struct {
	T       *db.Tx
	Project id.Project
	Now     time.Time
	Keep    time.Duration
	closed  bool // it has no analytics
}

type endedRow struct {
	ID        string
	CreatedAt int64 `db:"created_at"`
	ExpiresAt int64 `db:"expires_at"`
	Protocol  agentid.Protocol
	Dealt     bool
	Busy      bool
}

func (e *ending) run(ctx context.Context) (more bool, err error) {
	if _, err := e.T.Get(ctx, &e.closed, selectClosed, e.Project.String()); err != nil {
		return false, err
	}
	held, err := e.held(ctx)
	if err != nil {
		return false, err
	}
	next, err := e.next(ctx)
	return held || next, err
}

func (e *ending) held(ctx context.Context) (more bool, err error) {
	var due []string
	err = e.T.Select(ctx, &due, selectSessionsHeld, e.Project.String(), db.Millis(e.Now), sessionsAtOnce)
	if err != nil || len(due) == 0 {
		return false, err
	}
	return len(due) == sessionsAtOnce, e.judge(ctx, due, true)
}

func (e *ending) next(ctx context.Context) (more bool, err error) {
	var seen struct {
		At int64  `db:"sessions_at"`
		ID string `db:"sessions_id"`
	}
	found, err := e.T.Get(ctx, &seen, selectSessionsSeen+e.T.Dialect.SkipLocked, e.Project.String())
	if err != nil || !found {
		return false, err
	}
	var rows []analyticsstore.BeganRow
	err = e.T.Select(ctx, &rows, selectSessionsNext, e.Project.String(), seen.At, db.Millis(e.Now.Add(-e.Keep)), seen.ID, sessionsAtOnce)
	if err != nil || len(rows) == 0 {
		return false, err
	}
	ids := make([]string, len(rows))
	for i, r := range rows {
		ids[i] = r.ID.String()
	}
	if err := e.judge(ctx, ids, false); err != nil {
		return false, err
	}
	last := rows[len(rows)-1]
	_, err = e.T.Exec(ctx, noteSessionsSeen, e.Project.String(), last.CreatedAt, last.ID)
	return len(rows) == sessionsAtOnce, err
}

// judge removes those of the sessions that can be removed, and notes the others. again means that they were noted
// before.
func (e *ending) judge(ctx context.Context, ids []string, again bool) error {
	args := db.Args{e.Project.String(), db.Millis(e.Now.Add(-attemptsKept))}
	query := judgeSessions + args.List(ids)
	var rows []endedRow
	if err := e.T.Select(ctx, &rows, query, args...); err != nil {
		return err
	}
	var over []endedRow
	var later [][]any
	busy := map[string]bool{}
	for _, r := range rows {
		end := db.Time(r.ExpiresAt).Add(e.Keep)
		switch {
		case r.Dealt:
		case end.After(e.Now):
			later = append(later, []any{e.Project.String(), r.ID, db.Millis(end)})
		case r.Busy:
			later = append(later, []any{e.Project.String(), r.ID, db.Millis(e.Now.Add(heldAgain))})
		default:
			over = append(over, r)
			continue
		}
		busy[r.ID] = !r.Dealt
	}
	if again {
		var done []string
		for _, session := range ids {
			if !busy[session] {
				done = append(done, session)
			}
		}
		if err := e.remove(ctx, "sessions_held", "session_id", done, ""); err != nil {
			return err
		}
	}
	if err := e.T.Insert(ctx, holdSessions, later, holdLonger); err != nil {
		return err
	}
	return e.end(ctx, over)
}

// end removes sessions. Rows that refer to others are removed first.
func (e *ending) end(ctx context.Context, over []endedRow) error {
	if len(over) == 0 {
		return nil
	}
	ids := make([]string, len(over))
	for i, r := range over {
		ids[i] = r.ID
	}
	if err := e.Count(ctx, over); err != nil {
		return err
	}
	if err := e.sandbox(ctx, ids); err != nil {
		return err
	}
	for _, of := range []struct{ table, column, where string }{
		{"shown", "session_id", ""},
		{"cart_items", "session_id", ""},
		{"quotes", "session_id", "\n  AND redeemed_by = ''"},
		{"checkouts", "session_id", ""},
		{"sessions", "id", ""},
	} {
		if err := e.remove(ctx, of.table, of.column, ids, of.where); err != nil {
			return err
		}
	}
	_, err := e.T.Exec(ctx, noteSessionsGone, e.Project.String(), db.Millis(e.Now.Add(-e.Keep)))
	return err
}

func (e *ending) remove(ctx context.Context, table, column string, values []string, where string) error {
	if len(values) == 0 {
		return nil
	}
	args := db.Args{e.Project.String()}
	statement := "\nDELETE FROM " + table + "\nWHERE project_id = $1\n  AND " + column + " IN " + args.List(values) + where
	_, err := e.T.Exec(ctx, statement, args...)
	return err
}

// Count adds sessions that are not counted yet to the slots in which they began. It waits for folds, which write the
// same rows.
func (e *ending) Count(ctx context.Context, over []endedRow) error {
	if e.closed {
		return nil
	}
	if _, err := e.T.Exec(ctx, analyticsstore.HoldFolds, e.Project); err != nil {
		return err
	}
	var counted int64
	if _, err := e.T.Get(ctx, &counted, selectSessionsCounted, e.Project); err != nil {
		return err
	}
	began := map[int64]*begun{}
	for _, r := range over {
		if r.CreatedAt < counted {
			continue
		}
		at := db.Millis(analytics.SlotOf(db.Time(r.CreatedAt)))
		if began[at] == nil {
			began[at] = &begun{}
		}
		began[at].add(r.Protocol, 1)
	}
	return addBegun(ctx, e.T, e.Project, began)
}

// sandbox removes the sandbox provider's records of payments that were not made. Their keys begin with the checkout's
// id.
func (e *ending) sandbox(ctx context.Context, sessions []string) error {
	args := db.Args{e.Project.String()}
	query := selectTried + args.List(sessions)
	var tried []string
	if err := e.T.Select(ctx, &tried, query, args...); err != nil {
		return err
	}
	for _, checkout := range tried {
		for _, statement := range []string{
			"DELETE FROM sandbox_charges WHERE project_id = $1 AND key > $2 AND key < $3 AND result <> 'paid'",
			"DELETE FROM sandbox_failures WHERE project_id = $1 AND key > $2 AND key < $3",
		} {
			if _, err := e.T.Exec(ctx, statement, e.Project.String(), checkout, checkout+"~"); err != nil {
				return fmt.Errorf("the sandbox's payments of %s: %w", checkout, err)
			}
		}
	}
	return nil
}
