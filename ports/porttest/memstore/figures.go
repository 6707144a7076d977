package memstore

import (
	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/ledger"
	"github.com/haggle-commerce/haggle/domain/order"
)

// Figures are what a project's tables say, to be compared with each other.
type Figures struct {
	Stock int // pieces in stock
	Held  int // pieces that attempts in flight hold
	Sold  int // pieces of orders that are not canceled

	Orders             int
	CheckoutsWithOrder int

	Funds int64 // what providers hold by the ledger
	Money int64 // what they hold by payments, refunds, disputes and orphan charges
}

// Figures sums up a project's tables as they are committed.
func (s *Store) Figures(p id.Project) (f Figures) {
	st := s.committed.Load()
	for k, shelf := range st.stock.rows {
		if k.project == p {
			f.Stock += shelf.Quantity
		}
	}
	for k, c := range st.checkouts.rows {
		if k.project == p && c.Status == checkout.Processing {
			for _, t := range c.Taken {
				f.Held += t.Quantity
			}
		}
	}
	st.sumOrders(p, &f)
	for k, o := range st.orphans.rows {
		if k.project == p && o.State != checkout.OrphanRefunded && o.Booked() {
			f.Money += o.Amount.Minor()
		}
	}
	for k, t := range st.ledger.rows {
		if k.project != p {
			continue
		}
		funds := ledger.Funds(t.Provider)
		for _, e := range t.Postings {
			if e.Debit == funds {
				f.Funds += e.Amount.Minor()
			}
			if e.Credit == funds {
				f.Funds -= e.Amount.Minor()
			}
		}
	}
	return f
}

func (s *state) sumOrders(p id.Project, f *Figures) {
	for k, row := range s.orders.rows {
		if k.project != p {
			continue
		}
		f.Orders++
		if s.onlyOrder(k, row) {
			f.CheckoutsWithOrder++
		}
		if row.order.Status != order.Canceled {
			for _, t := range row.taken {
				f.Sold += t.Quantity
			}
		}
		f.Money += row.order.Payment.Amount.Minor() - row.order.Payment.Refunded.Minor()
		for _, d := range row.disputes {
			f.Money -= d.Withdrawn.Minor() + d.Fee.Minor()
		}
	}
}

// onlyOrder reports whether no other order is of the same checkout.
func (s *state) onlyOrder(k key[id.Order], row orderRow) bool {
	for other, r := range s.orders.rows {
		if other != k && other.project == k.project && r.order.Checkout == row.order.Checkout {
			return false
		}
	}
	return true
}
