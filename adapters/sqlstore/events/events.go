// Package events stores subscriptions, and leases events and their deliveries to the loops that fan them out and send
// them. It sends nothing. Package outbox inserts the events.
package events

import (
	"context"
	"strings"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/db"
	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/stored"
	"github.com/haggle-commerce/haggle/domain/event"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/ports"
)

// Events stores subscriptions and reads the log of events.
type Events struct{ Store *db.DB }

var (
	_ ports.Subscriptions = Events{}
	_ ports.EventLog      = Events{}
	_ ports.Deliveries    = Events{}

	_ ports.Sealed[id.Subscription] = Events{}
)

var (
	subscriptions = db.NewTable[event.Subscription]("event_subscriptions", db.Columns{"Types": ",json", "Secret": ",empty"})

	_ = stored.JSON[[]event.Type](nil)

	selectSubscription = subscriptions.Select() + oneProject + "\n  AND id = $2"

	updateSubscription = subscriptions.Update([]string{"project_id", "id"},
		"url", "description", "types", "status", "reason", "secret", "previous", "previous_end", "active_since", "updated_at")

	announced = db.NewTable[ports.Announced]("outbox", db.Columns{"Body": "payload,empty", "At": "created_at"})
)

const (
	oneProject = "\nWHERE project_id = $1"

	ofSubscriptions = "\nFROM event_subscriptions" + oneProject

	deleteSubscription = `
DELETE FROM event_subscriptions
WHERE project_id = $1
  AND id = $2`

	cancelDeliveries = `
UPDATE deliveries
SET status = 'canceled', due_at = NULL
WHERE queue = $1
  AND due_at IS NOT NULL`
)

// sealed is a subscription as it is stored.
func sealed(d db.Dialect, s event.Subscription) event.Subscription {
	s.URL = d.SealAddress(s.URL, db.SubscriptionAddress(s.ID.String()))
	return s
}

func open(d db.Dialect, s *event.Subscription) {
	s.URL = d.OpenAddress(s.URL, db.SubscriptionAddress(s.ID.String()))
}

// Add locks the project, so that concurrent calls cannot exceed the limit.
func (v Events) Add(ctx context.Context, s *event.Subscription) error {
	return v.Store.InTx(ctx, s.Project, func(t *db.Tx) error {
		var name string
		found, err := t.Get(ctx, &name, "SELECT id FROM projects WHERE id = $1"+db.ActiveOnly+t.Dialect.ForUpdate, s.Project)
		if err != nil || !found {
			return db.OrMissingProject(err)
		}
		var n int
		if _, err := t.Get(ctx, &n, "SELECT count(*) AS n"+ofSubscriptions, s.Project); err != nil {
			return err
		}
		if s.ActiveSince, err = t.Now(ctx); err != nil {
			return err
		}
		if n >= event.MaxSubscriptions {
			return fault.New(fault.Conflict, "too_many_subscriptions", "The project has 50 subscriptions. Delete one first.")
		}
		_, err = t.Exec(ctx, subscriptions.Insert(), subscriptions.Args(sealed(t.Dialect, *s))...)
		return err
	})
}

func (v Events) List(ctx context.Context, project id.Project, page ports.Page) ([]*event.Subscription, int, error) {
	list, total, err := db.Page[*event.Subscription](ctx, v.Store.Read(project), subscriptions.Columns(), ofSubscriptions,
		db.Conditions{Args: db.Args{project}}, "created_at DESC, id", page)
	for _, s := range list {
		open(v.Store.Dialect, s)
	}
	return list, total, err
}

func (v Events) ByID(ctx context.Context, project id.Project, wanted id.Subscription) (*event.Subscription, error) {
	return readSubscription(ctx, v.Store.Read(project), v.Store.Dialect, "", project, wanted)
}

func (v Events) Update(ctx context.Context, project id.Project, wanted id.Subscription, change func(*event.Subscription) error) (*event.Subscription, error) {
	return db.InTx(ctx, v.Store, project, func(t *db.Tx) (*event.Subscription, error) {
		if _, err := lockAudience(ctx, t, project); err != nil {
			return nil, err
		}
		s, err := lockSubscription(ctx, t, project, wanted)
		if err != nil {
			return nil, err
		}
		was := s.ActiveSince
		if err := change(s); err != nil {
			return nil, err
		}
		if !s.ActiveSince.Equal(was) {
			if s.ActiveSince, err = t.Now(ctx); err != nil {
				return nil, err
			}
		}
		return s, storeSubscription(ctx, t, s)
	})
}

// lockAudience excludes transactions that store events of the project: when a subscription is active, an event either
// came before it or is due. The trigger event_types_wanted needs the same lock, and it comes before that of a
// subscription, so that two changes do not wait for each other. It reports whether the project exists.
func lockAudience(ctx context.Context, t *db.Tx, project id.Project) (bool, error) {
	var name string
	return t.Get(ctx, &name, db.LockedProject+t.Dialect.ForUpdate, project)
}

func lockSubscription(ctx context.Context, t *db.Tx, project id.Project, wanted id.Subscription) (*event.Subscription, error) {
	return readSubscription(ctx, t, t.Dialect, t.Dialect.ForUpdate, project, wanted)
}

func readSubscription(ctx context.Context, from db.Source, d db.Dialect, lock string,
	project id.Project, wanted id.Subscription) (*event.Subscription, error) {
	s, err := db.One[event.Subscription](ctx, from, "subscription", selectSubscription+lock, project, wanted)
	if err != nil {
		return nil, err
	}
	open(d, s)
	return s, nil
}

// storeSubscription also cancels the pending deliveries of a disabled subscription.
func storeSubscription(ctx context.Context, t *db.Tx, s *event.Subscription) error {
	_, err := t.Exec(ctx, updateSubscription.Text, updateSubscription.Args(sealed(t.Dialect, *s))...)
	if err == nil && s.Status == event.Disabled {
		_, err = t.Exec(ctx, cancelDeliveries, queueOf(s.Project, event.To(s.ID)))
	}
	return err
}

func (v Events) Remove(ctx context.Context, project id.Project, wanted id.Subscription) error {
	return v.Store.InTx(ctx, project, func(t *db.Tx) error {
		if _, err := lockAudience(ctx, t, project); err != nil {
			return err
		}
		rows, err := t.Exec(ctx, deleteSubscription, project, wanted)
		if err == nil && rows == 0 {
			return fault.Missing("subscription")
		}
		if err == nil {
			_, err = t.Exec(ctx, cancelDeliveries, queueOf(project, event.To(wanted)))
		}
		return err
	})
}

// queueOf is the queue of deliveries to a project's target. The hooks of orders, whose addresses buyers' agents give,
// count as a separate tenant (jobs.Limits), so that the project's subscriptions do not wait for them.
func queueOf(project id.Project, to event.Target) string {
	if to.Hook() {
		return project.String() + "+hooks/" + to.String()
	}
	return project.String() + "/" + to.String()
}

func fromQueue(queue string) event.Target {
	return event.StoredTarget(queue[strings.IndexByte(queue, '/')+1:])
}

func (v Events) Events(ctx context.Context, project id.Project, of event.Type, page ports.Page) ([]ports.Announced, int, error) {
	w := db.Conditions{Args: db.Args{project}}
	w.Equal("type", of)
	return db.Page[ports.Announced](ctx, v.Store.Read(project), announced.Columns(), "\nFROM outbox"+oneProject, w, "created_at DESC, id DESC", page)
}

func (v Events) Event(ctx context.Context, project id.Project, wanted id.Event) (ports.Announced, error) {
	e, err := db.One[ports.Announced](ctx, v.Store.Read(project), "event", announced.Select()+oneProject+"\n  AND id = $2", project, wanted)
	if err != nil {
		return ports.Announced{}, err
	}
	return *e, nil
}

const (
	selectSecrets = `
SELECT project_id, id, url, secret, previous
FROM event_subscriptions
ORDER BY project_id, id`

	updateSecrets = `
UPDATE event_subscriptions
SET url = $3, secret = $4, previous = $5
WHERE project_id = $1
  AND id = $2`
)

func (v Events) Reseal(ctx context.Context, seal func(id.Subscription, []byte) ([]byte, error)) (n int, err error) {
	return db.Reseal(ctx, v.Store, db.AnyProject, selectSecrets, updateSecrets, func(s event.Subscription) (_ []any, err error) {
		if s.URL, err = v.Store.Dialect.ResealAddress(s.URL, db.SubscriptionAddress(s.ID.String())); err != nil {
			return nil, err
		}
		for _, sealed := range []*[]byte{&s.Secret, &s.Previous} {
			if len(*sealed) == 0 {
				continue
			}
			if *sealed, err = seal(s.ID, *sealed); err != nil {
				return nil, err
			}
		}
		return []any{s.Project, s.ID, s.URL, s.Secret, s.Previous}, nil
	})
}
