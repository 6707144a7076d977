// Package tuning learns from recorded negotiations how a shop's buyers haggle, and proposes a policy for them. It reads
// offers, answers, outcomes and items, and nothing else about a buyer. The steps:
//
//  1. Fit explains each negotiation by hypotheses about its buyer: how it moves from its first offer to the most that it
//     would pay (V), and when it gives up. Expectation maximization finds the distribution of hypotheses that fits all
//     negotiations best.
//  2. Evaluate draws simulated buyers (twins) from these explanations and runs their negotiations with candidate policies,
//     by the same rules that answer quotes.
//  3. Propose searches near the present curve for the one that earns most from the twins, by steps that halve, for the whole
//     shop and for segments of it. A segment's buyers are its own and some of the whole's (shrinkage). It keeps a curve only if
//     the twins of other clients than it was chosen with certainly earn more with it, and if no manner of haggling and none
//     of the families of package market earns the shop noticeably less.
//  4. Compare compares real negotiations under a new policy with those that a holdout had under the previous one.
//
// A client that buys nothing counts little, however many sessions it has, and no client or hour counts much: see trust. Records
// from before a drift count less: see findDrift.
//
// The model assumes that buyers who raise their offers pay no more than prices that others have offered or paid. A firm
// buyer who took a price would have paid no more. One whose offer was accepted would have gone as far beyond it as other
// firm buyers. One who left would have gone as far as others, or closer to the price that it left at. The floor and all
// other bounds stay those of the policy. The same records give the same proposal.
//
// Prices are shares of the list price, in floating point, because they are statistics. The prices that a twin is quoted are
// exact amounts, as everywhere.
package tuning

import (
	"time"

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
	Took                // the buyer took the current price
)

// Round is an offer and the current price after the answer to it (Standing).
type Round struct {
	Offer, Price float64
	Rejected     bool
}

// Record is one negotiation.
type Record struct {
	Session id.Session
	Client  string    // a hash of the client, from the decision record; "": unknown
	At      time.Time // of its first entry
	Agent   id.Agent
	Version int  // of the policy
	Bought  bool // it led to a paid order
	Signals negotiation.Signals
	Rounds  []Round // without an offer that takes the current price
	Start   float64 // the price before the first offer
	Price   float64 // of the deal
	End     End
	Final   bool // the last answer was the shop's final price

	old   bool // from before a drift
	apart bool // its session counts as a buyer of its own: see separate
}

func (r *Record) last() Round { return r.Rounds[len(r.Rounds)-1] }

// maxRounds is how many rounds a negotiation may have for Fit.
const maxRounds = 12

// Explicable reports whether Fit can use the record: it has at least one offer and at most maxRounds.
func (r *Record) Explicable() bool { return len(r.Rounds) > 0 && len(r.Rounds) <= maxRounds }

// FromEntries reads a negotiation from the decision record, without Bought. It is not ok if there is no offer, if the price was
// fixed, or if an old entry lacks its price. The counter of round roundCap is final.
func FromEntries(entries []negotiation.Entry, roundCap int) (r Record, ok bool) {
	list := int64(0)
	for _, e := range entries {
		if r.Price > 0 {
			break // entries after a deal belong to another negotiation
		}
		if list = e.Bounds.List().Minor(); list <= 0 || e.Bounds.Fixed() {
			return r, false
		}
		share := func(a money.Amount) float64 { return float64(a.Minor()) / float64(list) }
		if r.Start == 0 {
			r.Session, r.Client, r.Signals, r.Start = e.Session, e.Client, e.Signals, share(e.Bounds.Opening())
			r.At, r.Agent, r.Version = e.At, e.Agent, e.PolicyVersion
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
			r.End, r.Price = Took, r.Rounds[len(r.Rounds)-1].Price
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
