package purchase_test

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/app/jobs"
	"github.com/haggle-commerce/haggle/app/purchase"
	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/domain/event"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/order"
	"github.com/haggle-commerce/haggle/domain/session"
	"github.com/haggle-commerce/haggle/ports"
)

type fakeCheckouts struct{ *fixture }

// fakeSessions records the session that a checkout creates.
type fakeSessions struct {
	ports.Sessions
	fixture *fixture
}

func (s fakeSessions) Create(_ context.Context, opened *session.Session, _ ...id.Product) error {
	s.fixture.opened = opened
	return s.fixture.broken["session"]
}

func (s fakeCheckouts) Create(_ context.Context, c *checkout.Checkout, sess *session.Session, t session.Touched, _ int64) error {
	s.checkout = c
	if t.Any() {
		s.touched++
		*s.session = *sess
	}
	return s.broken["create"]
}

func (s fakeCheckouts) Get(_ context.Context, _ id.Project, _ id.Checkout) (*checkout.Checkout, error) {
	if s.checkout == nil {
		return nil, fault.Missing("checkout")
	}
	return checkout.Rehydrate(s.checkout.Snapshot()), nil
}

// InTx rolls back the n-th transaction if broken has "transaction n".
func (s fakeCheckouts) InTx(_ context.Context, _ id.Project, work func(ports.Purchase) error) error {
	s.ended++
	before := *s.fixture
	err := work(fakeTx(s))
	if err == nil {
		err = s.broken[fmt.Sprintf("transaction %d", s.ended)]
	}
	if err != nil {
		s.checkout, s.order = before.checkout, before.order
	}
	return err
}

func (s fakeCheckouts) PayAttempts(ctx context.Context, p id.Project, c id.Checkout, _ string, _ time.Duration) (ports.PayAttempts, error) {
	found, err := s.Get(ctx, p, c)
	return ports.PayAttempts{
		Checkout: found,
		Now:      s.now,
		Declines: s.declines,
		First:    noon,
		Attempts: s.attempts,
	}, err
}

// fakeLapsed leases the fixture's lapsed checkouts, once.
type fakeLapsed struct{ *fixture }

func (s fakeLapsed) Waiting(context.Context) ([]string, error) {
	if len(s.lapsed) == 0 {
		return nil, s.broken["lapsed"]
	}
	return []string{"account"}, s.broken["lapsed"]
}

func (s fakeLapsed) Claim(context.Context, time.Duration, []ports.Share) (list []ports.Leased[*checkout.Checkout], err error) {
	for _, c := range s.lapsed {
		held := ports.Held{Group: "account", Until: s.now.Add(checkout.Lease)}
		list = append(list, ports.Leased[*checkout.Checkout]{Held: held, Item: c})
	}
	s.fixture.lapsed = nil
	return list, nil
}

func (fakeLapsed) SetAside(context.Context, ports.Held, string) error { return nil }
func (fakeLapsed) Restore(context.Context, ports.Held) error          { return nil }

// reconcile runs the reconciliation job once.
func reconcile(t *testing.T, s *purchase.Service) (decided int, err error) {
	t.Helper()
	return jobs.NewWorker(s.Reconciliation()).Once(t.Context())
}

func (fakeCheckouts) ForgetDeclines(context.Context, time.Time) error { return nil }

type fakeTx struct{ *fixture }

func (s fakeTx) Lock(ctx context.Context, named id.Checkout) (*checkout.Checkout, time.Time, error) {
	c, err := fakeCheckouts(s).Get(ctx, id.Project{}, named)
	return c, s.now, err
}

func (s fakeTx) LockWithStock(
	ctx context.Context, named id.Checkout, needs []catalog.Need, _ []string,
) (c *checkout.Checkout, levels []catalog.Level, now time.Time, err error) {
	for _, n := range needs {
		if s.found > 0 {
			levels = append(levels, catalog.Level{
				Variant:  n.Variant,
				Location: "main",
				Quantity: 100,
				Digital:  s.digital(n.Variant),
			})
		}
	}
	s.found--
	c, now, err = s.Lock(ctx, named)
	return c, levels, now, cmp.Or(err, s.broken["stock"])
}

// digital reports whether a variant is digital in the catalog now.
func (s *fixture) digital(of id.Variant) bool {
	return slices.ContainsFunc(s.products, func(p *catalog.Product) bool {
		v, has := p.Variant(of)
		return has && v.Digital
	})
}

func (s fakeTx) Save(_ context.Context, c *checkout.Checkout, e *event.Event) error {
	s.checkout = c
	if e != nil {
		s.events = append(s.events, e)
	}
	return nil
}

func (s fakeTx) Revise(_ context.Context, c *checkout.Checkout, version int64) error {
	if version != s.project.Version {
		return fault.New(fault.Conflict, ports.ProjectChanged, "The shop has changed.")
	}
	s.checkout = c
	return nil
}

func (s fakeTx) Claim(_ context.Context, c *checkout.Checkout, version int64) error {
	if version != s.project.Version {
		return fault.New(fault.Conflict, ports.ProjectChanged, "The shop has changed.")
	}
	if s.claims++; s.claims <= s.missed {
		return fault.New(fault.Conflict, "out_of_stock", "There is not enough stock.")
	}
	s.checkout = c
	return s.broken["claim"]
}

func (s fakeTx) Settle(_ context.Context, settled ports.Settlement) error {
	s.checkout, s.order = settled.Checkout, settled.Order
	return nil
}

func (s fakeTx) Orphan(_ context.Context, o *checkout.Orphan, e *event.Event) (bool, error) {
	if s.order != nil && s.order.Payment.Provider == o.Charge || s.orphan != nil && s.orphan.Charge == o.Charge {
		return false, nil
	}
	s.orphan, s.events = o, append(s.events, e)
	return true, nil
}

func (s *fixture) Refund(_ ports.Outbound, r ports.RefundRequest) (order.RefundOutcome, error) {
	s.refunds = append(s.refunds, r)
	return s.refunded, s.broken["refund"]
}

type fakeOrphans struct {
	ports.OrphanCharges
	*fixture
}

func (s fakeOrphans) Orphans(context.Context, id.Project, ports.OrphanFilter, ports.Page) ([]checkout.Orphan, int, error) {
	if s.orphan == nil {
		return nil, 0, nil
	}
	return []checkout.Orphan{*s.orphan}, 1, nil
}

func (s fakeOrphans) ChangeOrphan(_ context.Context, _ id.Project, _ string, change func(*checkout.Orphan, time.Time) (*event.Event, error)) error {
	e, err := change(s.orphan, s.now)
	if e != nil {
		s.events = append(s.events, e)
	}
	return err
}

// fakeDueOrphans leases the fixture's orphan when it is due.
type fakeDueOrphans struct{ fakeLapsed }

func (s fakeDueOrphans) due() bool {
	return s.orphan != nil && s.orphan.Pending() && !s.orphan.DueAt.After(s.now)
}

func (s fakeDueOrphans) Waiting(context.Context) ([]string, error) {
	if !s.due() {
		return nil, nil
	}
	return []string{"account"}, nil
}

func (s fakeDueOrphans) Claim(context.Context, time.Duration, []ports.Share) ([]ports.Leased[*checkout.Orphan], error) {
	s.orphan.DueAt = s.now.Add(checkout.OrphanLease)
	o := *s.orphan
	return []ports.Leased[*checkout.Orphan]{{Held: ports.Held{Group: "account", Until: o.DueAt}, Item: &o}}, nil
}

// refundOrphans runs the orphan refund job once.
func refundOrphans(t *testing.T, s *purchase.Service) (decided int, err error) {
	t.Helper()
	return jobs.NewWorker(s.OrphanRefunds()).Once(t.Context())
}

type fakeOrders struct {
	ports.Orders
	*fixture
}

func (s fakeOrders) ByCheckout(context.Context, id.Project, id.Checkout) (*order.Order, error) {
	if s.order == nil {
		return nil, fault.Missing("order")
	}
	return s.order, nil
}
