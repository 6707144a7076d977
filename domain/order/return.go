package order

import (
	"slices"
	"strconv"
	"time"
	"unicode/utf8"

	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/event"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/money"
)

// ReturnStatus is the status of a return.
type ReturnStatus struct{ name string }

var (
	Requested = ReturnStatus{"requested"}
	Approved  = ReturnStatus{"approved"}
	Rejected  = ReturnStatus{"rejected"}
)

func (s ReturnStatus) String() string { return s.name }

// ReturnStatuses are all statuses by name.
var ReturnStatuses = map[string]ReturnStatus{"requested": Requested, "approved": Approved, "rejected": Rejected}

// ReturnItem is an item to be returned.
type ReturnItem struct {
	Product  id.Product
	Variant  id.Variant
	Quantity int
	Reason   string
}

// Return is a buyer's request to return part of an order.
type Return struct {
	ID           id.Return
	Project      id.Project
	Order        id.Order
	Status       ReturnStatus
	Items        []ReturnItem
	Allocation   []Allocation // the items by line; none in returns of earlier releases
	Comment      string
	Estimate     money.Amount // of the refund: prices paid and their share of the tax, see Order.estimate
	Instructions string
	CreatedAt    time.Time

	Refund    id.Refund             // once approved, unless nothing was refunded
	Reason    string                // why it was rejected
	Restocked []catalog.Reservation // stock put back by an approved return
	DecidedAt time.Time             // zero until then
}

// Terms are a shop's return rules.
type Terms struct {
	WindowDays int
	Conditions string
}

// ErrReturnClosed means that the return was decided before.
var ErrReturnClosed = fault.New(fault.Conflict, "return_closed", "The return has been decided.")

// RequestReturn opens a return of part of the order, and announces it. Pieces in earlier returns that were not rejected
// cannot be returned again.
func (c *Case) RequestReturn(ret id.Return, items []ReturnItem, comment string, terms Terms, announce id.Event, now time.Time) (*Return, error) {
	if c.Order.Status == Canceled {
		return nil, ErrCanceled
	}
	r, err := c.returned(ret, items, comment, terms, now)
	if err != nil {
		return nil, err
	}
	c.Returns = append(c.Returns, *r)
	c.announce(announce, now, func(n int) event.Data {
		return event.ReturnRequested{
			Return:   r.ID,
			Order:    r.Order,
			Sequence: n,
			Estimate: r.Estimate,
		}
	})
	return r, nil
}

// ApproveReturn adds a refund for a return, of an amount or else of its estimate, limited to what is left of the
// payment, and puts the goods back into stock if restock is set. There is no refund if nothing is left or the amount is
// zero.
func (c *Case) ApproveReturn(ret id.Return, refund id.Refund, amount *money.Amount, restock bool, announce id.Event, now time.Time) error {
	r, err := c.open(ret)
	if err != nil {
		return err
	}
	if amount == nil && r.Estimate.IsPositive() {
		left := c.Order.Payment.Left()
		promised := money.Of(min(r.Estimate.Minor(), left.Minor()), left.Currency())
		amount = &promised
	}
	if amount != nil && !amount.IsZero() {
		if err := c.refund(refund, ret, amount, "Return "+ret.String(), now); err != nil {
			return err
		}
		r.Refund = refund
	}
	if restock {
		r.Restocked = c.restockable(r.Items)
		c.putBack(r.Restocked)
	}
	r.Status, r.DecidedAt = Approved, now
	c.announce(announce, now, func(n int) event.Data {
		approved := event.ReturnApproved{
			Return:   ret,
			Order:    r.Order,
			Sequence: n,
			Refund:   r.Refund,
		}
		if !r.Refund.IsZero() {
			approved.Amount = *amount
		}
		return approved
	})
	return nil
}

// RejectReturn rejects a return. Its pieces may be returned again.
func (c *Case) RejectReturn(ret id.Return, reason string, announce id.Event, now time.Time) error {
	r, err := c.open(ret)
	if err != nil {
		return err
	}
	if utf8.RuneCountInString(reason) > 2000 {
		return fault.Field("reason", "must have at most 2,000 characters")
	}
	r.Status, r.Reason, r.DecidedAt = Rejected, reason, now
	c.announce(announce, now, func(n int) event.Data {
		return event.ReturnRejected{
			Return:   ret,
			Order:    r.Order,
			Sequence: n,
			Reason:   reason,
		}
	})
	return c.lowerEstimates()
}

// FindReturn returns a return of the case, or nil.
func (c *Case) FindReturn(ret id.Return) *Return {
	i := slices.IndexFunc(c.Returns, func(r Return) bool { return r.ID == ret })
	if i < 0 {
		return nil
	}
	return &c.Returns[i]
}

func (c *Case) open(ret id.Return) (*Return, error) {
	r := c.FindReturn(ret)
	switch {
	case r == nil:
		return nil, fault.Missing("return")
	case r.Status != Requested:
		return nil, ErrReturnClosed
	}
	return r, nil
}

// restockable returns the stock that the sale took for items, as far as it was not put back before.
func (c *Case) restockable(items []ReturnItem) []catalog.Reservation {
	wanted := make(map[id.Variant]int)
	for _, item := range items {
		wanted[item.Variant] += item.Quantity
	}
	var fit []catalog.Reservation
	for _, t := range c.out() {
		t.Quantity = min(t.Quantity, wanted[t.Variant])
		if t.Quantity > 0 {
			wanted[t.Variant] -= t.Quantity
			fit = append(fit, t)
		}
	}
	return fit
}

// returned returns a new return of part of the order.
func (c *Case) returned(ret id.Return, items []ReturnItem, comment string, terms Terms, now time.Time) (*Return, error) {
	o := c.Order
	check := fault.NewCheck()
	check.That(len(items) >= 1 && len(items) <= 50, "items", "must have 1 to 50 items")
	check.That(utf8.RuneCountInString(comment) <= 2000, "comment", "must have at most 2,000 characters")
	if !o.withinWindow(terms, now) {
		check.That(false, "order_id", "is past the return window of "+strconv.Itoa(terms.WindowDays)+" days")
	}
	gone, earlier := c.returnedSoFar()
	left := o.left(gone)
	for i, item := range items {
		at := check.In("items").At(i)
		key := lineKey{item.Product, item.Variant}
		pieces, bought := left[key]
		at.That(bought, "product_id", "is not part of the order")
		at.That(utf8.RuneCountInString(item.Reason) <= 2000, "reason", "must have at most 2,000 characters")
		if at.That(item.Quantity >= 1, "quantity", "must be at least 1") && bought {
			at.That(item.Quantity <= pieces, "quantity", "must be at most "+strconv.Itoa(pieces)+", the number bought and not yet returned")
			left[key] -= item.Quantity
		}
	}
	if err := check.Err(); err != nil {
		return nil, err
	}
	allocation := o.allocate(items, gone)
	estimate, err := o.estimate(gone, allocation, earlier)
	if err != nil {
		return nil, err
	}
	return &Return{
		ID:           ret,
		Project:      o.Project,
		Order:        o.ID,
		Status:       Requested,
		Items:        items,
		Allocation:   allocation,
		Comment:      comment,
		Estimate:     estimate,
		Instructions: instructions(terms),
		CreatedAt:    now,
	}, nil
}

// Returnable reports whether any piece of the order can be returned.
func (c *Case) Returnable(terms Terms, now time.Time) bool {
	if c.Order.Status == Canceled || !c.Order.withinWindow(terms, now) {
		return false
	}
	gone, _ := c.returnedSoFar()
	for _, pieces := range c.Order.left(gone) {
		if pieces > 0 {
			return true
		}
	}
	return false
}

func (o *Order) withinWindow(terms Terms, now time.Time) bool {
	return terms.WindowDays > 0 && !now.After(o.CreatedAt.AddDate(0, 0, terms.WindowDays))
}

type lineKey struct {
	product id.Product
	variant id.Variant
}

// left returns how many pieces of each item can still be returned.
func (o *Order) left(gone pieces) map[lineKey]int {
	left := make(map[lineKey]int)
	for i, l := range o.Lines {
		left[lineKey{l.Product, l.Variant}] += l.Quantity - gone[i]
	}
	return left
}

func instructions(t Terms) string {
	text := "Pack the items and wait for the shop's approval, which comes with a return address."
	if t.Conditions != "" {
		text += " Conditions: " + t.Conditions
	}
	return text
}
