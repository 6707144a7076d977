package negotiation

import (
	"slices"

	"github.com/haggle-commerce/haggle/domain/money"
)

// Decision is the answer to an offer: Quoted, Accepted, Countered or Rejected. Prices are per unit.
type Decision interface {
	// Outcome returns the kind of the decision.
	Outcome() Outcome
	// Rule returns the rule that decided, for the decision record.
	Rule() Rule
	sealed()
}

// Outcome is the kind of a decision, for recording and counting. Protocols and tables have their own names for it.
type Outcome struct{ name string }

// String returns a name for logs and tests.
func (o Outcome) String() string { return o.name }

// The outcomes: one for each type of Decision.
var (
	OutcomeQuoted    = Outcome{"quoted"}
	OutcomeAccepted  = Outcome{"accepted"}
	OutcomeCountered = Outcome{"countered"}
	OutcomeRejected  = Outcome{"rejected"}
)

// Outcomes returns all outcomes.
func Outcomes() []Outcome {
	return []Outcome{OutcomeQuoted, OutcomeAccepted, OutcomeCountered, OutcomeRejected}
}

// Rule is the rule that decided.
type Rule struct{ name string }

func (r Rule) String() string { return r.name }

// ParseRule finds a rule by its name.
func ParseRule(name string) (Rule, bool) {
	r := Rule{name}
	return r, slices.Contains(Rules(), r)
}

// Rules returns all rules.
func Rules() []Rule {
	return []Rule{
		NoOffer, ListOnly, Commitment, AtAsk, Concession, NoMovement, FinalRound, ProbingLimit, BelowFloor, AgentAnswer,
	}
}

var (
	NoOffer      = Rule{"no_offer"}
	ListOnly     = Rule{"list_only"}     // nothing to negotiate
	Commitment   = Rule{"commitment"}    // the offer meets an earlier counter
	AtAsk        = Rule{"at_ask"}        // the offer meets the current ask
	Concession   = Rule{"concession"}    // we lowered the price because the buyer moved
	NoMovement   = Rule{"no_movement"}   // the buyer did not move
	FinalRound   = Rule{"final_round"}   // the round cap is reached
	ProbingLimit = Rule{"probing_limit"} // the buyer's client exceeded a limit of Probing
	BelowFloor   = Rule{"below_floor"}   // the offer is below the floor
	AgentAnswer  = Rule{"agent_answer"}  // an agent's own price, within the guardrails
)

// Quoted answers a price inquiry with a price that is valid until the quote expires.
type Quoted struct {
	Price money.Amount
	By    Rule
}

// Accepted accepts the offer, or the list price if the offer is above it.
type Accepted struct {
	Price money.Amount
	By    Rule
}

// Countered asks for a price that is valid until the quote expires. Final means that no lower one will follow; it is
// ignored in an agent's proposal (see Guard).
type Countered struct {
	Price money.Amount
	Final bool
	By    Rule
}

// Rejected has the lowest offer that is negotiated, as a hint. Price is the current price, which the buyer gets by
// offering it.
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
