package finance

import (
	"context"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/db"
	"github.com/haggle-commerce/haggle/ports"
)

var _ ports.AccountBooks = Reconciliations{}

// accountBooked finds whether an integration that was connected earlier uses the same account now, the times up to
// which other integrations and all of them have booked its changes, and when this integration was connected.
const accountBooked = `
SELECT coalesce(max(CASE WHEN o.status <> 'disconnected' AND (o.created_at, o.project_id, o.id) < (i.created_at, i.project_id, i.id)
    THEN 1 ELSE 0 END), 0) AS earlier,
  coalesce(max(CASE WHEN (o.project_id, o.id) <> (i.project_id, i.id) THEN r.account_until END), 0) AS others,
  coalesce(max(r.account_until), 0) AS booked,
  coalesce(max(i.created_at), 0) AS connected
FROM integrations AS i
JOIN integrations AS o ON o.type = i.type AND o.account = i.account AND o.live = i.live
LEFT JOIN reconciliations AS r ON r.project_id = o.project_id AND r.integration_id = o.id
WHERE i.project_id = $1
  AND i.id = $2
  AND i.account <> ''`

// lockSharedBooks locks the comparisons of all integrations with one account: their changes of the account are booked one
// after the other. It is completed by the locking clause.
const lockSharedBooks = `
SELECT r.booked_until
FROM integrations AS i
JOIN integrations AS o ON o.type = i.type AND o.account = i.account AND o.live = i.live
JOIN reconciliations AS r ON r.project_id = o.project_id AND r.integration_id = o.id
WHERE i.project_id = $1
  AND i.id = $2
  AND i.account <> ''
ORDER BY r.project_id, r.integration_id`

// lockAccountBooks refuses to book changes of an account that other integrations book, or have booked since AccountBooked
// returned.
func lockAccountBooks(ctx context.Context, t *db.Tx, r *ports.Reconciliation) error {
	of := []any{r.Project, r.Route.Integration}
	lock := lockSharedBooks
	if t.Dialect.ForUpdate != "" {
		lock += "\nFOR UPDATE OF r"
	}
	var locked []int64
	if err := t.Select(ctx, &locked, lock, of...); err != nil {
		return err
	}
	var found accountBookedRow
	if _, err := t.Get(ctx, &found, accountBooked, of...); err != nil {
		return err
	}
	if found.Earlier > 0 || found.Others > max(0, db.Millis(r.Others)) {
		return t.Note(ctx, ports.ErrBookedElsewhere)
	}
	return nil
}

type accountBookedRow struct{ Earlier, Others, Booked, Connected int64 }

func (v Reconciliations) AccountBooked(ctx context.Context, r *ports.Reconciliation) (a ports.AccountBooked, err error) {
	found, err := db.First[accountBookedRow](ctx, v.Store.Read(db.AnyProject), accountBooked, r.Project, r.Route.Integration)
	if err != nil {
		return a, err
	}
	a = ports.AccountBooked{
		Books:  found.Earlier == 0,
		Others: db.Time(found.Others),
		Until:  r.Booked,
	}
	if stopped := db.Time(max(found.Booked, found.Connected)); found.Booked > 0 && stopped.Before(r.Booked) {
		a.Until = stopped
	}
	return a, nil
}
