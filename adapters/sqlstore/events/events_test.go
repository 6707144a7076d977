package events_test

import (
	"testing"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/storetest"
	"github.com/haggle-commerce/haggle/ports/porttest"
)

func TestEvents(t *testing.T) {
	t.Parallel()
	for name, open := range storetest.Engines {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			porttest.Publishing(t, func(tb testing.TB) porttest.PublishingStores {
				s := open(tb)
				return porttest.PublishingStores{
					Stores:        storetest.Views(s),
					Subscriptions: s.Events(),
					EventLog:      s.Events(),
					Deliveries:    s.Events(),
					Outbox:        s.Outbox(),
				}
			})
		})
	}
}
