package sqlstore

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/haggle-commerce/haggle/app/failpoint"
	"github.com/haggle-commerce/haggle/domain/event"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/ports"
)

// Outbox is the store's view of what is to be delivered. Its work is that of all projects.
type Outbox struct{ store *Store }

var _ ports.Outbox = Outbox{}

// Outbox hands out what is to be delivered.
func (s *Store) Outbox() Outbox { return Outbox{s} }

const (
	// selectQueues leaps from one queue to the next by the index, however much waits in each.
	selectQueues = `
WITH RECURSIVE queues (queue) AS (
  SELECT (SELECT queue FROM deliveries WHERE due_at IS NOT NULL ORDER BY queue LIMIT 1)
  UNION ALL
  SELECT (SELECT d.queue FROM deliveries d WHERE d.due_at IS NOT NULL AND d.queue > queues.queue ORDER BY d.queue LIMIT 1)
  FROM queues
  WHERE queues.queue IS NOT NULL
)
SELECT queue
FROM (
  SELECT queue, (SELECT d.due_at FROM deliveries d WHERE d.due_at IS NOT NULL AND d.queue = queues.queue ORDER BY d.due_at LIMIT 1) AS due
  FROM queues
  WHERE queue IS NOT NULL
) AS waiting
WHERE due <= $1
ORDER BY due, queue
LIMIT 1000`

	eventsDue = `
SELECT EXISTS (SELECT 1 FROM outbox WHERE due_at IS NOT NULL AND due_at <= $1) AS due`

	selectDueEvents = `
SELECT id, project_id, type, payload, created_at
FROM outbox
WHERE due_at <= $1
ORDER BY due_at
LIMIT $2`

	// claimDeliveries answers the old due time's rows with the lease in its place.
	claimDeliveries = `
UPDATE deliveries
SET due_at = $1
FROM taken
WHERE deliveries.project_id = taken.owner
  AND deliveries.id = taken.name
RETURNING deliveries.project_id, deliveries.id, deliveries.event_id, deliveries.type, deliveries.queue, deliveries.status,
  deliveries.attempts, deliveries.tries, deliveries.since, deliveries.due_at, deliveries.last_code, deliveries.last_error,
  deliveries.created_at, deliveries.delivered_at`

	takeDeliveries = `
WITH taken AS MATERIALIZED (
  SELECT project_id AS owner, id AS name
  FROM deliveries
  WHERE queue = $2
    AND due_at <= $3
  ORDER BY due_at
  LIMIT $4`

	// recordDelivery is updateDelivery for who still holds the lease.
	recordDelivery = updateDelivery + `
  AND due_at = $11`
)

func (o Outbox) Waiting(ctx context.Context, now time.Time) (ports.Waiting, error) {
	var queues []struct{ Queue string }
	var events []struct{ Due bool }
	b := o.store.reading(anyProject)
	b.query(&events, eventsDue, toMillis(now))
	b.query(&queues, selectQueues, toMillis(now))
	if err := b.run(ctx); err != nil {
		return ports.Waiting{}, err
	}
	w := ports.Waiting{Events: events[0].Due}
	for _, q := range queues {
		w.Queues = append(w.Queues, q.Queue)
	}
	return w, nil
}

func (o Outbox) FanOut(ctx context.Context, now time.Time, limit int, route func(ports.Announced, ports.Audience) []*event.Delivery) (int, error) {
	var rows []eventLogRow
	err := o.store.inTx(ctx, anyProject, func(t *tx) error {
		rows = nil
		if err := t.list(ctx, &rows, selectDueEvents+t.dialect.skipLocked, toMillis(now), limit); err != nil || len(rows) == 0 {
			return err
		}
		if err := failpoint.At(ctx, failpoint.OutboxClaimed); err != nil {
			return err
		}
		audiences, err := audiences(ctx, t, rows)
		if err != nil {
			return err
		}
		var made []*event.Delivery
		for _, e := range fromEventRows(rows) {
			if to, there := audiences[e.Project]; there {
				made = append(made, route(e, to)...)
			}
		}
		if err := insertAll(ctx, t, made); err != nil {
			return err
		}
		args := arguments{}
		_, err = t.exec(ctx, "UPDATE outbox\nSET due_at = NULL\nWHERE "+eachOf(&args, "id", eventKeys(rows)), args...)
		return cmp.Or(err, failpoint.At(ctx, failpoint.OutboxFannedOut))
	})
	return len(rows), err
}

// audiences are those of the projects of some events.
func audiences(ctx context.Context, t *tx, rows []eventLogRow) (map[id.Project]ports.Audience, error) {
	names := make(map[string]bool)
	for _, r := range rows {
		names[r.ProjectID] = true
	}
	projects := slices.Sorted(maps.Keys(names))
	var args arguments
	where := "IN " + args.list(projects)
	var shops []projectRow
	if err := t.list(ctx, &shops, selectProject+"\nWHERE id "+where, args...); err != nil {
		return nil, err
	}
	var subscriptions []subscriptionRow
	if err := t.list(ctx, &subscriptions, `
SELECT `+subscriptionColumns+`
FROM event_subscriptions
WHERE status = 'active'
  AND project_id `+where, args...); err != nil {
		return nil, err
	}
	all := make(map[id.Project]ports.Audience, len(shops))
	for _, r := range shops {
		p, err := fromProjectRow(r)
		if err != nil {
			return nil, err
		}
		all[p.ID] = ports.Audience{Settings: p.Settings}
	}
	for _, r := range subscriptions {
		s, err := fromSubscriptionRow(r)
		if err != nil {
			return nil, err
		}
		to := all[s.Project]
		s.Secret, s.Previous = nil, nil
		to.Subscriptions = append(to.Subscriptions, s)
		all[s.Project] = to
	}
	return all, nil
}

type rowKey struct{ project, name string }

func eventKeys(rows []eventLogRow) []rowKey {
	keys := make([]rowKey, len(rows))
	for i, r := range rows {
		keys[i] = rowKey{r.ProjectID, r.ID}
	}
	return keys
}

// eachOf is a condition that finds rows by their keys; name is the second column's.
func eachOf(args *arguments, name string, keys []rowKey) string {
	parts := make([]string, len(keys))
	for i, k := range keys {
		parts[i] = args.row(k.project, k.name)
	}
	return "(project_id, " + name + ") IN (VALUES " + strings.Join(parts, ", ") + ")"
}

func (o Outbox) Claim(ctx context.Context, now, lease time.Time, wanted []ports.Share) ([]ports.Parcel, error) {
	rows := make([][]deliveryRow, len(wanted))
	b := o.store.writing(anyProject)
	take := takeDeliveries + o.store.dialect.skipLocked + "\n)" + claimDeliveries
	for i, w := range wanted {
		b.query(&rows[i], take, toMillis(lease), w.Queue, toMillis(now), w.Most)
	}
	if err := b.run(ctx); err != nil {
		return nil, err
	}
	var parcels []ports.Parcel
	for _, r := range slices.Concat(rows...) {
		parcels = append(parcels, ports.Parcel{Queue: r.Queue, Lease: lease, Delivery: fromDeliveryRow(r)})
	}
	if err := o.fill(ctx, parcels); err != nil {
		return nil, err // what is in hand without its content is handed out again when its lease is over
	}
	return parcels, nil
}

// Record begins with what disables subscriptions, for who disables one locks it before its deliveries.
func (o Outbox) Record(ctx context.Context, outcomes []ports.Outcome) error {
	outcomes = slices.Clone(outcomes)
	slices.SortFunc(outcomes, func(a, b ports.Outcome) int {
		return strings.Compare(a.Parcel.Queue+a.Parcel.Delivery.ID.String(), b.Parcel.Queue+b.Parcel.Delivery.ID.String())
	})
	return o.store.inTx(ctx, anyProject, func(t *tx) error {
		for _, out := range outcomes {
			if out.Why == (event.Reason{}) {
				continue
			}
			if err := disable(ctx, t, out); err != nil {
				return err
			}
		}
		for _, out := range outcomes {
			args := append(updateDeliveryArgs(out.Parcel.Delivery), toMillis(out.Parcel.Lease))
			if _, err := t.exec(ctx, recordDelivery, args...); err != nil {
				return err
			}
		}
		return nil
	})
}

// disable stops the subscription of an outcome and announces that, unless it was stopped before or the
// delivery is another's by now. The outcome's own delivery is recorded first: what is pending is
// canceled.
func disable(ctx context.Context, t *tx, out ports.Outcome) error {
	d := out.Parcel.Delivery
	if there, err := projectStays(ctx, t, d.Project); err != nil || !there {
		return err
	}
	s, err := lockSubscription(ctx, t, d.Project, d.Target.Subscription())
	if fault.KindOf(err) == fault.NotFound && err != nil {
		return nil
	}
	if err != nil {
		return err
	}
	rows, err := t.exec(ctx, recordDelivery, append(updateDeliveryArgs(d), toMillis(out.Parcel.Lease))...)
	if err != nil || rows == 0 || !s.Disable(out.Why, out.Alert.At) {
		return err
	}
	if err := storeSubscription(ctx, t, s); err != nil {
		return err
	}
	args, err := eventArgs(out.Alert)
	if err == nil {
		_, err = t.exec(ctx, insertEvent, args...)
	}
	return err
}

// fill adds to claimed deliveries what is needed to bring them to their targets.
func (o Outbox) fill(ctx context.Context, parcels []ports.Parcel) error {
	if len(parcels) == 0 {
		return nil
	}
	var events, subscriptions []rowKey
	var shops []string
	for _, p := range parcels {
		d := p.Delivery
		events = append(events, rowKey{d.Project.String(), d.Event.String()})
		if to := d.Target.Subscription(); !to.IsZero() {
			subscriptions = append(subscriptions, rowKey{d.Project.String(), to.String()})
		} else if d.Target != event.Stream {
			shops = append(shops, d.Project.String())
		}
	}
	c := contentsOf(o.store, events, subscriptions, shops)
	if err := c.batch.run(ctx); err != nil {
		return err
	}
	for i := range parcels {
		if err := c.into(&parcels[i]); err != nil {
			return err
		}
	}
	return nil
}

// parcelContents are the rows that claimed deliveries need.
type parcelContents struct {
	batch         *batch
	events        []eventLogRow
	subscriptions []subscriptionRow
	shops         []projectRow
	emails        []accountEmail
}

type accountEmail struct{ ID, Email string }

func contentsOf(s *Store, events, subscriptions []rowKey, shops []string) *parcelContents {
	c := &parcelContents{batch: s.reading(anyProject)}
	var args arguments
	c.batch.query(&c.events, "SELECT id, project_id, type, payload, created_at\nFROM outbox\nWHERE "+eachOf(&args, "id", events), args...)
	if len(subscriptions) > 0 {
		var args arguments
		c.batch.query(&c.subscriptions, "SELECT "+subscriptionColumns+"\nFROM event_subscriptions\nWHERE "+eachOf(&args, "id", subscriptions), args...)
	}
	if len(shops) > 0 {
		var args arguments
		in := args.list(shops)
		c.batch.query(&c.shops, selectProject+"\nWHERE id IN "+in, args...)
		c.batch.query(&c.emails, `
SELECT id, email
FROM accounts
WHERE id IN (SELECT account_id FROM projects WHERE id IN `+in+`)`, args...)
	}
	return c
}

func (c *parcelContents) into(p *ports.Parcel) error {
	d := p.Delivery
	for _, r := range c.events {
		if r.ID == d.Event.String() && r.ProjectID == d.Project.String() {
			p.Body = []byte(r.Payload)
		}
	}
	for _, r := range c.subscriptions {
		if r.ID == d.Target.Subscription().String() && r.ProjectID == d.Project.String() {
			s, err := fromSubscriptionRow(r)
			if err != nil {
				return err
			}
			p.Subscription = s
		}
	}
	for _, r := range c.shops {
		if r.ID == d.Project.String() {
			shop, err := fromProjectRow(r)
			if err != nil {
				return err
			}
			p.Shop, p.Email = shop, c.emailOf(shop)
		}
	}
	return nil
}

func (c *parcelContents) emailOf(shop *project.Project) string {
	for _, e := range c.emails {
		if e.ID == shop.Account.String() {
			return e.Email
		}
	}
	return ""
}
