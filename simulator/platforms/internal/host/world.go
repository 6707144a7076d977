package host

import (
	"strconv"
	"time"
)

// World is the data of one shop. Ids are positions plus a constant, so that 50,000 products need no index.
type World struct {
	Products  []Product
	Items     []item
	Customers []customer
	Orders    []order
}

type Product struct {
	Title, Description, Brand, Category string
	Material, Use                       string
	kind                                string // one tag; Use is the other
	Images                              int
	Status                              string // active, archived
	First, Count                        int    // of items
	Created, Updated                    int64  // ms
	Deleted                             bool
	Damaged                             string // kind of the fault that damaged it
	Unpublished, GiftCard, Subscription bool   // not in the shop, a gift card, or sold by subscription only
}

// item is a variant of a product and its stock.
type item struct {
	Product     int
	SKU         string
	Size, Color string
	Cents       int64
	Levels      [2]level
	Updated     int64
	Untracked   bool // its stock is not tracked
	Continue    bool // it can be sold when out of stock
	Digital     bool // it is not shipped
}

type level struct {
	Quantity int
	Updated  int64
}

type customer struct {
	First, Last, Email, Tier string
	Purchases                int
	Created, Updated         int64
	Deleted                  bool
}

type order struct {
	Customer                        int
	Lines                           []line
	Cents                           int64
	Status                          string // paid, fulfilled, refunded, canceled
	Reference                       string
	email                           string // empty: that of the customer
	Carrier, Tracking               string
	Placed, Shipped, Updated        int64
	Street, City, State, PostalCode string
}

type line struct {
	Item, Quantity int
	Cents          int64 // per piece
}

func (o order) Count() (n int) {
	for _, l := range o.Lines {
		n += l.Quantity
	}
	return n
}

func (c customer) Name() string { return c.First + " " + c.Last }

// Tags returns the product's tags: kind and use.
func (p Product) Tags() []string { return []string{p.kind, p.Use} }

func (w *World) ItemsOf(p Product) []item { return w.Items[p.First : p.First+p.Count] }

// tick returns the time of a change to a record that was last changed at previous. It is at least one unit later, even if
// the clock is behind.
func tick(now time.Time, previous int64, unit time.Duration) int64 {
	step := unit.Milliseconds()
	at := max(now.UnixMilli(), previous+step)
	return at - at%step
}

func Dollars(cents int64) string {
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

// ShowPrice returns the price in the platform's format, or an unreadable one if the product is damaged.
func (w *World) ShowPrice(i item) string {
	if w.Products[i.Product].Damaged == BadPrice {
		return "abc"
	}
	return Dollars(i.Cents)
}

func (w *World) ShowTitle(p Product) string {
	if p.Damaged == noName {
		return ""
	}
	return p.Title
}

func Moment(ms int64) time.Time { return time.UnixMilli(ms).UTC() }

// WholeSeconds formats a time as Shopify does.
func WholeSeconds(ms int64) string { return Moment(ms).Format(time.RFC3339) }

// WithMillis formats a time as HubSpot and the custom system do.
func WithMillis(ms int64) string { return Moment(ms).Format("2006-01-02T15:04:05.000Z") }

// ExactNumber returns an amount as an exact JSON number.
func ExactNumber(cents int64) any { return exact(Dollars(cents)) }

type exact string

func (e exact) MarshalJSON() ([]byte, error) { return []byte(e), nil }

func OrNull(text string) any {
	if text == "" {
		return nil
	}
	return text
}
