package checkout

import (
	"slices"
	"time"

	"github.com/haggle-commerce/haggle/domain/id"
)

// ProblemKind is what is wrong with a part of a cart that was taken all the same.
type ProblemKind struct{ name string }

var (
	DealExpired     = ProblemKind{"deal_expired"}        // the time of an agreed price is over
	DealRedeemed    = ProblemKind{"deal_redeemed"}       // another order has used the agreed price
	DealUnknown     = ProblemKind{"deal_unknown"}        // the token is none of the session
	DealNotUsed     = ProblemKind{"deal_not_applicable"} // no line is what was agreed on
	ItemUnavailable = ProblemKind{"item_unavailable"}    // the item is not sold, so it has no line
	QuantityReduced = ProblemKind{"quantity_adjusted"}   // more was wanted than a line can have

	ShippingUnsupported = ProblemKind{"unsupported"}         // the goods shall go in several ways, or in another one
	DestinationUnknown  = ProblemKind{"destination_unknown"} // see ErrDestination

	// What an update was refused for. The cart is as it was before.
	ItemsRefused  = ProblemKind{"items_refused"}  // none of its items is sold
	UpdateRefused = ProblemKind{"update_refused"} // for whatever else
)

// refusals are the kinds of problems that an update may be refused for.
var refusals = []ProblemKind{ItemsRefused, UpdateRefused, DestinationUnknown}

func (k ProblemKind) String() string { return k.name }

// ProblemKinds are all of them, by name.
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

// Problem is a part of a cart that is not as its sender may think. The checkout is incomplete until the cart was sent again
// without it: nobody pays another price than the one that was read.
type Problem struct {
	Kind ProblemKind
	Line int // the number of the line that it is about, 0: of none. In a Cart the place of the line, from 1
}

// Refuse notes that an update was refused: the cart stays as it was, and the checkout is incomplete until an update is taken.
// Nobody pays for a cart that the latest update did not ask for.
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

// LoseDeals notes that orders have used agreed prices of the checkout: it is incomplete until it is revised without them. It
// reports whether anything has changed. Where an agent is not told of problems (Cart.Strict), nothing does.
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

// DealsLost reports whether LoseDeals has noted anything since the latest revision.
func (c *Checkout) DealsLost() bool {
	return slices.ContainsFunc(c.s.CartProblems, func(p Problem) bool {
		return p.Kind == DealRedeemed && slices.ContainsFunc(c.s.Lines, func(l Line) bool { return l.ID == p.Line && !l.Quote.IsZero() })
	})
}

// number has problems name lines by their numbers in place of their places.
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
