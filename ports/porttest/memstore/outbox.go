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

// Outbox leases deliveries of events.
type Outbox struct {
	queue[ports.Parcel]
}

var _ ports.Outbox = Outbox{}

// Outbox leases deliveries.
func (s *Store) Outbox() Outbox {
	return Outbox{queue[ports.Parcel]{
		Store: s, name: "deliveries",
		list: func(s *state, now time.Time) (list []due[ports.Parcel]) {
			for k, d := range s.deliveries.rows {
				if d.DueAt != nil && !d.DueAt.After(now) {
					list = append(list, due[ports.Parcel]{
						project: k.project,
						row:     k.id.String(),
						group:   k.project.String() + "/" + d.Target.String(),
						at:      *d.DueAt,
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
				parcel.Subscription = cloneSubscription(sub)
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

// route returns an event's deliveries, or the row that prevents them.
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
		list = route(e.announcement(), to)
		return nil
	})
	return list, e.ID.String(), err
}

// putAside postpones an event that cannot be routed.
func (s *state) putAside(e eventRow, blame string, why error, now time.Time, aside *[]ports.SetAside) time.Time {
	k := asideKey{"events", e.Project, blame}
	held := ports.Held{
		Project:  e.Project,
		Key:      blame,
		Group:    e.Project.String(),
		Failures: s.aside.rows[k],
	}
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
			if disabled := cloneSubscription(sub); disabled.Disable(out.Why, out.Alert.At) {
				s.subscribe(disabled)
				s.announce(out.Alert, o.Now())
			}
		}
		return nil
	})
}

// EventsDue reports whether events wait for their deliveries to be made.
func (s *Store) EventsDue() bool { return len(s.committed.Load().dueEvents(s.Now(), 1)) > 0 }

// AtRest reports whether no event, delivery, refund or orphan charge waits, now or later.
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
	for _, o := range st.orphans.rows {
		if !o.DueAt.IsZero() {
			return false
		}
	}
	return true
}

// Announcements are a project's events, in no order.
func (s *Store) Announcements(p id.Project) (list []event.Data) {
	st := s.committed.Load()
	list = make([]event.Data, 0, len(st.events.rows))
	for k, e := range st.events.rows {
		if k.project == p {
			list = append(list, e.Data)
		}
	}
	return list
}
