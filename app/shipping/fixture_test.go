package shipping_test

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/haggle-commerce/haggle/app/shipping"
	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/integration"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/order"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/ports"
)

var (
	noon   = time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)
	parcel = id.New[id.Order]([16]byte{1})
	shop   = &project.Project{ID: id.New[id.Project]([16]byte{2}), Storefront: project.Storefront{Warehouses: []project.Warehouse{
		{Location: "main", PostalCode: "78703"}, {Location: "north", PostalCode: "99501"},
	}}}
)

func usd(minor int64) money.Amount { return money.Of(minor, money.USD) }

// fixture implements the ports of the service for one order, records the calls, and is safe for concurrent use.
type fixture struct {
	ports.Orders
	bits bits
	mu   sync.Mutex
	now  time.Time
	kept order.Case
	// labels are the stored labels; the key is whether it is a test label.
	labels map[bool]order.Label
	list   []*integration.Integration

	sold  map[bool]ports.ShippingLabel // by the platform
	asked []ports.LabelRequest
	rates []ports.ShippingRate
	rated []ports.RateRequest
	// before and after are errors of Buy, by the number of the call: before or after the label is sold.
	before, after map[int]error
	// If started is not nil, the first call of Buy or Void sends to it, and waits for proceed.
	started, proceed chan struct{}
	blocked          atomic.Bool
	hangs            bool // Buy and Void last until their context ends
	live             bool // use the real time
	// voids are the requests to void. voidBefore and voidAfter are errors of Void, by the number of the call: before or after the
	// label is voided.
	voids                 []ports.VoidRequest
	voidBefore, voidAfter map[int]error
	voided                map[string]bool // by the platform's id

	// meanwhile is called after the order was read.
	meanwhile func(*order.Order)

	records map[int]error // errors of storing a label, by the number of the call
	stored  int
	changes map[int]error // errors of changing the order, by the number of the call
	changed int
}

func newFixture() *fixture {
	o := &order.Order{
		ID:           parcel,
		Project:      shop.ID,
		Confirmation: "HG-7K2M-9QXA",
		Status:       order.Confirmed,
		Payment: order.Payment{
			Amount:    usd(100_00),
			Refunded:  usd(0),
			Refunding: usd(0),
		},
		Fulfillment: order.Fulfillment{Status: order.FulfillmentProcessing},
	}
	return &fixture{
		now:        noon,
		kept:       order.Case{Order: o, Taken: []catalog.Reservation{{Location: "north", Quantity: 1}}},
		labels:     map[bool]order.Label{},
		sold:       map[bool]ports.ShippingLabel{},
		list:       []*integration.Integration{account(1)},
		voidBefore: map[int]error{},
		voidAfter:  map[int]error{},
		voided:     map[string]bool{},
		before:     map[int]error{},
		after:      map[int]error{},
		records:    map[int]error{},
		changes:    map[int]error{},
		rates: []ports.ShippingRate{
			{Carrier: "ups", Service: "ups_air", Name: "Air", Price: "21.00", Currency: "USD"},
			{Carrier: "ups", Service: "broken", Name: "Broken", Price: "cheap", Currency: "USD"},
			{Carrier: "usps", Service: "usps_mail", Name: "Mail", Price: "5.5", Currency: "USD"},
		},
	}
}

func account(n byte) *integration.Integration {
	return &integration.Integration{
		ID:      id.New[id.Integration]([16]byte{n}),
		Project: shop.ID,
		Type:    integration.ShipStation,
		Status:  integration.Connected,
	}
}

func (d *fixture) service() *shipping.Service {
	return &shipping.Service{
		Stores: &ports.Stores{
			Integrations: fakeIntegrations{fixture: d},
			Orders:       d,
			Labels:       fakeLabels{d},
		},
		Accounts: d,
		Shippers: map[string]ports.Shipper{"shipstation": fakeShipper{d}},
		Clock:    d,
		Entropy:  &d.bits,
		Log:      slog.New(slog.DiscardHandler),
	}
}

// bits is entropy that counts.
type bits struct {
	mu sync.Mutex
	n  byte
}

func (b *bits) Bits128() [16]byte {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.n++
	return [16]byte{b.n}
}

func (b *bits) IDBits() [16]byte { return b.Bits128() }

func (*bits) Secret(int) string { return "" }

func (d *fixture) Now() time.Time {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.live {
		return time.Now()
	}
	return d.now
}

// pass advances the time.
func (d *fixture) pass(t time.Duration) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.now = d.now.Add(t)
}

func (d *fixture) Case(_ context.Context, _ id.Project, of id.Order) (*order.Case, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if of != parcel {
		return nil, fault.Missing("order")
	}
	o := *d.kept.Order
	if d.meanwhile != nil {
		d.meanwhile(d.kept.Order)
	}
	return &order.Case{Order: &o, Taken: d.kept.Taken}, nil
}

func (d *fixture) Change(ctx context.Context, p id.Project, of id.Order, change func(*order.Case) error) (*order.Case, error) {
	c, err := d.Case(ctx, p, of)
	if err != nil {
		return nil, err
	}
	if err := change(c); err != nil {
		return nil, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.changed++; d.changes[d.changed] != nil {
		return nil, d.changes[d.changed]
	}
	d.kept = *c
	return c, nil
}

// fakeIntegrations implements ports.Integrations.
type fakeIntegrations struct {
	ports.Integrations
	fixture *fixture
}

func (a fakeIntegrations) List(context.Context, id.Project, ports.Page) ([]*integration.Integration, int, error) {
	return append([]*integration.Integration(nil), a.fixture.list...), len(a.fixture.list), nil
}

func (a fakeIntegrations) ByID(_ context.Context, _ id.Project, wanted id.Integration) (*integration.Integration, error) {
	for _, i := range a.fixture.list {
		if i.ID == wanted {
			return i, nil
		}
	}
	return nil, fault.Missing("integration")
}

func (d *fixture) Use(_ ports.Outbound, i *integration.Integration, work func(ports.Connection) error) error {
	return work(ports.Connection{Key: i.ID.String()})
}

// fakeLabels implements ports.Labels. It is a type of its own because ports.Orders has a method Change, too.
type fakeLabels struct{ *fixture }

func (fakeLabels) Lock(context.Context, id.Project, []id.Order) ([]*order.Label, error) {
	panic("shipping locks no page of orders")
}

func (l fakeLabels) Find(_ context.Context, _ id.Project, of id.Order, test bool) (*order.Label, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	stored, there := l.labels[test]
	if !there || of != parcel {
		return nil, nil
	}
	return &stored, nil
}

func (l fakeLabels) List(ctx context.Context, p id.Project, of id.Order) (list []*order.Label, err error) {
	for _, test := range []bool{false, true} {
		one, err := l.Find(ctx, p, of, test)
		if err != nil {
			return nil, err
		}
		if one != nil {
			one.PDF = nil
			list = append(list, one)
		}
	}
	return list, nil
}

func (l fakeLabels) Change(_ context.Context, _ id.Project, of id.Order, test bool,
	change func(*order.Order, *order.Label) (*order.Label, error)) (*order.Label, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if of != parcel {
		return nil, fault.Missing("order")
	}
	var now *order.Label
	if stored, there := l.labels[test]; there {
		now = &stored
	}
	o := *l.kept.Order
	next, err := change(&o, now)
	if err != nil || next == nil {
		return nil, err
	}
	if l.stored++; l.records[l.stored] != nil {
		return nil, l.records[l.stored]
	}
	l.labels[test] = *next
	kept := *next
	return &kept, nil
}

// fakeShipper sells one label and one test label of an order.
type fakeShipper struct{ *fixture }

func (p fakeShipper) Rates(_ ports.Outbound, _ ports.Connection, r ports.RateRequest) ([]ports.ShippingRate, error) {
	p.rated = append(p.rated, r)
	return p.rates, p.before[len(p.rated)]
}

func (p fakeShipper) Buy(ctx ports.Outbound, _ ports.Connection, r ports.LabelRequest) (ports.ShippingLabel, error) {
	if p.started != nil && p.blocked.CompareAndSwap(false, true) {
		p.started <- struct{}{}
		<-p.proceed
	}
	if p.hangs {
		<-ctx.Done()
		return ports.ShippingLabel{}, errResponseLost
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.asked = append(p.asked, r)
	n := len(p.asked)
	if err := p.before[n]; err != nil {
		return ports.ShippingLabel{}, err
	}
	l, there := p.sold[r.Test]
	if !there || p.voided[l.Remote] {
		l = ports.ShippingLabel{
			Remote:         "7",
			Carrier:        r.Carrier,
			Service:        r.Service,
			TrackingNumber: "1Z9",
			Price:          "7.25",
			Currency:       "USD",
			PDF:            []byte("%PDF"),
		}
		if n := len(p.voided); n > 0 {
			l.Remote, l.TrackingNumber = fmt.Sprint(7+n), fmt.Sprintf("1Z%d", 9+n)
		}
		p.sold[r.Test] = l
	} else {
		l.PDF = nil
	}
	if err := p.after[n]; err != nil {
		return ports.ShippingLabel{}, err
	}
	return l, ctx.Err()
}

// Void succeeds for a label that is voided already, as a platform's does.
func (p fakeShipper) Void(ctx ports.Outbound, _ ports.Connection, r ports.VoidRequest) error {
	if p.started != nil && p.blocked.CompareAndSwap(false, true) {
		p.started <- struct{}{}
		<-p.proceed
	}
	if p.hangs {
		<-ctx.Done()
		return errResponseLost
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.voids = append(p.voids, r)
	n := len(p.voids)
	if err := p.voidBefore[n]; err != nil {
		return err
	}
	p.voided[r.Remote] = true
	return p.voidAfter[n]
}

func (p fakeShipper) Bought(ports.Outbound, ports.Connection, *order.Order) (*ports.ShippingLabel, error) {
	panic("Buy finds earlier labels itself")
}
