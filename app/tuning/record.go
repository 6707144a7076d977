// Package tuning learns from recorded negotiations how a shop's buyers haggle, and proposes a policy for them. It reads
// offers, answers and outcomes, and what was on sale; nothing else of a buyer. The steps:
//
//  1. Each negotiation is explained by what buyers may be like (Fit): how they come from their first offer to what
//     they would pay at most (V), and when they give up. What fits all negotiations together best is found by
//     expectation maximization.
//  2. Buyers drawn from the explanations, twins of those recorded, haggle with candidate policies by the very rules
//     that answer quotes (Evaluate).
//  3. The curve that earns most from the twins is searched for by steps that halve (Propose), and judged by other
//     twins than it was chosen with, of other sessions. The interval of its gain comes from drawing the sessions anew.
//  4. Once it serves, real negotiations are held against those that a holdout kept under the policy before (Compare).
//
// What a client says who buys nothing counts little, however often it says it: see trust.
//
// Buyers who come up are taken to pay no more than prices that others have offered or paid. A buyer who held firm and
// took a price is taken to have paid its last, one whose offer was accepted to go as far beyond it as others went, and
// one who left as far as others or nearer to the price that it left at. The floor and every other bound are the
// policy's own and stay as they are. The same records give the same proposal.
//
// Prices are shares of the list price in here, in floating point: they are statistics. Prices that a twin is asked are
// exact amounts, as everywhere.
package tuning

import (
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/negotiation"
)

// End is how a negotiation ended.
type End uint8

// The ends.
const (
	Walked   End = iota // without a deal
	Accepted            // the shop took the last offer
	Took                // the buyer took the price that stood
)

// Round is an offer and the price that stood after the answer to it.
type Round struct {
	Offer, Standing float64
	Rejected        bool
}

// Record is one negotiation.
type Record struct {
	Session id.Session
	Client  string // who it was, as the decision record knows; "" where it does not
	Bought  bool   // an order was paid for it
	Signals negotiation.Signals
	Rounds  []Round // without the taking of a standing price
	Start   float64 // the price that stood before the first offer
	Price   float64 // of the deal
	End     End
	Final   bool // the last answer was the shop's last word
}

func (r *Record) last() Round { return r.Rounds[len(r.Rounds)-1] }

// longest is how many rounds a negotiation may have to be explained.
const longest = 12

// Explicable reports whether a model can be fitted to the record: it has offers, and not very many.
func (r *Record) Explicable() bool { return len(r.Rounds) > 0 && len(r.Rounds) <= longest }

// FromEntries reads a negotiation from the decision record, but for whether it was paid for. It is not ok where no offer was made, nothing could be
// negotiated, or an old entry lacks its price.
// The round cap says which counter was the last word.
func FromEntries(entries []negotiation.Entry, roundCap int) (r Record, ok bool) {
	list := int64(0)
	for _, e := range entries {
		if r.Price > 0 {
			break // what follows a deal is another one
		}
		if list = e.Bounds.List().Minor(); list <= 0 || e.Bounds.Fixed() {
			return r, false
		}
		share := func(a money.Amount) float64 { return float64(a.Minor()) / float64(list) }
		if r.Start == 0 {
			r.Session, r.Client, r.Signals, r.Start = e.Session, e.Client, e.Signals, share(e.Bounds.Opening())
			if e.Before.Counter.IsPositive() {
				r.Start = share(e.Before.Counter)
			}
		}
		if e.Offer == nil {
			continue
		}
		if e.Price == nil {
			return r, false
		}
		price, committed := share(*e.Price), e.Rule == negotiation.Commitment
		switch {
		case e.Outcome == negotiation.OutcomeAccepted && committed && len(r.Rounds) > 0:
			r.End, r.Price = Took, r.Rounds[len(r.Rounds)-1].Standing
		case e.Outcome == negotiation.OutcomeAccepted && committed:
			r.End, r.Price = Took, r.Start
		case e.Outcome == negotiation.OutcomeAccepted:
			r.Rounds = append(r.Rounds, Round{share(*e.Offer), price, false})
			r.End, r.Price = Accepted, price
		default:
			rejected := e.Outcome == negotiation.OutcomeRejected
			r.Rounds = append(r.Rounds, Round{share(*e.Offer), price, rejected})
			r.Final = e.Rule == negotiation.FinalRound || !rejected && e.Before.Rounds+1 >= roundCap
		}
	}
	return r, len(r.Rounds) > 0 || r.End == Took
}
