package sqlstore_test

import (
	"errors"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/storetest"
	"github.com/haggle-commerce/haggle/domain/event"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/ports"
	"github.com/haggle-commerce/haggle/ports/porttest"
)

// An unreadable checkout does not delay the reconciliation of others, and is claimed again until it can be read.
func TestStore_LapsedCheckouts_unreadable(t *testing.T) {
	storetest.OnEngines(t, func(t *testing.T, s *storetest.Store) {
		bad := storetest.LapsedCheckout(t, s, porttest.NewSale(t, storetest.Views(s)))
		good := storetest.LapsedCheckout(t, s, porttest.NewSale(t, storetest.Views(s)))
		storetest.Rewrite(t, s, "UPDATE checkouts SET taken = '{' WHERE id = $1", bad)
		now := storetest.QueueNoon
		s.SetClock(now)
		q := s.LapsedCheckouts()
		for failures, pause := range []time.Duration{time.Minute, 2 * time.Minute, 4 * time.Minute} {
			var unreadable *ports.Held
			for _, l := range storetest.ClaimAll(t, q, 4) {
				switch {
				case l.Key == good && l.Err == nil && failures == 0:
				case l.Key == bad && errors.Is(l.Err, fault.ErrUnreadable) && l.Failures == failures:
					unreadable = &l.Held
				case l.Key == bad:
					t.Errorf("%+v, %v", l.Held, l.Err)
				}
			}
			if unreadable == nil {
				t.Fatalf("the unreadable one was not claimed after %d failures", failures)
			}
			if err := q.SetAside(t.Context(), *unreadable, "it cannot be read"); err != nil {
				t.Fatal(err)
			}
			storetest.Rewrite(t, s, "UPDATE checkouts SET status = 'completed' WHERE id = $1", good)
			s.SetClock(now.Add(pause - time.Millisecond))
			if early := storetest.ClaimAll(t, q, 4); len(early) != 0 {
				t.Errorf("%d claimed before the pause of %s is over", len(early), pause)
			}
			now = now.Add(pause)
			s.SetClock(now)
		}
		if counts, err := s.SetAside(t.Context()); err != nil || counts["payments"] != 1 {
			t.Errorf("%v, %v are set aside", counts, err)
		}
		storetest.Rewrite(t, s, "UPDATE checkouts SET taken = '[]' WHERE id = $1", bad)
		again := storetest.ClaimAll(t, q, 4)
		if len(again) != 1 || again[0].Err != nil || again[0].Failures != 3 {
			t.Fatalf("after the repair: %+v", again)
		}
		if err := q.Restore(t.Context(), again[0].Held); err != nil {
			t.Fatal(err)
		}
		if counts, err := s.SetAside(t.Context()); err != nil || len(counts) != 0 {
			t.Errorf("%v, %v are still set aside", counts, err)
		}
	})
}

// Each shop gets its share, no matter how much work of another one waits, and the database's clock decides when a lease
// ends.
func TestStore_LapsedCheckouts_fairShares(t *testing.T) {
	storetest.OnEngines(t, func(t *testing.T, s *storetest.Store) {
		large, small := porttest.NewSale(t, storetest.Views(s)), porttest.NewSale(t, storetest.Views(s))
		for range 12 {
			storetest.LapsedCheckout(t, s, large)
		}
		storetest.Rewrite(t, s, "UPDATE checkouts SET lease_until = lease_until - 1000")
		storetest.LapsedCheckout(t, s, small)
		s.SetClock(storetest.QueueNoon)
		counts := map[id.Project]int{}
		claimed := storetest.ClaimAll(t, s.LapsedCheckouts(), 4)
		for _, l := range claimed {
			counts[l.Project]++
			if !l.Until.Equal(storetest.QueueNoon.Add(15 * time.Second)) {
				t.Errorf("leased until %s", l.Until)
			}
		}
		if counts[large.Project()] != 4 || counts[small.Project()] != 1 {
			t.Errorf("claimed %v", counts)
		}
		s.SetClock(storetest.QueueNoon.Add(15*time.Second - time.Millisecond))
		if more := storetest.ClaimAll(t, s.LapsedCheckouts(), 20); len(more) != 8 {
			t.Errorf("%d claimed while leases last, want the 8 others", len(more))
		}
		s.SetClock(storetest.QueueNoon.Add(15 * time.Second))
		if over := storetest.ClaimAll(t, s.LapsedCheckouts(), 20); len(over) != 5 {
			t.Errorf("%d claimed when their leases end, want 5", len(over))
		}
		if err := s.LapsedCheckouts().SetAside(t.Context(), claimed[0].Held, "late"); err != nil {
			t.Fatal(err)
		}
		if counts, err := s.SetAside(t.Context()); err != nil || len(counts) != 0 {
			t.Errorf("who lost the lease set %v aside (%v)", counts, err)
		}
	})
}

func fanOutAll(t *testing.T, s *storetest.Store) (made map[id.Project]int, aside int) {
	t.Helper()
	made = map[id.Project]int{}
	_, list, err := s.Outbox().FanOut(t.Context(), 100, func(e ports.Announced, to ports.Audience) (list []*event.Delivery) {
		for _, sub := range to.Subscriptions {
			if sub.Wants(e.Type, e.At) {
				made[e.Project]++
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return made, len(list)
}

func subscribed(t *testing.T, s *storetest.Store, n byte, project id.Project, now time.Time) {
	t.Helper()
	sub, err := event.Subscribe(id.New[id.Subscription]([16]byte{n}), project, event.Draft{URL: "https://example.com", Types: []string{"*"}},
		[]byte("sealed"), event.Rules{}, now)
	if err == nil {
		err = s.Events().Add(t.Context(), sub)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// A project that cannot be read sets its own events aside, and all of them are delivered once it can be.
func TestStore_Outbox_unreadableProject(t *testing.T) {
	storetest.OnEngines(t, func(t *testing.T, s *storetest.Store) {
		s.SetClock(storetest.QueueNoon)
		good, bad := porttest.NewSale(t, storetest.Views(s)), porttest.NewSale(t, storetest.Views(s))
		subscribed(t, s, 1, good.Project(), storetest.QueueNoon)
		subscribed(t, s, 2, bad.Project(), storetest.QueueNoon)
		for range 3 {
			good.Quote()
			bad.Quote()
		}
		storetest.Rewrite(t, s, "UPDATE projects SET settings = '{' || settings WHERE id = $1", bad.Project().String())
		if made, aside := fanOutAll(t, s); made[good.Project()] != 3 || made[bad.Project()] != 0 || aside != 1 {
			t.Errorf("%v, %d set aside", made, aside)
		}
		if made, aside := fanOutAll(t, s); len(made) != 0 || aside != 0 {
			t.Errorf("%v, %d set aside again at once", made, aside)
		}
		storetest.Rewrite(t, s, "UPDATE projects SET settings = substr(settings, 2) WHERE id = $1", bad.Project().String())
		s.SetClock(storetest.QueueNoon.Add(time.Minute))
		if made, aside := fanOutAll(t, s); made[bad.Project()] != 3 || aside != 0 {
			t.Errorf("after the repair: %v, %d set aside", made, aside)
		}
		if counts, err := s.SetAside(t.Context()); err != nil || len(counts) != 0 {
			t.Errorf("%v, %v are still set aside", counts, err)
		}
	})
}

// An event goes to a subscription that was created before, even if it is announced by a replica whose clock is a minute
// behind.
func TestStore_Outbox_slowReplica(t *testing.T) {
	storetest.OnEngines(t, func(t *testing.T, s *storetest.Store) {
		shop := storetest.StoreProject(t, s, 1).ID
		now := time.Now().UTC()
		subscribed(t, s, 1, shop, now)
		slow := &event.Event{
			ID:      id.New[id.Event]([16]byte{1}),
			Project: shop,
			At:      now.Add(-time.Minute),
			Data: event.SyncFailed{
				Error:     "none",
				StartedAt: now,
				EndedAt:   now,
			},
		}
		if err := s.Announcements().Announce(t.Context(), slow); err != nil {
			t.Fatal(err)
		}
		if made, _ := fanOutAll(t, s); made[shop] != 1 {
			t.Errorf("the event went to %v", made)
		}
	})
}
