// Package events keeps subscriptions, and leases events and their deliveries to the loops that fan them out and send them.
package events

import (
	"context"
	"strings"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/db"
	"github.com/haggle-commerce/haggle/domain/event"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/ports"
)

// Events is the store's view of subscriptions and of the log of events.
type Events struct{ store *db.DB }

var (
	_ ports.Subscriptions = Events{}
	_ ports.EventLog      = Events{}
)

// NewEvents returns a view that keeps subscriptions, and tells what was announced.
func NewEvents(s *db.DB) Events { return Events{s} }

const (
	subscriptionColumns = `project_id, id, url, description, types, status, reason, secret, previous, previous_end, active_since, created_at, updated_at`

	selectSubscription = `
SELECT ` + subscriptionColumns + `
FROM event_subscriptions
WHERE project_id = $1`

	countSubscriptions = `
SELECT count(*) AS n
FROM event_subscriptions
WHERE project_id = $1`

	insertSubscription = `
INSERT INTO event_subscriptions (` + subscriptionColumns + `)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)`

	updateSubscription = `
UPDATE event_subscriptions
SET url = $3, description = $4, types = $5, status = $6, reason = $7, secret = $8, previous = $9, previous_end = $10, active_since = $11, updated_at = $12
WHERE project_id = $1
  AND id = $2`

	deleteSubscription = `
DELETE FROM event_subscriptions
WHERE project_id = $1
  AND id = $2`

	cancelDeliveries = `
UPDATE deliveries
SET status = 'canceled', due_at = NULL
WHERE queue = $1
  AND due_at IS NOT NULL`

	selectEvents = `
SELECT id, project_id, type, payload, created_at
FROM outbox
WHERE project_id = $1`

	countEvents = `
SELECT count(*) AS n
FROM outbox
WHERE project_id = $1`
)

type subscriptionRow struct {
	ProjectID   string `db:"project_id"`
	ID          string
	URL         string
	Description string
	Types       string
	Status      string
	Reason      string
	Secret      []byte
	Previous    []byte
	PreviousEnd *int64 `db:"previous_end"`
	ActiveSince int64  `db:"active_since"`
	CreatedAt   int64  `db:"created_at"`
	UpdatedAt   int64  `db:"updated_at"`
}

func toSubscriptionRow(d db.Dialect, s *event.Subscription) (subscriptionRow, error) {
	names, err := db.ToJSON(db.Strings(s.Types))
	return subscriptionRow{
		ProjectID: s.Project.String(), ID: s.ID.String(), URL: d.SealAddress(s.URL, db.SubscriptionAddress(s.ID.String())), Description: s.Description, Types: names,
		Status: s.Status.String(), Reason: s.Reason.String(), Secret: s.Secret, Previous: s.Previous,
		PreviousEnd: db.OptionalMillis(s.PreviousEnd), ActiveSince: db.Millis(s.ActiveSince),
		CreatedAt: db.Millis(s.CreatedAt), UpdatedAt: db.Millis(s.UpdatedAt),
	}, err
}

func fromSubscriptionRow(d db.Dialect, r subscriptionRow) (*event.Subscription, error) {
	status, err := event.ParseStatus(r.Status)
	if err != nil {
		return nil, db.Unreadable("subscription", err)
	}
	s := &event.Subscription{
		ID: id.Stored[id.Subscription](r.ID), Project: id.Stored[id.Project](r.ProjectID),
		URL: d.OpenAddress(r.URL, db.SubscriptionAddress(r.ID)), Description: r.Description,
		Status: status, Reason: event.StoredReason(r.Reason), Secret: r.Secret, Previous: r.Previous,
		PreviousEnd: db.OptionalTime(r.PreviousEnd), ActiveSince: db.Time(r.ActiveSince),
		CreatedAt: db.Time(r.CreatedAt), UpdatedAt: db.Time(r.UpdatedAt),
	}
	var names []string
	if err := db.FromJSON(r.Types, &names); err != nil {
		return nil, err
	}
	for _, name := range names {
		s.Types = append(s.Types, event.StoredType(name))
	}
	return s, nil
}

func fromSubscriptionRows(d db.Dialect, rows []subscriptionRow) ([]*event.Subscription, error) {
	list := make([]*event.Subscription, len(rows))
	for i, r := range rows {
		var err error
		if list[i], err = fromSubscriptionRow(d, r); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// Add locks the project, so that no two that are added at once are both the last.
func (v Events) Add(ctx context.Context, s *event.Subscription) error {
	r, err := toSubscriptionRow(v.store.Dialect, s)
	if err != nil {
		return err
	}
	return v.store.InTx(ctx, s.Project, func(t *db.Tx) error {
		var name string
		found, err := t.Get(ctx, &name, "SELECT id FROM projects WHERE id = $1"+db.ActiveOnly+t.Dialect.ForUpdate, r.ProjectID)
		if err == nil && !found {
			err = db.MissingProject()
		}
		if err != nil {
			return err
		}
		var n int
		if _, err := t.Get(ctx, &n, countSubscriptions, r.ProjectID); err != nil {
			return err
		}
		now, err := t.Now(ctx)
		if err != nil {
			return err
		}
		s.ActiveSince = now
		if n >= event.MaxSubscriptions {
			return fault.New(fault.Conflict, "too_many_subscriptions", "The project has 50 subscriptions already.")
		}
		_, err = t.Exec(ctx, insertSubscription, r.ProjectID, r.ID, r.URL, r.Description, r.Types, r.Status, r.Reason, r.Secret, r.Previous,
			r.PreviousEnd, db.Millis(now), r.CreatedAt, r.UpdatedAt)
		return err
	})
}

func (v Events) List(ctx context.Context, project id.Project, page ports.Page) ([]*event.Subscription, int, error) {
	var rows []subscriptionRow
	var total []db.CountRow
	b := v.store.Read(project)
	b.Query(&total, countSubscriptions, project.String())
	b.Query(&rows, selectSubscription+`
ORDER BY created_at DESC, id
LIMIT $2 OFFSET $3`, project.String(), page.Limit, page.Offset)
	if err := b.Run(ctx); err != nil {
		return nil, 0, err
	}
	list, err := fromSubscriptionRows(v.store.Dialect, rows)
	return list, total[0].N, err
}

func (v Events) ByID(ctx context.Context, project id.Project, wanted id.Subscription) (*event.Subscription, error) {
	var rows []subscriptionRow
	b := v.store.Read(project)
	b.Query(&rows, selectSubscription+"\n  AND id = $2", project.String(), wanted.String())
	if err := b.Run(ctx); err != nil {
		return nil, err
	}
	if len(rows) == 0 {
		return nil, missingSubscription()
	}
	return fromSubscriptionRow(v.store.Dialect, rows[0])
}

func (v Events) Update(ctx context.Context, project id.Project, wanted id.Subscription, change func(*event.Subscription) error) (*event.Subscription, error) {
	var changed *event.Subscription
	err := v.store.InTx(ctx, project, func(t *db.Tx) error {
		var err error
		if changed, err = lockSubscription(ctx, t, project, wanted); err != nil {
			return err
		}
		was := changed.ActiveSince
		if err := change(changed); err != nil {
			return err
		}
		if !changed.ActiveSince.Equal(was) {
			if changed.ActiveSince, err = t.Now(ctx); err != nil {
				return err
			}
		}
		return storeSubscription(ctx, t, changed)
	})
	if err != nil {
		return nil, err
	}
	return changed, nil
}

func lockSubscription(ctx context.Context, t *db.Tx, project id.Project, wanted id.Subscription) (*event.Subscription, error) {
	var r subscriptionRow
	found, err := t.Get(ctx, &r, selectSubscription+"\n  AND id = $2"+t.Dialect.ForUpdate, project.String(), wanted.String())
	if err != nil {
		return nil, err
	}
	if !found {
		return nil, missingSubscription()
	}
	return fromSubscriptionRow(t.Dialect, r)
}

// storeSubscription also cancels what is pending for a subscription that is disabled.
func storeSubscription(ctx context.Context, t *db.Tx, s *event.Subscription) error {
	r, err := toSubscriptionRow(t.Dialect, s)
	if err != nil {
		return err
	}
	if _, err = t.Exec(ctx, updateSubscription, r.ProjectID, r.ID, r.URL, r.Description, r.Types, r.Status, r.Reason, r.Secret, r.Previous,
		r.PreviousEnd, r.ActiveSince, r.UpdatedAt); err == nil && s.Status == event.Disabled {
		_, err = t.Exec(ctx, cancelDeliveries, queueOf(s.Project, event.To(s.ID)))
	}
	return err
}

func (v Events) Remove(ctx context.Context, project id.Project, wanted id.Subscription) error {
	return v.store.InTx(ctx, project, func(t *db.Tx) error {
		rows, err := t.Exec(ctx, deleteSubscription, project.String(), wanted.String())
		if err == nil && rows == 0 {
			return missingSubscription()
		}
		if err == nil {
			_, err = t.Exec(ctx, cancelDeliveries, queueOf(project, event.To(wanted)))
		}
		return err
	})
}

// queueOf is where deliveries to a project's target wait.
func queueOf(project id.Project, to event.Target) string { return project.String() + "/" + to.String() }

func fromQueue(queue string) event.Target {
	return event.StoredTarget(queue[strings.IndexByte(queue, '/')+1:])
}

type eventLogRow struct {
	ID        string
	ProjectID string `db:"project_id"`
	Type      string
	Payload   string
	CreatedAt int64 `db:"created_at"`
}

func fromEventRow(r eventLogRow) ports.Announced {
	return ports.Announced{
		ID: id.Stored[id.Event](r.ID), Project: id.Stored[id.Project](r.ProjectID), Type: event.StoredType(r.Type),
		Body: []byte(r.Payload), At: db.Time(r.CreatedAt),
	}
}

func fromEventRows(rows []eventLogRow) []ports.Announced {
	list := make([]ports.Announced, len(rows))
	for i, r := range rows {
		list[i] = fromEventRow(r)
	}
	return list
}

func (v Events) Events(ctx context.Context, project id.Project, of event.Type, page ports.Page) ([]ports.Announced, int, error) {
	where, args := "", db.Args{project.String()}
	if of != (event.Type{}) {
		where = "\n  AND type = " + args.Add(of.String())
	}
	var rows []eventLogRow
	var total []db.CountRow
	b := v.store.Read(project)
	b.Query(&total, countEvents+where, args...)
	b.Query(&rows, selectEvents+where+`
ORDER BY created_at DESC, id DESC
LIMIT `+args.Add(page.Limit)+` OFFSET `+args.Add(page.Offset), args...)
	if err := b.Run(ctx); err != nil {
		return nil, 0, err
	}
	return fromEventRows(rows), total[0].N, nil
}

func (v Events) Event(ctx context.Context, project id.Project, wanted id.Event) (ports.Announced, error) {
	var rows []eventLogRow
	b := v.store.Read(project)
	b.Query(&rows, selectEvents+"\n  AND id = $2", project.String(), wanted.String())
	if err := b.Run(ctx); err != nil {
		return ports.Announced{}, err
	}
	if len(rows) == 0 {
		return ports.Announced{}, fault.Missing("event")
	}
	return fromEventRow(rows[0]), nil
}

func missingSubscription() error { return fault.Missing("subscription") }
