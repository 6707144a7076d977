package host

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"
)

// Fault changes the answers to a platform's next requests, or damages its data.
type Fault struct {
	Platform   string `json:"platform"`
	Kind       string `json:"kind"`
	Resource   string `json:"resource,omitempty"` // default all but token, webhooks and consent
	Times      int    `json:"times,omitempty"`    // default 1; negative: all
	After      int    `json:"after,omitempty"`    // requests that pass first
	RetryAfter int    `json:"retry_after,omitempty"`
	Millis     int    `json:"ms,omitempty"`     // slow, late; default 1000
	Status     int    `json:"status,omitempty"` // of error; default 500
	Bytes      int64  `json:"bytes,omitempty"`  // of long_page
}

// The faults of requests.
const (
	throttle = "throttle"  // 429 with Retry-After
	Costs    = "cost"      // Shopify's THROTTLED, which is an answer with status 200
	failure  = "error"     // 500
	slow     = "slow"      // waits first
	late     = "late"      // executes at once, and answers only after a while
	Circle   = "circle"    // a page's next cursor is the one that it was requested with
	garbage  = "garbage"   // half of the JSON
	longPage = "long_page" // 50 MB
	refuse   = "refuse"    // 401: the credentials are no longer valid
	lost     = "lost"      // executes and cuts the connection
	Unpaid   = "unpaid"    // WooCommerce: saves an order without completing its payment
)

// The faults of data, which damage a number of records.
const (
	duplicateSKU  = "duplicate_sku"
	negativeStock = "negative_stock"
	noName        = "no_name"
	BadPrice      = "bad_price"
)

var requestFaults = []string{throttle, Costs, failure, slow, late, Circle, garbage, longPage, refuse, lost, Unpaid}
var dataFaults = []string{duplicateSKU, negativeStock, noName, BadPrice}

// apart are the resources that only faults with their name apply to.
var apart = []string{"token", "webhooks", "consent"}

func (f Fault) meets(resource string) bool {
	if f.Resource == "" {
		return !slices.Contains(apart, resource)
	}
	return f.Resource == resource
}

// script is the faults that are still to be applied to a platform's requests.
type script struct {
	mu     sync.Mutex
	faults []*Fault
}

func (s *script) add(f Fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults = append(s.faults, &f)
}

func (s *script) clear() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults = nil
}

func (s *script) list() (list []Fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, f := range s.faults {
		list = append(list, *f)
	}
	return list
}

// next returns the oldest fault that applies now. It counts as an application.
func (s *script) next(resource string) Fault {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, f := range s.faults {
		switch {
		case !f.meets(resource):
		case f.After > 0:
			f.After--
			return Fault{}
		default:
			now := *f
			if f.Times--; f.Times == 0 {
				s.faults = slices.Delete(s.faults, i, i+1)
			}
			return now
		}
	}
	return Fault{}
}

// Fault adds a fault. A fault of data applies at once, to Times records.
func (p *Host) Fault(f Fault) error {
	s := p.Sides[f.Platform]
	if s == nil {
		return p.UnknownPlatform(f.Platform)
	}
	f.Times = cmp.Or(f.Times, 1)
	f.RetryAfter = cmp.Or(f.RetryAfter, 1)
	f.Millis = cmp.Or(f.Millis, 1000)
	f.Status = cmp.Or(f.Status, 500)
	f.Bytes = cmp.Or(f.Bytes, p.Config.LongPage)
	switch {
	case slices.Contains(requestFaults, f.Kind):
		s.faults.add(f)
		return nil
	case !slices.Contains(dataFaults, f.Kind):
		return fmt.Errorf("kind must be one of %s, %s", strings.Join(requestFaults, ", "), strings.Join(dataFaults, ", "))
	case s.Shop == nil || f.Platform == HubSpot:
		return fmt.Errorf("%s has no products", f.Platform)
	}
	s.Shop.write(func(*World) { s.Shop.damage(f.Kind, f.Times, p.Config.Now()) })
	return nil
}

// ClearFaults removes the faults of requests. Damaged data stays damaged.
func (p *Host) ClearFaults() {
	for _, s := range p.Sides {
		s.faults.clear()
	}
}

func (p *Host) UnknownPlatform(name string) error {
	return fmt.Errorf("platform must be one of %s, not %q", strings.Join(p.names, ", "), name)
}

// damage damages the first undamaged products.
func (s *Shop) damage(kind string, times int, now time.Time) {
	for n := range s.Products {
		p := &s.Products[n]
		if times <= 0 {
			return
		}
		if p.Deleted || p.Damaged != "" || kind == duplicateSKU && n == 0 {
			continue
		}
		times--
		p.Damaged, p.Updated = kind, s.tick(now, p.Updated)
		i := &s.Items[p.First]
		switch kind {
		case duplicateSKU:
			i.SKU = s.Items[s.Products[n-1].First].SKU
		case negativeStock:
			l := &i.Levels[0]
			l.Quantity, l.Updated = -1-l.Quantity%7, s.tick(now, l.Updated)
			i.Updated = l.Updated
		}
	}
}

// Faults returns the faults that are still to be applied.
func (p *Host) Faults() []Fault {
	list := []Fault{}
	for _, platform := range p.names {
		list = append(list, p.Sides[platform].faults.list()...)
	}
	return list
}
