package checkout

import (
	"slices"
	"time"

	"github.com/haggle-commerce/haggle/domain/id"
)

// ProblemKind is what is wrong with a part of a cart that was accepted nevertheless.
type ProblemKind struct{ name string }

var (
	DealExpired     = ProblemKind{"deal_expired"}        // the agreed price has expired
	DealRedeemed    = ProblemKind{"deal_redeemed"}       // another order has used the agreed price
	DealUnknown     = ProblemKind{"deal_unknown"}        // the token is not one of the session's
	DealNotUsed     = ProblemKind{"deal_not_applicable"} // no line matches the agreement
	ItemUnavailable = ProblemKind{"item_unavailable"}    // the item is not sold, so it has no line
	QuantityReduced = ProblemKind{"quantity_adjusted"}   // the quantity exceeded the limit of a line

	ShippingUnsupported = ProblemKind{"unsupported"}         // several shipping methods, or one that does not exist
	DestinationUnknown  = ProblemKind{"destination_unknown"} // see ErrDestination

	// An update was refused for one of these. The cart stays as it was.
	ItemsRefused  = ProblemKind{"items_refused"}  // none of its items is sold
	UpdateRefused = ProblemKind{"update_refused"} // for any other reason
)

// refusals are the kinds for which an update is refused.
var refusals = []ProblemKind{ItemsRefused, UpdateRefused, DestinationUnknown}

func (k ProblemKind) String() string { return k.name }

// ProblemKinds are all kinds by name.
var ProblemKinds = map[string]ProblemKind{
	"deal_expired":        DealExpired,
	"deal_redeemed":       DealRedeemed,
	"deal_unknown":        DealUnknown,
	"deal_not_applicable": DealNotUsed,
	"item_unavailable":    ItemUnavailable,
	"quantity_adjusted":   QuantityReduced,
	"unsupported":         ShippingUnsupported,
	"destination_unknown": DestinationUnknown,
	"items_refused":       ItemsRefused,
	"update_refused":      UpdateRefused,
}

// Problem is a part of a cart that differs from what its sender may expect. The checkout is incomplete until the cart
// is sent again without it, so that nobody pays another price than the one shown.
type Problem struct {
	Kind ProblemKind
	Line int // ID of the line, 0: none. In a Cart, the position of the line, from 1
}

// Refuse records that an update was refused. The cart stays as it was, and the checkout is incomplete until an update
// is accepted, so that nobody pays for a cart other than the one requested last.
func (c *Checkout) Refuse(why ProblemKind, now time.Time) error {
	if err := c.Revisable(now); err != nil {
		return err
	}
	earlier := slices.DeleteFunc(slices.Clone(c.s.CartProblems), func(p Problem) bool { return slices.Contains(refusals, p.Kind) })
	c.s.CartProblems = append(earlier, Problem{Kind: why})
	c.s.Revision++
	c.s.Status = c.openStatus()
	return nil
}

// LoseDeals records that orders have used agreed prices of the checkout. The checkout is incomplete until it is revised
// without them. LoseDeals reports whether it changed the checkout. It never does if the agent cannot see problems
// (Cart.Strict is false).
func (c *Checkout) LoseDeals(used []id.Quote, now time.Time) bool {
	problems := slices.Clone(c.s.CartProblems)
	for _, l := range c.s.Lines {
		p := Problem{DealRedeemed, l.ID}
		if slices.Contains(used, l.Quote) && !l.Bundled && !slices.Contains(problems, p) {
			problems = append(problems, p)
		}
	}
	if !c.s.Strict || c.Revisable(now) != nil || len(problems) == len(c.s.CartProblems) {
		return false
	}
	c.s.CartProblems = problems
	c.s.Revision++
	c.s.Status = c.openStatus()
	return true
}

// DealsLost reports whether LoseDeals has recorded a problem since the latest revision.
func (c *Checkout) DealsLost() bool {
	return slices.ContainsFunc(c.s.CartProblems, func(p Problem) bool {
		return p.Kind == DealRedeemed && slices.ContainsFunc(c.s.Lines, func(l Line) bool { return l.ID == p.Line && !l.Quote.IsZero() })
	})
}

// number replaces the positions of lines in problems with the lines' IDs.
func number(problems []Problem, lines []Line) []Problem {
	var numbered []Problem
	for _, p := range problems {
		if p.Line > 0 && p.Line <= len(lines) {
			p.Line = lines[p.Line-1].ID
		}
		numbered = append(numbered, p)
	}
	return numbered
}
