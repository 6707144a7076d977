package negotiation

import "github.com/haggle-commerce/haggle/domain/money"

// Decision is the answer to an offer: Quoted, Accepted, Countered or Rejected. Prices are per unit.
type Decision interface {
	// Response is the answer's name in the contract (spec 2.11).
	Response() string
	// Rule is what decided, for the decision record.
	Rule() Rule
	sealed()
}

// Rule names what decided.
type Rule struct{ name string }

func (r Rule) String() string { return r.name }

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

func (Quoted) Response() string    { return "quote" }
func (Accepted) Response() string  { return "accept" }
func (Countered) Response() string { return "counter_offer" }
func (Rejected) Response() string  { return "reject" }

func (d Quoted) Rule() Rule    { return d.By }
func (d Accepted) Rule() Rule  { return d.By }
func (d Countered) Rule() Rule { return d.By }
func (d Rejected) Rule() Rule  { return d.By }

func (Quoted) sealed()    {}
func (Accepted) sealed()  {}
func (Countered) sealed() {}
func (Rejected) sealed()  {}
