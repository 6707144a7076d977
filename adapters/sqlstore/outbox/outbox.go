// Package outbox stores events with the state that they announce. Package events delivers them.
package outbox

import (
	"context"

	"github.com/haggle-commerce/haggle/adapters/delivery/payload"
	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/db"
	"github.com/haggle-commerce/haggle/domain/event"
)

// InsertEvent stores an event as of the database's time, which a subscription's activation is compared with. It is due
// at once if it may have a recipient: if $7, if an order has a hook for it, if there is an event bus, or if an active
// subscription of the project wants its type. Of a project that is not active, only events that $5 allows are stored.
//
// The project's row is locked against the activation of a subscription (events.lockAudience). If one is committed while
// this waits, the row is read again, so the event is due.
func InsertEvent(d db.Dialect) string {
	wanted := `$7 OR $8 <> '' OR p.event_types LIKE '%"*"%' OR p.event_types LIKE '%"' || $3 || '"%'`
	if d.EventBus {
		wanted += " OR TRUE"
	}
	return `
INSERT INTO outbox (project_id, id, type, payload, created_at, due_at, attempts, subject, hook)
SELECT $1, $2, $3, $4, clock.now,
  CASE WHEN ` + wanted + ` THEN clock.now END, 0, $6, $8
FROM projects AS p, (SELECT ` + d.Moment() + ` AS now) AS clock
WHERE p.id = $1
  AND ($5 OR p.status = 'active')` + d.ForKeyShareOf("p")
}

// EventArgs are the arguments of InsertEvent. Alerts may go to people.
func EventArgs(e *event.Event) ([]any, error) {
	body, subject, err := payload.EncodeEvent(e)
	if err != nil {
		return nil, err
	}
	t := e.Data.Type()
	return []any{e.Project.String(), e.ID.String(), t.String(), body, t.AfterClosing(), subject, t.Alerts(), e.Hook.String()}, nil
}

// Effects returns the effects that store an event; none if it is nil. One that cannot be encoded fails the statement.
func Effects(d db.Dialect, e *event.Event) []db.Effect {
	if e == nil {
		return nil
	}
	args, err := EventArgs(e)
	if err != nil {
		args = []any{err}
	}
	return []db.Effect{{
		Statement: InsertEvent(d),
		Args:      args,
		Rows:      db.AnyRows,
	}}
}

// AnnounceEvent stores an event.
func AnnounceEvent(ctx context.Context, t *db.Tx, e *event.Event) error {
	args, err := EventArgs(e)
	if err != nil {
		return t.Note(ctx, err)
	}
	_, err = t.Exec(ctx, InsertEvent(t.Dialect), args...)
	return err
}
