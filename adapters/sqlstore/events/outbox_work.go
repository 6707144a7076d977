package events

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/accounts"
	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/db"
	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/queue"
	"github.com/haggle-commerce/haggle/adapters/sqlstore/outbox"
	"github.com/haggle-commerce/haggle/domain/event"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/ports"
)

// Outbox leases deliveries of all projects.
type Outbox struct {
	queue.Queue[deliveryRow, ports.Parcel]
}

var _ ports.Outbox = Outbox{}

// NewOutbox returns a view that leases deliveries.
func NewOutbox(s *db.DB) Outbox {
	return Outbox{queue.Queue[deliveryRow, ports.Parcel]{
		Store: s,
		Table: DueDeliveries,
		Item: func(r deliveryRow) (ports.Parcel, error) {
			return ports.Parcel{Delivery: r.delivery()}, nil
		},
	}}
}

var (
	DueDeliveries = queue.Table{
		Name:    "deliveries",
		Table:   "deliveries",
		Key:     "id",
		Group:   "queue",
		Waits:   "due_at IS NOT NULL",
		Due:     "due_at",
		Lease:   "due_at",
		Retry:   "due_at",
		Columns: deliveries.Columns(),
	}
	dueEvents = queue.Table{
		Name:  "events",
		Table: "outbox",
		Key:   "id",
		Group: "project_id",
		Waits: "due_at IS NOT NULL",
		Due:   "due_at",
	}
)

// selectDueEvents does not read bodies, because the recipients of an event do not depend on them.
const selectDueEvents = `
SELECT project_id, id, type, created_at, hook
FROM outbox
WHERE project_id = $1
  AND due_at <= %[1]s
ORDER BY due_at
LIMIT $2%[2]s`

type rowKey struct{ project, name string }

// eachOf is a condition that finds rows by their keys; name is the second column's.
func eachOf(args *db.Args, name string, keys []rowKey) string {
	parts := make([]string, len(keys))
	for i, k := range keys {
		parts[i] = args.Row(k.project, k.name)
	}
	return "(project_id, " + name + ") IN (VALUES " + strings.Join(parts, ", ") + ")"
}

func (o Outbox) Claim(ctx context.Context, lease time.Duration, shares []ports.Share) ([]ports.Leased[ports.Parcel], error) {
	parcels, err := o.Queue.Claim(ctx, lease, shares)
	if err == nil {
		err = o.fill(ctx, parcels) // a delivery leased without its content is leased again when its lease is over
	}
	if err != nil {
		return nil, err
	}
	return parcels, nil
}

// Record first ends hooks, because changing an order locks it before its project. Then it disables subscriptions,
// because disabling one locks it before its deliveries.
func (o Outbox) Record(ctx context.Context, outcomes []ports.Outcome) error {
	outcomes = slices.Clone(outcomes)
	slices.SortFunc(outcomes, func(a, b ports.Outcome) int {
		return cmp.Or(strings.Compare(a.Held.Group, b.Held.Group), strings.Compare(a.Held.Key, b.Held.Key))
	})
	return o.Store.InTx(ctx, db.AnyProject, func(t *db.Tx) error {
		if err := unhook(ctx, t, outcomes); err != nil {
			return err
		}
		for _, out := range outcomes {
			if out.Why == (event.Reason{}) {
				continue
			}
			if err := disable(ctx, t, out); err != nil {
				return err
			}
		}
		b := &db.Batch{}
		for _, out := range outcomes {
			b.Exec(recordDelivery, updateDelivery.Args(toDeliveryRow(out.Delivery), out.Held.Until)...)
		}
		return t.Run(ctx, b)
	})
}

// endHook keeps the time of a hook that has ended already.
const endHook = `
UPDATE orders
SET hook_ended_at = %s
WHERE project_id = $1
  AND id = $2
  AND hook_ended_at IS NULL`

// unhook ends the hooks of outcomes, in the order of their orders, in which every transaction locks them.
func unhook(ctx context.Context, t *db.Tx, outcomes []ports.Outcome) error {
	ended := slices.DeleteFunc(slices.Clone(outcomes), func(o ports.Outcome) bool { return o.Unhook.IsZero() })
	slices.SortFunc(ended, func(a, b ports.Outcome) int { return strings.Compare(a.Unhook.String(), b.Unhook.String()) })
	for _, o := range ended {
		if _, err := t.Exec(ctx, fmt.Sprintf(endHook, t.Dialect.Moment()), o.Delivery.Project, o.Unhook); err != nil {
			return err
		}
	}
	return nil
}

// disable stops the subscription of an outcome and announces that, unless it was stopped before or another process has
// the delivery by now. The outcome's own delivery is recorded first, because pending ones are canceled.
func disable(ctx context.Context, t *db.Tx, out ports.Outcome) error {
	d := out.Delivery
	if there, err := lockAudience(ctx, t, d.Project); err != nil || !there {
		return err
	}
	s, err := lockSubscription(ctx, t, d.Project, d.Target.Subscription())
	if fault.KindOf(err) == fault.NotFound && err != nil {
		return nil
	}
	if err != nil {
		return err
	}
	rows, err := t.Exec(ctx, recordDelivery, updateDelivery.Args(toDeliveryRow(d), out.Held.Until)...)
	if err != nil || rows == 0 || !s.Disable(out.Why, out.Alert.At) {
		return err
	}
	if err := storeSubscription(ctx, t, s); err != nil {
		return err
	}
	return outbox.AnnounceEvent(ctx, t, out.Alert)
}

// fill adds to claimed deliveries what is needed to send them to their targets.
func (o Outbox) fill(ctx context.Context, parcels []ports.Leased[ports.Parcel]) error {
	var events, targets []rowKey
	var shops []string
	for _, p := range parcels {
		if p.Err != nil {
			continue
		}
		d := p.Item.Delivery
		events = append(events, rowKey{d.Project.String(), d.Event.String()})
		if to := d.Target.Subscription(); !to.IsZero() {
			targets = append(targets, rowKey{d.Project.String(), to.String()})
		} else if d.Target != event.Stream {
			shops = append(shops, d.Project.String())
		}
	}
	if len(events) == 0 {
		return nil
	}
	c, err := o.contents(ctx, events, targets, shops)
	if err != nil {
		return err
	}
	for i := range parcels {
		if p := &parcels[i]; p.Err == nil {
			p.Err = fault.Survive(func() error { return c.into(&p.Item) })
		}
	}
	return nil
}

// parcelContents are the rows that claimed deliveries need.
type parcelContents struct {
	dialect       db.Dialect
	events        []aboutRow
	subscriptions []db.Decoded[event.Subscription]
	shops         []shopRow
}

// aboutRow is an event with the order or checkout that it is about.
type aboutRow struct {
	ports.Announced
	Subject string
}

type shopRow struct {
	accounts.ProjectRow
	Email string
}

func (o Outbox) contents(ctx context.Context, events, targets []rowKey, shops []string) (*parcelContents, error) {
	c, b := &parcelContents{dialect: o.Store.Dialect}, o.Store.Read(db.AnyProject)
	var args db.Args
	b.Query(&c.events, "SELECT "+announced.Columns()+", subject\nFROM outbox\nWHERE "+eachOf(&args, "id", events), args...)
	if len(targets) > 0 {
		var args db.Args
		b.Query(&c.subscriptions, subscriptions.Select()+"\nWHERE "+eachOf(&args, "id", targets)+ofActiveProjects, args...)
	}
	if len(shops) > 0 {
		var args db.Args
		b.Query(&c.shops, "SELECT p.*, a.email\nFROM ("+accounts.SelectProject+"\nWHERE id IN "+args.List(shops)+`) AS p
JOIN accounts AS a ON a.id = p.account_id`, args...)
	}
	return c, b.Run(ctx)
}

func (c *parcelContents) into(p *ports.Parcel) error {
	d := p.Delivery
	for _, e := range c.events {
		if e.ID == d.Event && e.Project == d.Project {
			p.Body = e.Body
			if d.Target.Hook() {
				p.Order, p.At = id.Stored[id.Order](e.Subject), e.At
			}
		}
	}
	for _, r := range c.subscriptions {
		if s := r.Value; s.ID == d.Target.Subscription() && s.Project == d.Project {
			if r.Err != nil {
				return r.Err
			}
			open(c.dialect, &s)
			p.Subscription = &s
		}
	}
	for _, r := range c.shops {
		if r.Project.ID != d.Project {
			continue
		}
		shop, err := accounts.FromProjectRow(c.dialect, r.ProjectRow)
		if err != nil {
			return err
		}
		p.Shop, p.Email = shop, r.Email
	}
	return nil
}

// selectOutboxLag counts deliveries that are retried later, but their age begins only when they are due.
const selectOutboxLag = `
SELECT count(*) AS pending, min(due_at) AS oldest
FROM (
  SELECT due_at FROM outbox WHERE due_at IS NOT NULL
  UNION ALL
  SELECT due_at FROM deliveries WHERE due_at IS NOT NULL
) AS waiting`

// OutboxLag returns how many events, and deliveries of events, of all projects wait, and when the first of them is due;
// the zero time if none waits.
func OutboxLag(ctx context.Context, s *db.DB) (pending int, oldest time.Time, err error) {
	var lag struct {
		Pending int
		Oldest  time.Time `db:",null"`
	}
	b := s.Read(db.AnyProject)
	b.Query(&lag, selectOutboxLag)
	err = b.Run(ctx)
	return lag.Pending, lag.Oldest, err
}
