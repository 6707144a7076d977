package negotiation

import (
	"slices"

	"github.com/haggle-commerce/haggle/domain/money"
)

// Decision is the answer to an offer: Quoted, Accepted, Countered or Rejected. Prices are per unit.
type Decision interface {
	// Outcome is which of the four it is.
	Outcome() Outcome
	// Rule is what decided, for the decision record.
	Rule() Rule
	sealed()
}

// Outcome is the kind of a decision, as decisions are recorded and counted. Protocols and tables spell it in words of
// their own.
type Outcome struct{ name string }

// String is a name for logs and tests.
func (o Outcome) String() string { return o.name }

// The outcomes: one for each type of Decision.
var (
	OutcomeQuoted    = Outcome{"quoted"}
	OutcomeAccepted  = Outcome{"accepted"}
	OutcomeCountered = Outcome{"countered"}
	OutcomeRejected  = Outcome{"rejected"}
)

// Outcomes are all that there are.
func Outcomes() []Outcome {
	return []Outcome{OutcomeQuoted, OutcomeAccepted, OutcomeCountered, OutcomeRejected}
}

// Rule names what decided.
type Rule struct{ name string }

func (r Rule) String() string { return r.name }

// ParseRule finds a rule by its name.
func ParseRule(name string) (Rule, bool) {
	r := Rule{name}
	return r, slices.Contains(Rules(), r)
}

// Rules are all that there are.
func Rules() []Rule {
	return []Rule{
		NoOffer, ListOnly, Commitment, AtAsk, Concession, NoMovement, FinalRound, ProbingLimit, BelowFloor, AgentAnswer,
	}
}

var (
	NoOffer      = Rule{"no_offer"}
	ListOnly     = Rule{"list_only"}     // nothing to negotiate
	Commitment   = Rule{"commitment"}    // the offer meets an earlier counter
	AtAsk        = Rule{"at_ask"}        // the offer meets the present ask
	Concession   = Rule{"concession"}    // the buyer moved, so did we
	NoMovement   = Rule{"no_movement"}   // the buyer did not move
	FinalRound   = Rule{"final_round"}   // the round cap is reached
	ProbingLimit = Rule{"probing_limit"} // the buyer's client tried out too much
	BelowFloor   = Rule{"below_floor"}   // too little to talk about
	AgentAnswer  = Rule{"agent_answer"}  // an agent's own price, within the guardrails
)

// Quoted answers a null offer with a price that stands until the quote ends.
type Quoted struct {
	Price money.Amount
	By    Rule
}

// Accepted takes the offer, or the list price where the offer is above it.
type Accepted struct {
	Price money.Amount
	By    Rule
}

// Countered asks for a price that stands until the quote ends. Final means no lower one will follow; in an agent's
// proposal it counts for nothing (see Guard).
type Countered struct {
	Price money.Amount
	Final bool
	By    Rule
}

// Rejected tells how much an offer must at least be to be talked about. Price is what we stand by: who offers it
// gets it.
type Rejected struct {
	Price money.Amount
	Hint  money.Amount
	By    Rule
}

func (Quoted) Outcome() Outcome    { return OutcomeQuoted }
func (Accepted) Outcome() Outcome  { return OutcomeAccepted }
func (Countered) Outcome() Outcome { return OutcomeCountered }
func (Rejected) Outcome() Outcome  { return OutcomeRejected }

func (d Quoted) Rule() Rule    { return d.By }
func (d Accepted) Rule() Rule  { return d.By }
func (d Countered) Rule() Rule { return d.By }
func (d Rejected) Rule() Rule  { return d.By }

func (Quoted) sealed()    {}
func (Accepted) sealed()  {}
func (Countered) sealed() {}
func (Rejected) sealed()  {}
