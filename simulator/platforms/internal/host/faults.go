package host

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"
)

// Fault is what the next requests of a platform meet, or what its data suffers.
type Fault struct {
	Platform   string `json:"platform"`
	Kind       string `json:"kind"`
	Resource   string `json:"resource,omitempty"` // default all but token, webhooks and consent
	Times      int    `json:"times,omitempty"`    // default 1; negative: for good
	After      int    `json:"after,omitempty"`    // so many requests pass first
	RetryAfter int    `json:"retry_after,omitempty"`
	Millis     int    `json:"ms,omitempty"`     // slow, late; default 1000
	Status     int    `json:"status,omitempty"` // of error; default 500
	Bytes      int64  `json:"bytes,omitempty"`  // of long_page
}

// Faults of requests.
const (
	throttle = "throttle"  // 429 with Retry-After
	Costs    = "cost"      // Shopify's THROTTLED, which is an answer with status 200
	failure  = "error"     // 500
	slow     = "slow"      // waits first
	late     = "late"      // does what was asked at once, and answers only after a while
	Circle   = "circle"    // a page's next cursor is the one it was asked with
	garbage  = "garbage"   // half of the JSON
	longPage = "long_page" // 50 MB
	refuse   = "refuse"    // 401: the credentials are good no more
	lost     = "lost"      // does what was asked and cuts the connection
	Unpaid   = "unpaid"    // WooCommerce: saves an order and dies before its payment is complete
)

// Faults of data: so many records are spoilt.
const (
	duplicateSKU  = "duplicate_sku"
	negativeStock = "negative_stock"
	noName        = "no_name"
	BadPrice      = "bad_price"
)

var requestFaults = []string{throttle, Costs, failure, slow, late, Circle, garbage, longPage, refuse, lost, Unpaid}
var dataFaults = []string{duplicateSKU, negativeStock, noName, BadPrice}

// apart are the resources that a fault meets only by name.
var apart = []string{"token", "webhooks", "consent"}

func (f Fault) meets(resource string) bool {
	if f.Resource == "" {
		return !slices.Contains(apart, resource)
	}
	return f.Resource == resource
}

// script is the faults that a platform's requests are to meet.
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

// meet is the oldest fault that applies now. Asking counts as meeting.
func (s *script) meet(resource string) Fault {
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

// Fault orders a fault. A fault of data happens at once, to Times records.
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
	s.Shop.write(func(*World) { s.Shop.spoil(f.Kind, f.Times, p.Config.Now()) })
	return nil
}

// ClearFaults ends the faults of requests; spoilt data stays.
func (p *Host) ClearFaults() {
	for _, s := range p.Sides {
		s.faults.clear()
	}
}

func (p *Host) UnknownPlatform(name string) error {
	return fmt.Errorf("platform must be one of %s, not %q", strings.Join(p.names, ", "), name)
}

// spoil damages the first so many products that are whole.
func (s *Shop) spoil(kind string, times int, now time.Time) {
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

// Faults are those that have not been met yet.
func (p *Host) Faults() []Fault {
	list := []Fault{}
	for _, platform := range p.names {
		list = append(list, p.Sides[platform].faults.list()...)
	}
	return list
}
