package purchase_test

import (
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/integration"
	"github.com/haggle-commerce/haggle/domain/order"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/ports/porttest"
)

// CRMDeals is the contract of ports.CRMDeals.
func CRMDeals(t *testing.T, open porttest.Open) {
	stores := open(t)
	for name, test := range map[string]func(*porttest.Shop){
		"a sale without a CRM that takes deals has none": dealNone,
		"a sale stores a pending one beside the shop's":  dealPending,
		"it comes back as it was changed":                dealRoundTrip,
		"a failed change leaves no trace":                dealFailedChange,
		"news of the order wake a written one":           dealWoken,
		"unknown and foreign orders":                     dealUnknown,
		"it goes on when the CRM is reconnected":         dealReconnected,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(porttest.OpenShop(t, stores))
		})
	}
}

// mirrors connects a CRM that deals are written to.
func mirrors(s *porttest.Shop, change func(*integration.Integration)) id.Integration {
	s.T.Helper()
	return writes(s, func(i *integration.Integration) {
		i.Type, i.Config = integration.HubSpot, integration.Config{Account: "62515", MayWriteDeals: true}
		if change != nil {
			change(i)
		}
	})
}

func dealOf(s *porttest.Shop, o id.Order) *order.CRMDeal {
	s.T.Helper()
	d, err := s.Deals.CRMDeal(s.Ctx, s.Project.ID, o)
	s.Must(err)
	return d
}

func changeDeal(s *porttest.Shop, o id.Order, verb func(*order.Case, *order.CRMDeal)) *order.CRMDeal {
	s.T.Helper()
	d, err := s.Deals.ChangeCRMDeal(s.Ctx, s.Project.ID, o, func(c *order.Case, d *order.CRMDeal) error {
		verb(c, d)
		return nil
	})
	s.Must(err)
	return d
}

func dealNone(s *porttest.Shop) {
	for name, change := range map[string]func(*integration.Integration){
		"no permission": func(i *integration.Integration) { i.Config.MayWriteDeals = false },
		"turned off":    func(i *integration.Integration) { i.Config.Skip.Writing = true },
		"disconnected":  func(i *integration.Integration) { i.Status, i.Sealed = integration.Disconnected, nil },
	} {
		shop := porttest.OpenShop(s.T, s.Stores)
		writes(shop, nil)
		mirrors(shop, change)
		if d := dealOf(shop, shop.Order(1).ID); d != nil {
			s.T.Errorf("%s: %+v", name, d)
		}
	}
}

// A CRM that was connected before the shop is not taken for the shop.
func dealPending(s *porttest.Shop) {
	crm := mirrors(s, nil)
	shop := writes(s, nil)
	o := s.Order(1)
	porttest.Same(s.T, "deal", dealOf(s, o.ID), &order.CRMDeal{
		Project:     s.Project.ID,
		Order:       o.ID,
		Integration: crm,
		Status:      order.DealPending,
		DueAt:       o.CreatedAt,
		CreatedAt:   o.CreatedAt,
		UpdatedAt:   o.CreatedAt,
	})
	porttest.Same(s.T, "the shop", platformOf(s, o.ID).Integration, shop)
}

func dealRoundTrip(s *porttest.Shop) {
	mirrors(s, nil)
	o := s.Order(1)
	changed := changeDeal(s, o.ID, func(c *order.Case, d *order.CRMDeal) {
		porttest.SameOrder(s.T, c.Order, o)
		d.Wrote(c.Deal(), "4711", "https://crm.example.com/d", c, porttest.Noon)
		d.NamedBuyer(c, porttest.Noon)
		d.Postpone("It does not answer.", true, 0, porttest.Noon)
		d.Paused = true
	})
	porttest.Same(s.T, "stored", dealOf(s, o.ID), changed)
	porttest.Same(s.T, "status", changed.Status, order.DealWritten)
}

func dealFailedChange(s *porttest.Shop) {
	mirrors(s, nil)
	o := s.Order(1)
	before := dealOf(s, o.ID)
	_, err := s.Deals.ChangeCRMDeal(s.Ctx, s.Project.ID, o.ID, func(c *order.Case, d *order.CRMDeal) error {
		d.Refuse("no", c.Deal(), c, porttest.Noon)
		return porttest.ErrPlain
	})
	porttest.Same(s.T, "error", err, porttest.ErrPlain)
	porttest.Same(s.T, "stored", dealOf(s, o.ID), before)
}

func dealWoken(s *porttest.Shop) {
	mirrors(s, nil)
	o := s.Order(1)
	ship := func(number string) {
		s.T.Helper()
		_, err := s.Orders.Change(s.Ctx, s.Project.ID, o.ID, func(c *order.Case) error {
			return c.Ship("UPS", number, "", porttest.Random[id.Event](), porttest.Noon.Add(time.Hour))
		})
		s.Must(err)
	}
	changeDeal(s, o.ID, func(c *order.Case, d *order.CRMDeal) { d.Refuse("no", c.Deal(), c, porttest.Noon) })
	ship("0")
	porttest.Same(s.T, "a refused one", dealOf(s, o.ID).DueAt, time.Time{})
	changeDeal(s, o.ID, func(c *order.Case, d *order.CRMDeal) {
		d.Wrote(c.Deal(), "1", "", c, porttest.Noon)
		d.NamedBuyer(c, porttest.Noon)
	})
	porttest.Same(s.T, "a written one", dealOf(s, o.ID).DueAt, time.Time{})
	ship("1")
	porttest.Same(s.T, "due", dealOf(s, o.ID).DueAt, porttest.Noon.Add(time.Hour))
	leased := porttest.Noon.Add(2 * time.Hour)
	changeDeal(s, o.ID, func(_ *order.Case, d *order.CRMDeal) { d.DueAt = leased })
	ship("2")
	porttest.Same(s.T, "a lease", dealOf(s, o.ID).DueAt, leased)
	changeDeal(s, o.ID, func(_ *order.Case, d *order.CRMDeal) { d.Pause("no", porttest.Noon) })
	ship("3")
	porttest.Same(s.T, "one that rests", dealOf(s, o.ID).DueAt, time.Time{})
}

func dealUnknown(s *porttest.Shop) {
	foreign := porttest.OpenShop(s.T, s.Stores)
	mirrors(foreign, nil)
	for _, unknown := range []id.Order{porttest.Random[id.Order](), foreign.Order(1).ID, s.Order(1).ID} {
		if d := dealOf(s, unknown); d != nil {
			s.T.Errorf("%+v", d)
		}
		_, err := s.Deals.ChangeCRMDeal(s.Ctx, s.Project.ID, unknown, func(*order.Case, *order.CRMDeal) error { return nil })
		porttest.WantFault(s.T, err, fault.NotFound, "crm_deal_not_found")
	}
}

// dealReconnected resumes deals that wait until the integration may write, however it may again, and none that were
// refused.
func dealReconnected(s *porttest.Shop) {
	of := mirrors(s, nil)
	connected, err := s.Integrations.ByID(s.Ctx, s.Project.ID, of)
	s.Must(err)
	resting, refused, failing := s.Order(1).ID, s.Order(2).ID, s.Order(3).ID
	later := porttest.Noon.Add(30 * 24 * time.Hour)
	update := func(change func(*integration.Integration)) {
		s.T.Helper()
		_, err := s.Integrations.Update(s.Ctx, s.Project.ID, of, func(i *integration.Integration) error {
			i.UpdatedAt = later
			change(i)
			return nil
		})
		s.Must(err)
	}
	disconnect := func(i *integration.Integration) { i.Status, i.Sealed = integration.Disconnected, nil }
	connect := func(may bool) {
		i := *connected
		i.Config.MayWriteDeals, i.UpdatedAt = may, later
		s.Must(s.Integrations.Connect(s.Ctx, &i, func(*project.Project) error { return nil }))
	}
	for _, c := range []struct {
		name              string
		change            func()
		resumed, repeated bool
	}{
		{"connected without the permission", func() { update(disconnect); connect(false) }, false, false},
		{"permitted by another consent", func() { update(func(i *integration.Integration) { i.Config.MayWriteDeals = true }) }, true, false},
		{"turned off", func() { update(func(i *integration.Integration) { i.Config.Skip.Writing = true }) }, false, false},
		{"turned on", func() { update(func(i *integration.Integration) { i.Config.Skip.Writing = false }) }, true, false},
		{"failing", func() { update(func(i *integration.Integration) { i.Status = integration.Failing }) }, true, false},
		{"given other credentials", func() { update(func(i *integration.Integration) { i.Status = integration.Connected }) }, true, true},
		{"connected again", func() { update(disconnect); connect(true) }, true, true},
	} {
		changeDeal(s, resting, func(_ *order.Case, d *order.CRMDeal) { d.Pause("It rests.", porttest.Noon) })
		changeDeal(s, refused, func(c *order.Case, d *order.CRMDeal) { d.Refuse("Unknown currency.", c.Deal(), c, porttest.Noon) })
		waits := changeDeal(s, failing, func(_ *order.Case, d *order.CRMDeal) {
			d.Failures = 12
			d.Postpone("It fails.", false, 0, porttest.Noon)
		}).DueAt
		c.change()
		d := dealOf(s, resting)
		porttest.Same(s.T, c.name+": it rests", d.Paused, !c.resumed)
		porttest.Same(s.T, c.name+": it is due", d.DueAt.Equal(later), c.resumed)
		porttest.Same(s.T, c.name+": a failing one", !dealOf(s, failing).DueAt.Equal(waits), c.repeated)
		porttest.Same(s.T, c.name+": a refused one", dealOf(s, refused).DueAt, time.Time{})
	}
}
