package memstore

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/ledger"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/order"
	"github.com/haggle-commerce/haggle/ports"
)

// Ledger reads the double-entry book.
type Ledger struct {
	ports.Ledger // what no simulation reads
	*Store
}

// Transactions lists newest first; no filter narrows it but its kind and order.
func (v Ledger) Transactions(ctx context.Context, p id.Project, f ports.TransactionFilter, page ports.Page) ([]ledger.Transaction, int, error) {
	s, err := v.read(ctx)
	if err != nil {
		return nil, 0, err
	}
	var list []ledger.Transaction
	for k, t := range s.ledger.rows {
		if k.project == p && (f.Kind == ledger.Kind{} || f.Kind == t.Kind) && (f.Order.IsZero() || f.Order == t.Order) {
			t.Postings = slices.Clone(t.Postings)
			list = append(list, t)
		}
	}
	return keyed(list, page, func(t ledger.Transaction) ports.Place { return ports.Place{At: t.At, ID: t.ID.String()} })
}

// Payments reads the payments of orders.
type Payments struct {
	lists // which no simulation reads
	*Store
}

type lists = ports.Payments

func (v Payments) PaymentByID(ctx context.Context, p id.Project, of id.Payment) (*ports.OrderPayment, error) {
	row, err := Orders{v.Store}.find(ctx, p, "payment", func(r orderRow) bool { return r.order.Payment.ID == of })
	if err != nil {
		return nil, err
	}
	return &ports.OrderPayment{
		Payment:  row.order.Payment,
		Project:  p,
		Order:    row.order.ID,
		Checkout: row.order.Checkout,
	}, nil
}

func (v Payments) PaymentByCharge(ctx context.Context, p id.Project, charge string) (*ports.OrderPayment, error) {
	row, err := Orders{v.Store}.find(ctx, p, "payment", func(r orderRow) bool { return charge != "" && r.order.Payment.Provider == charge })
	if err != nil {
		return nil, err
	}
	return &ports.OrderPayment{
		Payment:  row.order.Payment,
		Project:  p,
		Order:    row.order.ID,
		Checkout: row.order.Checkout,
	}, nil
}

func (v Payments) DisputesOf(ctx context.Context, p id.Project, of id.Payment) ([]order.Dispute, error) {
	row, err := Orders{v.Store}.find(ctx, p, "payment", func(r orderRow) bool { return r.order.Payment.ID == of })
	if err != nil {
		return nil, err
	}
	return row.opened().Disputes, nil
}

// Wallets are those of one currency, which the first transaction has.
func (v Ledger) Wallets(ctx context.Context, p id.Project) ([]ports.Wallet, error) {
	s, err := v.read(ctx)
	if err != nil {
		return nil, err
	}
	wallets := map[string]*ports.Wallet{}
	for k, t := range s.ledger.rows {
		if k.project != p {
			continue
		}
		w := wallets[t.Provider]
		if w == nil {
			none := money.Zero(t.Postings[0].Amount.Currency())
			w = &ports.Wallet{
				Provider: t.Provider,
				Balance:  none,
				Received: none,
				Refunded: none,
				Disputed: none,
				Fees:     none,
				PaidOut:  none,
				Orphaned: none,
				Adjusted: none,
			}
			wallets[t.Provider] = w
		}
		for _, e := range t.Entries() {
			// The other side of each posting is its purpose.
			switch e.Account {
			case ledger.Funds(t.Provider):
				w.Balance = plus(w.Balance, e.Amount.Minor())
			case ledger.Refunds:
				w.Refunded = plus(w.Refunded, e.Amount.Minor())
			case ledger.Disputes:
				w.Disputed = plus(w.Disputed, e.Amount.Minor())
			case ledger.Fees:
				w.Fees = plus(w.Fees, e.Amount.Minor())
			case ledger.Bank:
				w.PaidOut = plus(w.PaidOut, e.Amount.Minor())
			case ledger.Orphans:
				w.Orphaned = plus(w.Orphaned, -e.Amount.Minor())
			case ledger.Adjustments:
				w.Adjusted = plus(w.Adjusted, -e.Amount.Minor())
			default:
				w.Received = plus(w.Received, -e.Amount.Minor())
			}
		}
	}
	var list []ports.Wallet
	for _, w := range wallets {
		list = append(list, *w)
	}
	slices.SortFunc(list, func(a, b ports.Wallet) int { return strings.Compare(a.Provider, b.Provider) })
	return list, nil
}

func plus(a money.Amount, minor int64) money.Amount { return money.Of(a.Minor()+minor, a.Currency()) }

func during(at, from, to time.Time) bool {
	return !at.Before(from) && (to.IsZero() || at.Before(to))
}

var _ ports.OrderLists = Orders{}

// Orders lists orders, newest first.
func (v Orders) Orders(ctx context.Context, p id.Project, f ports.OrderFilter, page ports.Page) ([]*order.Order, int, error) {
	s, err := v.read(ctx)
	if err != nil {
		return nil, 0, err
	}
	var list []*order.Order
	for k, row := range s.orders.rows {
		o := row.order
		fits := k.project == p && (f.Status == order.Status{} || f.Status == o.Status) &&
			(f.Fulfillment == order.FulfillmentStatus{} || f.Fulfillment == o.Fulfillment.Status) &&
			(f.Payment == order.PaymentStatus{} || f.Payment == o.Payment.Status()) &&
			(f.Confirmation == "" || f.Confirmation == o.Confirmation) && (f.Email == "" || f.Email == o.Email) &&
			(len(f.IDs) == 0 || slices.Contains(f.IDs, o.ID)) && during(o.CreatedAt, f.From, f.To)
		if fits {
			list = append(list, row.open())
		}
	}
	return keyed(list, page, func(o *order.Order) ports.Place { return ports.Place{At: o.CreatedAt, ID: o.ID.String()} })
}

// Refunds lists refunds, newest first.
func (v Orders) Refunds(ctx context.Context, p id.Project, f ports.RefundFilter, page ports.Page) ([]order.Refund, int, error) {
	s, err := v.read(ctx)
	if err != nil {
		return nil, 0, err
	}
	var list []order.Refund
	for k, row := range s.orders.rows {
		for _, r := range row.opened().Refunds {
			if k.project == p && (f.Status == order.RefundStatus{} || f.Status == r.Status) && (f.Order.IsZero() || f.Order == r.Order) &&
				during(r.CreatedAt, f.From, f.To) {
				list = append(list, r)
			}
		}
	}
	return keyed(list, page, func(r order.Refund) ports.Place { return ports.Place{At: r.CreatedAt, ID: r.ID.String()} })
}

// Returns lists returns, newest first.
func (v Orders) Returns(ctx context.Context, p id.Project, f ports.ReturnFilter, page ports.Page) ([]order.Return, int, error) {
	s, err := v.read(ctx)
	if err != nil {
		return nil, 0, err
	}
	var list []order.Return
	for k, row := range s.orders.rows {
		for _, r := range row.opened().Returns {
			if k.project == p && (f.Status == order.ReturnStatus{} || f.Status == r.Status) && (f.Order.IsZero() || f.Order == r.Order) &&
				during(r.CreatedAt, f.From, f.To) {
				list = append(list, r)
			}
		}
	}
	return keyed(list, page, func(r order.Return) ports.Place { return ports.Place{At: r.CreatedAt, ID: r.ID.String()} })
}
