package memstore

import (
	"cmp"
	"context"
	"errors"
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

// Events is the store's view of events, of who hears them and of what became of that.
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
	told := ports.Announced{ID: e.ID, Project: e.Project, Type: e.Data.Type(), Body: []byte(e.ID.String()), At: now}
	s.events.put(s, key[id.Event]{e.Project, e.ID}, eventRow{told, e.Data, due})
}

func (r eventRow) told() ports.Announced {
	a := r.Announced
	a.Body = slices.Clone(a.Body)
	return a
}

func heard(s event.Subscription) *event.Subscription {
	s.Types, s.Secret, s.Previous = slices.Clone(s.Types), slices.Clone(s.Secret), slices.Clone(s.Previous)
	return &s
}

func (v Events) Add(ctx context.Context, sub *event.Subscription) error {
	return v.inTx(ctx, func(s *state) error {
		if len(s.subscribed(sub.Project)) >= event.MaxSubscriptions {
			return fault.New(fault.Conflict, "too_many_subscriptions", "The project has too many subscriptions.")
		}
		sub.ActiveSince = v.Now()
		s.subscriptions.put(s, key[id.Subscription]{sub.Project, sub.ID}, *heard(*sub))
		return nil
	})
}

// subscribed are a project's subscriptions, newest first.
func (s *state) subscribed(p id.Project) (list []*event.Subscription) {
	for k, sub := range s.subscriptions.rows {
		if k.project == p {
			list = append(list, heard(sub))
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
	return heard(sub), nil
}

func (v Events) Update(ctx context.Context, p id.Project, of id.Subscription, change func(*event.Subscription) error) (changed *event.Subscription, err error) {
	err = v.inTx(ctx, func(s *state) error {
		before, known := s.subscriptions.rows[key[id.Subscription]{p, of}]
		if !known {
			return fault.Missing("subscription")
		}
		sub := heard(before)
		if err := change(sub); err != nil {
			return err
		}
		if before.Status != event.Active && sub.Status == event.Active {
			sub.ActiveSince = v.Now()
		}
		s.subscribe(sub)
		changed = heard(*sub)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return changed, nil
}

// subscribe stores a subscription, and cancels what is pending for it if it is disabled.
func (s *state) subscribe(sub *event.Subscription) {
	s.subscriptions.put(s, key[id.Subscription]{sub.Project, sub.ID}, *heard(*sub))
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
			list = append(list, e.told())
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
	return e.told(), nil
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

// sent is a delivery as it is stored: nobody else has its times.
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

func (v Events) Redeliver(ctx context.Context, p id.Project, to id.Subscription, of id.Delivery) (again *event.Delivery, err error) {
	err = v.inTx(ctx, func(s *state) error {
		sub, known := s.subscriptions.rows[key[id.Subscription]{p, to}]
		switch {
		case !known:
			return fault.Missing("subscription")
		case sub.Status != event.Active:
			return fault.New(fault.Conflict, "subscription_disabled", "The subscription is disabled.")
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

// Outbox hands out what is to be delivered.
type Outbox struct {
	queue[ports.Parcel]
}

var _ ports.Outbox = Outbox{}

// Outbox hands out deliveries.
func (s *Store) Outbox() Outbox {
	return Outbox{queue[ports.Parcel]{
		Store: s, name: "deliveries",
		list: func(s *state, now time.Time) (list []due[ports.Parcel]) {
			for k, d := range s.deliveries.rows {
				if d.DueAt != nil && !d.DueAt.After(now) {
					list = append(list, due[ports.Parcel]{
						project: k.project, row: k.id.String(), group: k.project.String() + "/" + d.Target.String(), at: *d.DueAt,
					})
				}
			}
			return list
		},
		lease: func(s *state, d due[ports.Parcel], until time.Time) (ports.Parcel, error) {
			k := key[id.Delivery]{d.project, id.Stored[id.Delivery](d.row)}
			row := sent(s.deliveries.rows[k])
			row.DueAt = &until
			s.deliveries.put(s, k, sent(row))
			parcel := ports.Parcel{Delivery: &row, Body: slices.Clone(s.events.rows[key[id.Event]{k.project, row.Event}].Body)}
			if sub, known := s.subscriptions.rows[key[id.Subscription]{k.project, row.Target.Subscription()}]; known {
				parcel.Subscription = heard(sub)
			}
			if p, known := s.projects.rows[k.project]; known && parcel.Subscription == nil {
				parcel.Shop = &p
			}
			return parcel, nil
		},
		held: func(s *state, h ports.Held) bool {
			d := s.deliveries.rows[key[id.Delivery]{h.Project, id.Stored[id.Delivery](h.Key)}]
			return d.DueAt != nil && d.DueAt.Equal(h.Until)
		},
		postpone: func(s *state, h ports.Held, until time.Time) {
			k := key[id.Delivery]{h.Project, id.Stored[id.Delivery](h.Key)}
			d := sent(s.deliveries.rows[k])
			d.DueAt = &until
			s.deliveries.put(s, k, d)
		},
	}}
}

var errSettings = errors.New("the project's settings cannot be read")

func (o Outbox) FanOut(ctx context.Context, limit int, route func(ports.Announced, ports.Audience) []*event.Delivery) (n int, aside []ports.SetAside, err error) {
	err = o.inTx(ctx, func(s *state) error {
		n, aside = 0, nil
		now := o.Now()
		for _, e := range s.dueEvents(now, limit) {
			n++
			e.due = time.Time{}
			list, blame, err := s.route(e, now, route)
			if err != nil {
				e.due = s.putAside(e, blame, err, now, &aside)
			}
			for _, d := range list {
				s.deliver(d)
			}
			s.events.put(s, key[id.Event]{e.Project, e.ID}, e)
		}
		return nil
	})
	return n, aside, err
}

// dueEvents are up to limit events that are due, the oldest first.
func (s *state) dueEvents(now time.Time, limit int) (list []eventRow) {
	for _, e := range s.events.rows {
		if !e.due.IsZero() && !e.due.After(now) {
			list = append(list, e)
		}
	}
	slices.SortFunc(list, func(a, b eventRow) int {
		return cmp.Or(a.due.Compare(b.due), strings.Compare(a.ID.String(), b.ID.String()))
	})
	return list[:min(limit, len(list))]
}

// route makes an event's deliveries, or says what is to blame that it cannot.
func (s *state) route(e eventRow, now time.Time, route func(ports.Announced, ports.Audience) []*event.Delivery) (list []*event.Delivery, blame string, err error) {
	p, there := s.projects.rows[e.Project]
	if _, bad := s.broken.rows[e.Project]; bad {
		return nil, e.Project.String(), errSettings
	}
	if !there {
		return nil, "", nil
	}
	to := ports.Audience{Settings: p.Settings, Now: now}
	for _, sub := range s.subscribed(e.Project) {
		if sub.Status == event.Active {
			sub.Secret, sub.Previous = nil, nil
			to.Subscriptions = append(to.Subscriptions, sub)
		}
	}
	err = fault.Survive(func() error {
		list = route(e.told(), to)
		return nil
	})
	return list, e.ID.String(), err
}

// putAside says when an event is due again that cannot be routed.
func (s *state) putAside(e eventRow, blame string, why error, now time.Time, aside *[]ports.SetAside) time.Time {
	k := asideKey{"events", e.Project, blame}
	held := ports.Held{Project: e.Project, Key: blame, Group: e.Project.String(), Failures: s.aside.rows[k]}
	if !slices.ContainsFunc(*aside, func(a ports.SetAside) bool { return a.Key == blame }) {
		s.aside.put(s, k, held.Failures+1)
		*aside = append(*aside, ports.SetAside{Held: held, Err: why})
	}
	return now.Add(held.Pause())
}

func (o Outbox) Record(ctx context.Context, outcomes []ports.Outcome) error {
	return o.inTx(ctx, func(s *state) error {
		for _, out := range outcomes {
			if !o.held(s, out.Held) {
				continue
			}
			d := out.Delivery
			s.deliveries.put(s, key[id.Delivery]{d.Project, d.ID}, sent(*d))
			sub, known := s.subscriptions.rows[key[id.Subscription]{d.Project, d.Target.Subscription()}]
			if _, there := s.projects.rows[d.Project]; out.Why == (event.Reason{}) || !known || !there {
				continue
			}
			if disabled := heard(sub); disabled.Disable(out.Why, out.Alert.At) {
				s.subscribe(disabled)
				s.announce(out.Alert, o.Now())
			}
		}
		return nil
	})
}

// EventsDue reports whether events wait for their deliveries to be made.
func (s *Store) EventsDue() bool { return len(s.committed.Load().dueEvents(s.Now(), 1)) > 0 }

// AtRest reports whether no event, delivery or refund waits, now or later.
func (s *Store) AtRest() bool {
	st := s.committed.Load()
	for _, e := range st.events.rows {
		if !e.due.IsZero() {
			return false
		}
	}
	for _, d := range st.deliveries.rows {
		if d.DueAt != nil {
			return false
		}
	}
	for _, row := range st.orders.rows {
		for _, r := range row.refunds {
			if !r.DueAt.IsZero() {
				return false
			}
		}
	}
	return true
}
