package aftersales_test

import (
	"context"
	"log/slog"
	"slices"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/app/aftersales"
	"github.com/haggle-commerce/haggle/app/jobs"
	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/domain/event"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/ledger"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/order"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/ports"
)

var noon = time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)

// payments is an alias for embedding, because ports.Payments has a method Payments.
type payments = ports.Payments

// fixture implements the ports of the service for one order, and records the calls.
type fixture struct {
	ports.Orders
	payments
	ports.Gateway
	ports.Inventory
	ports.Index
	now  time.Time
	kept order.Case

	announced []event.Event
	ledger    []ledger.Transaction
	restocked map[id.Variant]int

	answers []any // the provider's outcomes and errors, the last one repeatedly
	asked   []ports.RefundRequest
	lost    error // returned once by Change after a refund was requested
}

func (d *fixture) Now() time.Time { return d.now }

func (d *fixture) copy() *order.Case {
	o := *d.kept.Order
	return &order.Case{
		Order:    &o,
		Returns:  append([]order.Return(nil), d.kept.Returns...),
		Refunds:  append([]order.Refund(nil), d.kept.Refunds...),
		Disputes: append([]order.Dispute(nil), d.kept.Disputes...),
		Taken:    d.kept.Taken,
	}
}

func (d *fixture) Case(_ context.Context, _ id.Project, of id.Order) (*order.Case, error) {
	if of != d.kept.Order.ID {
		return nil, fault.Missing("order")
	}
	return d.copy(), nil
}

func (d *fixture) Change(ctx context.Context, in id.Project, of id.Order, change func(*order.Case) error) (*order.Case, error) {
	c, err := d.Case(ctx, in, of)
	if err != nil {
		return nil, err
	}
	if err := change(c); err != nil {
		return nil, err
	}
	if d.lost != nil && len(d.asked) > 0 {
		err, d.lost = d.lost, nil
		return nil, err
	}
	d.kept = *c
	d.announced, d.ledger = append(d.announced, c.Events...), append(d.ledger, c.Ledger...)
	return c, nil
}

func (d *fixture) ReturnByID(_ context.Context, _ id.Project, of id.Return) (*order.Return, error) {
	if r := d.copy().FindReturn(of); r != nil {
		return r, nil
	}
	return nil, fault.Missing("return")
}

func (d *fixture) PaymentByID(_ context.Context, _ id.Project, of id.Payment) (*ports.OrderPayment, error) {
	if of != d.kept.Order.Payment.ID {
		return nil, fault.Missing("payment")
	}
	return &ports.OrderPayment{Payment: d.kept.Order.Payment, Order: d.kept.Order.ID}, nil
}

func (d *fixture) PaymentByCharge(_ context.Context, _ id.Project, charge string) (*ports.OrderPayment, error) {
	if charge != d.kept.Order.Payment.Provider {
		return nil, fault.Missing("payment")
	}
	return &ports.OrderPayment{Payment: d.kept.Order.Payment, Order: d.kept.Order.ID}, nil
}

func (d *fixture) RefundByID(_ context.Context, _ id.Project, of id.Refund) (*order.Refund, error) {
	if r := d.copy().FindRefund(of); r != nil {
		return r, nil
	}
	return nil, fault.Missing("refund")
}

// fakeQueue leases the refunds that are due.
type fakeQueue struct{ *fixture }

func (d fakeQueue) due(r order.Refund) bool {
	return r.Status == order.RefundIsPending && !d.now.Before(r.DueAt)
}

func (d fakeQueue) Waiting(context.Context) ([]string, error) {
	if slices.ContainsFunc(d.kept.Refunds, d.due) {
		return []string{"shop"}, nil
	}
	return nil, nil
}

func (d fakeQueue) Claim(_ context.Context, lease time.Duration, shares []ports.Share) (due []ports.Leased[ports.DueRefund], err error) {
	for i := range d.kept.Refunds {
		r := &d.kept.Refunds[i]
		if d.due(*r) && len(due) < shares[0].Most {
			r.DueAt = d.now.Add(lease)
			due = append(due, ports.Leased[ports.DueRefund]{
				Held: ports.Held{Group: "shop", Until: r.DueAt}, Item: ports.DueRefund{Order: r.Order, Refund: r.ID},
			})
		}
	}
	return due, nil
}

func (fakeQueue) SetAside(context.Context, ports.Held, string) error { return nil }
func (fakeQueue) Restore(context.Context, ports.Held) error          { return nil }

// executeRefunds runs the refund job, one refund at a time, until none is due.
func executeRefunds(t *testing.T, s *aftersales.Service) (decided int, err error) {
	t.Helper()
	job := s.Refunding()
	job.Limits.Slots = 1
	return jobs.NewWorker(job).Once(t.Context())
}

func (d *fixture) Refund(ctx ports.Outbound, r ports.RefundRequest) (order.RefundOutcome, error) {
	d.asked = append(d.asked, r)
	answer := d.answers[min(len(d.asked), len(d.answers))-1]
	if err, failed := answer.(error); failed {
		return nil, err
	}
	return answer.(order.RefundOutcome), ctx.Err()
}

func (d *fixture) LevelsOf(context.Context, id.Project, []id.Product) ([]catalog.Level, error) {
	return []catalog.Level{{Variant: plain, Location: "main", Quantity: 3}, {Variant: plain, Location: "north", Quantity: 4}}, nil
}

func (d *fixture) Version(id.Project) int64 { return 1 }

func (d *fixture) Restock(_ id.Project, totals map[id.Variant]int) { d.restocked = totals }

// countingEntropy returns other bits each time.
type countingEntropy struct{ n byte }

func (s *countingEntropy) Bits128() [16]byte { s.n++; return [16]byte{s.n} }

func (s *countingEntropy) IDBits() [16]byte { return s.Bits128() }
func (*countingEntropy) Secret(int) string  { return "" }

var (
	tent, jacket = id.New[id.Product]([16]byte{1}), id.New[id.Product]([16]byte{2})
	plain        = id.New[id.Variant]([16]byte{1})
	small, large = id.New[id.Variant]([16]byte{2}), id.New[id.Variant]([16]byte{3})
)

// newFixture returns an order, a day old, of two tents on two lines and a jacket in each of two sizes. Every refund
// succeeds.
func newFixture() (*fixture, *aftersales.Service, *project.Project) {
	line := func(p id.Product, v id.Variant, cents int64) checkout.Line {
		return checkout.Line{
			Product:  p,
			Variant:  v,
			Quantity: 1,
			Unit:     money.Of(cents, money.USD),
		}
	}
	total := money.Of(330_00, money.USD)
	d := &fixture{
		now:     noon,
		answers: []any{order.Refunded{Provider: "re_1"}},
		kept: order.Case{
			Order: &order.Order{
				ID:        id.New[id.Order]([16]byte{1}),
				Project:   id.New[id.Project]([16]byte{1}),
				CreatedAt: noon.AddDate(0, 0, -1),
				Checkout:  id.New[id.Checkout]([16]byte{1}),
				Status:    order.Confirmed,
				Lines:     []checkout.Line{line(tent, plain, 90_00), line(tent, plain, 100_00), line(jacket, small, 50_00), line(jacket, large, 60_00)},
				Subtotal:  money.Of(300_00, money.USD),
				Tax:       money.Of(30_00, money.USD),
				Total:     total,
				Payment: order.Payment{
					ID:        id.New[id.Payment]([16]byte{1}),
					Amount:    total,
					Refunded:  money.Zero(money.USD),
					Refunding: money.Zero(money.USD),
					Route:     project.PaymentRoute{Provider: "stripe"},
					Provider:  "ch_1",
				},
				Fulfillment: order.Fulfillment{Status: order.FulfillmentProcessing},
			},
			Taken: []catalog.Reservation{{Variant: plain, Location: "main", Quantity: 2}},
		},
	}
	settings := project.DefaultSettings()
	p := &project.Project{
		ID:         d.kept.Order.Project,
		Settings:   settings,
		Storefront: project.DefaultStorefront(settings),
	}
	return d, &aftersales.Service{
		Stores: &ports.Stores{
			Orders:    d,
			Payments:  d,
			Refunds:   d,
			Inventory: d,
			Index:     d,
		},
		Due:     fakeQueue{d},
		Gateway: d,
		Clock:   d,
		Entropy: &countingEntropy{},
		Log:     slog.New(slog.DiscardHandler),
	}, p
}
