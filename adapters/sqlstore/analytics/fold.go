package analytics

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/db"
	"github.com/haggle-commerce/haggle/domain/analytics"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
)

// A fold takes so many sessions, which keeps SQLite's one writer for some milliseconds. It reads all that was said in
// them, so it takes fewer where that is much, but one at least.
const (
	foldedAtOnce = 200
	readAtOnce   = 1_000 // decisions
)

const (
	// nextPendingProject goes on from a project, to one that has something to fold.
	nextPendingProject = `
SELECT project_id
FROM analytics_pending
WHERE project_id > $1
ORDER BY project_id
LIMIT 1`

	// HoldFolds makes folds of a project wait for each other, and for its deletion.
	HoldFolds = `
INSERT INTO analytics_folds (project_id, folds)
VALUES ($1, 1)
ON CONFLICT (project_id) DO UPDATE
SET folds = analytics_folds.folds + 1`

	// selectLengths counts decisions by the last one's number.
	selectLengths = `
SELECT session_id, max(seq) AS decisions
FROM decisions
WHERE project_id = $1
  AND session_id IN %s
GROUP BY session_id`

	selectSomeSlots = `
SELECT at, figures, products
FROM analytics_slots
WHERE project_id = $1
  AND at IN `

	insertSlots = `
INSERT INTO analytics_slots (project_id, at, figures, products)
VALUES `

	replaceSlots = `
ON CONFLICT (project_id, at) DO UPDATE
SET figures = excluded.figures, products = excluded.products`

	forgetLost = `
DELETE FROM analytics_lost
WHERE project_id = $1
  AND (began, session_id) IN (VALUES `

	insertLost = `
INSERT INTO analytics_lost (project_id, began, session_id, product_id, variant_id, quantity, last, currency, best,
  standing, list_price, floor)
VALUES `

	forgetPending = `
DELETE FROM analytics_pending
WHERE project_id = $1
  AND (session_id, record_id) IN (VALUES `
)

func (v Analytics) Fold(ctx context.Context) (more bool, err error) {
	var failed error // one project's does not keep the others waiting
	for last := ""; ctx.Err() == nil; {
		var next []struct {
			ProjectID string `db:"project_id"`
		}
		b := v.store.Read(db.AnyProject)
		b.Query(&next, nextPendingProject, last)
		if err := b.Run(ctx); err != nil || len(next) == 0 {
			return more, errors.Join(failed, err)
		}
		last = next[0].ProjectID
		full := false
		err := fault.Survive(func() (err error) {
			full, err = v.FoldProject(ctx, id.Stored[id.Project](last))
			return err
		})
		if err != nil {
			failed = errors.Join(failed, fmt.Errorf("the analytics of %s: %w", last, err))
			continue
		}
		more = more || full
	}
	return more, errors.Join(failed, ctx.Err())
}

func (v Analytics) FoldProject(ctx context.Context, project id.Project) (full bool, err error) {
	err = v.store.InTx(ctx, project, func(t *db.Tx) error {
		if _, err := t.Exec(ctx, HoldFolds, project.String()); err != nil {
			return err
		}
		var ids []string
		if err := t.Select(ctx, &ids, selectPendingSessions, project.String(), foldedAtOnce); err != nil {
			return err
		}
		some, err := atOnce(ctx, t, project, ids)
		if err != nil {
			return err
		}
		sessions, err := Recorded(ctx, t, project, some)
		if err != nil {
			return err
		}
		full = len(some) < len(ids) || len(sessions) == foldedAtOnce
		f := folding{t, project}
		if err := f.slots(ctx, sessions); err != nil {
			return err
		}
		if err := f.lost(ctx, sessions); err != nil {
			return err
		}
		if err := f.watch(ctx, sessions); err != nil {
			return err
		}
		return f.done(ctx, sessions)
	})
	return full, err
}

// atOnce are the first of the sessions, as many as are read at once.
func atOnce(ctx context.Context, t *db.Tx, project id.Project, ids []string) ([]string, error) {
	if len(ids) == 0 { // somebody else was faster
		return nil, nil
	}
	args := db.Args{project.String()}
	query := fmt.Sprintf(selectLengths, args.List(ids))
	var rows []struct {
		SessionID string `db:"session_id"`
		Decisions int
	}
	if err := t.Select(ctx, &rows, query, args...); err != nil {
		return nil, err
	}
	decisions := make(map[string]int, len(rows))
	for _, r := range rows {
		decisions[r.SessionID] = r.Decisions
	}
	read := 0
	for i, one := range ids {
		if read += decisions[one]; read > readAtOnce && i > 0 {
			return ids[:i], nil
		}
	}
	return ids, nil
}

// folding is one fold's transaction.
type folding struct {
	tx      *db.Tx
	project id.Project
}

// slots adds to the slots what the fresh records change.
func (f folding) slots(ctx context.Context, sessions []analytics.Session) error {
	changes := map[int64]*analytics.Figures{}
	for _, s := range sessions {
		addFacts(changes, s, 1)
		addFacts(changes, s.Counted(), -1)
	}
	var ats []any
	for at := range changes {
		ats = append(ats, at)
	}
	for part := range slices.Chunk(ats, db.Listed) {
		args := db.Args{f.project.String()}
		query := selectSomeSlots + args.Row(part...)
		var rows []SlotRow
		if err := f.tx.Select(ctx, &rows, query, args...); err != nil {
			return err
		}
		for _, r := range rows {
			kept, err := FromSlotRow(r)
			if err != nil {
				return err
			}
			changes[r.At].Add(kept, 1)
		}
	}
	var values [][]any
	for at, figures := range changes {
		r := ToSlotRow(at, *figures)
		values = append(values, []any{f.project.String(), r.At, r.Figures, r.Products})
	}
	return f.tx.Insert(ctx, insertSlots, values, replaceSlots)
}

func addFacts(to map[int64]*analytics.Figures, s analytics.Session, times int64) {
	facts, _ := s.Tell()
	for _, fact := range facts {
		at := db.Millis(analytics.SlotOf(fact.At))
		if to[at] == nil {
			to[at] = &analytics.Figures{}
		}
		to[at].Add(fact.Figures, times)
	}
}

// lost puts the deals that sessions lost in the place of those that they had lost before.
func (f folding) lost(ctx context.Context, sessions []analytics.Session) error {
	var gone, news [][]any
	for _, s := range sessions {
		_, before := s.Counted().Tell()
		for _, l := range before {
			gone = append(gone, []any{db.Millis(l.Began), s.ID.String()})
		}
		_, now := s.Tell()
		for _, l := range now {
			news = append(news, lostValues(f.project, l))
		}
	}
	if err := f.forget(ctx, forgetLost, gone, "(CAST(%s AS BIGINT), %s)"); err != nil {
		return err
	}
	return f.tx.Insert(ctx, insertLost, news, "")
}

// done takes away the notes of the records that are counted now.
func (f folding) done(ctx context.Context, sessions []analytics.Session) error {
	var counted [][]any
	note := func(fresh bool, s id.Session, record string) {
		if fresh {
			counted = append(counted, []any{s.String(), record})
		}
	}
	for _, s := range sessions {
		for _, d := range s.Decisions {
			note(d.Fresh, s.ID, d.ID)
		}
		for _, c := range s.Checkouts {
			note(c.Fresh, s.ID, c.ID)
		}
		for _, o := range s.Orders {
			note(o.Fresh, s.ID, o.ID)
		}
	}
	return f.forget(ctx, forgetPending, counted, "(%s, %s)")
}

// forget completes a statement by the pairs that it deletes. PostgreSQL cannot tell the types of their
// parameters.
func (f folding) forget(ctx context.Context, statement string, pairs [][]any, types string) error {
	for part := range slices.Chunk(pairs, f.tx.Dialect.MaxRows) {
		args := db.Args{f.project.String()}
		rows := make([]string, len(part))
		for i, pair := range part {
			rows[i] = fmt.Sprintf(types, args.Add(pair[0]), args.Add(pair[1]))
		}
		if _, err := f.tx.Exec(ctx, statement+strings.Join(rows, ", ")+")", args...); err != nil {
			return err
		}
	}
	return nil
}

// insertHaggled is completed by the sessions.
const insertHaggled = `
INSERT INTO haggled_sessions (project_id, session_id, due_at)
SELECT project_id, id, expires_at
FROM sessions
WHERE project_id = $1
  AND id IN %s
ON CONFLICT DO NOTHING`

// watch has the ends of sessions announced in which the buyer made an offer.
func (f folding) watch(ctx context.Context, sessions []analytics.Session) error {
	var haggled []string
	for _, s := range sessions {
		if slices.ContainsFunc(s.Decisions, func(d analytics.Decision) bool { return d.Fresh && d.Offer != nil }) {
			haggled = append(haggled, s.ID.String())
		}
	}
	if len(haggled) == 0 {
		return nil
	}
	args := db.Args{f.project.String()}
	query := fmt.Sprintf(insertHaggled, args.List(haggled))
	_, err := f.tx.Exec(ctx, query, args...)
	return err
}
