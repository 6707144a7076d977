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

// Orphans keeps charges that no order comes of.
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
	if o.Pending() {
		if err := p.s.record(ledger.Orphan(booked(o, "charge", o.Amount, o.DetectedAt))); err != nil {
			return false, err
		}
	}
	return true, p.announce(e)
}

// booked is an orphan's entry in the ledger.
func booked(o *checkout.Orphan, kind string, amount money.Amount, at time.Time) ledger.Change {
	sum := sha256.Sum256([]byte(o.Project.String() + o.ID + kind))
	return ledger.Change{
		ID:        id.New[id.Transaction]([16]byte(sum[:16])),
		Project:   o.Project,
		Provider:  o.Route.Provider,
		Reference: o.Charge,
		Amount:    amount,
		At:        at,
	}
}

func (v Orphans) Orphans(ctx context.Context, p id.Project, f ports.OrphanFilter, page ports.Page) ([]checkout.Orphan, int, error) {
	s, err := v.read(ctx)
	if err != nil {
		return nil, 0, err
	}
	var list []checkout.Orphan
	for k, o := range s.orphans.rows {
		if k.project == p && (f.State == checkout.OrphanState{} || f.State == o.State) && (f.Charge == "" || f.Charge == o.Charge) {
			list = append(list, o)
		}
	}
	slices.SortFunc(list, func(a, b checkout.Orphan) int {
		return cmp.Or(b.DetectedAt.Compare(a.DetectedAt), strings.Compare(b.ID, a.ID))
	})
	return part(list, page), len(list), nil
}

func (s *state) orphansDue(now time.Time, limit int) (list []checkout.Orphan) {
	for _, o := range s.orphans.rows {
		if !o.DueAt.IsZero() && !o.DueAt.After(now) {
			list = append(list, o)
		}
	}
	slices.SortFunc(list, func(a, b checkout.Orphan) int {
		return cmp.Or(a.DueAt.Compare(b.DueAt), strings.Compare(a.Project.String(), b.Project.String()), strings.Compare(a.ID, b.ID))
	})
	return list[:min(limit, len(list))]
}

func (v Orphans) OrphansDue(ctx context.Context, limit int) (list []checkout.Orphan, err error) {
	err = v.inTx(ctx, func(s *state) error {
		list = s.orphansDue(v.Now(), limit)
		for i := range list {
			o := &list[i]
			o.DueAt = v.Now().Add(checkout.OrphanLease)
			s.orphans.put(s, orphanKey{o.Project, o.Route.Provider, o.Charge}, *o)
		}
		return nil
	})
	return list, err
}

func (v Orphans) ChangeOrphan(ctx context.Context, p id.Project, orphan string, change func(*checkout.Orphan, time.Time) (*event.Event, error)) error {
	return v.inTx(ctx, func(s *state) error {
		for k, o := range s.orphans.rows {
			if k.project != p || o.ID != orphan {
				continue
			}
			pending := o.Pending()
			e, err := change(&o, v.Now())
			if err != nil {
				return err
			}
			s.orphans.put(s, k, o)
			if pending && o.State == checkout.OrphanRefunded {
				back := money.Of(-o.Amount.Minor(), o.Amount.Currency())
				if err := s.record(ledger.OrphanRefund(booked(&o, "refund", back, o.UpdatedAt))); err != nil {
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

// OrphansDue reports whether refunds of orphan charges are due.
func (s *Store) OrphansDue() bool { return len(s.committed.Load().orphansDue(s.Now(), 1)) > 0 }
