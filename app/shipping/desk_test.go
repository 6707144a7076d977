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

// desk is a store with one order, the accounts of its project, and the platform that they are with. It
// remembers what it was asked, and may be asked by several at once.
type desk struct {
	ports.Orders
	bits bits
	mu   sync.Mutex
	now  time.Time
	kept order.Case
	// labels, as they are stored: by whether they are tests.
	labels map[bool]order.Label
	list   []*integration.Integration

	sold  map[bool]ports.ShippingLabel // by the platform
	asked []ports.LabelRequest
	rates []ports.ShippingRate
	rated []ports.RateRequest
	// trouble is what buying fails with, by its number: before it is done, or after.
	before, after map[int]error
	// the first purchase waits here, and says so, if that is not nil.
	met, goOn chan struct{}
	meeting   atomic.Bool
	hangs     bool // buying lasts until whoever asked gives up
	live      bool // time passes by itself
	// What was asked to be voided, what that fails with, by its number, before it is done or after, and what is voided.
	voids                 []ports.VoidRequest
	voidBefore, voidAfter map[int]error
	gone                  map[string]bool // by the platform's id

	// meanwhile happens after the order was read.
	meanwhile func(*order.Order)

	records map[int]error // what storing a label fails with, by its number
	stored  int
	changes map[int]error // what changing the order fails with, by its number
	changed int
}

func newDesk() *desk {
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
	return &desk{
		now:        noon,
		kept:       order.Case{Order: o, Taken: []catalog.Take{{Location: "north", Quantity: 1}}},
		labels:     map[bool]order.Label{},
		sold:       map[bool]ports.ShippingLabel{},
		list:       []*integration.Integration{account(1)},
		voidBefore: map[int]error{},
		voidAfter:  map[int]error{},
		gone:       map[string]bool{},
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

func (d *desk) service() *shipping.Service {
	return &shipping.Service{
		Stores: &ports.Stores{
			Integrations: accounts{desk: d},
			Orders:       d,
			Labels:       labels{d},
		},
		Accounts: d,
		Shippers: map[string]ports.Shipper{"shipstation": platform{d}},
		Clock:    d,
		Entropy:  &d.bits,
		Log:      slog.New(slog.DiscardHandler),
	}
}

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

func (d *desk) Now() time.Time {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.live {
		return time.Now()
	}
	return d.now
}

func (d *desk) pass(t time.Duration) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.now = d.now.Add(t)
}

func (d *desk) Case(_ context.Context, _ id.Project, of id.Order) (*order.Case, error) {
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

func (d *desk) Change(ctx context.Context, p id.Project, of id.Order, change func(*order.Case) error) (*order.Case, error) {
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

// accounts is the store's view of integrations.
type accounts struct {
	ports.Integrations
	desk *desk
}

func (a accounts) List(context.Context, id.Project, ports.Page) ([]*integration.Integration, int, error) {
	return append([]*integration.Integration(nil), a.desk.list...), len(a.desk.list), nil
}

func (a accounts) ByID(_ context.Context, _ id.Project, wanted id.Integration) (*integration.Integration, error) {
	for _, i := range a.desk.list {
		if i.ID == wanted {
			return i, nil
		}
	}
	return nil, fault.Missing("integration")
}

func (d *desk) Use(_ ports.Outbound, i *integration.Integration, work func(ports.Connection) error) error {
	return work(ports.Connection{Key: i.ID.String()})
}

// labels is the store's other view, for Change is two ports'.
type labels struct{ *desk }

func (labels) Lock(context.Context, id.Project, []id.Order) ([]*order.Label, error) {
	panic("shipping locks no page of orders")
}

func (l labels) Find(_ context.Context, _ id.Project, of id.Order, test bool) (*order.Label, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	stored, there := l.labels[test]
	if !there || of != parcel {
		return nil, nil
	}
	return &stored, nil
}

func (l labels) List(ctx context.Context, p id.Project, of id.Order) (list []*order.Label, err error) {
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

func (l labels) Change(_ context.Context, _ id.Project, of id.Order, test bool,
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

// platform sells one label of an order, and one test label.
type platform struct{ *desk }

func (p platform) Rates(_ ports.Outbound, _ ports.Connection, r ports.RateRequest) ([]ports.ShippingRate, error) {
	p.rated = append(p.rated, r)
	return p.rates, p.before[len(p.rated)]
}

func (p platform) Buy(ctx ports.Outbound, _ ports.Connection, r ports.LabelRequest) (ports.ShippingLabel, error) {
	if p.met != nil && p.meeting.CompareAndSwap(false, true) {
		p.met <- struct{}{}
		<-p.goOn
	}
	if p.hangs {
		<-ctx.Done()
		return ports.ShippingLabel{}, lostAnswer
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.asked = append(p.asked, r)
	n := len(p.asked)
	if err := p.before[n]; err != nil {
		return ports.ShippingLabel{}, err
	}
	l, there := p.sold[r.Test]
	if !there || p.gone[l.Remote] {
		l = ports.ShippingLabel{
			Remote:         "7",
			Carrier:        r.Carrier,
			Service:        r.Service,
			TrackingNumber: "1Z9",
			Price:          "7.25",
			Currency:       "USD",
			PDF:            []byte("%PDF"),
		}
		if n := len(p.gone); n > 0 {
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

// Void is like a platform's: a label that is voided already is a success.
func (p platform) Void(ctx ports.Outbound, _ ports.Connection, r ports.VoidRequest) error {
	if p.met != nil && p.meeting.CompareAndSwap(false, true) {
		p.met <- struct{}{}
		<-p.goOn
	}
	if p.hangs {
		<-ctx.Done()
		return lostAnswer
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.voids = append(p.voids, r)
	n := len(p.voids)
	if err := p.voidBefore[n]; err != nil {
		return err
	}
	p.gone[r.Remote] = true
	return p.voidAfter[n]
}

func (p platform) Bought(ports.Outbound, ports.Connection, *order.Order) (*ports.ShippingLabel, error) {
	panic("buying asks by itself")
}
