package syncing_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/integration"
	"github.com/haggle-commerce/haggle/ports/porttest"
)

// IntegrationWebhooks is the contract of ports.IntegrationWebhooks.
func IntegrationWebhooks(t *testing.T, open porttest.Open) {
	stores := open(t)
	for name, test := range map[string]func(*porttest.Shop){
		"a webhook comes back as it was stored":     webhookRoundTrip,
		"lists are an integration's, by topic":      webhookList,
		"one of sixteen takes a topic":              webhookTopicRace,
		"sixteen register, one is the fiftieth":     webhookCountRace,
		"unknown and foreign webhooks":              webhookUnknown,
		"a removed one is gone, its topic is free":  webhookRemove,
		"a check is stored while it is in hand":     webhookCheck,
		"they go with their project":                webhookDelete,
		"it is found with its integration's status": webhookOfDisconnected,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(porttest.OpenShop(t, stores))
		})
	}
	for name, test := range map[string]func(*porttest.Shop){ // which touch every project's, and so are alone in a store
		"every secret is sealed anew":           webhookReseal,
		"a secret that is not ends all of that": webhookResealFails,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(porttest.OpenShop(t, open(t)))
		})
	}
}

func hooked(s *porttest.Shop, i *integration.Integration, topic string) *integration.Webhook {
	s.T.Helper()
	w := s.Hook(i, topic)
	s.Must(s.Webhooks.Add(s.Ctx, w))
	return w
}

func hooks(s *porttest.Shop, i *integration.Integration) []*integration.Webhook {
	s.T.Helper()
	list, err := s.Webhooks.List(s.Ctx, i.Project, i.ID)
	s.Must(err)
	return list
}

func webhookRoundTrip(s *porttest.Shop) {
	i := s.Connect(integration.Shopify, porttest.Noon)
	full, bare := hooked(s, i, "orders/create"), s.Hook(i, "products/update")
	bare.Actions, bare.Signing, bare.Remote, bare.Status = nil, nil, "", integration.WebhookActive
	s.Must(s.Webhooks.Add(s.Ctx, bare))
	porttest.Same(s.T, "list", hooks(s, i), []*integration.Webhook{full, bare})
	for _, want := range []*integration.Webhook{full, bare} {
		got, of, err := s.Webhooks.Called(s.Ctx, want.ID)
		s.Must(err)
		porttest.Same(s.T, "called", got, want)
		porttest.Same(s.T, "its integration", of, i)
	}
}

func webhookCheck(s *porttest.Shop) {
	i := s.Connect(integration.Shopify, porttest.Noon)
	w := s.Hook(i, "orders/create")
	lease := porttest.Noon.Add(time.Minute)
	w.CheckAt = lease
	s.Must(s.Webhooks.Add(s.Ctx, w))

	confirmed := *w
	confirmed.Remote, confirmed.Signing = "other", []byte("other")
	confirmed.Fail("It is paused.", porttest.Noon)
	s.Must(s.Webhooks.Check(s.Ctx, &confirmed, lease, false))
	confirmed.Remote, confirmed.Signing = w.Remote, w.Signing // which are those of a restored one alone
	porttest.Same(s.T, "checked", hooks(s, i)[0], &confirmed)

	restored := confirmed
	restored.Restore("2", nil, porttest.Noon.Add(time.Hour))
	porttest.WantFault(s.T, s.Webhooks.Check(s.Ctx, &restored, lease, true), fault.NotFound, "webhook_not_found")
	s.Must(s.Webhooks.Check(s.Ctx, &restored, confirmed.CheckAt, true))
	porttest.Same(s.T, "restored", hooks(s, i)[0], &restored)
	foreign := restored
	foreign.Project = porttest.OpenShop(s.T, s.Stores).Project.ID
	porttest.WantFault(s.T, s.Webhooks.Check(s.Ctx, &foreign, restored.CheckAt, true), fault.NotFound, "webhook_not_found")
}

func webhookList(s *porttest.Shop) {
	i, other := s.Connect(integration.Shopify, porttest.Noon), s.Connect(integration.Custom, porttest.Noon)
	b, c, a := hooked(s, i, "b/é"), hooked(s, i, "b/z"), hooked(s, i, "Z")
	elsewhere := hooked(s, other, "b/z")
	porttest.Same(s.T, "the one's", hooks(s, i), []*integration.Webhook{a, c, b})
	porttest.Same(s.T, "the other's", hooks(s, other), []*integration.Webhook{elsewhere})
}

func webhookTopicRace(s *porttest.Shop) {
	i := s.Connect(integration.Shopify, porttest.Noon)
	won := s.Race("webhook_exists", func(int) error { return s.Webhooks.Add(s.Ctx, s.Hook(i, "orders/create")) })
	porttest.Same(s.T, "winners", won, 1)
	porttest.Same(s.T, "webhooks", len(hooks(s, i)), 1)
}

func webhookCountRace(s *porttest.Shop) {
	i := s.Connect(integration.Shopify, porttest.Noon)
	for n := range integration.MaxWebhooks - 1 {
		hooked(s, i, fmt.Sprint("topic/", n))
	}
	for range 10 {
		won := s.Race("too_many_webhooks", func(n int) error { return s.Webhooks.Add(s.Ctx, s.Hook(i, fmt.Sprint("new/", n))) })
		porttest.Same(s.T, "winners", won, 1)
		all := hooks(s, i)
		porttest.Same(s.T, "webhooks", len(all), integration.MaxWebhooks)
		s.Must(s.Webhooks.Remove(s.Ctx, s.Project.ID, i.ID, all[0].ID)) // the new one
	}
	hooked(s, s.Connect(integration.Custom, porttest.Noon), "new/0") // which has room
}

func webhookUnknown(s *porttest.Shop) {
	i, other := s.Connect(integration.Shopify, porttest.Noon), s.Connect(integration.Custom, porttest.Noon)
	stranger := porttest.OpenShop(s.T, s.Stores)
	foreign := hooked(stranger, stranger.Connect(integration.Shopify, porttest.Noon), "orders/create")
	for _, w := range []id.Webhook{foreign.ID, hooked(s, other, "orders/create").ID, porttest.Random[id.Webhook]()} {
		porttest.WantFault(s.T, s.Webhooks.Remove(s.Ctx, s.Project.ID, i.ID, w), fault.NotFound, "webhook_not_found")
	}
	porttest.WantFault(s.T, s.Webhooks.Remove(s.Ctx, s.Project.ID, foreign.Integration, foreign.ID), fault.NotFound, "webhook_not_found")
	porttest.Same(s.T, "the other's", hooks(stranger, &integration.Integration{Project: foreign.Project, ID: foreign.Integration}), []*integration.Webhook{foreign})
	porttest.Same(s.T, "a foreign list", len(hooks(s, &integration.Integration{Project: s.Project.ID, ID: foreign.Integration})), 0)
	_, _, err := s.Webhooks.Called(s.Ctx, porttest.Random[id.Webhook]())
	porttest.WantFault(s.T, err, fault.NotFound, "webhook_not_found")

	lost := s.Hook(i, "orders/create")
	lost.Integration = foreign.Integration
	porttest.WantFault(s.T, s.Webhooks.Add(s.Ctx, lost), fault.NotFound, "integration_not_found")
	lost.Project = porttest.Random[id.Project]()
	porttest.WantFault(s.T, s.Webhooks.Add(s.Ctx, lost), fault.NotFound, "project_not_found")
}

func webhookRemove(s *porttest.Shop) {
	i := s.Connect(integration.Shopify, porttest.Noon)
	w := hooked(s, i, "orders/create")
	s.Must(s.Webhooks.Remove(s.Ctx, s.Project.ID, i.ID, w.ID))
	_, _, err := s.Webhooks.Called(s.Ctx, w.ID)
	porttest.WantFault(s.T, err, fault.NotFound, "webhook_not_found")
	porttest.WantFault(s.T, s.Webhooks.Remove(s.Ctx, s.Project.ID, i.ID, w.ID), fault.NotFound, "webhook_not_found")
	hooked(s, i, "orders/create")
}

func webhookDelete(s *porttest.Shop) {
	w := hooked(s, s.Connect(integration.Shopify, porttest.Noon), "orders/create")
	s.DeleteProject()
	_, _, err := s.Webhooks.Called(s.Ctx, w.ID)
	porttest.WantFault(s.T, err, fault.NotFound, "webhook_not_found")
}

func webhookOfDisconnected(s *porttest.Shop) {
	i := s.Connect(integration.Shopify, porttest.Noon)
	w := hooked(s, i, "orders/create")
	s.Must(disconnect(s, i.ID))
	got, of, err := s.Webhooks.Called(s.Ctx, w.ID)
	s.Must(err)
	porttest.Same(s.T, "webhook", got, w)
	porttest.Same(s.T, "its integration", of, newIntegration(s, i.ID))
}

// sealed are webhooks of two projects, and one without a secret, which is the first.
func sealed(s *porttest.Shop) (all []*integration.Webhook) {
	s.T.Helper()
	i := s.Connect(integration.Shopify, porttest.Noon)
	bare := s.Hook(i, "a")
	bare.Signing = nil
	s.Must(s.Webhooks.Add(s.Ctx, bare))
	stranger := porttest.OpenShop(s.T, s.Stores)
	of := stranger.Connect(integration.Custom, porttest.Noon)
	all = []*integration.Webhook{bare, hooked(s, i, "b"), hooked(s, i, "c"), hooked(stranger, of, "b")}
	s.Must(disconnect(s, i.ID)) // whose secrets stay while it has them
	return all
}

func called(s *porttest.Shop, w *integration.Webhook) *integration.Webhook {
	s.T.Helper()
	got, _, err := s.Webhooks.Called(s.Ctx, w.ID)
	s.Must(err)
	return got
}

func webhookReseal(s *porttest.Shop) {
	all := sealed(s)
	for range 2 { // it may be repeated
		asked := map[id.Webhook]string{}
		n, err := s.Sealed.Reseal(s.Ctx, func(of id.Webhook, sealed []byte) ([]byte, error) {
			asked[of] = string(sealed)
			return append([]byte("new \x00"+of.String()+" "), sealed...), nil
		})
		s.Must(err)
		porttest.Same(s.T, "how many", n, len(all)-1)
		want := map[id.Webhook]string{}
		for _, w := range all[1:] {
			want[w.ID] = string(w.Signing)
			w.Signing = append([]byte("new \x00"+w.ID.String()+" "), w.Signing...)
		}
		porttest.Same(s.T, "what was asked for", asked, want)
		for _, w := range all {
			porttest.Same(s.T, "webhook", called(s, w), w)
		}
	}
}

func webhookResealFails(s *porttest.Shop) {
	all, broken := sealed(s), errors.New("broken")
	for at := range len(all) - 1 {
		n := 0
		_, err := s.Sealed.Reseal(s.Ctx, func(id.Webhook, []byte) ([]byte, error) {
			if n++; n > at {
				return nil, broken
			}
			return []byte("new"), nil
		})
		porttest.Same(s.T, "error", errors.Is(err, broken), true)
		for _, w := range all {
			porttest.Same(s.T, "webhook", called(s, w), w)
		}
	}
}
