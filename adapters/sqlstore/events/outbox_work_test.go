package events_test

import (
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/storetest"
	"github.com/haggle-commerce/haggle/domain/event"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/ports"
	"github.com/haggle-commerce/haggle/ports/porttest"
)

// The database fails between leasing deliveries and reading their contents: no worker gets them empty, and they are
// leased again.
func TestOutbox_Claim_contentsUnreadable(t *testing.T) {
	storetest.OnEngines(t, func(t *testing.T, s *storetest.Store) {
		sale, now := porttest.NewSale(t, storetest.Views(s)), time.Now().UTC().Add(time.Hour).Truncate(time.Millisecond)
		wanted, err := event.Subscribe(id.New[id.Subscription]([16]byte{9}), sale.Project(),
			event.Draft{URL: "https://example.com", Types: []string{"order.completed"}}, []byte("sealed"), event.Rules{}, time.Time{})
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Events().Add(t.Context(), wanted); err != nil {
			t.Fatal(err)
		}
		sale.Finalize(sale.Init(sale.Quote()))
		s.SetClock(now)
		_, _, err = s.Outbox().FanOut(t.Context(), 10, func(e ports.Announced, to ports.Audience) (list []*event.Delivery) {
			for _, sub := range to.Subscriptions {
				if sub.Wants(e.Type, e.At) {
					list = append(list, event.NewDelivery(id.New[id.Delivery]([16]byte{7}), e.Project, e.ID, e.Type, event.To(sub.ID), now))
				}
			}
			return list
		})
		if err != nil {
			t.Fatal(err)
		}
		waiting, err := s.Outbox().Waiting(t.Context())
		if err != nil || len(waiting) != 1 {
			t.Fatalf("%+v, %v", waiting, err)
		}
		shares := []ports.Share{{Group: waiting[0], Most: 4}}
		rename := func(from, to string) {
			if _, err := s.DB.WritePool().ExecContext(t.Context(), "ALTER TABLE "+from+" RENAME TO "+to); err != nil {
				t.Fatal(err)
			}
		}
		rename("event_subscriptions", "gone")
		if parcels, err := s.Outbox().Claim(t.Context(), time.Minute, shares); err == nil || len(parcels) != 0 {
			t.Errorf("%d deliveries without their content, %v", len(parcels), err)
		}
		rename("gone", "event_subscriptions")
		s.SetClock(now.Add(time.Minute))
		parcels, err := s.Outbox().Claim(t.Context(), time.Minute, shares)
		if err != nil || len(parcels) != 1 || len(parcels[0].Item.Body) == 0 || parcels[0].Item.Subscription == nil {
			t.Errorf("%+v, %v", parcels, err)
		}
	})
}
