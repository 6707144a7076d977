package analytics

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/db"
	"github.com/haggle-commerce/haggle/domain/analytics"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
)

// The number of sessions of a fold, which occupies SQLite's one writer for some milliseconds. A fold reads all of their
// decisions, so it takes fewer sessions if they have many, but at least one.
const (
	foldedAtOnce = 200
	readAtOnce   = 1_000 // decisions
	notedAtOnce  = 2_000 // records
)

const (
	// nextPendingProject goes on from a project, to one that has something to fold.
	nextPendingProject = `
SELECT project_id
FROM analytics_pending
WHERE project_id > $1
ORDER BY project_id
LIMIT 1`

	// HoldFolds locks a project's folds against each other and against its deletion.
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
)

func (v Analytics) Fold(ctx context.Context) (more bool, err error) {
	var failed error // one project's does not keep the others waiting
	for last := (id.Project{}); ctx.Err() == nil; {
		next, err := db.First[id.Project](ctx, v.Store.Read(db.AnyProject), nextPendingProject, last)
		if err != nil || next == nil {
			return more, errors.Join(failed, err)
		}
		last = *next
		full := false
		if err := fault.Survive(func() (err error) {
			full, err = v.FoldProject(ctx, last)
			return err
		}); err != nil {
			failed = errors.Join(failed, fmt.Errorf("the analytics of %s: %w", last, err))
		}
		more = more || full
	}
	return more, errors.Join(failed, ctx.Err())
}

func (v Analytics) FoldProject(ctx context.Context, project id.Project) (more bool, err error) {
	return db.InTx(ctx, v.Store, project, func(t *db.Tx) (bool, error) {
		if _, err := t.Exec(ctx, HoldFolds, project); err != nil {
			return false, err
		}
		f := folding{t, project}
		taken, more, err := f.take(ctx)
		if err != nil || len(taken) == 0 {
			return false, err
		}
		sessions, err := f.fresh(ctx, taken)
		if err != nil {
			return false, err
		}
		for _, part := range []func(context.Context, []analytics.Session) error{f.slots, f.lost, f.watch} {
			if err := part(ctx, sessions); err != nil {
				return false, err
			}
		}
		return more, nil
	})
}

// firstSessions are the first of the sessions, as many as are read at once.
func (f folding) firstSessions(ctx context.Context, ids []id.Session) ([]id.Session, error) {
	type row struct {
		Session   id.Session
		Decisions int
	}
	args := db.Args{f.project}
	query := fmt.Sprintf(selectLengths, args.List(db.Strings(ids)))
	rows, err := db.All[row](ctx, f.tx, query, args...)
	if err != nil {
		return nil, err
	}
	decisions := make(map[id.Session]int, len(rows))
	for _, r := range rows {
		decisions[r.Session] = r.Decisions
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

// slots adds the changes of the new records to the slots.
func (f folding) slots(ctx context.Context, sessions []analytics.Session) error {
	changes := map[time.Time]*analytics.Figures{}
	for _, s := range sessions {
		addFacts(changes, s, 1)
		addFacts(changes, s.Counted(), -1)
	}
	for part := range slices.Chunk(slices.Collect(maps.Keys(changes)), db.Listed) {
		args := db.Args{f.project}
		ats := make([]any, len(part))
		for i, at := range part {
			ats[i] = at
		}
		rows, err := db.All[SlotRow](ctx, f.tx, selectSomeSlots+args.Row(ats...), args...)
		if err != nil {
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
		values = append(values, []any{f.project, r.At, r.Figures, r.Products})
	}
	return f.tx.Insert(ctx, insertSlots, values, replaceSlots)
}

func addFacts(to map[time.Time]*analytics.Figures, s analytics.Session, times int64) {
	facts, _ := s.Facts()
	for _, fact := range facts {
		at := analytics.SlotOf(fact.At)
		if to[at] == nil {
			to[at] = &analytics.Figures{}
		}
		to[at].Add(fact.Figures, times)
	}
}

// lost replaces the lost deals of sessions.
func (f folding) lost(ctx context.Context, sessions []analytics.Session) error {
	var gone, news [][]any
	for _, s := range sessions {
		_, before := s.Counted().Facts()
		for _, l := range before {
			gone = append(gone, []any{l.Began, s.ID})
		}
		_, now := s.Facts()
		for _, l := range now {
			news = append(news, lost.Args(lostRow{f.project, l}))
		}
	}
	if err := f.forget(ctx, forgetLost, gone, "(CAST(%s AS BIGINT), %s)"); err != nil {
		return err
	}
	return f.tx.Insert(ctx, "INSERT INTO analytics_lost ("+lost.Columns()+")\nVALUES ", news, "")
}

// forget completes a statement by the pairs that it deletes. PostgreSQL cannot tell the types of their
// parameters.
func (f folding) forget(ctx context.Context, statement string, pairs [][]any, types string) error {
	for part := range slices.Chunk(pairs, f.tx.Dialect.MaxRows) {
		args := db.Args{f.project}
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

// watch stores the sessions in which the buyer made an offer, so that LateAnnouncements looks at their ends.
func (f folding) watch(ctx context.Context, sessions []analytics.Session) error {
	var haggled []id.Session
	for _, s := range sessions {
		if slices.ContainsFunc(s.Decisions, func(d analytics.Decision) bool { return d.Fresh && d.Offer != nil }) {
			haggled = append(haggled, s.ID)
		}
	}
	if len(haggled) == 0 {
		return nil
	}
	args := db.Args{f.project}
	query := fmt.Sprintf(insertHaggled, args.List(db.Strings(haggled)))
	_, err := f.tx.Exec(ctx, query, args...)
	return err
}
