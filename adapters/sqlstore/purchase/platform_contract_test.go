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

// PlatformOrders is the contract of ports.PlatformOrders.
func PlatformOrders(t *testing.T, open porttest.Open) {
	stores := open(t)
	for name, test := range map[string]func(*porttest.Shop){
		"a sale of a shop that writes none has none": platformNone,
		"a sale stores a pending one":                platformPending,
		"it comes back as it was changed":            platformRoundTrip,
		"a failed change leaves no trace":            platformFailedChange,
		"news of the order wake it":                  platformWoken,
		"unknown and foreign orders":                 platformUnknown,
		"skipped ones go on when it is reconnected":  platformReconnected,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(porttest.OpenShop(t, stores))
		})
	}
}

// writes connects an integration that orders are written to.
func writes(s *porttest.Shop, change func(*integration.Integration)) id.Integration {
	s.T.Helper()
	i := integration.Connect(porttest.Random[id.Integration](), s.Project.ID, integration.Draft{Type: integration.Shopify},
		integration.Config{Account: "7", MayWriteOrders: true}, integration.Hook{ID: porttest.Random[id.Webhook](), Status: integration.HookNone}, porttest.Noon)
	i.Sealed = []byte("sealed")
	if change != nil {
		change(i)
	}
	s.Must(s.Integrations.Connect(s.Ctx, i, func(*project.Project) error { return nil }))
	p, err := s.Projects.ByID(s.Ctx, s.Project.Account, s.Project.ID) // sales are by the project as it is now
	s.Must(err)
	s.Project = p
	return i.ID
}

func platformOf(s *porttest.Shop, o id.Order) *order.PlatformOrder {
	s.T.Helper()
	w, err := s.Platform.PlatformOrder(s.Ctx, s.Project.ID, o)
	s.Must(err)
	return w
}

func platformNone(s *porttest.Shop) {
	writes(s, func(i *integration.Integration) { i.Config.MayWriteOrders = false })
	if w := platformOf(s, s.Order(1).ID); w != nil {
		s.T.Errorf("%+v", w)
	}
}

func platformPending(s *porttest.Shop) {
	through := writes(s, nil)
	o := s.Order(1)
	porttest.Same(s.T, "platform order", platformOf(s, o.ID), &order.PlatformOrder{
		Project:     s.Project.ID,
		Order:       o.ID,
		Integration: through,
		Status:      order.PlatformPending,
		DueAt:       o.CreatedAt,
		CreatedAt:   o.CreatedAt,
		UpdatedAt:   o.CreatedAt,
	})
}

func platformRoundTrip(s *porttest.Shop) {
	writes(s, nil)
	o := s.Order(1)
	changed, err := s.Platform.ChangePlatformOrder(s.Ctx, s.Project.ID, o.ID, func(c *order.Case, w *order.PlatformOrder) error {
		porttest.SameOrder(s.T, c.Order, o)
		w.Written("4711", "#1042", "https://shop.example.com/o", c.Taken, porttest.Noon)
		w.Told = order.PlatformSync{
			Canceled: true,
			Refunds:  []id.Refund{porttest.Random[id.Refund]()},
			Shipment: "x",
			Asked:    porttest.Noon,
		}
		w.Postpone("It does not answer.", 0, porttest.Noon)
		return nil
	})
	s.Must(err)
	porttest.Same(s.T, "stored", platformOf(s, o.ID), changed)
	porttest.Same(s.T, "takes", len(changed.Moved) > 0, true)
}

func platformFailedChange(s *porttest.Shop) {
	writes(s, nil)
	o := s.Order(1)
	before := platformOf(s, o.ID)
	_, err := s.Platform.ChangePlatformOrder(s.Ctx, s.Project.ID, o.ID, func(_ *order.Case, w *order.PlatformOrder) error {
		w.Refuse("no", porttest.Noon)
		return porttest.ErrPlain
	})
	porttest.Same(s.T, "error", err, porttest.ErrPlain)
	porttest.Same(s.T, "stored", platformOf(s, o.ID), before)
}

func platformWoken(s *porttest.Shop) {
	writes(s, nil)
	o := s.Order(1)
	ship := func(number string) {
		s.T.Helper()
		_, err := s.Orders.Change(s.Ctx, s.Project.ID, o.ID, func(c *order.Case) error {
			return c.Ship("UPS", number, "", porttest.Random[id.Event](), porttest.Noon.Add(time.Hour))
		})
		s.Must(err)
	}
	change := func(verb func(*order.PlatformOrder)) {
		s.T.Helper()
		_, err := s.Platform.ChangePlatformOrder(s.Ctx, s.Project.ID, o.ID, func(_ *order.Case, w *order.PlatformOrder) error {
			verb(w)
			return nil
		})
		s.Must(err)
	}
	change(func(w *order.PlatformOrder) {
		w.Written("1", "", "", nil, porttest.Noon)
		w.DueAt = time.Time{}
	})
	ship("1")
	porttest.Same(s.T, "due", platformOf(s, o.ID).DueAt, porttest.Noon.Add(time.Hour))
	leased := porttest.Noon.Add(2 * time.Hour)
	change(func(w *order.PlatformOrder) { w.DueAt = leased })
	ship("2")
	porttest.Same(s.T, "a lease", platformOf(s, o.ID).DueAt, leased)
}

func platformUnknown(s *porttest.Shop) {
	foreign := porttest.OpenShop(s.T, s.Stores)
	writes(foreign, nil)
	for _, unknown := range []id.Order{porttest.Random[id.Order](), foreign.Order(1).ID, s.Order(1).ID} {
		if w := platformOf(s, unknown); w != nil {
			s.T.Errorf("%+v", w)
		}
		_, err := s.Platform.ChangePlatformOrder(s.Ctx, s.Project.ID, unknown, func(*order.Case, *order.PlatformOrder) error { return nil })
		porttest.WantFault(s.T, err, fault.NotFound, "platform_order_not_found")
	}
}

// platformReconnected resumes orders that were skipped because the integration was disconnected, unless they are too
// old, and none that were skipped for another reason. While writing is off, only changes of written orders are resumed.
func platformReconnected(s *porttest.Shop) {
	of := writes(s, nil)
	i, err := s.Integrations.ByID(s.Ctx, s.Project.ID, of)
	s.Must(err)
	orders := map[string]id.Order{}
	for n, name := range []string{"disconnected", "of none of its goods", "written"} {
		orders[name] = s.Order(n + 1).ID
		_, err := s.Platform.ChangePlatformOrder(s.Ctx, s.Project.ID, orders[name], func(_ *order.Case, w *order.PlatformOrder) error {
			reason := order.SkippedDisconnected
			switch name {
			case "of none of its goods":
				reason = "None."
			case "written":
				w.Written("1", "#1", "", nil, porttest.Noon)
			}
			w.Skip(reason, porttest.Noon)
			return nil
		})
		s.Must(err)
	}
	reconnect := func(at time.Time) (due string) {
		_, err := s.Integrations.Update(s.Ctx, s.Project.ID, of, func(i *integration.Integration) error {
			i.Status, i.Sealed = integration.Disconnected, nil
			return nil
		})
		s.Must(err)
		i.UpdatedAt = at
		s.Must(s.Integrations.Connect(s.Ctx, i, func(*project.Project) error { return nil }))
		for _, name := range []string{"disconnected", "of none of its goods", "written"} {
			if w := platformOf(s, orders[name]); !w.DueAt.IsZero() {
				due += name + " is " + w.Status.String() + ", "
			}
		}
		return due
	}
	sold := platformOf(s, orders["disconnected"]).CreatedAt
	if due := reconnect(sold.Add(order.ResumeWithin)); due != "written is written, " {
		s.T.Errorf("too late: %s", due)
	}
	i.Config.Skip.Writing = true
	if due := reconnect(sold.Add(order.ResumeWithin - time.Second)); due != "written is written, " {
		s.T.Errorf("writing is off: %s", due)
	}
	i.Config.Skip.Writing = false
	if due := reconnect(sold.Add(order.ResumeWithin - time.Second)); due != "disconnected is pending, written is written, " {
		s.T.Errorf("in time: %s", due)
	}
}
