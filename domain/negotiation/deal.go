package negotiation

import (
	"time"

	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/money"
)

// DealStatus is the status of an accepted quote.
type DealStatus struct{ name string }

var (
	DealOpen     = DealStatus{"open"}     // its token opens a checkout
	DealExpired  = DealStatus{"expired"}  // its token does not any more
	DealRedeemed = DealStatus{"redeemed"} // an order has used it
)

func (s DealStatus) String() string { return s.name }

// Deal is the agreement of an accepted quote. It does not have the token, which is returned only once.
type Deal struct {
	Quote      id.Quote
	Price      money.Amount // per unit
	ValidUntil time.Time
	Status     DealStatus
}

// Deal returns the deal of an accepted quote, or nil if the quote is not accepted.
func (q *Quote) Deal(now time.Time) *Deal {
	if q.s.State != Agreed {
		return nil
	}
	d := &Deal{
		Quote:      q.s.ID,
		Price:      q.s.FinalPrice,
		ValidUntil: q.s.ValidUntil,
		Status:     DealOpen,
	}
	switch {
	case !q.s.RedeemedBy.IsZero():
		d.Status = DealRedeemed
	case !now.Before(q.s.ValidUntil):
		d.Status = DealExpired
	}
	return d
}

// accepted refuses an offer on an accepted quote with quote_accepted and its Deal.
func (q *Quote) accepted(now time.Time) error {
	d := q.Deal(now)
	price := d.Price.String() + " " + d.Price.Currency().Code()
	var message string
	switch d.Status {
	case DealRedeemed:
		message = "The quote was accepted at " + price + ", and an order has used its checkout_token. Ask for a new quote."
	case DealExpired:
		message = "The quote was accepted at " + price + ", but its checkout_token has expired. Ask for a new quote."
	default:
		message = "The quote is accepted at " + price + ". The checkout_token of that response opens a checkout at this price until " +
			d.ValidUntil.UTC().Format(time.RFC3339) + ". If you lost it, offer the same price without quote_id in this session."
	}
	return fault.New(fault.Conflict, "quote_accepted", message).On(*d)
}

// Final reports whether no further offer can lower the current price.
func (s Snapshot) Final(t Terms) bool {
	return s.Bounds.Fixed() || t.Firm || s.Progress.Rounds >= t.RoundCap
}

// Standing returns the current price, which the buyer gets by offering it.
func (s Snapshot) Standing() money.Amount {
	if s.State == Agreed {
		return s.FinalPrice
	}
	return Table{Bounds: s.Bounds, Progress: s.Progress}.current()
}
