package shopify

import (
	"slices"

	"github.com/haggle-commerce/haggle/simulator/platforms/internal/host"
)

// purchase is an order with all its parts. A seeded order is read from the shop until something changes it. The shop's
// lock protects it.
type purchase struct {
	n                            int // position among the shop's orders
	seeded                       bool
	name, email, phone, note     string
	sourceName, sourceIdentifier string
	sourceURL, poNumber          string
	currency                     string
	financial                    string // if it is not derived from the transactions
	fulfillment                  string // if it is not derived from the fulfillments
	customer                     int    // negative: none
	tags                         []string
	attributes                   []pair
	metafields                   []metafield
	billing, shipping            map[string]any
	test, taxesIncluded          bool
	receipt, fulfillmentReceipt  bool // confirmations were requested
	behaviour                    string

	placed, processed, updated, closed int64
	cancelled                          int64
	cancelReason, staffNote            string
	notified                           bool

	lines         []purchaseLine
	shippingLines []shippingLine
	taxes         []tax // of the whole order
	code          string
	discount      int64 // of the items
	freeShipping  bool
	extra         int64 // of a seeded order whose shop has no products
	transactions  []transaction
	refunds       []*refund
	fulfillments  []*fulfillment
	absorbed      bool // the fulfillment of a seeded order was added
}

type pair struct{ name, value string }

type tax struct {
	title    string
	rate     float64
	cents    int64
	liable   any
	unpriced bool // cents are this line's share of the order's tax
}

type purchaseLine struct {
	id               int
	item             int // negative: a custom line
	title, variant   string
	sku, vendor      string
	quantity         int
	cents            int64 // of one
	taxable, ships   bool
	giftCard         bool
	properties       []pair
	taxes            []tax
	removed          int // refunded or cancelled
	returned         int // those of them that had been shipped
	sent             int
	place            int // location of the claimed stock
	claimed, settled int // taken from available stock, and since then restocked, shipped or written off
}

func (l purchaseLine) current() int     { return l.quantity - l.removed }
func (l purchaseLine) unfulfilled() int { return max(0, l.quantity-(l.removed-l.returned)-l.sent) }
func (l purchaseLine) claim() int       { return l.claimed - l.settled }

type shippingLine struct {
	id                  int
	title, code, source string
	cents, refunded     int64
	taxes               []tax
}

type transaction struct {
	id, parent      int
	kind, status    string
	gateway         string
	authorization   string
	cents           int64
	receipt         any
	test            bool
	made, processed int64
}

type refund struct {
	id        int
	made      int64
	note      string
	lines     []refundLine
	shipping  int64
	movements []int // transactions, by id
}

type refundLine struct {
	id, line, quantity int
	restock            string
	place              int // negative: none
	restocked          bool
	subtotal, tax      int64
}

type fulfillment struct {
	id, order, place int
	number           int // of the order's
	made, updated    int64
	company          string
	numbers, urls    []string
	status           string
	lines            []sentLine
	notified         bool
}

type sentLine struct{ id, line, quantity int }

// The first numbers of an order's parts. Each number is used once in a shop.
const (
	writtenBase = 14_000_000_001
	seededLines = 12_000_000_001
	seededSent  = 5_600_000_001
	seededMoney = 15_000_000_001
)

// nextID returns a new number. The caller must hold the shop's write lock.
func (s *Platform) nextID() int {
	s.orders.last++
	return writtenBase + s.orders.last
}

// purchase returns the order at a position, which must not be changed.
func (s *Platform) purchase(n int) *purchase {
	p := s.orders.all[n]
	if p == nil {
		return s.readSeeded(n)
	}
	if s.Orders[n].Shipped > 0 && !p.absorbed {
		c := *p
		c.lines, c.fulfillments = slices.Clone(p.lines), slices.Clone(p.fulfillments)
		s.addSeededFulfillment(&c)
		return &c
	}
	return p
}

// nameOf returns the order's name without reading the whole order.
func (s *Platform) nameOf(n int) string {
	if p := s.orders.all[n]; p != nil {
		return p.name
	}
	return orderName(n)
}

// edit returns the order at a position for changing.
func (s *Platform) edit(n int) *purchase {
	p := s.orders.all[n]
	if p == nil {
		p = s.readSeeded(n)
	}
	if s.Orders[n].Shipped > 0 && !p.absorbed {
		s.addSeededFulfillment(p)
	}
	s.orders.all[n] = p
	return p
}

// readSeeded reads a seeded order.
func (s *Platform) readSeeded(n int) *purchase {
	o := s.Orders[n]
	p := &purchase{
		n:                n,
		seeded:           true,
		name:             orderName(n),
		email:            s.EmailOf(n),
		currency:         "USD",
		financial:        financial[o.Status],
		customer:         o.Customer,
		sourceIdentifier: o.Reference,
		placed:           o.Placed,
		processed:        o.Placed,
		updated:          o.Updated,
		behaviour:        "BYPASS",
		tags:             []string{},
	}
	if o.Reference != "" {
		p.attributes = []pair{{"reference", o.Reference}}
	}
	for k, l := range o.Lines {
		i := s.Items[l.Item]
		product := s.Products[i.Product]
		p.lines = append(p.lines, purchaseLine{
			id:       seededLines + n*4 + k,
			item:     l.Item,
			title:    product.Title,
			variant:  variantObject{s, l.Item}.title(),
			sku:      i.SKU,
			vendor:   product.Brand,
			quantity: l.Quantity,
			cents:    l.Cents,
			taxable:  true,
			ships:    true,
		})
	}
	p.extra = o.Cents - p.items()
	if o.Status != "canceled" {
		p.transactions = []transaction{{
			id:        seededMoney + 2*n,
			kind:      "SALE",
			status:    "SUCCESS",
			gateway:   "shopify_payments",
			cents:     o.Cents,
			made:      o.Placed,
			processed: o.Placed,
		}}
	} else {
		p.cancelled, p.cancelReason = o.Updated, "CUSTOMER"
	}
	if o.Status == "refunded" {
		back := transaction{
			id:        seededMoney + 2*n + 1,
			parent:    seededMoney + 2*n,
			kind:      "REFUND",
			status:    "SUCCESS",
			gateway:   "shopify_payments",
			cents:     o.Cents,
			made:      o.Updated,
			processed: o.Updated,
		}
		p.transactions = append(p.transactions, back)
		p.refunds = []*refund{{
			id:        back.id,
			made:      o.Updated,
			movements: []int{back.id},
		}}
	}
	if o.Shipped > 0 {
		s.addSeededFulfillment(p)
	}
	return p
}

// addSeededFulfillment adds the fulfillment of a seeded order that the shop has shipped.
func (s *Platform) addSeededFulfillment(p *purchase) {
	o := s.Orders[p.n]
	f := &fulfillment{
		id:      seededSent + p.n,
		order:   p.n,
		number:  len(p.fulfillments) + 1,
		made:    o.Shipped,
		updated: o.Shipped,
		company: o.Carrier,
		numbers: []string{o.Tracking},
		urls:    []string{"https://track.example.com/" + o.Tracking},
		status:  "SUCCESS",
	}
	for k := range p.lines {
		l := &p.lines[k]
		if left := l.unfulfilled(); left > 0 {
			f.lines = append(f.lines, sentLine{seededSent + p.n*4 + k, k, left})
			l.sent += left
			l.settled += min(left, l.claim())
		}
	}
	p.fulfillments, p.absorbed = append(p.fulfillments, f), true
	p.updated = max(p.updated, o.Updated)
}

// changed sets the order's update time and updates the part that all platforms show.
func (s *Platform) changed(p *purchase) {
	p.updated = s.Tick(s.Host.Config.Now(), p.updated)
	s.SetWritten(p.n, s.summary(p))
}

func (s *Platform) summary(p *purchase) host.Written {
	status := "paid"
	switch {
	case p.cancelled > 0:
		status = "canceled"
	case p.financialStatus() == "REFUNDED":
		status = "refunded"
	case p.fulfillmentStatus() == "FULFILLED":
		status = "fulfilled"
	}
	return host.Written{
		Customer:  p.customer,
		Email:     p.email,
		Cents:     p.total(),
		Status:    status,
		Reference: p.sourceIdentifier,
		Placed:    p.placed,
		Updated:   p.updated,
	}
}
