package simulation

import (
	"slices"
	"time"

	"github.com/haggle-commerce/haggle/app/purchase"
	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/domain/event"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/ledger"
	"github.com/haggle-commerce/haggle/domain/order"
	"github.com/haggle-commerce/haggle/ports"
	"github.com/haggle-commerce/haggle/ports/porttest/memstore"
)

// The names of the invariants. Those of stock, orders and ledger are also checked after every commit.
const (
	decided     = "every attempt is decided"
	charges     = "money charged = orders + orphans refunded"
	oneOrder    = "at most one order per checkout"
	givenBack   = "refunds in our books = refunds at the provider"
	conserved   = "stock is conserved"
	ledgerBank  = "ledger = provider"
	ledgerRows  = "ledger = payments, refunds, disputes and orphans"
	sequences   = "events of an order are announced once, without gaps"
	delivered   = "every subscription gets every event"
	declined    = "declines are limited"
	neighbours  = "the second project notices nothing"
	fewestSteps = 5 // of a finalize: read attempts, claim, request and response of the provider, record
)

// checkCommit checks the invariants that hold after every commit.
func (s *simulation) checkCommit() {
	for _, h := range s.shops {
		f := s.store.Figures(h.project.ID)
		if f.Stock+f.Held+f.Sold != h.stock || f.Stock < 0 {
			h.violated(conserved, "%d in stock, %d held by attempts and %d sold, of %d", f.Stock, f.Held, f.Sold, h.stock)
		}
		if f.Orders > f.CheckoutsWithOrder {
			h.violated(oneOrder, "%d orders of %d checkouts", f.Orders, f.CheckoutsWithOrder)
		}
		if f.Funds != f.Money {
			h.violated(ledgerRows, "the ledger has %d, the rows have %d", f.Funds, f.Money)
		}
	}
}

// checkAtRest checks the invariants that hold once all work is done.
func (s *simulation) checkAtRest() {
	if s.untold > 0 {
		s.violated(decided, "%d reports of providers are not recorded", s.untold)
	}
	for _, h := range s.shops {
		h.checkCharges()
		h.checkLedger()
		h.checkSequences()
		h.checkDelivered(time.Now())
		h.checkDeclines()
	}
}

func (h *shop) checkCharges() {
	for _, c := range h.opened {
		now, err := memstore.Checkouts{Store: h.store}.Get(noReason, h.project.ID, c.ID())
		if err != nil || now.Status() == checkout.Processing {
			h.violated(decided, "%s: %v", c.ID(), err)
			continue
		}
		taken := h.books.of(c.ID().String())
		o, err := memstore.Orders{Store: h.store}.ByCheckout(noReason, h.project.ID, c.ID())
		if err != nil {
			o = nil
		}
		mine := 0
		for _, t := range taken {
			switch {
			case o != nil && t.id == o.Payment.Provider && t.amount == o.Total.Minor():
				mine++
			case !h.breaksPromise:
				h.violated(charges, "%s was charged %d times, and %s is no order's", c.ID(), len(taken), t.id)
			case h.books.refunded(t.id) != t.amount && !h.owed(t.id):
				h.violated(charges, "%s of %s is no order's, and %d of it was given back", t.id, c.ID(), h.books.refunded(t.id))
			}
		}
		if o != nil && mine != 1 {
			h.violated(charges, "%s was paid by %s, which the provider does not know", o.ID, o.Payment.Provider)
		}
		if o != nil {
			h.checkRefunds(o)
		}
	}
}

// owed reports whether the ledger says that an orphan charge could not be refunded, and a person has to do it.
func (h *shop) owed(charge string) bool {
	list, _, err := memstore.Orphans{Store: h.store}.Orphans(noReason, h.project.ID, ports.OrphanFilter{}, ports.Page{Limit: 1000})
	h.must(err)
	return slices.ContainsFunc(list, func(o checkout.Orphan) bool { return o.Charge == charge && o.State == checkout.OrphanFailed })
}

func (h *shop) checkRefunds(o *order.Order) {
	c, err := memstore.Orders{Store: h.store}.Case(noReason, h.project.ID, o.ID)
	h.must(err)
	booked := int64(0)
	for _, r := range c.Refunds {
		if r.Status == order.RefundIsPending {
			h.violated(decided, "refund %s is still pending", r.ID)
		}
		if r.Status == order.RefundSucceeded {
			booked += r.Amount.Minor()
		}
	}
	if given := h.books.refunded(o.Payment.Provider); given != booked || given > o.Total.Minor() || c.Order.Payment.Refunded.Minor() != booked {
		h.violated(givenBack, "%s: the provider gave %d back, our books say %d, the payment %s", o.ID, given, booked, c.Order.Payment.Refunded)
	}
}

func (h *shop) checkLedger() {
	list, _, err := memstore.Ledger{Store: h.store}.Transactions(noReason, h.project.ID, ports.TransactionFilter{}, ports.Page{Limit: 1000})
	h.must(err)
	sum, funds := int64(0), int64(0)
	for _, t := range list {
		for _, e := range t.Entries() {
			sum += e.Amount.Minor()
			if e.Account == ledger.Funds(h.provider()) {
				funds += e.Amount.Minor()
			}
		}
	}
	if sum != 0 || funds != h.books.holds() {
		h.violated(ledgerBank, "the ledger sums to %d, and says that the provider holds %d, which holds %d", sum, funds, h.books.holds())
	}
}

// checkSequences checks that each order's events are numbered from 1 without gaps.
func (h *shop) checkSequences() {
	seen := map[id.Order]map[int]event.Data{}
	for _, d := range h.store.Announcements(h.project.ID) {
		o, n := sequence(d)
		if o.IsZero() {
			continue
		}
		if seen[o] == nil {
			seen[o] = map[int]event.Data{}
		}
		if seen[o][n] != nil {
			h.violated(sequences, "%s and %s of %s have the number %d", seen[o][n].Type(), d.Type(), o, n)
		}
		seen[o][n] = d
	}
	for o, all := range seen {
		for n := 1; n <= len(all); n++ {
			if all[n] == nil {
				h.violated(sequences, "%d events of %s, and none has the number %d", len(all), o, n)
			}
		}
	}
	for _, c := range h.opened {
		if o, err := (memstore.Orders{Store: h.store}).ByCheckout(noReason, h.project.ID, c.ID()); err == nil && seen[o.ID][1] == nil {
			h.violated(sequences, "%s was not announced", o.ID)
		}
	}
}

// sequence returns an event's order and its number there, or zero values for an event without an order.
func sequence(d event.Data) (id.Order, int) {
	switch e := d.(type) {
	case event.OrderCompleted:
		return e.Order, e.Sequence
	case event.OrderCanceled:
		return e.Order, e.Sequence
	case event.OrderRefunded:
		return e.Order, e.Sequence
	case event.RefundFailed:
		return e.Order, e.Sequence
	case event.DisputeOpened:
		return e.Order, e.Sequence
	case event.DisputeClosed:
		return e.Order, e.Sequence
	}
	return id.Order{}, 0
}

// checkDelivered checks that each subscription received each event that was written after it became active and before until.
func (h *shop) checkDelivered(until time.Time) {
	all, _, err := memstore.Events{Store: h.store}.Events(noReason, h.project.ID, event.Type{}, ports.Page{Limit: 1000})
	h.must(err)
	for n, since := range h.subs {
		for _, e := range all {
			if e.At.After(since) && e.At.Before(until) && h.received[h.receiver(n)][e.ID.String()].IsZero() {
				h.violated(delivered, "%s %s of %s was never delivered to subscription %d, made at %s", e.Type, e.ID, e.At, n, since)
			}
		}
	}
}

// checkDeclines checks the limit on declines, except where the provider charges keys that were voided.
func (h *shop) checkDeclines() {
	if h.breaksPromise {
		return
	}
	for i, first := range h.declined {
		n := 0
		for _, at := range h.declined[i:] {
			if at.Sub(first) < checkout.DeclineWindow {
				n++
			}
		}
		if n > checkout.MostDeclined {
			h.violated(declined, "%d cards were declined within %s of %s", n, checkout.DeclineWindow, first)
			return
		}
	}
}

// checkNeighbours checks that everything else is decided and delivered a quarter of an hour after the last failure, while rows
// of the first shop are still unreadable.
func (s *simulation) checkNeighbours() {
	for _, h := range s.shops {
		for _, c := range h.opened {
			now, err := memstore.Checkouts{Store: s.store}.Get(noReason, h.project.ID, c.ID())
			if err == nil && now.Status() == checkout.Processing && !h.slow() {
				h.violated(decided, "%s is undecided a quarter of an hour after the last failure; poisoned: %q", c.ID(), h.poisoned)
			}
		}
		if h != s.shops[0] {
			h.checkDelivered(s.calmSince)
		}
	}
	if s.rate == 0 {
		s.checkDelay()
	}
}

// slow reports whether the shop's provider may take a day to decide an attempt, because it keeps errors of charges that did not
// happen.
// not happen.
func (h *shop) slow() bool { return h.keptErrors }

// soonest is the maximum delay of the second shop's events while no server fails. It allows for three polls, because a delivery
// is first created and then attempted.
const soonest = 10 * time.Second

// checkDelay checks that the second shop's events were delivered in time if no server failed.
func (s *simulation) checkDelay() {
	for _, h := range s.shops[1:] {
		all, _, err := memstore.Events{Store: h.store}.Events(noReason, h.project.ID, event.Type{}, ports.Page{Limit: 1000})
		h.must(err)
		for _, e := range all {
			if at := s.received[h.receiver(0)][e.ID.String()]; at.Sub(e.At) > soonest {
				h.violated(neighbours, "%s %s was delivered after %s", e.Type, e.ID, at.Sub(e.At))
			}
		}
	}
}

// checkLatency checks that a purchase in the second shop gets an order immediately, and in the usual number of steps, if no
// server fails.
func (h *shop) checkLatency(try int, took time.Duration, steps int, result purchase.Result) {
	if h == h.shops[0] || h.rate > 0 || try > 0 {
		return
	}
	if placed(result) == nil || took > 0 || steps > fewestSteps {
		h.violated(neighbours, "a finalize took %s and %d steps, and its order is %v", took, steps, placed(result))
	}
}
