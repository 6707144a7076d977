package session

import (
	"slices"

	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/money"
)

// MaxLines and MaxQuantity bound a cart that a buyer writes (decisions 5). What is agreed after that is added all the same.
const (
	MaxLines    = 50
	MaxQuantity = 1000
)

// CartItem is a line of the cart: what an accepted quote put there, or the buyer wrote.
type CartItem struct {
	Line     int // counted from 1 within the session, and never given to another line; 0: none yet
	Product  id.Product
	Variant  id.Variant
	Name     string
	Quantity int
	Price    money.Amount // per unit: the agreed one, or the list price
	Quote    id.Quote     // whose price it is; zero: it is at list price
}

// AtList reports whether the line sells at the list price, which nobody has agreed to.
func (i CartItem) AtList() bool { return i.Quote.IsZero() }

// Cart is what lies in a session's cart, in the order in which it is shown.
type Cart struct {
	Items []CartItem
	// LineSeq is a number that no line exceeds, those that are gone included. The session's own is as of when the buyer wrote
	// the cart last: what was agreed since may exceed it.
	LineSeq int
}

// Replace puts items in the place of those before. An item that has a line keeps it, the others get new ones.
func (c Cart) Replace(items []CartItem) Cart {
	last := c.LineSeq
	for _, before := range c.Items {
		last = max(last, before.Line)
	}
	items = slices.Clone(items)
	for i := range items {
		if items[i].Line == 0 {
			last++
			items[i].Line = last
		}
	}
	return Cart{items, last}
}

// Check refuses what is too much for a cart, by the fields of a request.
func (c Cart) Check(currency money.Currency) error {
	check := fault.NewCheck()
	check.That(len(c.Items) <= MaxLines, "items", "must have at most 50 items")
	for i, item := range c.Items {
		check.In("items").At(i).That(item.Quantity >= 1 && item.Quantity <= MaxQuantity, "quantity", "must be between 1 and 1,000")
	}
	if err := check.Err(); err != nil {
		return err
	}
	check.That(Value(c.Items, id.Variant{}, currency).Minor() < money.Limit, "items", "come to an amount that is too large")
	return check.Err()
}

// Line returns the item of a line.
func (c Cart) Line(line int) (CartItem, bool) {
	at := slices.IndexFunc(c.Items, func(i CartItem) bool { return i.Line == line })
	if line == 0 || at < 0 {
		return CartItem{}, false
	}
	return c.Items[at], true
}

// Value is what a cart's items come to, those of one variant left out. Items that would overflow the
// sum, which no real cart has, count for nothing.
func Value(cart []CartItem, except id.Variant, currency money.Currency) money.Amount {
	total := money.Zero(currency)
	for _, item := range cart {
		if item.Variant == except {
			continue
		}
		cost, err := item.Price.Mul(int64(item.Quantity))
		if err != nil {
			continue
		}
		if sum, err := total.Add(cost); err == nil {
			total = sum
		}
	}
	return total
}
