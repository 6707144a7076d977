// Package synctest is an in-memory store of sync runs and webhook deliveries, for tests of the workers that process
// them. Transactions are all or nothing, leases are kept, and a replica can be made to die at any call that it makes.
package synctest

import (
	"errors"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/event"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/integration"
	"github.com/haggle-commerce/haggle/domain/order"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/domain/syncrun"
	"github.com/haggle-commerce/haggle/ports"
)

// ErrDead is returned to a replica that died.
var ErrDead = errors.New("the replica is dead")

// ErrRefused is returned for a product described as Poison.
var ErrRefused = errors.New("the database does not take the text")

// Poison is a description that the store cannot store.
const Poison = "poison"

// World is the store, with one project and one integration to begin with.
type World struct {
	mu          sync.Mutex
	state       state
	now         atomic.Int64 // in milliseconds
	Project     *project.Project
	Integration id.Integration
	Upserts     int // calls of it
}

type state struct {
	runs            map[id.Sync]syncrun.Run
	problems        map[id.Sync][]syncrun.Problem
	changes         map[id.Sync][]syncrun.Change // of webhooks' records: of the zero run
	externalRecords map[CopyKey]syncrun.ExternalRecord
	products        map[id.Product]*catalog.Product
	stock           map[ports.StockPlace]catalog.Shelf // what is for sale, and what is held; the rest is blank
	integrations    map[id.Integration]integration.Integration
	webhooks        map[id.Webhook]integration.Webhook
	orders          map[id.Order]order.Case
	labels          map[id.Order]*order.Label
	labelReads      int
	deliveries      map[id.WebhookLog]integration.Delivery
	events          []event.Event
	aside           map[string]int // how many times in a row rows were set aside, by queue and key
}

// CopyKey names a copy.
type CopyKey struct {
	Resource syncrun.Resource
	Remote   string
}

func (s state) clone() state {
	s.runs, s.problems, s.externalRecords, s.products = maps.Clone(s.runs), maps.Clone(s.problems), maps.Clone(s.externalRecords), maps.Clone(s.products)
	s.changes = maps.Clone(s.changes)
	s.stock, s.integrations, s.webhooks = maps.Clone(s.stock), maps.Clone(s.integrations), maps.Clone(s.webhooks)
	s.orders, s.deliveries, s.events = maps.Clone(s.orders), maps.Clone(s.deliveries), slices.Clone(s.events)
	s.aside = maps.Clone(s.aside)
	return s
}

// Entropy counts.
type Entropy struct {
	mu sync.Mutex
	n  int
}

func (e *Entropy) Bits128() (bits [16]byte) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.n++
	for i, n := 15, e.n; n > 0; i, n = i-1, n/256 {
		bits[i] = byte(n)
	}
	return bits
}

func (e *Entropy) IDBits() [16]byte { return e.Bits128() }

// Secret is no secret.
func (e *Entropy) Secret(n int) string { return string(make([]byte, n)) }

// New makes a world with an integration of a type.
func New(t integration.Type) *World {
	w := &World{}
	w.now.Store(time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC).UnixMilli())
	w.state = state{
		runs:            map[id.Sync]syncrun.Run{},
		problems:        map[id.Sync][]syncrun.Problem{},
		changes:         map[id.Sync][]syncrun.Change{},
		externalRecords: map[CopyKey]syncrun.ExternalRecord{},
		products:        map[id.Product]*catalog.Product{},
		stock:           map[ports.StockPlace]catalog.Shelf{},
		integrations:    map[id.Integration]integration.Integration{},
		webhooks:        map[id.Webhook]integration.Webhook{},
		orders:          map[id.Order]order.Case{},
		labels:          map[id.Order]*order.Label{},
		deliveries:      map[id.WebhookLog]integration.Delivery{},
		aside:           map[string]int{},
	}
	p, err := project.Open(id.New[id.Project]([16]byte{1}), id.New[id.Account]([16]byte{1}), project.Draft{Name: "Tents", Slug: "tents"}, w.Now())
	if err != nil {
		panic(err)
	}
	w.Project, w.Integration = p, id.New[id.Integration]([16]byte{1})
	i := integration.Connect(w.Integration, p.ID, integration.Draft{Type: t}, integration.Config{Account: "a"}, integration.Hook{}, w.Now())
	w.state.integrations[i.ID] = *i
	return w
}

// Now is the world's time, which stands still.
func (w *World) Now() time.Time { return time.UnixMilli(w.now.Load()).UTC() }

// Pass lets time pass.
func (w *World) Pass(d time.Duration) { w.now.Add(d.Milliseconds()) }

// locked reads or changes the state under its lock.
func locked[T any](w *World, do func(*state) T) T {
	w.mu.Lock()
	defer w.mu.Unlock()
	return do(&w.state)
}

// Run is a run as it is stored.
func (w *World) Run(run id.Sync) syncrun.Run {
	return locked(w, func(s *state) syncrun.Run { return copyRun(s.runs[run]) })
}

// Runs are all of them.
func (w *World) Runs() (list []syncrun.Run) {
	return locked(w, func(s *state) []syncrun.Run { return slices.Collect(maps.Values(s.runs)) })
}

// Problems are those of a run.
func (w *World) Problems(run id.Sync) []syncrun.Problem {
	return locked(w, func(s *state) []syncrun.Problem { return slices.Clone(s.problems[run]) })
}

// Changes are those of a run or, of the zero run, of webhooks' records.
func (w *World) Changes(run id.Sync) []syncrun.Change {
	return locked(w, func(s *state) []syncrun.Change { return slices.Clone(s.changes[run]) })
}

// Product is the product of a sku; nil: there is none.
func (w *World) Product(sku string) *catalog.Product {
	return locked(w, func(s *state) *catalog.Product {
		for _, p := range s.products {
			if p.SKU == sku {
				return p
			}
		}
		return nil
	})
}

// Products is how many there are.
func (w *World) Products() int { return locked(w, func(s *state) int { return len(s.products) }) }

// Put stores a product as a merchant would.
func (w *World) Put(p *catalog.Product) {
	locked(w, func(s *state) bool { s.products[p.ID] = p; return true })
}

// Stock returns the stock at a place.
func (w *World) Stock(sku, location string) int {
	return locked(w, func(s *state) int { return s.stock[ports.StockPlace{SKU: sku, Location: location}].Quantity })
}

// Set sets the stock for sale at a place.
func (w *World) Set(sku, location string, quantity int) {
	locked(w, func(s *state) bool {
		place := ports.StockPlace{SKU: sku, Location: location}
		shelf := s.stock[place]
		shelf.Quantity = quantity
		s.stock[place] = shelf
		return true
	})
}

// Hold has payment attempts take pieces at a place; a negative number is put back.
func (w *World) Hold(sku, location string, pieces int) {
	locked(w, func(s *state) bool {
		place := ports.StockPlace{SKU: sku, Location: location}
		shelf := s.stock[place].PutBack(-pieces)
		shelf.Held += pieces
		s.stock[place] = shelf
		return true
	})
}

// ExternalRecord returns the stored copy of an external record.
func (w *World) Copy(of syncrun.Resource, remote string) (syncrun.ExternalRecord, bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	c, known := w.state.externalRecords[CopyKey{of, remote}]
	return c, known
}

// Integrated is the integration.
func (w *World) Integrated() integration.Integration {
	return locked(w, func(s *state) integration.Integration { return s.integrations[w.Integration] })
}

// Change changes the integration.
func (w *World) Change(change func(*integration.Integration)) {
	locked(w, func(s *state) bool {
		i := s.integrations[w.Integration]
		change(&i)
		s.integrations[w.Integration] = i
		return true
	})
}

// Events are those that were announced.
func (w *World) Events() []event.Event {
	return locked(w, func(s *state) []event.Event { return slices.Clone(s.events) })
}

// Order stores an order.
func (w *World) Order(c order.Case) {
	locked(w, func(s *state) bool { s.orders[c.Order.ID] = c; return true })
}

// Label stores a label of an order.
func (w *World) Label(l *order.Label) {
	locked(w, func(s *state) bool { s.labels[l.Order] = l; return true })
}

// LabelReads is how often labels were read, in committed transactions.
func (w *World) LabelReads() int { return locked(w, func(s *state) int { return s.labelReads }) }

// Ordered is an order.
func (w *World) Ordered(o id.Order) order.Order {
	return locked(w, func(s *state) order.Order { return *s.orders[o].Order })
}

// Deliver stores a delivery.
func (w *World) Deliver(d *integration.Delivery) {
	locked(w, func(s *state) bool { s.deliveries[d.ID] = *d; return true })
}

// Deliveries are all of them, by the time at which they were received.
func (w *World) Deliveries() []integration.Delivery {
	return locked(w, func(s *state) []integration.Delivery {
		return slices.SortedFunc(maps.Values(s.deliveries), func(a, b integration.Delivery) int { return a.ReceivedAt.Compare(b.ReceivedAt) })
	})
}

// Delivery is one of them.
func (w *World) Delivery(d id.WebhookLog) integration.Delivery {
	return locked(w, func(s *state) integration.Delivery { return s.deliveries[d] })
}

// SetAside is how many times in a row a delivery or a run was set aside.
func (w *World) SetAside(key string) int {
	return locked(w, func(s *state) int { return s.aside[key] })
}

func copyRun(r syncrun.Run) syncrun.Run {
	r.Steps = slices.Clone(r.Steps)
	return r
}

// PagesInTx returns how many pages of a run are done. It takes no lock, because its caller is in a transaction.
func (w *World) PagesInTx(run id.Sync) (n int) {
	for _, s := range w.state.runs[run].Steps {
		n += s.Pages
	}
	return n
}
