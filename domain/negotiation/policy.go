// Package negotiation decides prices. Signals become bounds (Bound), bounds and progress become a
// sealed Decision (Decide), and Guard holds whatever an agent proposes to the same rules. It is pure:
// time and ids are arguments, and free text from the buyer is no input at all.
//
//	          no offer, or offer below the ask
//	        ┌───────────────────────────────────┐
//	open ───┴─▶ open (quote, counter_offer, reject) ──offer ≥ ask or counter──▶ accepted
//	  │ a newer quote on the same item                                            │ checkout
//	  ▼                                                                           ▼
//	superseded            past valid_until: expired (by the clock)             redeemed
package negotiation

import (
	"time"

	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/project"
)

// Validity is how long a quote and the commitment of its counter stand (decisions 9).
const Validity = 15 * time.Minute

// Policy is how far and how fast a shop gives way. Shares are of the range between list price and
// the hard floor, in tenths of a percent.
type Policy struct {
	Version   int
	Enabled   bool
	MinMargin money.Percent // over cost, of cost
	// MaxDiscount bounds the range, measured on the original list price.
	MaxDiscount money.Percent
	// UnverifiedShare bounds what the buyer's own claims can move, either way.
	UnverifiedShare money.Percent
	// RoundCap is the number of counters after which the last one is final.
	RoundCap int

	BaseDepth    money.Percent // how deep the floor lies with no signal at all
	TargetShare  money.Percent // of the floor's depth: where the target lies
	OpeningShare money.Percent // of the floor's depth: where the first price lies
	EndShare     money.Percent // of the way from floor to target: where the last ask lies
}

// PolicyOf is the built-in policy under a project's settings.
func PolicyOf(s project.Settings) Policy {
	return Policy{
		Version: 1, Enabled: s.NegotiationEnabled,
		MinMargin: 100, MaxDiscount: s.MaxDiscount, UnverifiedShare: 250, RoundCap: 6,
		BaseDepth: 600, TargetShare: 500, OpeningShare: 200, EndShare: 350,
	}
}

// part holds a share between nothing and all: the bounds are kept whatever a policy says.
func part(share money.Percent) money.Percent { return min(max(share, 0), money.Whole) }
