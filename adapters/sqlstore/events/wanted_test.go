package events_test

import (
	"context"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/storetest"
	"github.com/haggle-commerce/haggle/domain/event"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/patch"
	"github.com/haggle-commerce/haggle/ports"
	"github.com/haggle-commerce/haggle/ports/porttest"
)

func subscribe(t *testing.T, s *storetest.Store, project id.Project, types ...string) *event.Subscription {
	t.Helper()
	sub, err := event.Subscribe(porttest.Random[id.Subscription](), project, event.Draft{URL: "https://example.com", Types: types},
		[]byte("sealed"), event.Rules{}, time.Time{})
	if err == nil {
		err = s.Events().Add(t.Context(), sub)
	}
	if err != nil {
		t.Fatal(err)
	}
	return sub
}

// announced stores an event, and reports whether it is due. It is in the project's log either way.
func announced(t *testing.T, s *storetest.Store, project id.Project, data event.Data) bool {
	t.Helper()
	e := &event.Event{
		ID:      porttest.Random[id.Event](),
		Project: project,
		At:      time.Now(),
		Data:    data,
	}
	if err := s.Announcements().Announce(t.Context(), e); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Events().Event(t.Context(), project, e.ID); err != nil {
		t.Error(err)
	}
	return isDue(t, s, e)
}

func isDue(t *testing.T, s *storetest.Store, e *event.Event) bool {
	t.Helper()
	for _, row := range storetest.Events(t, s, e.Project) {
		if row.ID == e.ID.String() {
			return row.DueAt != nil
		}
	}
	t.Fatal("the event is not stored")
	return false
}

// An event is due if it may have a recipient: an active subscription that wants its type or, for alerts, people.
func TestEvents_unwantedNotDue(t *testing.T) {
	storetest.OnEngines(t, func(t *testing.T, s *storetest.Store) {
		project := porttest.OpenShop(t, storetest.Views(s)).Project.ID
		other := porttest.OpenShop(t, storetest.Views(s)).Project.ID
		subscribe(t, s, other, "*")
		synced := event.SyncCompleted{}
		want := func(when string, want bool) {
			t.Helper()
			if got := announced(t, s, project, synced); got != want {
				t.Errorf("%s: due is %v", when, got)
			}
		}
		change := func(sub *event.Subscription, c event.Change) {
			t.Helper()
			if _, err := s.Events().Update(t.Context(), project, sub.ID, func(s *event.Subscription) error {
				return s.Change(c, event.Rules{}, time.Now())
			}); err != nil {
				t.Fatal(err)
			}
		}
		want("without a subscription", false)
		if !announced(t, s, project, event.InventoryLow{}) {
			t.Error("an alert is not due")
		}
		orders := subscribe(t, s, project, "order.completed")
		want("with one for orders", false)
		change(orders, event.Change{Types: patch.To([]string{"order.completed", "sync.completed"})})
		want("with one for both", true)
		change(orders, event.Change{Status: patch.To("disabled")})
		want("with a disabled one", false)
		change(orders, event.Change{Status: patch.To("active")})
		want("once it is enabled again", true)
		all := subscribe(t, s, project, "*")
		change(orders, event.Change{Status: patch.To("disabled")})
		want("with one for all", true)
		if err := s.Events().Remove(t.Context(), project, all.ID); err != nil {
			t.Fatal(err)
		}
		want("once that is removed", false)
	})
}

// With an event bus, to which all events go, all are due.
func TestEvents_dueForEventBus(t *testing.T) {
	storetest.OnEngines(t, func(t *testing.T, s *storetest.Store) {
		project := porttest.OpenShop(t, storetest.Views(s)).Project.ID
		s.DB.Dialect.EventBus = true
		if !announced(t, s, project, event.SyncCompleted{}) {
			t.Error("it is not due")
		}
	})
}

// While a subscription is changed to want more, an event is stored. It waits for the change, and is then due.
func TestLockAudience_subscriptionChange(t *testing.T) {
	storetest.OnEngines(t, func(t *testing.T, s *storetest.Store) {
		project := porttest.OpenShop(t, storetest.Views(s)).Project.ID
		sub := subscribe(t, s, project, "order.completed")
		e := &event.Event{
			ID:      porttest.Random[id.Event](),
			Project: project,
			At:      time.Now(),
			Data:    event.SyncCompleted{},
		}
		stored := make(chan error, 1)
		if _, err := s.Events().Update(t.Context(), project, sub.ID, func(sub *event.Subscription) error {
			go func() { stored <- s.Announcements().Announce(context.WithoutCancel(t.Context()), e) }()
			time.Sleep(200 * time.Millisecond)
			return sub.Change(event.Change{Types: patch.To([]string{"*"})}, event.Rules{}, time.Now())
		}); err != nil {
			t.Fatal(err)
		}
		if err := <-stored; err != nil {
			t.Fatal(err)
		}
		if !isDue(t, s, e) {
			t.Error("it is not due")
		}
	})
}

// Disabling subscriptions of one project concurrently does not deadlock.
func TestEvents_Update_concurrent(t *testing.T) {
	storetest.OnEngines(t, func(t *testing.T, s *storetest.Store) {
		project := porttest.OpenShop(t, storetest.Views(s)).Project.ID
		subs := make([]*event.Subscription, 8)
		for i := range subs {
			subs[i] = subscribe(t, s, project, "sync.completed")
		}
		began := time.Now()
		if err := porttest.AtOnce(len(subs), func(i int) error {
			_, err := s.Events().Update(t.Context(), project, subs[i].ID, func(s *event.Subscription) error {
				s.Disable(event.ByMerchant, time.Now())
				return nil
			})
			return err
		}); err != nil {
			t.Fatal(err)
		}
		if took := time.Since(began); took > time.Second {
			t.Errorf("it took %s: PostgreSQL notices a circle after a second", took)
		}
		if announced(t, s, project, event.SyncCompleted{}) {
			t.Error("an event is due without an active subscription")
		}
	})
}

// An upgraded database knows what the subscriptions want that it has.
func TestEventTypes_upgrade(t *testing.T) {
	storetest.OnEngines(t, func(t *testing.T, s *storetest.Store) {
		project := porttest.OpenShop(t, storetest.Views(s)).Project.ID
		subscribe(t, s, project, "order.completed")
		subscribe(t, s, project, "sync.completed")
		undo := []string{"DROP TRIGGER event_types_of_new", "DROP TRIGGER event_types_of_changed", "DROP TRIGGER event_types_of_removed"}
		if s.DB.Dialect.OneTrip {
			undo = []string{"DROP TRIGGER event_types_wanted ON event_subscriptions", "DROP FUNCTION event_types_wanted"}
		}
		storetest.Upgrade(t, s, 65, append(undo, "ALTER TABLE projects DROP COLUMN event_types")...)
		if !announced(t, s, project, event.SyncCompleted{}) {
			t.Error("what a subscription wants is not due")
		}
	})
}

// Events are fanned out in bulk: the statements do not grow with the events, but for rows of one INSERT.
func TestFanOut_statements(t *testing.T) {
	t.Parallel()
	s, count := storetest.CountedSQLite(t)
	project := porttest.OpenShop(t, storetest.Views(s)).Project.ID
	subscribe(t, s, project, "*")
	fanOut := func(n int) (statements int64) {
		for range n {
			announced(t, s, project, event.SyncCompleted{})
		}
		return count(func() {
			events, _, err := s.Outbox().FanOut(t.Context(), 500, func(e ports.Announced, to ports.Audience) []*event.Delivery {
				return []*event.Delivery{event.NewDelivery(porttest.Random[id.Delivery](), e.Project, e.ID, e.Type, event.To(to.Subscriptions[0].ID), to.Now)}
			})
			if err != nil || events != n {
				t.Fatalf("%d events, %v", events, err)
			}
		})
	}
	one, some := fanOut(1), fanOut(20)
	if one != 8 || some != 8 {
		t.Errorf("one event takes %d statements, and 20 take %d", one, some)
	}
}
