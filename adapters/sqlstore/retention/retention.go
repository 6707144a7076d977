// Package retention removes records after their retention period, and finds and erases the stored personal data of
// buyers (GDPR). It does not decide how long a record is kept.
package retention

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/accounts"
	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/db"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/ports"
)

// Retention removes records after their retention period.
type Retention struct{ Store *db.DB }

var (
	_ ports.Retention          = Retention{}
	_ ports.Sealed[id.Project] = Retention{}
)

const (

	// selectDueRetention is completed by the database's clock and the clause that skips locked rows.
	selectDueRetention = `
SELECT project_id
FROM retention
WHERE due_at <= %s
ORDER BY due_at
LIMIT $1%s`

	// leaseRetention is completed by the database's clock and the projects.
	leaseRetention = `
UPDATE retention
SET due_at = %s + $1
WHERE project_id IN `

	selectRetentionSettings = `
SELECT id, settings
FROM projects
WHERE status IN ('active', 'closed')
  AND id IN `

	// retainAgain is completed by the database's clock.
	retainAgain = `
UPDATE retention
SET due_at = %s
WHERE project_id = $1`
)

func (v Retention) Due(ctx context.Context, limit int) ([]ports.Keeping, error) {
	var list []ports.Keeping
	var unreadable error
	err := v.Store.InTx(ctx, db.AnyProject, func(t *db.Tx) error {
		list, unreadable = nil, nil
		var due []string
		if err := t.Select(ctx, &due, fmt.Sprintf(selectDueRetention, t.Dialect.Moment(), t.Dialect.SkipLocked), limit); err != nil || len(due) == 0 {
			return err
		}
		args := db.Args{ports.RetentionPause.Milliseconds()}
		lease := fmt.Sprintf(leaseRetention, t.Dialect.Moment()) + args.List(due)
		if _, err := t.Exec(ctx, lease, args...); err != nil {
			return err
		}
		args = nil
		query := selectRetentionSettings + args.List(due)
		var rows []struct{ ID, Settings string }
		if err := t.Select(ctx, &rows, query, args...); err != nil {
			return err
		}
		for _, r := range rows {
			settings, err := accounts.ReadSettings(r.Settings)
			if err != nil {
				unreadable = errors.Join(unreadable, fmt.Errorf("the settings of %s: %w", r.ID, err))
				continue
			}
			list = append(list, ports.Keeping{
				Project:   id.Stored[id.Project](r.ID),
				Retention: settings.Retention,
			})
		}
		return nil
	})
	return list, errors.Join(err, unreadable)
}

func (v Retention) Again(ctx context.Context, project id.Project) error {
	return v.Store.Exec(ctx, project, fmt.Sprintf(retainAgain, v.Store.Dialect.Moment()), project)
}

// removedAtOnce is the number of rows that a statement removes. It occupies SQLite's one writer for some milliseconds.
const removedAtOnce = 500

// aged are rows that are removed only because of their age. Where has $1 project and $3 the time before which they are
// removed, and the order in which an index finds them.
type aged struct{ Table, Where string }

var leftovers = map[ports.Leftover][]aged{
	ports.OldLostDeals: {{"analytics_lost", " WHERE project_id = $1 AND began < $3 ORDER BY began"}},
	ports.OldDeliveries: {
		{"deliveries", " WHERE project_id = $1 AND created_at < $3 AND due_at IS NULL ORDER BY created_at"},
	},
	ports.OldEvents: {{"outbox", ` WHERE project_id = $1 AND created_at < $3 AND due_at IS NULL AND NOT EXISTS (
  SELECT 1 FROM deliveries AS d WHERE d.project_id = outbox.project_id AND d.event_id = outbox.id AND d.due_at IS NOT NULL
) ORDER BY created_at`}},
	ports.OldLogs: {
		{"webhook_deliveries", " WHERE project_id = $1 AND received_at < $3 AND due_at IS NULL ORDER BY received_at"},
		{"sync_problems", " WHERE project_id = $1 AND noted_at < $3 ORDER BY noted_at"},
		{"sync_changes", " WHERE project_id = $1 AND noted_at < $3 ORDER BY noted_at"},
		{"stock_moves", " WHERE project_id = $1 AND created_at < $3 ORDER BY created_at"},
		{"sync_runs", " WHERE project_id = $1 AND started_at < $3 AND status <> 'running' ORDER BY started_at"},
	},
}

const (
	// removeAuditEvents is completed by the database's clock.
	removeAuditEvents = `
DELETE FROM audit_events
WHERE id IN (
  SELECT id
  FROM audit_events
  WHERE at < %s - $1
  ORDER BY at
  LIMIT $2
)`

	// noteEvents stores the time before which events were removed.
	noteEvents = `
UPDATE retention
SET events_until = $2
WHERE project_id = $1
  AND events_until < $2`
)

// RemoveAuditEvents uses the real clock even if a test has stopped the store's, as the database trigger that protects
// the log does.
func (v Retention) RemoveAuditEvents(ctx context.Context) (more bool, err error) {
	return db.InTx(ctx, v.Store, db.AnyProject, func(t *db.Tx) (bool, error) {
		rows, err := t.Exec(ctx, fmt.Sprintf(removeAuditEvents, t.Dialect.Clock), ports.AuditKept.Milliseconds(), removedAtOnce)
		return rows == removedAtOnce, err
	})
}

func (v Retention) Remove(ctx context.Context, project id.Project, what ports.Leftover, keep time.Duration, seals ports.Seals) (more bool, err error) {
	return db.InTx(ctx, v.Store, project, func(t *db.Tx) (bool, error) {
		now, err := t.Now(ctx)
		if err != nil {
			return false, err
		}
		before := now.Add(-keep)
		switch what {
		case ports.OldMessages:
			return eraseMessages(ctx, t, project, now, before)
		case ports.OldSessions:
			return sealRemoved(ctx, t, project, seals, (&ending{
				T:       t,
				Project: project,
				Now:     now,
				Keep:    keep,
			}).run)
		case ports.OldSlots:
			counting, err := (&counting{t, project, now}).run(ctx)
			if err != nil {
				return false, err
			}
			joining, err := (&joining{t, project, before}).run(ctx)
			return counting || joining, err
		case ports.OldEvents:
			return sealRemoved(ctx, t, project, seals, func(ctx context.Context) (bool, error) {
				return removeAged(ctx, t, project, what, before)
			})
		}
		return removeAged(ctx, t, project, what, before)
	})
}

// removeAged removes rows only because of their age.
func removeAged(ctx context.Context, t *db.Tx, project id.Project, what ports.Leftover, before time.Time) (more bool, err error) {
	for _, old := range leftovers[what] {
		rows, err := t.Exec(ctx, "DELETE FROM "+old.Table+"\nWHERE "+t.Dialect.SomeRows(old.Table, old.Where),
			project.String(), removedAtOnce, db.Millis(before))
		if err != nil {
			return false, err
		}
		more = more || rows == removedAtOnce
		if rows > 0 && what == ports.OldEvents {
			if _, err := t.Exec(ctx, noteEvents, project.String(), db.Millis(before)); err != nil {
				return false, err
			}
		}
	}
	return more, nil
}
