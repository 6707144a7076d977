package memstore

import (
	"cmp"
	"context"
	"crypto/sha256"
	"slices"
	"strings"
	"time"

	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/domain/event"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/ledger"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/ports"
)

// Orphans stores charges without an order.
type Orphans struct{ *Store }

var _ ports.OrphanCharges = Orphans{}

// orphanKey is an orphan charge by the provider's id.
type orphanKey struct {
	project          id.Project
	provider, charge string
}

func (p purchase) Orphan(_ context.Context, o *checkout.Orphan, e *event.Event) (bool, error) {
	k := orphanKey{o.Project, o.Route.Provider, o.Charge}
	if _, known := p.s.orphans.rows[k]; known {
		return false, nil
	}
	for of, row := range p.s.orders.rows {
		if paid := row.order.Payment; of.project == p.project && paid.Route.Provider == o.Route.Provider && paid.Provider == o.Charge {
			return false, nil
		}
	}
	p.s.orphans.put(p.s, k, *o)
	if o.Booked() {
		if err := p.s.record(booked(o, ledger.OrphanKind, "charge", o.Charge, o.Amount, o.DetectedAt)); err != nil {
			return false, err
		}
	}
	return true, p.announce(e)
}

// moved is the entry of a refund, or of its reversal, or nil.
func moved(before, after checkout.Orphan) *ledger.Transaction {
	if !before.Booked() || before.State == after.State {
		return nil
	}
	var entry ledger.Transaction
	switch checkout.OrphanRefunded {
	case after.State:
		back := money.Of(-after.Amount.Minor(), after.Amount.Currency())
		entry = booked(&after, ledger.OrphanRefundKind, "refund", cmp.Or(after.Refund, after.Charge), back, after.UpdatedAt)
	case before.State:
		entry = booked(&after, ledger.OrphanReversalKind, "reversal", cmp.Or(after.Refund, after.Charge), after.Amount, after.UpdatedAt)
	default:
		return nil
	}
	return &entry
}

// booked is an orphan's entry in the ledger.
func booked(o *checkout.Orphan, kind ledger.Kind, name, reference string, amount money.Amount, at time.Time) ledger.Transaction {
	sum := sha256.Sum256([]byte(o.Project.String() + o.ID + name + reference))
	return ledger.Change(kind, ledger.Transaction{
		ID:        id.New[id.Transaction]([16]byte(sum[:16])),
		Project:   o.Project,
		Provider:  o.Route.Provider,
		Reference: reference,
		At:        at,
	}, amount)
}

func (v Orphans) Orphans(ctx context.Context, p id.Project, f ports.OrphanFilter, page ports.Page) ([]checkout.Orphan, int, error) {
	s, err := v.read(ctx)
	if err != nil {
		return nil, 0, err
	}
	var list []checkout.Orphan
	for k, o := range s.orphans.rows {
		if k.project == p && (f.State == checkout.OrphanState{} || f.State == o.State) && (f.Charge == "" || f.Charge == o.Charge) && (f.ID == "" || f.ID == o.ID) {
			list = append(list, o)
		}
	}
	slices.SortFunc(list, func(a, b checkout.Orphan) int {
		return cmp.Or(b.DetectedAt.Compare(a.DetectedAt), strings.Compare(b.ID, a.ID))
	})
	return part(list, page), len(list), nil
}

// DueOrphans leases orphans whose refund is due.
func (s *Store) DueOrphans() ports.DueOrphans {
	find := func(s *state, h id.Project, name string) (orphanKey, checkout.Orphan) {
		for k, o := range s.orphans.rows {
			if k.project == h && o.ID == name {
				return k, o
			}
		}
		return orphanKey{}, checkout.Orphan{}
	}
	move := func(s *state, p id.Project, name string, until time.Time) *checkout.Orphan {
		k, o := find(s, p, name)
		o.DueAt = until
		s.orphans.put(s, k, o)
		return &o
	}
	return queue[*checkout.Orphan]{
		Store: s, name: "orphans",
		list: func(s *state, now time.Time) (list []due[*checkout.Orphan]) {
			for k, o := range s.orphans.rows {
				if !o.DueAt.IsZero() && !o.DueAt.After(now) {
					list = append(list, due[*checkout.Orphan]{
						project: k.project,
						row:     o.ID,
						group:   cmp.Or(o.Route.Integration.String(), k.project.String()),
						at:      o.DueAt,
					})
				}
			}
			return list
		},
		lease: func(s *state, d due[*checkout.Orphan], until time.Time) (*checkout.Orphan, error) {
			return move(s, d.project, d.row, until), nil
		},
		held: func(s *state, h ports.Held) bool {
			_, o := find(s, h.Project, h.Key)
			return o.Pending() && o.DueAt.Equal(h.Until)
		},
		postpone: func(s *state, h ports.Held, until time.Time) { move(s, h.Project, h.Key, until) },
	}
}

func (v Orphans) ChangeOrphan(ctx context.Context, p id.Project, orphan string, change func(*checkout.Orphan, time.Time) (*event.Event, error)) error {
	return v.inTx(ctx, func(s *state) error {
		for k, o := range s.orphans.rows {
			if k.project != p || o.ID != orphan {
				continue
			}
			before := o
			e, err := change(&o, v.Now())
			if err != nil {
				return err
			}
			s.orphans.put(s, k, o)
			if entry := moved(before, o); entry != nil {
				if err := s.record(*entry); err != nil {
					return err
				}
			}
			if e != nil {
				s.announce(e, v.Now())
			}
			return nil
		}
		return fault.Missing("orphan")
	})
}
