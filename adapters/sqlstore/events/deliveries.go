package events

import (
	"context"
	"fmt"

	"github.com/haggle-commerce/haggle/adapters/delivery/payload"
	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/db"
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
		d.Attempts, d.Tries, db.OptionalMillis(d.Since), db.OptionalMillis(d.DueAt), d.LastCode, d.LastError,
		db.Millis(d.CreatedAt), db.OptionalMillis(d.DeliveredAt)}
}

func fromDeliveryRow(r deliveryRow) *event.Delivery {
	status, _ := event.ParseDeliveryStatus(r.Status) // the schema knows no other
	return &event.Delivery{
		ID: id.Stored[id.Delivery](r.ID), Project: id.Stored[id.Project](r.ProjectID), Event: id.Stored[id.Event](r.EventID),
		Type: event.StoredType(r.Type), Target: fromQueue(r.Queue), Status: status, Attempts: r.Attempts, Tries: r.Tries,
		Since: db.OptionalTime(r.Since), DueAt: db.OptionalTime(r.DueAt), LastCode: r.LastCode, LastError: r.LastError,
		CreatedAt: db.Time(r.CreatedAt), DeliveredAt: db.OptionalTime(r.DeliveredAt),
	}
}

func (v Events) Announce(ctx context.Context, e *event.Event, d *event.Delivery) error {
	body, err := payload.EncodeEvent(e)
	if err != nil {
		return err
	}
	return v.store.InTx(ctx, e.Project, func(t *db.Tx) error {
		if there, err := db.ProjectStays(ctx, t, e.Project); err != nil || !there {
			return db.OrMissingProject(err)
		}
		var at int64
		insert := fmt.Sprintf(insertDone, t.Dialect.Moment())
		if _, err := t.Get(ctx, &at, insert, e.Project.String(), e.ID.String(), e.Data.Type().String(), body); err != nil {
			return err
		}
		now := db.Time(at)
		d.CreatedAt, d.DueAt = now, &now
		return insertAll(ctx, t, []*event.Delivery{d})
	})
}

// insertAll leaves out second deliveries of an event to a target.
func insertAll(ctx context.Context, t *db.Tx, list []*event.Delivery) error {
	for len(list) > 0 {
		n := min(len(list), t.Dialect.MaxRows)
		var args db.Args
		statement := insertDeliveries
		for i, d := range list[:n] {
			if i > 0 {
				statement += ", "
			}
			statement += args.Row(deliveryArgs(d)...)
		}
		if _, err := t.Exec(ctx, statement+"\nON CONFLICT (project_id, event_id, queue) DO NOTHING", args...); err != nil {
			return err
		}
		list = list[n:]
	}
	return nil
}

func (v Events) Deliveries(ctx context.Context, project id.Project, to id.Subscription, status event.DeliveryStatus, page ports.Page) ([]*event.Delivery, int, error) {
	where, args := "", db.Args{project.String(), queueOf(project, event.To(to))}
	if status != (event.DeliveryStatus{}) {
		where = "\n  AND status = " + args.Add(status.String())
	}
	var rows []deliveryRow
	var total []db.CountRow
	b := v.store.Read(project)
	b.Query(&total, countDeliveries+where, args...)
	b.Query(&rows, selectDeliveries+where+`
ORDER BY created_at DESC, id DESC
LIMIT `+args.Add(page.Limit)+` OFFSET `+args.Add(page.Offset), args...)
	if err := b.Run(ctx); err != nil {
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
	b := v.store.Read(project)
	b.Query(&rows, selectDeliveries+"\n  AND id = $3", project.String(), queueOf(project, event.To(to)), wanted.String())
	if err := b.Run(ctx); err != nil {
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
	err := v.store.InTx(ctx, project, func(t *db.Tx) error {
		s, err := lockSubscription(ctx, t, project, to)
		if err != nil {
			return err
		}
		var r deliveryRow
		found, err := t.Get(ctx, &r, selectDeliveries+"\n  AND id = $3"+t.Dialect.ForUpdate,
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
		now, err := t.Now(ctx)
		if err != nil {
			return err
		}
		d = fromDeliveryRow(r)
		d.Redeliver(now)
		_, err = t.Exec(ctx, updateDelivery, updateDeliveryArgs(d)...)
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
	return []any{d.Project.String(), d.ID.String(), d.Status.String(), d.Attempts, d.Tries, db.OptionalMillis(d.Since),
		db.OptionalMillis(d.DueAt), d.LastCode, d.LastError, db.OptionalMillis(d.DeliveredAt)}
}
