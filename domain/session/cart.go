package session

import (
	"slices"

	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/money"
)

// MaxLines and MaxQuantity limit a cart that a buyer writes. An agreed item is added even if it exceeds them.
const (
	MaxLines    = 50
	MaxQuantity = 1000
)

// CartItem is a line of the cart. It was added by an accepted quote, or written by the buyer.
type CartItem struct {
	Line     int // counted from 1 within the session and never reused; 0: none yet
	Product  id.Product
	Variant  id.Variant
	Name     string
	Quantity int
	Price    money.Amount // per unit: the agreed one, or the list price
	Quote    id.Quote     // of the agreed price; zero: at list price
}

// AtList reports whether the line is at list price, without an agreement.
func (i CartItem) AtList() bool { return i.Quote.IsZero() }

// Cart has the items of a session's cart, in the order in which they are shown.
type Cart struct {
	Items []CartItem
	// LineSeq is at least the number of every line, including removed ones. The session's LineSeq is from the last time
	// the buyer wrote the cart; lines agreed since may exceed it.
	LineSeq int
}

// Replace replaces the items. An item that has a line number keeps it, and the others get new ones.
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

// Check returns an error if the cart exceeds its limits, with the fields of a request.
func (c Cart) Check(currency money.Currency) error {
	check := fault.NewCheck()
	check.That(len(c.Items) <= MaxLines, "items", "must have at most 50 items")
	for i, item := range c.Items {
		check.In("items").At(i).That(item.Quantity >= 1 && item.Quantity <= MaxQuantity, "quantity", "must be between 1 and 1,000")
	}
	if err := check.Err(); err != nil {
		return err
	}
	check.That(Value(c.Items, id.Variant{}, currency).Minor() < money.Limit, "items", "add up to an amount that is too large")
	return check.Err()
}

// Line returns the item with a line number.
func (c Cart) Line(line int) (CartItem, bool) {
	at := slices.IndexFunc(c.Items, func(i CartItem) bool { return i.Line == line })
	if line == 0 || at < 0 {
		return CartItem{}, false
	}
	return c.Items[at], true
}

// Value returns the sum of a cart's items, except those of one variant. Items that would overflow the sum, which no
// real cart has, are ignored.
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
