package checkout

// ProblemKind is what is wrong with a part of a cart that was taken all the same.
type ProblemKind struct{ name string }

var (
	DealExpired     = ProblemKind{"deal_expired"}        // the time of an agreed price is over
	DealRedeemed    = ProblemKind{"deal_redeemed"}       // an order has used the agreed price
	DealUnknown     = ProblemKind{"deal_unknown"}        // the token is none of the session
	DealNotUsed     = ProblemKind{"deal_not_applicable"} // no line is what was agreed on
	ItemUnavailable = ProblemKind{"item_unavailable"}    // the item is not sold, so it has no line
	QuantityReduced = ProblemKind{"quantity_adjusted"}   // more was wanted than a line can have
)

func (k ProblemKind) String() string { return k.name }

// ProblemKinds are all of them, by name.
var ProblemKinds = map[string]ProblemKind{
	"deal_expired":        DealExpired,
	"deal_redeemed":       DealRedeemed,
	"deal_unknown":        DealUnknown,
	"deal_not_applicable": DealNotUsed,
	"item_unavailable":    ItemUnavailable,
	"quantity_adjusted":   QuantityReduced,
}

// Problem is a part of a cart that is not as its sender may think. The checkout is incomplete until the cart was sent again
// without it: nobody pays another price than the one that was read.
type Problem struct {
	Kind ProblemKind
	Line int // the number of the line that it is about, 0: of none. In a Cart the place of the line, from 1
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
