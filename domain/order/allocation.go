package order

import (
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/money"
)

// Allocation is how many pieces of one line of the order a return is of. Line is its index.
type Allocation struct{ Line, Quantity int }

// pieces counts returned pieces by the index of their line.
type pieces map[int]int

func (p pieces) add(list []Allocation) {
	for _, a := range list {
		p[a.Line] += a.Quantity
	}
}

// returnedSoFar are the pieces of returns that were not rejected, and what these returns were estimated at.
// Returns of earlier releases have no allocation: they get one, oldest first, of what the others leave.
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

// allocate takes items from the lines that have pieces left, the cheapest first, so that whoever keeps some of
// several pieces keeps the dearest, and no part of an order is worth more than was paid for it.
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

// cheapestLeft is the index of the cheapest line of the item that has pieces left, or -1.
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

// worth is what was paid for pieces with their share of the tax, rounded down; of all pieces, exactly what was
// paid. Where all of a bundle's first item is returned and the second is kept, the second costs its list price:
// that is taken off, and given back once the second is returned too.
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

// bundle is two lines that one token covers: the second was sold cheaper because of the first.
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
		// Orders of earlier releases do not say which line is the second. It is one piece, and comes second
		// unless the buyer turned the items around.
		if o.Lines[other].Bundled || !l.Bundled && l.Quantity > 1 {
			b.first, b.second = i, other
		}
		second := o.Lines[b.second]
		b.saving = max(second.Original.Minor()-second.Unit.Minor(), 0) * int64(second.Quantity)
		list = append(list, b)
	}
	return list
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

// estimate is what a return of more pieces is worth: everything returned so far, less what the earlier returns
// were worth. So whatever the parts, the estimates of a whole order come to what was paid for its goods, to the
// cent: the return that completes it gets the rest.
func (o *Order) estimate(gone pieces, more []Allocation, earlier money.Amount) (money.Amount, error) {
	all := make(pieces)
	for line, n := range gone {
		all[line] = n
	}
	all.add(more)
	worth, err := o.worth(all)
	return money.Of(max(worth.Minor()-earlier.Minor(), 0), worth.Currency()), err
}

// lowerEstimates corrects the estimates of open returns after one was rejected that had counted towards them,
// the newest first: together with those that were approved they are worth no more than what is returned.
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
