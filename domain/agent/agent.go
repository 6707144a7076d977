// Package agent defines the negotiator agents of a shop: an agent's settings (Agent) and the API for writing one
// (Program). An agent serves four events: search, quote, checkout and finalize. Its answers are proposals: package
// negotiation checks them against its guardrails.
//
// A custom agent is a type whose methods are bound to events. The built-in agent serves the events without a binding:
//
//	type clearance struct{}
//
//	// Quote accepts offers of at most a quarter off, and counters others halfway.
//	func (clearance) Quote(_ context.Context, in agent.QuoteInput) (agent.QuoteAnswer, error) {
//		offer := in.Offer()
//		switch {
//		case offer == nil:
//			return in.Counter(agent.PercentOff(in.List(), 10)).Say("Everything must go. What do you offer?"), nil
//		case in.Offers(agent.PercentOff(in.List(), 25)):
//			return in.Accept(), nil
//		}
//		return in.Counter(agent.Halfway(in.Standing(), *offer)), nil
//	}
//
//	var Program = agent.MustProgram("clearance",
//		agent.OnACPEvent(agent.Quote, clearance{}.Quote,
//			agent.ValidateInput("offer", agent.Number, agent.Min(1)),
//			agent.ValidateInput("quantity", agent.Integer, agent.Required, agent.Max(20)),
//		),
//	)
//
// At a list price of 200.00 with the floor at 120.00, a buyer who only asks is quoted 180.00. An offer of 130.00 is
// countered with 155.00, the middle of the two, and one of 151.00 is accepted. An offer of 90.00 is rejected whatever
// the agent answers, because the guardrails reject every price below the floor. If a handler fails or panics, the
// built-in agent answers. Package clearance has the agent in full.
package agent

import (
	"time"

	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/negotiation"
)

// SecretPurpose binds a sealed secret to its agent.
func SecretPurpose(of id.Agent) string { return "agent " + of.String() }

// Status of an agent. A project has exactly one active agent.
type Status struct{ name string }

var (
	Draft  = Status{"draft"}  // serves nobody yet
	Active = Status{"active"} // serves the project
)

func (s Status) String() string { return s.name }

// Kind is where a handler runs.
type Kind struct{ name string }

var (
	Builtin = Kind{"builtin"} // in the server: a Program
	Remote  = Kind{"remote"}  // at an address of the merchant's
)

func (k Kind) String() string { return k.name }

// House is the name of the built-in program, which every server has.
const House = "haggle"

// HouseHandler is the name of the built-in handler in the record.
const HouseHandler = "builtin:" + House

// Handler serves one event.
type Handler struct {
	Kind    Kind
	Program string // of a builtin handler: the program's name
	URL     string // of a remote one
}

// InHouse is the built-in handler. It serves the events that have no other one.
var InHouse = Handler{Kind: Builtin, Program: House}

// Handlers has one handler for each event.
type Handlers struct{ Search, Quote, Checkout, Finalize Handler }

// Model is how an agent uses a language model. Every use is off unless the merchant turns it on.
type Model struct {
	// Provider and Name are the project's defaults where empty.
	Provider, Name string
	MaxTokens      int  // of one request; 0: the project's default
	Temperature    int  // thousandths; negative: the project's default
	Wording        bool // chooses among Templates for decided answers
	Strategy       bool // proposes prices within the band
	Reasons        bool // chooses the facts of a product that match a search
	Templates      []Template
}

// Tuning is how an agent tunes its policy from its own record.
type Tuning struct {
	Automatic bool
	// Holdout is the share of sessions that keep the policy of version Baseline as a control group.
	Holdout  money.Percent
	Baseline int
	// Canary is the share of sessions that a policy serves first which the agent learned by itself. Zero: all but the holdout.
	Canary money.Percent
	// Trial is the share that such a policy serves now, until it has earned more than the baseline. Zero: there is no trial.
	Trial money.Percent
}

// Kept is the share of sessions that keep the policy of version Baseline.
func (t Tuning) Kept() money.Percent {
	if t.Trial > 0 {
		return max(t.Holdout, money.Whole-t.Trial)
	}
	return t.Holdout
}

// Agent is an agent as its merchant set it up.
type Agent struct {
	ID       id.Agent
	Project  id.Project
	Name     string
	Status   Status
	Handlers Handlers
	Model    Model
	Tuning   Tuning
	// Policy is the one in force, with its version number. Latest is the highest version number.
	Policy negotiation.Policy
	Latest int
	// Held is the policy of Tuning.Baseline while there is a holdout or a trial, else nil.
	Held *negotiation.Policy
	// Secret signs the requests to remote handlers. It is sealed.
	Secret    []byte
	CreatedAt time.Time
	UpdatedAt time.Time
}

// CallsOut reports whether answering an offer may need a network call.
func (a *Agent) CallsOut() bool { return a.Handlers.Quote.Kind == Remote || a.Model.Strategy }

// DecidesInHouse reports whether offers are answered by the built-in rules alone.
func (a *Agent) DecidesInHouse() bool { return a.Handlers.Quote == InHouse && !a.Model.Strategy }

// Origin is where a version of a policy comes from.
type Origin struct{ name string }

var (
	ByHouse    = Origin{"builtin"}
	ByMerchant = Origin{"merchant"}
	ByTuning   = Origin{"tuned"}
)

func (o Origin) String() string { return o.name }

// Version is a policy as it was written. It never changes.
type Version struct {
	Agent     id.Agent
	Project   id.Project
	Policy    negotiation.Policy // with its number
	Origin    Origin
	Note      string
	CreatedAt time.Time
	// ActivatedAt is when it last began to serve the project; zero: never.
	ActivatedAt time.Time
}

// Mandate is the agent that serves a session, and the policy that it must follow.
type Mandate struct {
	Agent  *Agent
	Policy negotiation.Policy // held to the project's settings
}
