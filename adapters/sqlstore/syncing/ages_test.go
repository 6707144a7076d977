package syncing_test

import (
	"reflect"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/storetest"
	"github.com/haggle-commerce/haggle/domain/integration"
	"github.com/haggle-commerce/haggle/ports"
	"github.com/haggle-commerce/haggle/ports/porttest"
)

// The age of a type is that of the integration which waits the longest, of any project. Payment providers, and what is
// disconnected, have none.
func TestIntegrations_SyncAges(t *testing.T) {
	storetest.OnEngines(t, func(t *testing.T, s *storetest.Store) {
		stores := storetest.Views(s)
		one, other := porttest.OpenShop(t, stores), porttest.OpenShop(t, stores)
		s.SetClock(porttest.Noon.Add(time.Hour))
		wantAges(t, s)
		one.Connect(integration.Stripe, porttest.Noon)
		one.Connect(integration.Shopify, porttest.Noon)
		one.Connect(integration.HubSpot, porttest.Noon.Add(50*time.Minute))
		synced := other.Connect(integration.Shopify, porttest.Noon.Add(-time.Hour))
		_, err := other.Integrations.Update(other.Ctx, other.Project.ID, synced.ID, func(i *integration.Integration) error {
			i.LastSync = porttest.Noon.Add(30 * time.Minute)
			return nil
		})
		other.Must(err)
		other.Must(disconnect(other, other.Connect(integration.Custom, porttest.Noon).ID))
		wantAges(t, s,
			ports.SyncAge{
				Type:         "hubspot",
				Integrations: 1,
				Oldest:       10 * time.Minute,
			},
			ports.SyncAge{
				Type:         "shopify",
				Integrations: 2,
				Oldest:       time.Hour,
			},
		)
	})
}

func wantAges(t *testing.T, s *storetest.Store, want ...ports.SyncAge) {
	t.Helper()
	if got, err := s.Integrations().SyncAges(t.Context()); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("ages %+v, %v, want %+v", got, err, want)
	}
}
