package sqlstore

import (
	"context"
	"fmt"

	"github.com/haggle-commerce/haggle/domain/event"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/ports"
)

var _ ports.Deliveries = Events{}

const (
	deliveryColumns = `project_id, id, event_id, type, queue, status, attempts, tries, since, due_at, last_code, last_error,
  created_at, delivered_at`

	insertDeliveries = `
INSERT INTO deliveries (` + deliveryColumns + `)
VALUES `

	// insertDone is an event whose deliveries are made already.
	insertDone = `
INSERT INTO outbox (project_id, id, type, payload, created_at, attempts)
VALUES ($1, $2, $3, $4, %s, 0)
RETURNING created_at`

	selectDeliveries = `
SELECT ` + deliveryColumns + `
FROM deliveries
WHERE project_id = $1
  AND queue = $2`

	countDeliveries = `
SELECT count(*) AS n
FROM deliveries
WHERE project_id = $1
  AND queue = $2`

	// lockedProject keeps a project from being deleted before the transaction ends.
	lockedProject = `
SELECT id
FROM projects
WHERE id = $1` + notBeingErased
)

type deliveryRow struct {
	ProjectID   string `db:"project_id"`
	ID          string
	EventID     string `db:"event_id"`
	Type        string
	Queue       string
	Status      string
	Attempts    int
	Tries       int
	Since       *int64
	DueAt       *int64 `db:"due_at"`
	LastCode    int    `db:"last_code"`
	LastError   string `db:"last_error"`
	CreatedAt   int64  `db:"created_at"`
	DeliveredAt *int64 `db:"delivered_at"`
}

func deliveryArgs(d *event.Delivery) []any {
	return []any{d.Project.String(), d.ID.String(), d.Event.String(), d.Type.String(), queueOf(d.Project, d.Target), d.Status.String(),
		d.Attempts, d.Tries, toOptionalMillis(d.Since), toOptionalMillis(d.DueAt), d.LastCode, d.LastError,
		toMillis(d.CreatedAt), toOptionalMillis(d.DeliveredAt)}
}

func fromDeliveryRow(r deliveryRow) *event.Delivery {
	status, _ := event.ParseDeliveryStatus(r.Status) // the schema knows no other
	return &event.Delivery{
		ID: id.Stored[id.Delivery](r.ID), Project: id.Stored[id.Project](r.ProjectID), Event: id.Stored[id.Event](r.EventID),
		Type: event.StoredType(r.Type), Target: fromQueue(r.Queue), Status: status, Attempts: r.Attempts, Tries: r.Tries,
		Since: fromOptionalMillis(r.Since), DueAt: fromOptionalMillis(r.DueAt), LastCode: r.LastCode, LastError: r.LastError,
		CreatedAt: fromMillis(r.CreatedAt), DeliveredAt: fromOptionalMillis(r.DeliveredAt),
	}
}

func (v Events) Announce(ctx context.Context, e *event.Event, d *event.Delivery) error {
	body, err := encodeEvent(e)
	if err != nil {
		return err
	}
	return v.store.inTx(ctx, e.Project, func(t *tx) error {
		if there, err := projectStays(ctx, t, e.Project); err != nil || !there {
			return orMissingProject(err)
		}
		var at int64
		insert := fmt.Sprintf(insertDone, t.dialect.moment())
		if _, err := t.get(ctx, &at, insert, e.Project.String(), e.ID.String(), e.Data.Type().String(), body); err != nil {
			return err
		}
		now := fromMillis(at)
		d.CreatedAt, d.DueAt = now, &now
		return insertAll(ctx, t, []*event.Delivery{d})
	})
}

// projectStays tells whether the project is there, and sees to it that it is not deleted before the
// transaction ends.
func projectStays(ctx context.Context, t *tx, project id.Project) (bool, error) {
	var name string
	return t.get(ctx, &name, lockedProject+t.dialect.forKeyShare, project.String())
}

func orMissingProject(err error) error {
	if err == nil {
		return missingProject()
	}
	return err
}

// insertAll leaves out second deliveries of an event to a target.
func insertAll(ctx context.Context, t *tx, list []*event.Delivery) error {
	for len(list) > 0 {
		n := min(len(list), t.dialect.maxRows)
		var args arguments
		statement := insertDeliveries
		for i, d := range list[:n] {
			if i > 0 {
				statement += ", "
			}
			statement += args.row(deliveryArgs(d)...)
		}
		if _, err := t.exec(ctx, statement+"\nON CONFLICT (project_id, event_id, queue) DO NOTHING", args...); err != nil {
			return err
		}
		list = list[n:]
	}
	return nil
}

func (v Events) Deliveries(ctx context.Context, project id.Project, to id.Subscription, status event.DeliveryStatus, page ports.Page) ([]*event.Delivery, int, error) {
	where, args := "", arguments{project.String(), queueOf(project, event.To(to))}
	if status != (event.DeliveryStatus{}) {
		where = "\n  AND status = " + args.add(status.String())
	}
	var rows []deliveryRow
	var total []countRow
	b := v.store.reading(project)
	b.query(&total, countDeliveries+where, args...)
	b.query(&rows, selectDeliveries+where+`
ORDER BY created_at DESC, id DESC
LIMIT `+args.add(page.Limit)+` OFFSET `+args.add(page.Offset), args...)
	if err := b.run(ctx); err != nil {
		return nil, 0, err
	}
	list := make([]*event.Delivery, len(rows))
	for i, r := range rows {
		list[i] = fromDeliveryRow(r)
	}
	return list, total[0].N, nil
}

func (v Events) Delivery(ctx context.Context, project id.Project, to id.Subscription, wanted id.Delivery) (*event.Delivery, error) {
	var rows []deliveryRow
	b := v.store.reading(project)
	b.query(&rows, selectDeliveries+"\n  AND id = $3", project.String(), queueOf(project, event.To(to)), wanted.String())
	if err := b.run(ctx); err != nil {
		return nil, err
	}
	if len(rows) == 0 {
		return nil, fault.Missing("delivery")
	}
	return fromDeliveryRow(rows[0]), nil
}

// Redeliver locks the subscription first, as who disables it does.
func (v Events) Redeliver(ctx context.Context, project id.Project, to id.Subscription, wanted id.Delivery) (*event.Delivery, error) {
	var d *event.Delivery
	err := v.store.inTx(ctx, project, func(t *tx) error {
		s, err := lockSubscription(ctx, t, project, to)
		if err != nil {
			return err
		}
		var r deliveryRow
		found, err := t.get(ctx, &r, selectDeliveries+"\n  AND id = $3"+t.dialect.forUpdate,
			project.String(), queueOf(project, event.To(to)), wanted.String())
		if err != nil {
			return err
		}
		if !found {
			return fault.Missing("delivery")
		}
		if s.Status != event.Active {
			return fault.New(fault.Conflict, "subscription_disabled", "The subscription is disabled.")
		}
		now, err := t.now(ctx)
		if err != nil {
			return err
		}
		d = fromDeliveryRow(r)
		d.Redeliver(now)
		_, err = t.exec(ctx, updateDelivery, updateDeliveryArgs(d)...)
		return err
	})
	return d, err
}

const updateDelivery = `
UPDATE deliveries
SET status = $3, attempts = $4, tries = $5, since = $6, due_at = $7, last_code = $8, last_error = $9, delivered_at = $10
WHERE project_id = $1
  AND id = $2`

func updateDeliveryArgs(d *event.Delivery) []any {
	return []any{d.Project.String(), d.ID.String(), d.Status.String(), d.Attempts, d.Tries, toOptionalMillis(d.Since),
		toOptionalMillis(d.DueAt), d.LastCode, d.LastError, toOptionalMillis(d.DeliveredAt)}
}
