package syncing_test

import (
	"errors"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/storetest"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/integration"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/ports"
)

// A state stays used up even if the request is rolled back.
func TestAuthorizations_Change_rolledBackRequest(t *testing.T) {
	storetest.OnEngines(t, func(t *testing.T, s *storetest.Store) {
		p, undone := storetest.StoreProject(t, s, 1), errors.New("undone")
		a := &integration.Authorization{
			State:     "hash",
			Account:   p.Account,
			Project:   p.ID,
			Type:      integration.Shopify,
			CreatedAt: time.UnixMilli(0).UTC(),
		}
		if err := s.Authorizations().Begin(t.Context(), a); err != nil {
			t.Fatal(err)
		}
		redeem := func(view *storetest.Store) error {
			_, err := view.Authorizations().Change(t.Context(), a.State, func(found *integration.Authorization) error {
				return found.Redeem(integration.Grant{
					Account: p.Account,
					Project: p.ID,
					Type:    a.Type,
				}, time.UnixMilli(1))
			})
			return err
		}
		err := s.Within(t.Context(), nil, func(view *storetest.Store) error {
			if err := redeem(view); err != nil {
				return err
			}
			return undone
		})
		if !errors.Is(err, undone) {
			t.Fatal(err)
		}
		if err := redeem(s); !fault.Is(err, "invalid_state") {
			t.Errorf("once more: %v, want invalid_state", err)
		}
	})
}

// Within a request's transaction, recording a delivery is undone with it.
func TestInbox_Record_inRequest(t *testing.T) {
	storetest.OnEngines(t, func(t *testing.T, s *storetest.Store) {
		d, undone := inboxDelivery(storetest.StoreProject(t, s, 1).ID, 1), errors.New("undone")
		if err := s.Inbox().Keep(t.Context(), []*integration.Delivery{d}); err != nil {
			t.Fatal(err)
		}
		lease := d.DueAt
		d.Done()
		for _, end := range []error{undone, nil} {
			err := s.Within(t.Context(), nil, func(view *storetest.Store) error {
				if err := view.Inbox().Record(t.Context(), d, lease); err != nil {
					return err
				}
				return end
			})
			if !errors.Is(err, end) {
				t.Fatal(err)
			}
			_, processed, err := s.Inbox().Log(t.Context(), d.Project, d.Integration, ports.LogFilter{Status: integration.Processed}, ports.Page{Limit: 1})
			if err != nil || (processed == 1) != (end == nil) {
				t.Errorf("%d processed after %v (%v)", processed, end, err)
			}
		}
	})
}

// Registering a webhook calls the platform first, and the integration may be disconnected meanwhile.
func TestWebhooks_Add_disconnected(t *testing.T) {
	storetest.OnEngines(t, func(t *testing.T, s *storetest.Store) {
		p := storetest.StoreProject(t, s, 1)
		of := storeIntegration(t, s, p)
		_, err := s.Integrations().Disconnect(t.Context(), p.ID, of.Integration, func(i *integration.Integration, _ *project.Project) {
			i.Disconnect(time.UnixMilli(1))
		})
		if err != nil {
			t.Fatal(err)
		}
		w := &integration.Webhook{
			ID:          storetest.Numbered[id.Webhook](2),
			Project:     p.ID,
			Integration: of.Integration,
			Type:        integration.Shopify,
			Topic:       "orders/create",
			Status:      integration.WebhookActive,
			CreatedAt:   time.UnixMilli(1),
		}
		if err := s.Webhooks().Add(t.Context(), w); !fault.Is(err, "integration_disconnected") {
			t.Errorf("got %v", err)
		}
	})
}

// inboxDelivery is a project's n-th, of 2 KB.
func inboxDelivery(p id.Project, n int) *integration.Delivery {
	w := integration.Webhook{
		ID:          storetest.Numbered[id.Webhook](1),
		Project:     p,
		Integration: storetest.Numbered[id.Integration](1),
		Topic:       "orders/create",
	}
	payload := make([]byte, 2000)
	for i := range payload {
		payload[i] = byte('a' + (i*n+i/7)%26)
	}
	name := storetest.Numbered[id.WebhookLog](n)
	return w.Receive(name, name.String(), time.UnixMilli(1).UTC(), payload, time.UnixMilli(int64(n)).UTC())
}
