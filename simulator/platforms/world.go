package platforms

import (
	"strconv"
	"time"
)

// world is what one shop holds. Ids are positions plus a constant, so that 50,000 products need no index.
type world struct {
	products  []product
	items     []item
	customers []customer
	orders    []order
}

type product struct {
	title, description, brand, category string
	material, use                       string
	kind                                string // one tag; the other is use
	images                              int
	status                              string // active, archived
	first, count                        int    // of items
	created, updated                    int64  // ms
	deleted                             bool
	damaged                             string // kind of the fault that spoilt it
}

// item is a variant of a product and what is counted of it.
type item struct {
	product     int
	sku         string
	size, color string
	cents       int64
	levels      [2]level
	updated     int64
}

type level struct {
	quantity int
	updated  int64
}

type customer struct {
	first, last, email, tier string
	purchases                int
	created, updated         int64
	deleted                  bool
}

type order struct {
	customer                  int
	lines                     []line
	cents                     int64
	status                    string // paid, fulfilled, refunded, canceled
	reference                 string
	carrier, tracking         string
	placed, shipped, updated  int64
	street, city, state, post string
}

type line struct {
	item, quantity int
	cents          int64 // of one
}

func (o order) count() (n int) {
	for _, l := range o.lines {
		n += l.quantity
	}
	return n
}

func (c customer) name() string { return c.first + " " + c.last }

// tags are the kind, the use and, for what is archived, nothing more.
func (p product) tags() []string { return []string{p.kind, p.use} }

func (w *world) itemsOf(p product) []item { return w.items[p.first : p.first+p.count] }

// tick is the time of a change of what was last changed at previous: at least one unit later, whatever the clock says.
func tick(now time.Time, previous int64, unit time.Duration) int64 {
	step := unit.Milliseconds()
	at := max(now.UnixMilli(), previous+step)
	return at - at%step
}

func dollars(cents int64) string {
	sign := ""
	if cents < 0 {
		sign, cents = "-", -cents
	}
	text := strconv.FormatInt(cents%100, 10)
	if len(text) < 2 {
		text = "0" + text
	}
	return sign + strconv.FormatInt(cents/100, 10) + "." + text
}

// showPrice is the price as the platform would write it, or what no client can read.
func (w *world) showPrice(i item) string {
	if w.products[i.product].damaged == badPrice {
		return "abc"
	}
	return dollars(i.cents)
}

func (w *world) showTitle(p product) string {
	if p.damaged == noName {
		return ""
	}
	return p.title
}

func moment(ms int64) time.Time { return time.UnixMilli(ms).UTC() }

// wholeSeconds is how Shopify writes times.
func wholeSeconds(ms int64) string { return moment(ms).Format(time.RFC3339) }

// withMillis is how HubSpot and the custom system write times.
func withMillis(ms int64) string { return moment(ms).Format("2006-01-02T15:04:05.000Z") }
