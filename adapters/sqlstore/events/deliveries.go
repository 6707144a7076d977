package events

import (
	"context"
	"fmt"
	"time"

	"github.com/haggle-commerce/haggle/adapters/delivery/payload"
	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/db"
	"github.com/haggle-commerce/haggle/domain/event"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/ports"
)

// deliveryRow has the target of a delivery in its queue.
type deliveryRow struct {
	event.Delivery
	Queue string
}

func (r deliveryRow) delivery() *event.Delivery {
	r.Target = fromQueue(r.Queue)
	return &r.Delivery
}

func toDeliveryRow(d *event.Delivery) deliveryRow {
	return deliveryRow{Delivery: *d, Queue: queueOf(d.Project, d.Target)}
}

var (
	deliveries = db.NewTable[deliveryRow]("deliveries", db.Columns{"Target": "-"})

	updateDelivery = deliveries.Update([]string{"project_id", "id"},
		"status", "attempts", "tries", "since", "due_at", "last_code", "last_error", "delivered_at")

	// recordDelivery is updateDelivery if the caller still holds the lease.
	recordDelivery = updateDelivery.Text + "\n  AND due_at = " + updateDelivery.After(1)
)

const (
	// insertDone is an event whose deliveries are made already.
	insertDone = `
INSERT INTO outbox (project_id, id, type, payload, created_at, attempts)
VALUES ($1, $2, $3, $4, %s, 0)
RETURNING created_at`

	toHookOf = `
FROM outbox AS e
JOIN deliveries AS d ON d.project_id = e.project_id AND d.event_id = e.id AND d.queue = e.project_id || '+hooks/' || e.hook
WHERE e.project_id = $1
  AND e.subject = $2
  AND e.subject <> ''`

	ofTarget = `
FROM deliveries
WHERE project_id = $1
  AND queue = $2`
)

func (v Events) Announce(ctx context.Context, e *event.Event, d *event.Delivery) error {
	body, _, err := payload.EncodeEvent(e)
	if err != nil {
		return err
	}
	return v.Store.InTx(ctx, e.Project, func(t *db.Tx) error {
		if there, err := db.ProjectStays(ctx, t, e.Project); err != nil || !there {
			return db.OrMissingProject(err)
		}
		var at int64
		insert := fmt.Sprintf(insertDone, t.Dialect.Moment())
		if _, err := t.Get(ctx, &at, insert, e.Project, e.ID, e.Data.Type(), body); err != nil {
			return err
		}
		now := db.Time(at)
		d.CreatedAt, d.DueAt = now, &now
		return insertAll(ctx, t, []*event.Delivery{d})
	})
}

// insertAll leaves out second deliveries of an event to a target.
func insertAll(ctx context.Context, t *db.Tx, list []*event.Delivery) error {
	rows := make([][]any, len(list))
	for i, d := range list {
		rows[i] = deliveries.Args(toDeliveryRow(d))
	}
	return t.Insert(ctx, "INSERT INTO deliveries ("+deliveries.Columns()+")\nVALUES ", rows, "\nON CONFLICT (project_id, event_id, queue) DO NOTHING")
}

func (v Events) Deliveries(ctx context.Context, project id.Project, to id.Subscription, status event.DeliveryStatus, page ports.Page) ([]*event.Delivery, int, error) {
	w := db.Conditions{Args: db.Args{project, queueOf(project, event.To(to))}}
	w.Equal("status", status)
	rows, total, err := db.Page[deliveryRow](ctx, v.Store.Read(project), deliveries.Columns(), ofTarget, w, "created_at DESC, id DESC", page)
	return fromDeliveryRows(rows), total, err
}

func fromDeliveryRows(rows []deliveryRow) []*event.Delivery {
	list := make([]*event.Delivery, len(rows))
	for i, r := range rows {
		list[i] = r.delivery()
	}
	return list
}

// ToHook reads the deliveries of an order's events to the hook that they are for.
func (v Events) ToHook(ctx context.Context, project id.Project, of id.Order, page ports.Page) ([]*event.Delivery, int, error) {
	rows, total, err := db.Page[deliveryRow](ctx, v.Store.Read(project), deliveries.ColumnsOf("d"), toHookOf,
		db.Conditions{Args: db.Args{project, of}}, "d.created_at DESC, d.id DESC", page)
	return fromDeliveryRows(rows), total, err
}

func (v Events) Delivery(ctx context.Context, project id.Project, to id.Subscription, wanted id.Delivery) (*event.Delivery, error) {
	return readDelivery(ctx, v.Store.Read(project), "", project, to, wanted)
}

func readDelivery(ctx context.Context, from db.Source, lock string, project id.Project, to id.Subscription, wanted id.Delivery) (*event.Delivery, error) {
	r, err := db.One[deliveryRow](ctx, from, "delivery", "SELECT "+deliveries.Columns()+ofTarget+"\n  AND id = $3"+lock,
		project, queueOf(project, event.To(to)), wanted)
	if err != nil {
		return nil, err
	}
	return r.delivery(), nil
}

// Redeliver locks the subscription first, as disabling it does.
func (v Events) Redeliver(ctx context.Context, project id.Project, to id.Subscription, wanted id.Delivery) (*event.Delivery, error) {
	return db.InTx(ctx, v.Store, project, func(t *db.Tx) (*event.Delivery, error) {
		s, err := lockSubscription(ctx, t, project, to)
		if err != nil {
			return nil, err
		}
		d, err := readDelivery(ctx, t, t.Dialect.ForUpdate, project, to, wanted)
		if err != nil {
			return nil, err
		}
		if s.Status != event.Active {
			return nil, fault.New(fault.Conflict, "subscription_disabled", "The subscription is disabled. Set its status to active first.")
		}
		now, err := t.Now(ctx)
		if err != nil {
			return nil, err
		}
		d.Redeliver(now)
		_, err = t.Exec(ctx, updateDelivery.Text, updateDelivery.Args(toDeliveryRow(d))...)
		return d, err
	})
}

// failedSince is completed by the dialect's lock.
const failedSince = ofTarget + `
  AND created_at >= $3
  AND (status IN ('failed', 'canceled') OR status = 'pending' AND attempts > 0 AND due_at > $5)
ORDER BY created_at, id
LIMIT $4`

// RedeliverFailed locks the subscription first, as Redeliver does.
func (v Events) RedeliverFailed(ctx context.Context, project id.Project, to id.Subscription, since time.Time, most int) (n int, more bool, err error) {
	n, err = db.InTx(ctx, v.Store, project, func(t *db.Tx) (int, error) {
		s, err := lockSubscription(ctx, t, project, to)
		if err != nil {
			return 0, err
		}
		if s.Status != event.Active {
			return 0, fault.New(fault.Conflict, "subscription_disabled", "The subscription is disabled. Set its status to active first.")
		}
		now, err := t.Now(ctx)
		if err != nil {
			return 0, err
		}
		var rows []deliveryRow
		query := "SELECT " + deliveries.Columns() + failedSince + t.Dialect.ForUpdate
		if err := t.Select(ctx, &rows, query, project, queueOf(project, event.To(to)), since, most+1, now); err != nil {
			return 0, err
		}
		for _, r := range rows[:min(len(rows), most)] {
			d := r.delivery()
			d.Redeliver(now)
			if _, err := t.Exec(ctx, updateDelivery.Text, updateDelivery.Args(toDeliveryRow(d))...); err != nil {
				return 0, err
			}
		}
		return len(rows), nil
	})
	return min(n, most), n > most, err
}
