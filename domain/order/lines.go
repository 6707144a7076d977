package order

import (
	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/domain/money"
)

// LineState is the state of a line: the number of pieces that were bought, that are left after returns and
// cancellation, and that were shipped of the latter.
type LineState struct {
	Line                       checkout.Line
	Number                     int // its ID in the checkout; in orders of older versions, its position
	Original, Total, Fulfilled int
}

// LineStates returns the states of all lines, in their order.
func (c *Case) LineStates() []LineState {
	back := make(pieces)
	for i := range c.Returns {
		if r := &c.Returns[i]; r.Status == Approved {
			back.add(c.AllocationOf(r))
		}
	}
	list := make([]LineState, len(c.Order.Lines))
	for i, l := range c.Order.Lines {
		s := LineState{
			Line:     l,
			Number:   c.Order.LineNumber(i),
			Original: l.Quantity,
			Total:    max(0, l.Quantity-back[i]),
		}
		switch c.Order.Fulfillment.Status {
		case FulfillmentCanceled:
			s.Total = 0
		case Shipped, Delivered:
			s.Fulfilled = s.Total
		}
		list[i] = s
	}
	return list
}

// LineNumber returns the number of the line at an index. Lines of older versions have no ID, so their number is their
// position from 1.
func (o *Order) LineNumber(at int) int {
	if n := o.Lines[at].ID; n != 0 {
		return n
	}
	return at + 1
}

// AllocationOf returns the lines that a return is allocated to. Returns of earlier releases are allocated from the
// pieces that the others leave.
func (c *Case) AllocationOf(r *Return) []Allocation {
	if len(r.Allocation) > 0 {
		return r.Allocation
	}
	gone := make(pieces)
	for i := range c.Returns {
		if o := &c.Returns[i]; o.Status != Rejected {
			gone.add(o.Allocation)
		}
	}
	for i := range c.Returns {
		o := &c.Returns[i]
		switch {
		case o.ID == r.ID:
			return c.Order.allocate(r.Items, gone)
		case o.Status != Rejected && len(o.Allocation) == 0:
			gone.add(c.Order.allocate(o.Items, gone))
		}
	}
	return nil
}

// Totals returns the order's totals as every protocol shows them, in the form of the checkout's totals.
func (o *Order) Totals() []checkout.Sum {
	currency := o.Total.Currency()
	reduction := max(0, o.Savings.Minor())
	list := []checkout.Sum{{Kind: checkout.Items, Amount: money.Of(o.Subtotal.Minor()+reduction, currency)}}
	if reduction > 0 {
		list = append(list, checkout.Sum{Kind: checkout.Reduction, Amount: money.Of(reduction, currency)})
	}
	return append(list,
		checkout.Sum{Kind: checkout.Subtotal, Amount: o.Subtotal},
		checkout.Sum{Kind: checkout.Delivery, Amount: o.Shipping},
		checkout.Sum{Kind: checkout.Tax, Amount: o.Tax},
		checkout.Sum{Kind: checkout.Grand, Amount: o.Total},
	)
}
