// Package analytics computes a shop's figures: what each session adds to them (session.go), how
// figures add up, and the spans of time that they belong to. It reads records of other concepts and changes
// none of them.
//
// Figures are additive: those of a day are the sum of those of its sessions, and a record that comes later
// changes them by the difference between its session's figures with it and without it.
package analytics

import (
	"time"

	"github.com/haggle-commerce/haggle/domain/agentid"
)

// Slot is the shortest span that figures are stored for. The offsets of all current time zones from UTC are multiples
// of it, so their hours, days, weeks and months consist of whole slots.
const Slot = 15 * time.Minute

// SlotOf returns the start of the slot that contains t.
func SlotOf(t time.Time) time.Time { return t.UTC().Truncate(Slot) }

// Figures are the counts and sums of a span. Sums of money are in minor units of the project's currency. A
// negotiation counts where it began, whenever it ends; an order where it was placed.
type Figures struct {
	Negotiations int64
	Offered      int64 // negotiations with an offer
	Countered    int64 // negotiations in which an offer was countered
	Rejected     int64
	Deals        int64 // negotiations that ended in an accepted quote
	Opened       int64 // deals that were in a checkout
	Paid         int64 // deals that were paid
	Offers       int64

	DealDiscount int64 // sum of the deals' discounts, in millionths of their list prices
	DealKnown    int64 // of deals whose cost is known: the price of all pieces
	DealCost     int64
	// DealDiscounts are deals by discount, in whole thousandths of the list price.
	DealDiscounts map[int]int64
	Rules         map[string]int64    // decisions by the rule that fired
	Fallbacks     map[string]int64    // decisions by why the agent's handler did not answer
	Policies      map[string]Outcomes // negotiations by the policy of their first decision: AGENT/VERSION
	Handlers      map[string]Outcomes // and by who answered it

	Buyers int64 // sessions that ordered, where they began

	Orders        int64
	Units         int64
	List          int64 // of the units
	Goods         int64 // paid for the units
	Gross         int64 // paid, with shipping and tax
	Known         int64 // paid for units whose cost is known
	Cost          int64
	PaidDiscount  int64 // as DealDiscount, of orders
	PaidDiscounts map[int]int64
	Products      map[string]Sold

	// Protocols are deals by the protocol of their session, and orders by that of their checkout.
	Protocols map[agentid.Protocol]Traffic
}

// Traffic is the traffic of a protocol. Sessions without a record are counted elsewhere.
type Traffic struct{ Deals, Orders, Gross int64 }

func (t Traffic) plus(more Traffic, times int64) Traffic {
	return Traffic{
		Deals:  t.Deals + times*more.Deals,
		Orders: t.Orders + times*more.Orders,
		Gross:  t.Gross + times*more.Gross,
	}
}

// Outcomes count negotiations by outcome.
type Outcomes struct{ Negotiations, Offered, Deals int64 }

// Sold are the sales of a product.
type Sold struct{ Units, List, Goods, Known, Cost int64 }

// Add adds other figures if times is 1, or subtracts them if it is -1.
func (f *Figures) Add(g Figures, times int64) {
	for _, sum := range []struct {
		of   *int64
		more int64
	}{
		{&f.Negotiations, g.Negotiations}, {&f.Offered, g.Offered}, {&f.Countered, g.Countered}, {&f.Rejected, g.Rejected},
		{&f.Deals, g.Deals}, {&f.Opened, g.Opened}, {&f.Paid, g.Paid}, {&f.Offers, g.Offers},
		{&f.DealDiscount, g.DealDiscount}, {&f.DealKnown, g.DealKnown}, {&f.DealCost, g.DealCost}, {&f.Buyers, g.Buyers},
		{&f.Orders, g.Orders}, {&f.Units, g.Units}, {&f.List, g.List}, {&f.Goods, g.Goods}, {&f.Gross, g.Gross},
		{&f.Known, g.Known}, {&f.Cost, g.Cost}, {&f.PaidDiscount, g.PaidDiscount},
	} {
		*sum.of += times * sum.more
	}
	addCounts(&f.DealDiscounts, g.DealDiscounts, times)
	addCounts(&f.Rules, g.Rules, times)
	addCounts(&f.Fallbacks, g.Fallbacks, times)
	addCounts(&f.PaidDiscounts, g.PaidDiscounts, times)
	addEach(&f.Policies, g.Policies, func(o, more Outcomes) Outcomes { return o.plus(more, times) })
	addEach(&f.Handlers, g.Handlers, func(o, more Outcomes) Outcomes { return o.plus(more, times) })
	addEach(&f.Protocols, g.Protocols, func(t, more Traffic) Traffic { return t.plus(more, times) })
	addEach(&f.Products, g.Products, func(s, more Sold) Sold { return s.plus(more, times) })
}

func (o Outcomes) plus(more Outcomes, times int64) Outcomes {
	return Outcomes{
		o.Negotiations + times*more.Negotiations, o.Offered + times*more.Offered, o.Deals + times*more.Deals,
	}
}

func (s Sold) plus(more Sold, times int64) Sold {
	return Sold{
		s.Units + times*more.Units, s.List + times*more.List, s.Goods + times*more.Goods,
		s.Known + times*more.Known, s.Cost + times*more.Cost,
	}
}

func addCounts[K comparable](to *map[K]int64, from map[K]int64, times int64) {
	addEach(to, from, func(n, more int64) int64 { return n + times*more })
}

// addEach removes entries that become zero.
func addEach[K, V comparable](to *map[K]V, from map[K]V, plus func(sum, more V) V) {
	var nothing V
	for k, more := range from {
		if *to == nil {
			*to = make(map[K]V, len(from))
		}
		if sum := plus((*to)[k], more); sum != nothing {
			(*to)[k] = sum
		} else {
			delete(*to, k)
		}
	}
}
