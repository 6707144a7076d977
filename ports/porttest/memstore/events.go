package memstore

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/haggle-commerce/haggle/domain/event"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/ports"
)

// eventRow is an event in the outbox. Zero due: its deliveries are made.
type eventRow struct {
	ports.Announced
	Data event.Data
	due  time.Time
}

// Events stores events, subscriptions and deliveries.
type Events struct{ *Store }

var (
	_ ports.Subscriptions = Events{}
	_ ports.Deliveries    = Events{}
	_ ports.EventLog      = Events{}
)

// announce puts an event into the outbox, stamped by the store's clock.
func (s *state) announce(e *event.Event, now time.Time) {
	s.write(e, now, now)
}

func (s *state) write(e *event.Event, now, due time.Time) {
	announcement := ports.Announced{
		ID:      e.ID,
		Project: e.Project,
		Type:    e.Data.Type(),
		Body:    []byte(e.ID.String()),
		At:      now,
	}
	s.events.put(s, key[id.Event]{e.Project, e.ID}, eventRow{announcement, e.Data, due})
}

func (r eventRow) announcement() ports.Announced {
	a := r.Announced
	a.Body = slices.Clone(a.Body)
	return a
}

func cloneSubscription(s event.Subscription) *event.Subscription {
	s.Types, s.Secret, s.Previous = slices.Clone(s.Types), slices.Clone(s.Secret), slices.Clone(s.Previous)
	return &s
}

// ToHook lists nothing, because this store does not support hooks of orders.
func (v Events) ToHook(context.Context, id.Project, id.Order, ports.Page) ([]*event.Delivery, int, error) {
	return nil, 0, nil
}

func (v Events) Add(ctx context.Context, sub *event.Subscription) error {
	return v.inTx(ctx, func(s *state) error {
		if len(s.subscribed(sub.Project)) >= event.MaxSubscriptions {
			return fault.New(fault.Conflict, "too_many_subscriptions", "The project has too many subscriptions.")
		}
		sub.ActiveSince = v.Now()
		s.subscriptions.put(s, key[id.Subscription]{sub.Project, sub.ID}, *cloneSubscription(*sub))
		return nil
	})
}

// subscribed are a project's subscriptions, newest first.
func (s *state) subscribed(p id.Project) (list []*event.Subscription) {
	for k, sub := range s.subscriptions.rows {
		if k.project == p {
			list = append(list, cloneSubscription(sub))
		}
	}
	slices.SortFunc(list, func(a, b *event.Subscription) int {
		return cmp.Or(b.CreatedAt.Compare(a.CreatedAt), strings.Compare(a.ID.String(), b.ID.String()))
	})
	return list
}

func (v Events) List(ctx context.Context, p id.Project, page ports.Page) ([]*event.Subscription, int, error) {
	s, err := v.read(ctx)
	if err != nil {
		return nil, 0, err
	}
	list := s.subscribed(p)
	return part(list, page), len(list), nil
}

// part is a page of a list.
func part[T any](list []T, page ports.Page) []T {
	list = list[min(page.Offset, len(list)):]
	return list[:min(page.Limit, len(list))]
}

func (v Events) ByID(ctx context.Context, p id.Project, of id.Subscription) (*event.Subscription, error) {
	s, err := v.read(ctx)
	if err != nil {
		return nil, err
	}
	sub, known := s.subscriptions.rows[key[id.Subscription]{p, of}]
	if !known {
		return nil, fault.Missing("subscription")
	}
	return cloneSubscription(sub), nil
}

func (v Events) Update(ctx context.Context, p id.Project, of id.Subscription, change func(*event.Subscription) error) (changed *event.Subscription, err error) {
	err = v.inTx(ctx, func(s *state) error {
		before, known := s.subscriptions.rows[key[id.Subscription]{p, of}]
		if !known {
			return fault.Missing("subscription")
		}
		sub := cloneSubscription(before)
		if err := change(sub); err != nil {
			return err
		}
		if before.Status != event.Active && sub.Status == event.Active {
			sub.ActiveSince = v.Now()
		}
		s.subscribe(sub)
		changed = cloneSubscription(*sub)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return changed, nil
}

// subscribe stores a subscription, and cancels its pending deliveries if it is disabled.
func (s *state) subscribe(sub *event.Subscription) {
	s.subscriptions.put(s, key[id.Subscription]{sub.Project, sub.ID}, *cloneSubscription(*sub))
	if sub.Status == event.Disabled {
		s.cancel(sub.Project, sub.ID)
	}
}

func (s *state) cancel(p id.Project, of id.Subscription) {
	for k, d := range s.deliveries.rows {
		if k.project == p && d.Target == event.To(of) && d.Cancel() == nil {
			s.deliveries.put(s, k, d)
		}
	}
}

func (v Events) Remove(ctx context.Context, p id.Project, of id.Subscription) error {
	return v.inTx(ctx, func(s *state) error {
		k := key[id.Subscription]{p, of}
		if _, known := s.subscriptions.rows[k]; !known {
			return fault.Missing("subscription")
		}
		s.subscriptions.drop(s, k)
		s.cancel(p, of)
		return nil
	})
}

func (v Events) Events(ctx context.Context, p id.Project, t event.Type, page ports.Page) ([]ports.Announced, int, error) {
	s, err := v.read(ctx)
	if err != nil {
		return nil, 0, err
	}
	var list []ports.Announced
	for k, e := range s.events.rows {
		if k.project == p && (t == event.Type{} || t == e.Type) {
			list = append(list, e.announcement())
		}
	}
	slices.SortFunc(list, func(a, b ports.Announced) int {
		return cmp.Or(b.At.Compare(a.At), strings.Compare(b.ID.String(), a.ID.String()))
	})
	return part(list, page), len(list), nil
}

func (v Events) Event(ctx context.Context, p id.Project, of id.Event) (ports.Announced, error) {
	s, err := v.read(ctx)
	if err != nil {
		return ports.Announced{}, err
	}
	e, known := s.events.rows[key[id.Event]{p, of}]
	if !known {
		return ports.Announced{}, fault.Missing("event")
	}
	return e.announcement(), nil
}

func (v Events) Announce(ctx context.Context, e *event.Event, d *event.Delivery) error {
	return v.inTx(ctx, func(s *state) error {
		if _, known := s.projects.rows[e.Project]; !known {
			return fault.Missing("project")
		}
		now := v.Now()
		s.write(e, now, time.Time{})
		due := now
		d.DueAt = &due
		s.deliver(d)
		return nil
	})
}

// deliver stores a delivery, unless its event has one to its target.
func (s *state) deliver(d *event.Delivery) {
	for k, other := range s.deliveries.rows {
		if k.project == d.Project && other.Event == d.Event && other.Target == d.Target {
			return
		}
	}
	s.deliveries.put(s, key[id.Delivery]{d.Project, d.ID}, sent(*d))
}

// sent returns a delivery as it is stored, with its own copies of the times.
func sent(d event.Delivery) event.Delivery {
	d.Since, d.DueAt, d.DeliveredAt = own(d.Since), own(d.DueAt), own(d.DeliveredAt)
	return d
}

func own(t *time.Time) *time.Time {
	if t == nil {
		return nil
	}
	copied := *t
	return &copied
}

func (v Events) Deliveries(ctx context.Context, p id.Project, to id.Subscription, status event.DeliveryStatus, page ports.Page) ([]*event.Delivery, int, error) {
	s, err := v.read(ctx)
	if err != nil {
		return nil, 0, err
	}
	var list []*event.Delivery
	for k, d := range s.deliveries.rows {
		if k.project == p && d.Target == event.To(to) && (status == event.DeliveryStatus{} || status == d.Status) {
			one := sent(d)
			list = append(list, &one)
		}
	}
	slices.SortFunc(list, func(a, b *event.Delivery) int {
		return cmp.Or(b.CreatedAt.Compare(a.CreatedAt), strings.Compare(b.ID.String(), a.ID.String()))
	})
	return part(list, page), len(list), nil
}

func (s *state) delivery(p id.Project, to id.Subscription, of id.Delivery) (*event.Delivery, error) {
	d, known := s.deliveries.rows[key[id.Delivery]{p, of}]
	if !known || d.Target != event.To(to) {
		return nil, fault.Missing("delivery")
	}
	d = sent(d)
	return &d, nil
}

func (v Events) Delivery(ctx context.Context, p id.Project, to id.Subscription, of id.Delivery) (*event.Delivery, error) {
	s, err := v.read(ctx)
	if err != nil {
		return nil, err
	}
	return s.delivery(p, to, of)
}

// active fails unless there is the subscription, and it gets events.
func (s *state) active(p id.Project, to id.Subscription) error {
	sub, known := s.subscriptions.rows[key[id.Subscription]{p, to}]
	switch {
	case !known:
		return fault.Missing("subscription")
	case sub.Status != event.Active:
		return fault.New(fault.Conflict, "subscription_disabled", "The subscription is disabled. Set its status to active first.")
	}
	return nil
}

func (v Events) Redeliver(ctx context.Context, p id.Project, to id.Subscription, of id.Delivery) (again *event.Delivery, err error) {
	err = v.inTx(ctx, func(s *state) error {
		if err := s.active(p, to); err != nil {
			return err
		}
		d, err := s.delivery(p, to, of)
		if err != nil {
			return err
		}
		d.Redeliver(v.Now())
		s.deliveries.put(s, key[id.Delivery]{p, of}, sent(*d))
		again = d
		return nil
	})
	return again, err
}

func (v Events) RedeliverFailed(ctx context.Context, p id.Project, to id.Subscription, since time.Time, most int) (n int, more bool, err error) {
	s, err := v.read(ctx)
	if err == nil {
		err = s.active(p, to)
	}
	if err != nil {
		return 0, false, err
	}
	list, _, err := v.Deliveries(ctx, p, to, event.DeliveryStatus{}, ports.Page{Limit: 1 << 20})
	for _, d := range slices.Backward(list) {
		waits := d.Status == event.Pending && d.Attempts > 0 && d.DueAt.After(v.Now())
		if err != nil || d.CreatedAt.Before(since) || d.Status != event.Failed && d.Status != event.Canceled && !waits {
			continue
		}
		if n == most {
			return n, true, nil
		}
		if _, err = v.Redeliver(ctx, p, to, d.ID); err == nil {
			n++
		}
	}
	return n, false, err
}
