package ports

import (
	"context"
	"time"

	"github.com/haggle-commerce/haggle/domain/agent"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/negotiation"
	"github.com/haggle-commerce/haggle/domain/project"
)

// Agent serves the four events of features/PROTOCOL.md#agent-events, and puts decisions into words. Its answers are
// proposals: the caller enforces the guardrails on their prices.
type Agent interface {
	Search(ctx Outbound, in agent.SearchInput) (agent.SearchAnswer, error)
	Quote(ctx Outbound, in agent.QuoteInput) (agent.QuoteAnswer, error)
	Checkout(ctx Outbound, in agent.CheckoutInput) (agent.Verdict, error)
	Finalize(ctx Outbound, in agent.FinalizeInput) (agent.Verdict, error)
	Word(ctx Outbound, in agent.WordInput) agent.Texts
}

// Mandates finds which agent serves a session of a shop, and by which policy. The zero session is one that does not
// exist yet. It takes no round trip while the project's AgentRevision has not changed.
type Mandates interface {
	Mandate(ctx context.Context, p *project.Project, session id.Session) (agent.Mandate, error)
}

// RemoteAgents asks the handlers that merchants run: signed, within 2 s, at most one attempt. No answer, or one that
// cannot be understood, is fault.Unavailable with one of the codes agent_timeout, agent_unreachable, agent_refused (a
// status other than 2xx), agent_nonsense (no answer to this event), agent_suspended (it failed too often lately),
// agent_busy (too many questions wait for it already), agent_secret (the secret cannot sign, so that it is not asked).
// Where ctx ends first it is agent_timeout, which does not count as the handler's failure. The caller checks whether
// the answer is allowed.
type RemoteAgents interface {
	Search(ctx Outbound, to RemoteHandler, in agent.SearchInput) (agent.SearchAnswer, error)
	Quote(ctx Outbound, to RemoteHandler, in agent.QuoteInput) (agent.QuoteAnswer, error)
	Checkout(ctx Outbound, to RemoteHandler, in agent.CheckoutInput) (agent.Verdict, error)
	Finalize(ctx Outbound, to RemoteHandler, in agent.FinalizeInput) (agent.Verdict, error)
}

// RemoteHandler is the URL of a handler, and the secret that signs requests (whsec_…).
type RemoteHandler struct {
	Agent  id.Agent
	URL    string
	Secret string
}

// LanguageModel completes texts. It respects the deadline of ctx and never retries. Without an answer:
// fault.Unavailable with one of the codes model_timeout, model_unreachable, model_refused, model_unknown (no such
// provider, or it has no key here), model_nonsense (an empty or cut answer).
type LanguageModel interface {
	Complete(ctx Outbound, r ModelRequest) (ModelReply, error)
}

// ModelRequest is one question. System says what the model is for, User is data.
type ModelRequest struct {
	Provider, Model string
	System, User    string
	MaxTokens       int
	Temperature     int // thousandths
	// Group identifies the owner and the use of requests. Failures of one group suspend the model for no other.
	Group string
}

// ModelReply is the answer and what it cost.
type ModelReply struct {
	Text                      string
	InputTokens, OutputTokens int
}

// Agents keeps negotiator agents and their policies. Each project has exactly one active agent from its creation
// on. Every write raises the project's AgentRevision by one in the same transaction.
type Agents interface {
	// Create stores a draft with its first version. A project that has 20: Conflict too_many_agents.
	Create(ctx context.Context, a *agent.Agent, first agent.Version) error
	ByID(ctx context.Context, project id.Project, wanted id.Agent) (*agent.Agent, error)
	// List has the active one first, then the newest.
	List(ctx context.Context, project id.Project, page Page) ([]*agent.Agent, int, error)
	// Update loads the agent for exclusive use, runs change on it and stores it if change returns nil, with the version
	// that change returns, if any. An agent that becomes active replaces the active one. change does no I/O and may run
	// more than once.
	Update(ctx context.Context, project id.Project, wanted id.Agent, change func(*agent.Agent) (*agent.Version, error)) (*agent.Agent, error)
	// Delete forgets a draft. Of the active one: Conflict agent_active.
	Delete(ctx context.Context, project id.Project, wanted id.Agent) error
}

// ActiveAgents finds the agent that serves a project, in one round trip.
type ActiveAgents interface {
	Active(ctx context.Context, project id.Project) (*agent.Agent, error)
	// SelfTuning are the active agents of all projects that tune themselves and whose policy has been in force since before
	// a time, up to a limit, in the order of their ids and after one of these. The error reports agents that cannot be
	// read; the others are returned with it.
	SelfTuning(ctx context.Context, before time.Time, after id.Agent, limit int) ([]*agent.Agent, error)
}

// PolicyVersions reads the versions of an agent's policy, the newest first.
type PolicyVersions interface {
	Versions(ctx context.Context, project id.Project, of id.Agent, page Page) ([]agent.Version, int, error)
	// Version is fault.NotFound policy_not_found if there is none.
	Version(ctx context.Context, project id.Project, of id.Agent, number int) (agent.Version, error)
}

// Decisions reads the decision record.
type Decisions interface {
	// Decisions are newest first.
	Decisions(ctx context.Context, project id.Project, f DecisionFilter, page Page) ([]negotiation.Link, int, error)
	// Negotiations reads up to limit negotiations, the newest, each with its entries in order, and whether it was bought.
	// Each is shown once.
	Negotiations(ctx context.Context, project id.Project, f NegotiationFilter, limit int, show func(Negotiation) error) error
	// Haggled counts the negotiations about products since a time: one for each session in which a decision about the
	// product was made. It counts the given products or, if there are none, the limit products with the most
	// negotiations, in descending order.
	Haggled(ctx context.Context, project id.Project, since time.Time, of []id.Product, limit int) ([]HaggledProduct, error)
	// Head returns the end of the project's chain, and how many decisions are not sealed yet.
	Head(ctx context.Context, project id.Project) (ChainHead, error)
	// Sealed reads the chain in order, from a position on (the first is 1), up to limit links. A link that cannot be
	// read, because another program wrote it, comes without its entry.
	Sealed(ctx context.Context, project id.Project, from int64, limit int) ([]negotiation.Link, error)
}

// DecisionFilter narrows a list of decisions. Zero fields narrow nothing.
type DecisionFilter struct {
	Agent    id.Agent
	Session  id.Session
	Quote    id.Quote
	Order    id.Order // those of the session that it was placed in
	Product  id.Product
	Outcome  negotiation.Outcome
	Rule     negotiation.Rule
	From, To time.Time
}

// NegotiationFilter narrows a reading of negotiations.
type NegotiationFilter struct {
	Agent    id.Agent  // zero: of all
	From, To time.Time // that began in [From, To)
	// Sessions are the names of the only sessions to read, MostNamed at most; none: of all.
	Sessions []id.Negotiation
}

// HaggledProduct is the number of negotiations about a product.
type HaggledProduct struct {
	Product      id.Product
	Negotiations int
}

// MostNamed is how many sessions a NegotiationFilter names at most.
const MostNamed = 100

// ChainHead is the last link of a project's chain.
type ChainHead struct {
	Position int64
	Hash     string
	Unsealed int
	// Checkpoint stands for the decisions that are no longer kept, with its seal.
	Checkpoint negotiation.Checkpoint
	Seal       string
}

// Negotiation has all decisions about one item in one session.
type Negotiation struct {
	Entries []negotiation.Entry
	Bought  bool // an order has redeemed its token
}

// Sealer adds decisions to the chains of their projects.
type Sealer interface {
	// Seal seals up to limit decisions that are not yet, of all projects, and returns how many. A decision is sealed
	// once, even if other processes seal or crash meanwhile.
	Seal(ctx context.Context, limit int) (int, error)
}
