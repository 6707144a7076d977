package porttest

import (
	"github.com/haggle-commerce/haggle/domain/ledger"
	"github.com/haggle-commerce/haggle/domain/order"
	"github.com/haggle-commerce/haggle/ports"
)

// fourTimes does what adds an item to a list, and returns it.
func fourTimes(add func()) func() {
	for range 4 {
		add()
	}
	return add
}

// All orders are placed at the same time here, so only their ids differ.
func ordersKeyset(s *Shop) {
	p := s.Product(most)
	Keyset[*order.Order]{
		Add: fourTimes(func() { s.Sold(p, 1) }),
		List: func(page ports.Page) ([]*order.Order, int, error) {
			return s.OrderLists.Orders(s.Ctx, s.Project.ID, ports.OrderFilter{Status: order.Confirmed, From: Noon}, page)
		},
		Place: func(o *order.Order) ports.Place { return ports.Place{At: o.CreatedAt, ID: o.ID.String()} },
	}.Test(s.T)
}

func refundsKeyset(s *Shop) {
	p := s.Product(most)
	Keyset[order.Refund]{
		Add: fourTimes(func() { s.GaveBack(s.Sold(p, 1), 1) }),
		List: func(page ports.Page) ([]order.Refund, int, error) {
			return s.OrderLists.Refunds(s.Ctx, s.Project.ID, ports.RefundFilter{}, page)
		},
		Place: func(r order.Refund) ports.Place { return ports.Place{At: r.CreatedAt, ID: r.ID.String()} },
	}.Test(s.T)
}

func returnsKeyset(s *Shop) {
	p := s.Product(most)
	Keyset[order.Return]{
		Add: fourTimes(func() { s.requestReturn(s.Sold(p, 1).ID, 1) }),
		List: func(page ports.Page) ([]order.Return, int, error) {
			return s.OrderLists.Returns(s.Ctx, s.Project.ID, ports.ReturnFilter{Status: order.Requested}, page)
		},
		Place: func(r order.Return) ports.Place { return ports.Place{At: r.CreatedAt, ID: r.ID.String()} },
	}.Test(s.T)
}

// Sales are at noon, and their refunds a minute later: what is added comes in between.
func transactionsKeyset(s *Shop) {
	p := s.Product(most)
	Keyset[ledger.Transaction]{
		Add: fourTimes(func() { s.GaveBack(s.Sold(p, 1), 1) }),
		List: func(page ports.Page) ([]ledger.Transaction, int, error) {
			return s.Ledger.Transactions(s.Ctx, s.Project.ID, ports.TransactionFilter{}, page)
		},
		Place: func(t ledger.Transaction) ports.Place { return ports.Place{At: t.At, ID: t.ID.String()} },
	}.Test(s.T)
}
