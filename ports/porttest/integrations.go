package porttest

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
)

// Integrations is the contract of ports.Integrations and ports.IntegrationsInUse.
func Integrations(t *testing.T, open Open) {
	stores := open(t)
	for name, test := range map[string]func(*shop){
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
			test(openShop(t, stores))
		})
	}
}

// connection is an integration that is not stored yet.
func (s *shop) connection(kind integration.Type, at time.Time) *integration.Integration {
	hook := integration.Hook{ID: random[id.Webhook](), Remote: "we_1", Status: integration.HookActive}
	i := integration.Connect(random[id.Integration](), s.project.ID, integration.Draft{Type: kind, Name: "Ægir's \\ account"},
		integration.Config{Account: "acct_1", Live: true}, hook, at)
	i.Sealed = []byte("sealed \x00\xff")
	return i
}

// connect stores an integration and its routes.
func (s *shop) connect(kind integration.Type, at time.Time) *integration.Integration {
	s.t.Helper()
	i := s.connection(kind, at)
	s.must(s.Integrations.Connect(s.ctx, i, i.Route))
	return i
}

func (s *shop) integration(i id.Integration) *integration.Integration {
	s.t.Helper()
	got, err := s.Integrations.ByID(s.ctx, s.project.ID, i)
	s.must(err)
	return got
}

func (s *shop) disconnect(i id.Integration) error {
	_, err := s.Integrations.Disconnect(s.ctx, s.project.ID, i, func(i *integration.Integration, p *project.Project) {
		i.Unroute(p)
		i.Disconnect(noon.Add(time.Hour))
	})
	return err
}

func integrationRoundTrip(s *shop) {
	want := s.connect(integration.Stripe, noon)
	same(s.t, "by id", s.integration(want.ID), want)
	used, err := s.InUse.Use(s.ctx, s.project.ID, want.ID)
	s.must(err)
	same(s.t, "in use", used, want)
	changed, err := s.Integrations.Update(s.ctx, s.project.ID, want.ID, func(i *integration.Integration) error {
		same(s.t, "to be changed", i, want)
		i.Failed(i.UpdatedAt, "Refused.", noon.Add(time.Minute))
		i.Hook.Remote, i.Hook.Status, i.Sealed = "", integration.HookFailed, []byte("other")
		fill(i)
		return nil
	})
	s.must(err)
	same(s.t, "changed", s.integration(want.ID), changed)
	same(s.t, "its error", changed.LastError, "Refused.")
	full := s.connection(integration.Custom, noon)
	fill(full)
	s.must(s.Integrations.Connect(s.ctx, full, full.Route))
	same(s.t, "one with all fields", s.integration(full.ID), full)
}

// fill sets what synchronising is about.
func fill(i *integration.Integration) {
	i.Config.Store, i.Config.BaseURL, i.Config.Currency = "my-shop.myshopify.com", "https://erp.example/api", "EUR"
	i.Config.Skip = integration.Skips{Products: i.Type == integration.Stripe, Orders: true, Customers: i.Type != integration.Stripe}
	i.Synced = syncrun.Watermarks{syncrun.Products: noon.Add(-time.Hour), syncrun.Orders: noon}
	i.LastSync, i.Wanted = noon.Add(time.Second), []syncrun.Resource{syncrun.Orders, syncrun.Products}
	i.Expires, i.Refreshing = noon.Add(time.Minute), noon.Add(2*time.Minute)
}

func integrationList(s *shop) {
	first, second := s.connect(integration.Stripe, noon), s.connect(integration.PayPal, noon.Add(time.Second))
	openShop(s.t, s.Stores).connect(integration.Stripe, noon)
	for _, c := range []struct {
		page ports.Page
		want []*integration.Integration
	}{
		{ports.Page{Limit: 9}, []*integration.Integration{second, first}},
		{ports.Page{Limit: 1, Offset: 1}, []*integration.Integration{first}},
	} {
		got, total, err := s.Integrations.List(s.ctx, s.project.ID, c.page)
		s.must(err)
		same(s.t, "list", got, c.want)
		same(s.t, "total", total, 2)
	}
}

func integrationRoutes(s *shop) {
	i := s.connect(integration.Stripe, noon)
	want := map[string]project.PaymentRoute{"psp_spt": {Provider: "stripe", Integration: i.ID}}
	same(s.t, "the project's", s.byID(s.project.ID).Routes, want)
	got, err := s.Storefronts.BySlug(s.ctx, s.project.Slug)
	s.must(err)
	same(s.t, "the storefront's", got.Routes, want)
	other := s.connect(integration.PayPal, noon)
	s.must(s.disconnect(i.ID))
	want = map[string]project.PaymentRoute{"wallet_ba": {Provider: "paypal", Integration: other.ID}}
	same(s.t, "those that are left", s.byID(s.project.ID).Routes, want)
	_, err = s.change(func(p *project.Project) error { p.Name = "Renamed"; return nil })
	s.must(err)
	same(s.t, "after another change", s.byID(s.project.ID).Routes, want)
}

func integrationConnectRace(s *shop) {
	won := s.race("integration_exists", func(int) error {
		i := s.connection(integration.Stripe, noon)
		return s.Integrations.Connect(s.ctx, i, func(*project.Project) error { return nil })
	})
	same(s.t, "winners", won, 1)
	_, total, err := s.Integrations.List(s.ctx, s.project.ID, ports.Page{Limit: 1})
	s.must(err)
	same(s.t, "integrations", total, 1)
}

func integrationRouteRefused(s *shop) {
	i := s.connection(integration.Stripe, noon)
	err := s.Integrations.Connect(s.ctx, i, func(p *project.Project) error {
		p.Routes = map[string]project.PaymentRoute{"psp_spt": {Provider: "stripe"}}
		return errPlain
	})
	same(s.t, "error", err, errPlain)
	same(s.t, "routes", len(s.byID(s.project.ID).Routes), 0)
	_, err = s.Integrations.ByID(s.ctx, s.project.ID, i.ID)
	wantFault(s.t, err, fault.NotFound, "integration_not_found")
}

func integrationFailedChange(s *shop) {
	want := s.connect(integration.Stripe, noon)
	_, err := s.Integrations.Update(s.ctx, s.project.ID, want.ID, func(i *integration.Integration) error {
		i.Disconnect(noon)
		return errPlain
	})
	same(s.t, "error", err, errPlain)
	same(s.t, "as before", s.integration(want.ID), want)
}

func integrationReconnect(s *shop) {
	i := s.connect(integration.Stripe, noon)
	same(s.t, "again while connected", fault.Is(s.Integrations.Connect(s.ctx, i, i.Route), "integration_exists"), true)
	s.must(s.disconnect(i.ID))
	gone := s.integration(i.ID)
	same(s.t, "disconnected", gone.Status, integration.Disconnected)
	same(s.t, "credentials", gone.Sealed == nil, true)
	sealed, err := s.InUse.Sealed(s.ctx)
	s.must(err)
	for _, other := range sealed {
		if other.ID == i.ID {
			s.t.Error("one without credentials is among those that have some")
		}
	}
	hook := integration.Hook{ID: random[id.Webhook](), Status: integration.HookNone}
	s.must(gone.Reconnect(integration.Draft{Type: i.Type, Name: "Again"}, i.Config, hook, noon.Add(2*time.Hour)))
	gone.Sealed = []byte("new")
	fill(gone)
	s.must(s.Integrations.Connect(s.ctx, gone, gone.Route))
	same(s.t, "connected again", s.integration(i.ID), gone)
	same(s.t, "routes", s.byID(s.project.ID).Routes["psp_spt"].Integration, i.ID)
}

// claimThrough is claim with a payment through an integration.
func (s *shop) claimThrough(c id.Checkout, i *integration.Integration) error {
	return s.Checkouts.InTx(s.ctx, s.project.ID, func(tx ports.Purchase) error {
		claimed, _, err := tx.Lock(s.ctx, c)
		if err != nil {
			return err
		}
		route := project.PaymentRoute{Provider: i.Type.String(), Integration: i.ID}
		if err := claimed.Claim(checkout.Payment{Method: "psp_spt", Route: route, TokenHash: hash("token")}, nil, noon); err != nil {
			return err
		}
		return tx.Claim(s.ctx, claimed)
	})
}

func integrationUndecided(s *shop) {
	i := s.connect(integration.Stripe, noon)
	other := s.connect(integration.PayPal, noon)
	c := s.checkout(s.session(), line(s.product(5), 1))
	s.must(s.claimThrough(c.ID(), i))
	open, err := s.InUse.Undecided(s.ctx, s.project.ID, i.ID)
	s.must(err)
	same(s.t, "undecided", open, true)
	wantFault(s.t, s.disconnect(i.ID), fault.Conflict, "payments_unresolved")
	same(s.t, "status", s.integration(i.ID).Status, integration.Connected)
	same(s.t, "route", s.byID(s.project.ID).Routes["psp_spt"].Integration, i.ID)
	s.must(s.disconnect(other.ID)) // which the payment does not go through
	s.must(s.settle(c.ID(), s.declined))
	open, err = s.InUse.Undecided(s.ctx, s.project.ID, i.ID)
	s.must(err)
	same(s.t, "undecided once declined", open, false)
	given, err := s.Checkouts.Get(s.ctx, s.project.ID, c.ID())
	s.must(err)
	orphan := given.Orphaned(1, "ch_late", noon)
	s.must(s.Checkouts.InTx(s.ctx, s.project.ID, func(tx ports.Purchase) error {
		_, err := tx.Orphan(s.ctx, orphan, nil)
		return err
	}))
	wantFault(s.t, s.disconnect(i.ID), fault.Conflict, "payments_unresolved")
	s.must(s.Orphans.ChangeOrphan(s.ctx, s.project.ID, orphan.ID, func(o *checkout.Orphan, now time.Time) (*event.Event, error) {
		o.Refunded("re_late", now)
		return nil, nil
	}))
	s.must(s.disconnect(i.ID))
}

// Who claimed a payment and then finds the integration connected keeps it from being disconnected.
func integrationUseRace(s *shop) {
	p := s.product(100)
	for range 10 {
		i := s.connect(integration.Stripe, noon)
		checkouts := make([]*checkout.Checkout, 4)
		for n := range checkouts {
			checkouts[n] = s.checkout(s.session(), line(p, 1))
		}
		seen := make([]integration.Status, len(checkouts))
		var gone error
		s.must(atOnce(len(checkouts)+1, func(n int) error {
			if n == len(checkouts) {
				gone = s.disconnect(i.ID)
				return nil
			}
			if err := s.claimThrough(checkouts[n].ID(), i); err != nil {
				return err
			}
			found, err := s.InUse.Use(s.ctx, s.project.ID, i.ID)
			if err == nil {
				seen[n] = found.Status
			}
			return err
		}))
		for _, status := range seen {
			if gone == nil && status == integration.Connected {
				s.t.Error("a payment went through an integration that was then disconnected")
			}
		}
		for _, c := range checkouts {
			s.must(s.settle(c.ID(), s.declined))
		}
		if gone != nil {
			wantFault(s.t, gone, fault.Conflict, "payments_unresolved")
			s.must(s.disconnect(i.ID))
		}
	}
}

func integrationByWebhook(s *shop) {
	want := s.connect(integration.Stripe, noon)
	openShop(s.t, s.Stores).connect(integration.Stripe, noon)
	got, err := s.InUse.ByWebhook(s.ctx, want.Hook.ID)
	s.must(err)
	same(s.t, "found", got, want)
	_, err = s.InUse.ByWebhook(s.ctx, random[id.Webhook]())
	wantFault(s.t, err, fault.NotFound, "webhook_not_found")
}

func integrationUnknown(s *shop) {
	foreign := openShop(s.t, s.Stores).connect(integration.Stripe, noon)
	for _, wanted := range []id.Integration{foreign.ID, random[id.Integration]()} {
		_, err := s.Integrations.ByID(s.ctx, s.project.ID, wanted)
		wantFault(s.t, err, fault.NotFound, "integration_not_found")
		_, err = s.InUse.Use(s.ctx, s.project.ID, wanted)
		wantFault(s.t, err, fault.NotFound, "integration_not_found")
		_, err = s.Integrations.Update(s.ctx, s.project.ID, wanted, func(*integration.Integration) error { return nil })
		wantFault(s.t, err, fault.NotFound, "integration_not_found")
		wantFault(s.t, s.disconnect(wanted), fault.NotFound, "integration_not_found")
	}
	lost := s.connection(integration.Stripe, noon)
	lost.Project = random[id.Project]()
	wantFault(s.t, s.Integrations.Connect(s.ctx, lost, lost.Route), fault.NotFound, "project_not_found")
}

func integrationDelete(s *shop) {
	i := s.connect(integration.Stripe, noon)
	s.deleteProject()
	_, err := s.InUse.ByWebhook(s.ctx, i.Hook.ID)
	wantFault(s.t, err, fault.NotFound, "webhook_not_found")
}
