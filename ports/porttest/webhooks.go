package porttest

import (
	"errors"
	"fmt"
	"testing"

	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/integration"
)

// IntegrationWebhooks is the contract of ports.IntegrationWebhooks.
func IntegrationWebhooks(t *testing.T, open Open) {
	stores := open(t)
	for name, test := range map[string]func(*shop){
		"a webhook comes back as it was stored":     webhookRoundTrip,
		"lists are an integration's, by topic":      webhookList,
		"one of sixteen takes a topic":              webhookTopicRace,
		"sixteen register, one is the fiftieth":     webhookCountRace,
		"unknown and foreign webhooks":              webhookUnknown,
		"a removed one is gone, its topic is free":  webhookRemove,
		"they go with their project":                webhookDelete,
		"it is found with its integration's status": webhookOfDisconnected,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(openShop(t, stores))
		})
	}
	for name, test := range map[string]func(*shop){ // which touch every project's, and so are alone in a store
		"every secret is sealed anew":           webhookReseal,
		"a secret that is not ends all of that": webhookResealFails,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(openShop(t, open(t)))
		})
	}
}

// hook is a webhook that is not stored yet.
func (s *shop) hook(i *integration.Integration, topic string) *integration.Webhook {
	return &integration.Webhook{
		ID: random[id.Webhook](), Project: i.Project, Integration: i.ID, Type: i.Type, Topic: topic,
		Actions: []integration.Action{integration.SyncOrders, integration.SyncProducts}, Remote: "gid://shopify/Webhook/1",
		Signing: []byte("sealed \x00\xff"), Status: integration.WebhookFailed, CreatedAt: noon,
	}
}

func (s *shop) hooked(i *integration.Integration, topic string) *integration.Webhook {
	s.t.Helper()
	w := s.hook(i, topic)
	s.must(s.Webhooks.Add(s.ctx, w))
	return w
}

func (s *shop) hooks(i *integration.Integration) []*integration.Webhook {
	s.t.Helper()
	list, err := s.Webhooks.List(s.ctx, i.Project, i.ID)
	s.must(err)
	return list
}

func webhookRoundTrip(s *shop) {
	i := s.connect(integration.Shopify, noon)
	full, bare := s.hooked(i, "orders/create"), s.hook(i, "products/update")
	bare.Actions, bare.Signing, bare.Remote, bare.Status = nil, nil, "", integration.WebhookActive
	s.must(s.Webhooks.Add(s.ctx, bare))
	same(s.t, "list", s.hooks(i), []*integration.Webhook{full, bare})
	for _, want := range []*integration.Webhook{full, bare} {
		got, of, err := s.Webhooks.Called(s.ctx, want.ID)
		s.must(err)
		same(s.t, "called", got, want)
		same(s.t, "its integration", of, i)
	}
}

func webhookList(s *shop) {
	i, other := s.connect(integration.Shopify, noon), s.connect(integration.Custom, noon)
	b, c, a := s.hooked(i, "b/é"), s.hooked(i, "b/z"), s.hooked(i, "Z")
	elsewhere := s.hooked(other, "b/z")
	same(s.t, "the one's", s.hooks(i), []*integration.Webhook{a, c, b})
	same(s.t, "the other's", s.hooks(other), []*integration.Webhook{elsewhere})
}

func webhookTopicRace(s *shop) {
	i := s.connect(integration.Shopify, noon)
	won := s.race("webhook_exists", func(int) error { return s.Webhooks.Add(s.ctx, s.hook(i, "orders/create")) })
	same(s.t, "winners", won, 1)
	same(s.t, "webhooks", len(s.hooks(i)), 1)
}

func webhookCountRace(s *shop) {
	i := s.connect(integration.Shopify, noon)
	for n := range integration.MaxWebhooks - 1 {
		s.hooked(i, fmt.Sprint("topic/", n))
	}
	for range 10 {
		won := s.race("too_many_webhooks", func(n int) error { return s.Webhooks.Add(s.ctx, s.hook(i, fmt.Sprint("new/", n))) })
		same(s.t, "winners", won, 1)
		all := s.hooks(i)
		same(s.t, "webhooks", len(all), integration.MaxWebhooks)
		s.must(s.Webhooks.Remove(s.ctx, s.project.ID, i.ID, all[0].ID)) // the new one
	}
	s.hooked(s.connect(integration.Custom, noon), "new/0") // which has room
}

func webhookUnknown(s *shop) {
	i, other := s.connect(integration.Shopify, noon), s.connect(integration.Custom, noon)
	stranger := openShop(s.t, s.Stores)
	foreign := stranger.hooked(stranger.connect(integration.Shopify, noon), "orders/create")
	for _, w := range []id.Webhook{foreign.ID, s.hooked(other, "orders/create").ID, random[id.Webhook]()} {
		wantFault(s.t, s.Webhooks.Remove(s.ctx, s.project.ID, i.ID, w), fault.NotFound, "webhook_not_found")
	}
	wantFault(s.t, s.Webhooks.Remove(s.ctx, s.project.ID, foreign.Integration, foreign.ID), fault.NotFound, "webhook_not_found")
	same(s.t, "the other's", stranger.hooks(&integration.Integration{Project: foreign.Project, ID: foreign.Integration}), []*integration.Webhook{foreign})
	same(s.t, "a foreign list", len(s.hooks(&integration.Integration{Project: s.project.ID, ID: foreign.Integration})), 0)
	_, _, err := s.Webhooks.Called(s.ctx, random[id.Webhook]())
	wantFault(s.t, err, fault.NotFound, "webhook_not_found")

	lost := s.hook(i, "orders/create")
	lost.Integration = foreign.Integration
	wantFault(s.t, s.Webhooks.Add(s.ctx, lost), fault.NotFound, "integration_not_found")
	lost.Project = random[id.Project]()
	wantFault(s.t, s.Webhooks.Add(s.ctx, lost), fault.NotFound, "project_not_found")
}

func webhookRemove(s *shop) {
	i := s.connect(integration.Shopify, noon)
	w := s.hooked(i, "orders/create")
	s.must(s.Webhooks.Remove(s.ctx, s.project.ID, i.ID, w.ID))
	_, _, err := s.Webhooks.Called(s.ctx, w.ID)
	wantFault(s.t, err, fault.NotFound, "webhook_not_found")
	wantFault(s.t, s.Webhooks.Remove(s.ctx, s.project.ID, i.ID, w.ID), fault.NotFound, "webhook_not_found")
	s.hooked(i, "orders/create")
}

func webhookDelete(s *shop) {
	w := s.hooked(s.connect(integration.Shopify, noon), "orders/create")
	s.deleteProject()
	_, _, err := s.Webhooks.Called(s.ctx, w.ID)
	wantFault(s.t, err, fault.NotFound, "webhook_not_found")
}

func webhookOfDisconnected(s *shop) {
	i := s.connect(integration.Shopify, noon)
	w := s.hooked(i, "orders/create")
	s.must(s.disconnect(i.ID))
	got, of, err := s.Webhooks.Called(s.ctx, w.ID)
	s.must(err)
	same(s.t, "webhook", got, w)
	same(s.t, "its integration", of, s.integration(i.ID))
}

// sealed are webhooks of two projects, and one without a secret, which is the first.
func (s *shop) sealed() (all []*integration.Webhook) {
	s.t.Helper()
	i := s.connect(integration.Shopify, noon)
	bare := s.hook(i, "a")
	bare.Signing = nil
	s.must(s.Webhooks.Add(s.ctx, bare))
	stranger := openShop(s.t, s.Stores)
	of := stranger.connect(integration.Custom, noon)
	all = []*integration.Webhook{bare, s.hooked(i, "b"), s.hooked(i, "c"), stranger.hooked(of, "b")}
	s.must(s.disconnect(i.ID)) // whose secrets stay while it has them
	return all
}

func (s *shop) called(w *integration.Webhook) *integration.Webhook {
	s.t.Helper()
	got, _, err := s.Webhooks.Called(s.ctx, w.ID)
	s.must(err)
	return got
}

func webhookReseal(s *shop) {
	all := s.sealed()
	for range 2 { // it may be repeated
		asked := map[id.Webhook]string{}
		n, err := s.Sealed.Reseal(s.ctx, func(of id.Webhook, sealed []byte) ([]byte, error) {
			asked[of] = string(sealed)
			return append([]byte("new \x00"+of.String()+" "), sealed...), nil
		})
		s.must(err)
		same(s.t, "how many", n, len(all)-1)
		want := map[id.Webhook]string{}
		for _, w := range all[1:] {
			want[w.ID] = string(w.Signing)
			w.Signing = append([]byte("new \x00"+w.ID.String()+" "), w.Signing...)
		}
		same(s.t, "what was asked for", asked, want)
		for _, w := range all {
			same(s.t, "webhook", s.called(w), w)
		}
	}
}

func webhookResealFails(s *shop) {
	all, broken := s.sealed(), errors.New("broken")
	for at := range len(all) - 1 {
		n := 0
		_, err := s.Sealed.Reseal(s.ctx, func(id.Webhook, []byte) ([]byte, error) {
			if n++; n > at {
				return nil, broken
			}
			return []byte("new"), nil
		})
		same(s.t, "error", errors.Is(err, broken), true)
		for _, w := range all {
			same(s.t, "webhook", s.called(w), w)
		}
	}
}
