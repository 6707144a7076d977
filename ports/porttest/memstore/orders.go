package memstore

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/ledger"
	"github.com/haggle-commerce/haggle/domain/order"
	"github.com/haggle-commerce/haggle/ports"
)

// orderRow is an order with its returns, refunds and disputes.
type orderRow struct {
	order    order.Order
	returns  []order.Return
	refunds  []order.Refund
	taken    []catalog.Reservation
	disputes []order.Dispute
}

// Orders is the store's view of orders, their payments and their refunds.
type Orders struct{ *Store }

var (
	_ ports.Orders   = Orders{}
	_ ports.Refunds  = Orders{}
	_ ports.Disputes = Orders{}
)

func (r orderRow) open() *order.Order {
	o := r.order
	o.Lines = slices.Clone(o.Lines)
	return &o
}

// opened is a case whose reader may change it.
func (r orderRow) opened() *order.Case {
	c := &order.Case{
		Order:    r.open(),
		Refunds:  slices.Clone(r.refunds),
		Taken:    slices.Clone(r.taken),
		Returns:  slices.Clone(r.returns),
		Disputes: slices.Clone(r.disputes),
	}
	for i := range c.Returns {
		c.Returns[i].Items, c.Returns[i].Restocked = slices.Clone(c.Returns[i].Items), slices.Clone(c.Returns[i].Restocked)
		c.Returns[i].Allocation = slices.Clone(c.Returns[i].Allocation)
	}
	return c
}

// place stores a new order with the ledger's record of its sale.
func (s *state) place(o *order.Order) error {
	for k, other := range s.orders.rows {
		switch {
		case k.project != o.Project:
		case other.order.Checkout == o.Checkout:
			return fault.New(fault.Conflict, "order_exists", "The checkout has an order.")
		case other.order.Confirmation == o.Confirmation:
			return fault.New(fault.Conflict, "confirmation_taken", "Another order has the number.")
		}
	}
	taken := s.checkouts.rows[key[id.Checkout]{o.Project, o.Checkout}].Taken
	row := orderRow{order: *orderRow{order: *o}.open(), taken: slices.Clone(taken)}
	s.orders.put(s, key[id.Order]{o.Project, o.ID}, row)
	return s.record(o.Sale())
}

// record stores a transaction of the ledger. One of the same id was recorded before.
func (s *state) record(t ledger.Transaction) error {
	sums := map[string]int64{}
	for _, e := range t.Entries() {
		sums[e.Amount.Currency().Code()] += e.Amount.Minor()
	}
	for _, sum := range sums {
		if sum != 0 {
			return fault.New(fault.Internal, "ledger_unbalanced", "The transaction does not sum to zero.")
		}
	}
	t.Postings = slices.Clone(t.Postings)
	s.ledger.put(s, key[id.Transaction]{t.Project, t.ID}, t)
	return nil
}

// find is the first order of a project that fits.
func (v Orders) find(ctx context.Context, p id.Project, thing string, fits func(orderRow) bool) (orderRow, error) {
	s, err := v.read(ctx)
	if err != nil {
		return orderRow{}, err
	}
	for k, row := range s.orders.rows {
		if k.project == p && fits(row) {
			return row, nil
		}
	}
	return orderRow{}, fault.Missing(thing)
}

func (v Orders) ByID(ctx context.Context, p id.Project, of id.Order) (*order.Order, error) {
	row, err := v.find(ctx, p, "order", func(r orderRow) bool { return r.order.ID == of })
	if err != nil {
		return nil, err
	}
	return row.open(), nil
}

func (v Orders) ByCheckout(ctx context.Context, p id.Project, of id.Checkout) (*order.Order, error) {
	row, err := v.find(ctx, p, "order", func(r orderRow) bool { return r.order.Checkout == of })
	if err != nil {
		return nil, err
	}
	return row.open(), nil
}

func (v Orders) ReturnByID(ctx context.Context, p id.Project, of id.Return) (*order.Return, error) {
	row, err := v.find(ctx, p, "return", func(r orderRow) bool {
		return slices.ContainsFunc(r.returns, func(one order.Return) bool { return one.ID == of })
	})
	if err != nil {
		return nil, err
	}
	return row.opened().FindReturn(of), nil
}

func (v Orders) RefundByID(ctx context.Context, p id.Project, of id.Refund) (*order.Refund, error) {
	row, err := v.find(ctx, p, "refund", func(r orderRow) bool {
		return slices.ContainsFunc(r.refunds, func(one order.Refund) bool { return one.ID == of })
	})
	if err != nil {
		return nil, err
	}
	return row.opened().FindRefund(of), nil
}

func (v Orders) Case(ctx context.Context, p id.Project, of id.Order) (*order.Case, error) {
	row, err := v.find(ctx, p, "order", func(r orderRow) bool { return r.order.ID == of })
	if err != nil {
		return nil, err
	}
	return row.opened(), nil
}

func (v Orders) Change(ctx context.Context, p id.Project, of id.Order, change func(*order.Case) error) (changed *order.Case, err error) {
	err = v.inTx(ctx, func(s *state) error {
		k := key[id.Order]{p, of}
		row, known := s.orders.rows[k]
		if !known {
			return fault.Missing("order")
		}
		c := row.opened()
		if err := change(c); err != nil {
			return err
		}
		s.orders.put(s, k, orderRow{*orderRow{order: *c.Order}.open(), c.Returns, c.Refunds, row.taken, c.Disputes})
		s.putBack(p, c.Restock)
		for _, t := range c.Ledger {
			if err := s.record(t); err != nil {
				return err
			}
		}
		for i := range c.Events {
			s.announce(&c.Events[i], v.Now())
		}
		changed = orderRow{*c.Order, c.Returns, c.Refunds, c.Taken, c.Disputes}.opened()
		changed.Restock, changed.Ledger, changed.Events = c.Restock, c.Ledger, c.Events
		return nil
	})
	if err != nil {
		return nil, err
	}
	return changed, nil
}

// DueRefunds leases pending refunds that no process works on.
func (s *Store) DueRefunds() ports.DueRefunds {
	find := func(s *state, h id.Project, name string) (key[id.Order], orderRow, int) {
		for k, row := range s.orders.rows {
			for i, r := range row.refunds {
				if k.project == h && r.ID.String() == name {
					return k, row, i
				}
			}
		}
		return key[id.Order]{}, orderRow{}, -1
	}
	move := func(s *state, p id.Project, name string, until time.Time) {
		if k, row, i := find(s, p, name); i >= 0 {
			row.refunds = slices.Clone(row.refunds)
			row.refunds[i].DueAt = until
			s.orders.put(s, k, row)
		}
	}
	return queue[ports.DueRefund]{
		Store: s, name: "refunds",
		list: func(s *state, now time.Time) (list []due[ports.DueRefund]) {
			for k, row := range s.orders.rows {
				for _, r := range row.refunds {
					if !r.DueAt.IsZero() && !r.DueAt.After(now) {
						item := ports.DueRefund{
							Project: k.project,
							Order:   k.id,
							Refund:  r.ID,
						}
						group := cmp.Or(row.order.Payment.Route.Integration.String(), k.project.String())
						list = append(list, due[ports.DueRefund]{k.project, r.ID.String(), group, r.DueAt, item})
					}
				}
			}
			return list
		},
		lease: func(s *state, d due[ports.DueRefund], until time.Time) (ports.DueRefund, error) {
			move(s, d.project, d.row, until)
			return d.item, nil
		},
		held: func(s *state, h ports.Held) bool {
			_, row, i := find(s, h.Project, h.Key)
			return i >= 0 && row.refunds[i].DueAt.Equal(h.Until)
		},
		postpone: func(s *state, h ports.Held, until time.Time) { move(s, h.Project, h.Key, until) },
	}
}
