package synctest

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/haggle-commerce/haggle/domain/event"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/integration"
	"github.com/haggle-commerce/haggle/domain/order"
	"github.com/haggle-commerce/haggle/ports"
)

type integrations struct {
	ports.Integrations
	view
}

func (v integrations) ByID(_ context.Context, _ id.Project, of id.Integration) (found *integration.Integration, err error) {
	err = v.do("integrations.by_id", func(s *state) error {
		i, known := s.integrations[of]
		if !known {
			return fault.Missing("integration")
		}
		found = &i
		return nil
	})
	return found, err
}

func (v integrations) Update(_ context.Context, _ id.Project, of id.Integration,
	change func(*integration.Integration) error) (after *integration.Integration, err error) {
	err = v.do("integrations.update", func(s *state) error {
		i, known := s.integrations[of]
		if !known {
			return fault.Missing("integration")
		}
		i.Wanted, i.Synced = slices.Clone(i.Wanted), maps.Clone(i.Synced)
		if err := change(&i); err != nil {
			return err
		}
		s.integrations[of] = i
		after = &i
		return nil
	})
	return after, err
}

type orders struct {
	ports.Orders
	view
}

func (v orders) Change(_ context.Context, _ id.Project, of id.Order, change func(*order.Case) error) (after *order.Case, err error) {
	err = v.do("orders.change", func(s *state) error {
		c, known := s.orders[of]
		if !known {
			return fault.Missing("order")
		}
		o := *c.Order
		c.Order = &o
		if err := change(&c); err != nil {
			return err
		}
		s.orders[of] = c
		after = &c
		return nil
	})
	return after, err
}

// labels are those that were stored with Label. They do not change.
type labels struct {
	ports.Labels
	view
}

func (v labels) Lock(_ context.Context, _ id.Project, of []id.Order) (list []*order.Label, err error) {
	err = v.do("labels.lock", func(s *state) error {
		s.labelReads++
		for _, o := range of {
			if l := s.labels[o]; l != nil {
				list = append(list, l)
			}
		}
		return nil
	})
	return list, err
}

type events struct{ view }

func (v events) Announce(_ context.Context, e *event.Event) error {
	return v.do("events.announce", func(s *state) error {
		s.events = append(s.events, *e)
		return nil
	})
}

type webhooks struct{ view }

func (v webhooks) Add(_ context.Context, w *integration.Webhook) error {
	return v.do("webhooks.add", func(s *state) error {
		s.webhooks[w.ID] = *w
		return nil
	})
}

func (v webhooks) List(_ context.Context, _ id.Project, of id.Integration) (list []*integration.Webhook, err error) {
	err = v.do("webhooks.list", func(s *state) error {
		for _, w := range s.webhooks {
			if w.Integration == of {
				list = append(list, &w)
			}
		}
		return nil
	})
	return list, err
}

func (v webhooks) Remove(_ context.Context, _ id.Project, _ id.Integration, w id.Webhook) error {
	return v.do("webhooks.remove", func(s *state) error {
		delete(s.webhooks, w)
		return nil
	})
}

func (v webhooks) Check(_ context.Context, w *integration.Webhook, lease time.Time, _ bool) error {
	return v.do("webhooks.check", func(s *state) error {
		if stored, known := s.webhooks[w.ID]; !known || !stored.CheckAt.Equal(lease) {
			return fault.Missing("webhook")
		}
		s.webhooks[w.ID] = *w
		return nil
	})
}

func (v webhooks) Called(_ context.Context, of id.Webhook) (found *integration.Webhook, i *integration.Integration, err error) {
	err = v.do("webhooks.called", func(s *state) error {
		w, known := s.webhooks[of]
		if !known {
			return fault.Missing("webhook")
		}
		whose := s.integrations[w.Integration]
		found, i = &w, &whose
		return nil
	})
	return found, i, err
}

type inbox struct{ view }

func (v inbox) Keep(_ context.Context, list []*integration.Delivery) error {
	return v.do("inbox.keep", func(s *state) error {
		for _, d := range list {
			kept := *d
			for _, other := range s.deliveries {
				if d.Remote != "" && other.Webhook == d.Webhook && other.Remote == d.Remote && other.Status != integration.Duplicate {
					kept.Repeated()
				}
			}
			s.deliveries[d.ID] = kept
		}
		return nil
	})
}

func (v inbox) Record(_ context.Context, d *integration.Delivery, lease time.Time) error {
	return v.do("inbox.record", func(s *state) error {
		if s.deliveries[d.ID].DueAt.Equal(lease) {
			s.deliveries[d.ID] = *d
		}
		return nil
	})
}

func (v inbox) Log(context.Context, id.Project, id.Integration, ports.LogFilter, ports.Page) ([]*integration.Delivery, int, error) {
	panic("not for tests")
}

func (v inbox) Update(_ context.Context, _ id.Project, _ id.Integration, of id.WebhookLog,
	change func(*integration.Delivery) error) (after *integration.Delivery, err error) {
	err = v.do("inbox.update", func(s *state) error {
		d, known := s.deliveries[of]
		if !known {
			return fault.Missing("delivery")
		}
		if err := change(&d); err != nil {
			return err
		}
		s.deliveries[of] = d
		after = &d
		return nil
	})
	return after, err
}

// platformOrders are none: the orders of this world are written to no platform.
type platformOrders struct{}

func (platformOrders) PlatformOrder(context.Context, id.Project, id.Order) (*order.PlatformOrder, error) {
	return nil, nil
}

func (platformOrders) ChangePlatformOrder(context.Context, id.Project, id.Order,
	func(*order.Case, *order.PlatformOrder) error) (*order.PlatformOrder, error) {
	return nil, fault.Missing("platform_order")
}
