package syncing_test

import (
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/domain/event"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/integration"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/domain/syncrun"
	"github.com/haggle-commerce/haggle/ports"
	"github.com/haggle-commerce/haggle/ports/porttest"
)

// Integrations is the contract of ports.Integrations and ports.IntegrationsInUse.
func Integrations(t *testing.T, open porttest.Open) {
	stores := open(t)
	for name, test := range map[string]func(*porttest.Shop){
		"an integration comes back as it was stored":          integrationRoundTrip,
		"lists are newest first, with totals":                 integrationList,
		"connecting routes the project's payments":            integrationRoutes,
		"one of sixteen connects a type":                      integrationConnectRace,
		"a route refused leaves no trace":                     integrationRouteRefused,
		"a failed change leaves no trace":                     integrationFailedChange,
		"disconnected, it is connected again under its id":    integrationReconnect,
		"it stays while a payment through it is undecided":    integrationUndecided,
		"a payment claimed before is safe from disconnecting": integrationUseRace,
		"it is found by its webhook, in any project":          integrationByWebhook,
		"unknown and foreign integrations":                    integrationUnknown,
		"it goes with its project":                            integrationDelete,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(porttest.OpenShop(t, stores))
		})
	}
}

func newIntegration(s *porttest.Shop, i id.Integration) *integration.Integration {
	s.T.Helper()
	got, err := s.Integrations.ByID(s.Ctx, s.Project.ID, i)
	s.Must(err)
	return got
}

func disconnect(s *porttest.Shop, i id.Integration) error {
	_, err := s.Integrations.Disconnect(s.Ctx, s.Project.ID, i, func(i *integration.Integration, p *project.Project) {
		i.Unroute(p)
		i.Disconnect(porttest.Noon.Add(time.Hour))
	})
	return err
}

func integrationRoundTrip(s *porttest.Shop) {
	want := s.Connect(integration.Stripe, porttest.Noon)
	porttest.Same(s.T, "by id", newIntegration(s, want.ID), want)
	used, err := s.InUse.Use(s.Ctx, s.Project.ID, want.ID)
	s.Must(err)
	porttest.Same(s.T, "in use", used, want)
	changed, err := s.Integrations.Update(s.Ctx, s.Project.ID, want.ID, func(i *integration.Integration) error {
		porttest.Same(s.T, "to be changed", i, want)
		i.Failed(i.UpdatedAt, "Refused.", porttest.Noon.Add(time.Minute))
		i.Hook.Remote, i.Hook.Status, i.Sealed = "", integration.HookFailed, []byte("other")
		fill(i)
		return nil
	})
	s.Must(err)
	porttest.Same(s.T, "changed", newIntegration(s, want.ID), changed)
	porttest.Same(s.T, "its error", changed.LastError, "Refused.")
	full := s.Connection(integration.Custom, porttest.Noon)
	fill(full)
	s.Must(s.Integrations.Connect(s.Ctx, full, full.Route))
	porttest.Same(s.T, "one with all fields", newIntegration(s, full.ID), full)
}

// fill sets what synchronising is about.
func fill(i *integration.Integration) {
	i.Config.Store, i.Config.BaseURL, i.Config.Currency = "my-shop.myshopify.com", "https://erp.example/api", "EUR"
	i.Config.Skip = integration.Skips{
		Products:  i.Type == integration.Stripe,
		Orders:    true,
		Customers: i.Type != integration.Stripe,
	}
	i.Synced = syncrun.Watermarks{syncrun.Products: porttest.Noon.Add(-time.Hour), syncrun.Orders: porttest.Noon}
	i.LastSync, i.Wanted = porttest.Noon.Add(time.Second), []syncrun.Resource{syncrun.Orders, syncrun.Products}
	i.Expires, i.Refreshing = porttest.Noon.Add(time.Minute), porttest.Noon.Add(2*time.Minute)
}

func integrationList(s *porttest.Shop) {
	first, second := s.Connect(integration.Stripe, porttest.Noon), s.Connect(integration.PayPal, porttest.Noon.Add(time.Second))
	porttest.OpenShop(s.T, s.Stores).Connect(integration.Stripe, porttest.Noon)
	for _, c := range []struct {
		page ports.Page
		want []*integration.Integration
	}{
		{ports.Page{Limit: 9}, []*integration.Integration{second, first}},
		{ports.Page{Limit: 1, Offset: 1}, []*integration.Integration{first}},
	} {
		got, total, err := s.Integrations.List(s.Ctx, s.Project.ID, c.page)
		s.Must(err)
		porttest.Same(s.T, "list", got, c.want)
		porttest.Same(s.T, "total", total, 2)
	}
}

func integrationRoutes(s *porttest.Shop) {
	i := s.Connect(integration.Stripe, porttest.Noon)
	want := map[project.PaymentMethod]project.PaymentRoute{project.SharedPaymentToken: {Provider: "stripe", Integration: i.ID}}
	porttest.Same(s.T, "the project's", s.ByID(s.Project.ID).Routes, want)
	got, err := s.Storefronts.BySlug(s.Ctx, s.Project.Slug)
	s.Must(err)
	porttest.Same(s.T, "the storefront's", got.Routes, want)
	other := s.Connect(integration.PayPal, porttest.Noon)
	s.Must(disconnect(s, i.ID))
	want = map[project.PaymentMethod]project.PaymentRoute{project.BillingAgreement: {Provider: "paypal", Integration: other.ID}}
	porttest.Same(s.T, "those that are left", s.ByID(s.Project.ID).Routes, want)
	_, err = s.Change(func(p *project.Project) error { p.Name = "Renamed"; return nil })
	s.Must(err)
	porttest.Same(s.T, "after another change", s.ByID(s.Project.ID).Routes, want)
}

func integrationConnectRace(s *porttest.Shop) {
	won := s.Race("integration_exists", func(int) error {
		i := s.Connection(integration.Stripe, porttest.Noon)
		return s.Integrations.Connect(s.Ctx, i, func(*project.Project) error { return nil })
	})
	porttest.Same(s.T, "winners", won, 1)
	_, total, err := s.Integrations.List(s.Ctx, s.Project.ID, ports.Page{Limit: 1})
	s.Must(err)
	porttest.Same(s.T, "integrations", total, 1)
}

func integrationRouteRefused(s *porttest.Shop) {
	i := s.Connection(integration.Stripe, porttest.Noon)
	err := s.Integrations.Connect(s.Ctx, i, func(p *project.Project) error {
		p.Routes = map[project.PaymentMethod]project.PaymentRoute{project.SharedPaymentToken: {Provider: "stripe"}}
		return porttest.ErrPlain
	})
	porttest.Same(s.T, "error", err, porttest.ErrPlain)
	porttest.Same(s.T, "routes", len(s.ByID(s.Project.ID).Routes), 0)
	_, err = s.Integrations.ByID(s.Ctx, s.Project.ID, i.ID)
	porttest.WantFault(s.T, err, fault.NotFound, "integration_not_found")
}

func integrationFailedChange(s *porttest.Shop) {
	want := s.Connect(integration.Stripe, porttest.Noon)
	_, err := s.Integrations.Update(s.Ctx, s.Project.ID, want.ID, func(i *integration.Integration) error {
		i.Disconnect(porttest.Noon)
		return porttest.ErrPlain
	})
	porttest.Same(s.T, "error", err, porttest.ErrPlain)
	porttest.Same(s.T, "as before", newIntegration(s, want.ID), want)
}

func integrationReconnect(s *porttest.Shop) {
	i := s.Connect(integration.Stripe, porttest.Noon)
	porttest.Same(s.T, "again while connected", fault.Is(s.Integrations.Connect(s.Ctx, i, i.Route), "integration_exists"), true)
	s.Must(disconnect(s, i.ID))
	gone := newIntegration(s, i.ID)
	porttest.Same(s.T, "disconnected", gone.Status, integration.Disconnected)
	porttest.Same(s.T, "credentials", gone.Sealed == nil, true)
	sealed, err := s.InUse.Sealed(s.Ctx)
	s.Must(err)
	for _, other := range sealed {
		if other.ID == i.ID {
			s.T.Error("one without credentials is among those that have some")
		}
	}
	hook := integration.Hook{ID: porttest.Random[id.Webhook](), Status: integration.HookNone}
	s.Must(gone.Reconnect(integration.Draft{Type: i.Type, Name: "Again"}, i.Config, hook, porttest.Noon.Add(2*time.Hour)))
	gone.Sealed = []byte("new")
	fill(gone)
	s.Must(s.Integrations.Connect(s.Ctx, gone, gone.Route))
	porttest.Same(s.T, "connected again", newIntegration(s, i.ID), gone)
	porttest.Same(s.T, "routes", s.ByID(s.Project.ID).Routes[project.SharedPaymentToken].Integration, i.ID)
}

// claimThrough is claim with a payment through an integration, anew where the project was changed meanwhile.
func claimThrough(s *porttest.Shop, c id.Checkout, i *integration.Integration) error {
	for {
		err := claimBy(s, c, i, s.ByID(s.Project.ID).Version)
		if !fault.Is(err, ports.ProjectChanged) {
			return err
		}
	}
}

func claimBy(s *porttest.Shop, c id.Checkout, i *integration.Integration, version int64) error {
	return s.Checkouts.InTx(s.Ctx, s.Project.ID, func(tx ports.Purchase) error {
		claimed, _, err := tx.Lock(s.Ctx, c)
		if err != nil {
			return err
		}
		route := project.PaymentRoute{Provider: i.Type.String(), Integration: i.ID}
		if err := claimed.Claim(checkout.Payment{
			Method:    project.SharedPaymentToken,
			Route:     route,
			TokenHash: porttest.Hash("token"),
		}, nil, porttest.Noon); err != nil {
			return err
		}
		return tx.Claim(s.Ctx, claimed, version)
	})
}

func integrationUndecided(s *porttest.Shop) {
	i := s.Connect(integration.Stripe, porttest.Noon)
	other := s.Connect(integration.PayPal, porttest.Noon)
	c := s.Checkout(s.Session(), porttest.Line(s.Product(5), 1))
	s.Must(claimThrough(s, c.ID(), i))
	open, err := s.InUse.Undecided(s.Ctx, s.Project.ID, i.ID)
	s.Must(err)
	porttest.Same(s.T, "undecided", open, true)
	porttest.WantFault(s.T, disconnect(s, i.ID), fault.Conflict, "payments_unresolved")
	porttest.Same(s.T, "status", newIntegration(s, i.ID).Status, integration.Connected)
	porttest.Same(s.T, "route", s.ByID(s.Project.ID).Routes[project.SharedPaymentToken].Integration, i.ID)
	s.Must(disconnect(s, other.ID)) // which the payment does not go through
	s.Must(s.Settle(c.ID(), s.Declined))
	open, err = s.InUse.Undecided(s.Ctx, s.Project.ID, i.ID)
	s.Must(err)
	porttest.Same(s.T, "undecided once declined", open, false)
	given, err := s.Checkouts.Get(s.Ctx, s.Project.ID, c.ID())
	s.Must(err)
	orphan := given.Orphaned(1, "ch_late", porttest.Noon)
	s.Must(s.Checkouts.InTx(s.Ctx, s.Project.ID, func(tx ports.Purchase) error {
		_, err := tx.Orphan(s.Ctx, orphan, nil)
		return err
	}))
	porttest.WantFault(s.T, disconnect(s, i.ID), fault.Conflict, "payments_unresolved")
	s.Must(s.Orphans.ChangeOrphan(s.Ctx, s.Project.ID, orphan.ID, func(o *checkout.Orphan, now time.Time) (*event.Event, error) {
		o.Refunded("re_late", now)
		return nil, nil
	}))
	s.Must(disconnect(s, i.ID))
}

// A caller that has claimed a payment and then finds the integration connected keeps it from being disconnected.
func integrationUseRace(s *porttest.Shop) {
	p := s.Product(100)
	for range 10 {
		i := s.Connect(integration.Stripe, porttest.Noon)
		checkouts := make([]*checkout.Checkout, 4)
		for n := range checkouts {
			checkouts[n] = s.Checkout(s.Session(), porttest.Line(p, 1))
		}
		seen := make([]integration.Status, len(checkouts))
		var gone error
		s.Must(porttest.AtOnce(len(checkouts)+1, func(n int) error {
			if n == len(checkouts) {
				gone = disconnect(s, i.ID)
				return nil
			}
			if err := claimThrough(s, checkouts[n].ID(), i); err != nil {
				return err
			}
			found, err := s.InUse.Use(s.Ctx, s.Project.ID, i.ID)
			if err == nil {
				seen[n] = found.Status
			}
			return err
		}))
		for _, status := range seen {
			if gone == nil && status == integration.Connected {
				s.T.Error("a payment went through an integration that was then disconnected")
			}
		}
		for _, c := range checkouts {
			s.Must(s.Settle(c.ID(), s.Declined))
		}
		if gone != nil {
			porttest.WantFault(s.T, gone, fault.Conflict, "payments_unresolved")
			s.Must(disconnect(s, i.ID))
		}
	}
}

func integrationByWebhook(s *porttest.Shop) {
	want := s.Connect(integration.Stripe, porttest.Noon)
	porttest.OpenShop(s.T, s.Stores).Connect(integration.Stripe, porttest.Noon)
	got, err := s.InUse.ByWebhook(s.Ctx, want.Hook.ID)
	s.Must(err)
	porttest.Same(s.T, "found", got, want)
	_, err = s.InUse.ByWebhook(s.Ctx, porttest.Random[id.Webhook]())
	porttest.WantFault(s.T, err, fault.NotFound, "webhook_not_found")
}

func integrationUnknown(s *porttest.Shop) {
	foreign := porttest.OpenShop(s.T, s.Stores).Connect(integration.Stripe, porttest.Noon)
	for _, wanted := range []id.Integration{foreign.ID, porttest.Random[id.Integration]()} {
		_, err := s.Integrations.ByID(s.Ctx, s.Project.ID, wanted)
		porttest.WantFault(s.T, err, fault.NotFound, "integration_not_found")
		_, err = s.InUse.Use(s.Ctx, s.Project.ID, wanted)
		porttest.WantFault(s.T, err, fault.NotFound, "integration_not_found")
		_, err = s.Integrations.Update(s.Ctx, s.Project.ID, wanted, func(*integration.Integration) error { return nil })
		porttest.WantFault(s.T, err, fault.NotFound, "integration_not_found")
		porttest.WantFault(s.T, disconnect(s, wanted), fault.NotFound, "integration_not_found")
	}
	lost := s.Connection(integration.Stripe, porttest.Noon)
	lost.Project = porttest.Random[id.Project]()
	porttest.WantFault(s.T, s.Integrations.Connect(s.Ctx, lost, lost.Route), fault.NotFound, "project_not_found")
}

func integrationDelete(s *porttest.Shop) {
	i := s.Connect(integration.Stripe, porttest.Noon)
	s.DeleteProject()
	_, err := s.InUse.ByWebhook(s.Ctx, i.Hook.ID)
	porttest.WantFault(s.T, err, fault.NotFound, "webhook_not_found")
}
