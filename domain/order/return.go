package order

import (
	"strconv"
	"time"
	"unicode/utf8"

	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/money"
)

// ReturnStatus of a return.
type ReturnStatus struct{ name string }

var (
	Requested = ReturnStatus{"requested"}
	Approved  = ReturnStatus{"approved"}
	Rejected  = ReturnStatus{"rejected"}
)

func (s ReturnStatus) String() string { return s.name }

// ReturnStatuses are all of them, by name.
var ReturnStatuses = map[string]ReturnStatus{"requested": Requested, "approved": Approved, "rejected": Rejected}

// ReturnItem is what is to be sent back.
type ReturnItem struct {
	Product  id.Product
	Variant  id.Variant
	Quantity int
	Reason   string
}

// Return is a buyer's wish to send part of an order back.
type Return struct {
	ID           id.Return
	Project      id.Project
	Order        id.Order
	Status       ReturnStatus
	Items        []ReturnItem
	Comment      string
	Estimate     money.Amount // what would be refunded: prices paid and their share of the tax
	Instructions string
	CreatedAt    time.Time
}

// Terms are a shop's return rules.
type Terms struct {
	WindowDays int
	Conditions string
}

// RequestReturn opens a return of part of an order. Earlier returns that were not rejected count
// against what was bought.
func RequestReturn(ret id.Return, o *Order, items []ReturnItem, comment string, earlier []Return, terms Terms, now time.Time) (*Return, error) {
	check := fault.NewCheck()
	check.That(len(items) >= 1 && len(items) <= 50, "items", "must have 1 to 50 items")
	check.That(utf8.RuneCountInString(comment) <= 2000, "comment", "must have at most 2,000 characters")
	if now.After(o.CreatedAt.AddDate(0, 0, terms.WindowDays)) {
		check.That(false, "order_id", "is past the return window of "+strconv.Itoa(terms.WindowDays)+" days")
	}
	left := o.returnable(earlier)
	refund := money.Zero(o.Total.Currency())
	for i, item := range items {
		at := check.In("items").At(i)
		key := lineKey{item.Product, item.Variant}
		unit, bought := o.unitPrice(key)
		at.That(bought, "product_id", "is not part of the order")
		at.That(utf8.RuneCountInString(item.Reason) <= 2000, "reason", "must have at most 2,000 characters")
		if at.That(item.Quantity >= 1, "quantity", "must be at least 1") && bought {
			at.That(item.Quantity <= left[key], "quantity", "is more than was bought and not yet returned")
		}
		left[key] -= item.Quantity
		refund = money.Of(refund.Minor()+unit.Minor()*int64(min(max(item.Quantity, 0), 1000)), refund.Currency())
	}
	if err := check.Err(); err != nil {
		return nil, err
	}
	estimate, err := o.withTax(refund)
	if err != nil {
		return nil, err
	}
	return &Return{
		ID: ret, Project: o.Project, Order: o.ID, Status: Requested, Items: items, Comment: comment,
		Estimate: estimate, Instructions: instructions(terms), CreatedAt: now,
	}, nil
}

type lineKey struct {
	product id.Product
	variant id.Variant
}

func (o *Order) returnable(earlier []Return) map[lineKey]int {
	left := make(map[lineKey]int)
	for _, l := range o.Lines {
		left[lineKey{l.Product, l.Variant}] += l.Quantity
	}
	for _, r := range earlier {
		if r.Status == Rejected {
			continue
		}
		for _, item := range r.Items {
			left[lineKey{item.Product, item.Variant}] -= item.Quantity
		}
	}
	return left
}

// unitPrice is the lowest price paid for the variant, so that an estimate never promises too much.
func (o *Order) unitPrice(key lineKey) (money.Amount, bool) {
	var price money.Amount
	found := false
	for _, l := range o.Lines {
		if (lineKey{l.Product, l.Variant}) == key && (!found || l.Unit.Minor() < price.Minor()) {
			price, found = l.Unit, true
		}
	}
	return price, found
}

// withTax adds the goods' share of the tax, rounded down.
func (o *Order) withTax(goods money.Amount) (money.Amount, error) {
	if o.Subtotal.IsZero() {
		return goods, nil
	}
	tax, err := o.Tax.Share(goods.Minor(), o.Subtotal.Minor(), money.Down)
	if err != nil {
		return money.Amount{}, err
	}
	return goods.Add(tax)
}

func instructions(t Terms) string {
	text := "Pack the items and wait for the shop's approval, which comes with a return address."
	if t.Conditions != "" {
		text += " Conditions: " + t.Conditions
	}
	return text
}
