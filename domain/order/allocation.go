package order

import (
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/money"
)

// Allocation is the number of pieces that a return has of one line of the order. Line is the line's index.
type Allocation struct{ Line, Quantity int }

// pieces counts returned pieces by the index of their line.
type pieces map[int]int

func (p pieces) add(list []Allocation) {
	for _, a := range list {
		p[a.Line] += a.Quantity
	}
}

// returnedSoFar returns the pieces of all returns that were not rejected, and the sum of their estimates. Returns of
// earlier releases have no allocation: they are allocated, oldest first, from the pieces that the others leave.
func (c *Case) returnedSoFar() (pieces, money.Amount) {
	all, worth := make(pieces), money.Zero(c.Order.Total.Currency())
	for _, r := range c.Returns {
		if r.Status != Rejected {
			all.add(r.Allocation)
			worth = money.Of(worth.Minor()+r.Estimate.Minor(), worth.Currency())
		}
	}
	for _, r := range c.Returns {
		if r.Status != Rejected && len(r.Allocation) == 0 {
			all.add(c.Order.allocate(r.Items, all))
		}
	}
	return all, worth
}

// allocate assigns items to lines that have pieces left, the cheapest first. A buyer who keeps some of several pieces
// thus keeps the most expensive ones, and no part of an order is worth more than was paid for it.
func (o *Order) allocate(items []ReturnItem, gone pieces) []Allocation {
	taken := make(pieces)
	for _, item := range items {
		for wanted := item.Quantity; wanted > 0; {
			line := o.cheapestLeft(lineKey{item.Product, item.Variant}, gone, taken)
			if line < 0 {
				break
			}
			n := min(wanted, o.Lines[line].Quantity-gone[line]-taken[line])
			taken[line] += n
			wanted -= n
		}
	}
	var list []Allocation
	for line := range o.Lines {
		if taken[line] > 0 {
			list = append(list, Allocation{line, taken[line]})
		}
	}
	return list
}

// cheapestLeft returns the index of the cheapest line of the item that has pieces left, or -1.
func (o *Order) cheapestLeft(key lineKey, gone, taken pieces) int {
	found := -1
	for i, l := range o.Lines {
		left := l.Quantity - gone[i] - taken[i]
		if (lineKey{l.Product, l.Variant}) == key && left > 0 && (found < 0 || l.Unit.Minor() < o.Lines[found].Unit.Minor()) {
			found = i
		}
	}
	return found
}

// worth returns what was paid for pieces with their share of the tax, rounded down. For all pieces it is exactly what
// was paid. If all of a bundle's first item is returned and the second item is kept, the second costs its list price:
// the saving is deducted, and refunded once the second item is returned too.
func (o *Order) worth(returned pieces) (money.Amount, error) {
	goods := int64(0)
	for line, n := range returned {
		goods += o.Lines[line].Unit.Minor() * int64(n)
	}
	for _, b := range o.bundles() {
		if returned[b.first] >= o.Lines[b.first].Quantity && returned[b.second] == 0 {
			goods -= b.saving
		}
	}
	return o.withTax(money.Of(max(goods, 0), o.Total.Currency()))
}

// bundle is two lines covered by one token. The second was sold at a lower price because of the first.
type bundle struct {
	first, second int   // indexes of lines
	saving        int64 // minor units off the second's list price
}

func (o *Order) bundles() []bundle {
	seen := make(map[id.Quote]int)
	var list []bundle
	for i, l := range o.Lines {
		if l.Quote.IsZero() {
			continue
		}
		other, paired := seen[l.Quote]
		if !paired {
			seen[l.Quote] = i
			continue
		}
		b := bundle{first: other, second: i}
		// Orders of earlier releases do not say which line is the second. It has one piece, and comes second
		// unless the buyer reversed the items.
		if o.Lines[other].Bundled || !l.Bundled && l.Quantity > 1 {
			b.first, b.second = i, other
		}
		second := o.Lines[b.second]
		b.saving = max(second.Original.Minor()-second.Unit.Minor(), 0) * int64(second.Quantity)
		list = append(list, b)
	}
	return list
}

// withTax returns goods plus their share of the tax, rounded down.
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

// estimate returns the worth of a return of more pieces: the worth of everything returned so far, less the estimates of
// earlier returns. Thus, whatever the parts, the estimates for a whole order add up to exactly what was paid for its
// goods: the last return gets the rest.
func (o *Order) estimate(gone pieces, more []Allocation, earlier money.Amount) (money.Amount, error) {
	all := make(pieces)
	for line, n := range gone {
		all[line] = n
	}
	all.add(more)
	worth, err := o.worth(all)
	return money.Of(max(worth.Minor()-earlier.Minor(), 0), worth.Currency()), err
}

// lowerEstimates lowers the estimates of open returns after another return that they depend on was rejected, the newest
// first. Together with approved returns they are then worth no more than the returned pieces.
func (c *Case) lowerEstimates() error {
	all, estimated := c.returnedSoFar()
	worth, err := c.Order.worth(all)
	if err != nil {
		return err
	}
	excess := estimated.Minor() - worth.Minor()
	for i := len(c.Returns) - 1; i >= 0 && excess > 0; i-- {
		r := &c.Returns[i]
		if r.Status != Requested {
			continue
		}
		cut := min(excess, r.Estimate.Minor())
		r.Estimate = money.Of(r.Estimate.Minor()-cut, r.Estimate.Currency())
		excess -= cut
	}
	return nil
}
