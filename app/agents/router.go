// Package agents answers the four agent events of features/PROTOCOL.md#agent-events with a project's active agent: a program of
// this server or the merchant's remote handlers, within the guardrails. It also manages agents, their policies and their tuning.
// Package domain/agent defines what an agent may answer.
package agents

import (
	"context"
	"errors"
	"hash/fnv"
	"log/slog"
	"slices"
	"sync"

	"github.com/haggle-commerce/haggle/domain/agent"
	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/negotiation"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/ports"
)

// Router routes each event to its handler. All requests share it.
type Router struct {
	Active   ports.ActiveAgents
	Remote   ports.RemoteAgents
	Vault    ports.Vault
	Programs map[string]*agent.Program // by name, including the built-in one
	Wording  *Wording                  // nil: no language model
	Strategy *Strategy                 // nil: no language model
	Log      *slog.Logger

	cached sync.Map // id.Project -> cachedAgent
}

// cachedAgent is a project's active agent as read at a revision.
type cachedAgent struct {
	revision int64
	agent    *agent.Agent
}

// Mandate returns the project's active agent and its policy. Sessions of the holdout, and those outside of a trial, keep the baseline
// policy.
func (r *Router) Mandate(ctx context.Context, p *project.Project, session id.Session) (agent.Mandate, error) {
	a, err := r.active(ctx, p)
	if err != nil {
		return agent.Mandate{}, err
	}
	policy := a.Policy
	if a.Held != nil && held(session, a.Tuning.Kept()) {
		policy = *a.Held
	}
	return agent.Mandate{Agent: a, Policy: policy.Under(p.Settings)}, nil
}

// active reads the agent once for each revision. A caller with an older revision of the project gets the newer agent.
func (r *Router) active(ctx context.Context, p *project.Project) (*agent.Agent, error) {
	if k, ok := r.cached.Load(p.ID); ok && k.(cachedAgent).revision >= p.AgentRevision {
		return k.(cachedAgent).agent, nil
	}
	a, err := r.Active.Active(ctx, p.ID)
	if err != nil {
		return nil, err
	}
	read := cachedAgent{p.AgentRevision, a}
	for {
		k, kept := r.cached.LoadOrStore(p.ID, read)
		switch {
		case !kept:
			return a, nil
		case k.(cachedAgent).revision >= read.revision: // another request stored this or a newer revision first
			return k.(cachedAgent).agent, nil
		case r.cached.CompareAndSwap(p.ID, k, read):
			return a, nil
		}
	}
}

// held reports whether a session belongs to the holdout. The answer never changes for a session while the share stays; a larger
// share adds sessions.
func held(session id.Session, share money.Percent) bool {
	if session.IsZero() || share <= 0 {
		return false
	}
	hash := fnv.New32a()
	_, _ = hash.Write([]byte(session.String()))
	return money.Percent(hash.Sum32()%uint32(money.Whole)) < share
}

// Search lets the handler choose from the candidates. If the handler fails, the answer is the candidates.
func (r *Router) Search(ctx ports.Outbound, in agent.SearchInput) (agent.SearchAnswer, error) {
	answer, err := r.search(ctx, in)
	if err != nil {
		if fault.KindOf(err) == fault.Invalid {
			return agent.SearchAnswer{}, err
		}
		r.logFallback(ctx, in.Mandate, "search", err)
		answer = agent.SearchAnswer{Found: in.Candidates}
	}
	if in.Mandate.Agent.Handlers.Search != agent.InHouse {
		answer.Found.Hits = withoutSecretReasons(answer.Found.Hits)
	}
	if r.Wording != nil {
		answer.Found = r.Wording.Reasons(ctx, modelOf(in.Scene), in, answer.Found)
	}
	return answer, nil
}

func (r *Router) search(ctx ports.Outbound, in agent.SearchInput) (agent.SearchAnswer, error) {
	h := in.Mandate.Agent.Handlers.Search
	answer, err := serve(ctx, r, in.Mandate.Agent, h, in, (*agent.Program).Search, ports.RemoteAgents.Search)
	if errors.Is(err, agent.ErrUnbound) {
		return r.Programs[agent.House].Search(ctx, in)
	}
	return answer, err
}

// serve calls the handler of an event: a program of this server, or the merchant's remote one.
func serve[In, Out any](ctx ports.Outbound, r *Router, a *agent.Agent, h agent.Handler, in In,
	program func(*agent.Program, context.Context, In) (Out, error),
	remote func(ports.RemoteAgents, ports.Outbound, ports.RemoteHandler, In) (Out, error),
) (Out, error) {
	if h.Kind != agent.Remote {
		return program(r.program(h), ctx, in)
	}
	to, err := r.handler(a, h)
	if err != nil {
		var zero Out
		return zero, err
	}
	return remote(r.Remote, ctx, to, in)
}

// withoutSecretReasons removes reasons that contain a number which the buyer must not see, such as a cost.
func withoutSecretReasons(hits []catalog.Hit) []catalog.Hit {
	kept := slices.Clone(hits)
	for i, hit := range kept {
		kept[i].Reasons = slices.DeleteFunc(slices.Clone(hit.Reasons), func(reason string) bool {
			return !fit(withoutName(reason, hit.Product.Name), 1, hit.Product.Price)
		})
	}
	return kept
}

// Quote lets the handler propose an answer. If it fails, the policy's rules decide, and the decision records why.
func (r *Router) Quote(ctx ports.Outbound, in agent.QuoteInput) (agent.QuoteAnswer, error) {
	answer, err := r.quote(ctx, in)
	switch {
	case err == nil:
		return r.advise(ctx, in, r.withoutSecretTexts(in, answer)), nil
	case fault.KindOf(err) == fault.Invalid && !promised(in.Table):
		return agent.QuoteAnswer{}, err
	}
	r.logFallback(ctx, in.Mandate, "quote", err)
	return agent.QuoteAnswer{
		Decision: negotiation.Decide(in.Table), Answered: agent.Answered{Handler: agent.HouseHandler, Fallback: reasonOf(err)},
	}, nil
}

// promised reports whether the buyer accepts a price that was already offered. Such a deal overrides a program's input rules.
func promised(t negotiation.Table) bool {
	_, accepted := negotiation.Decide(t).(negotiation.Accepted)
	return accepted && t.Settled()
}

func (r *Router) quote(ctx ports.Outbound, in agent.QuoteInput) (answer agent.QuoteAnswer, err error) {
	h := in.Mandate.Agent.Handlers.Quote
	if h.Kind == agent.Remote && in.Table.Settled() { // the handler could not change the answer
		return agent.QuoteAnswer{Decision: negotiation.Decide(in.Table), Answered: agent.Answered{Handler: agent.HouseHandler}}, nil
	}
	answered := agent.Answered{Handler: agent.Remote.String()}
	if h.Kind != agent.Remote {
		answered.Handler = agent.Builtin.String() + ":" + r.program(h).Name()
	}
	answer, err = serve(ctx, r, in.Mandate.Agent, h, in, (*agent.Program).Quote, ports.RemoteAgents.Quote)
	if errors.Is(err, agent.ErrUnbound) {
		answer, err = r.Programs[agent.House].Quote(ctx, in)
		answered.Handler = agent.HouseHandler
	}
	answer.Answered = answered
	return answer, err
}

// advise lets a language model propose a price in place of the built-in agent, if the merchant has turned that on.
func (r *Router) advise(ctx ports.Outbound, in agent.QuoteInput, answer agent.QuoteAnswer) agent.QuoteAnswer {
	if !in.Mandate.Agent.Model.Strategy || answer.Answered.Handler != agent.HouseHandler {
		return answer
	}
	if r.Strategy == nil {
		answer.Answered.Fallback = "model_unknown" // this server has no language model
		return answer
	}
	advice, err := r.Strategy.Propose(ctx, modelOf(in.Scene), in)
	if err != nil {
		r.logFallback(ctx, in.Mandate, "strategy", err)
		answer.Answered.Fallback = reasonOf(err)
		return answer
	}
	if advice.Decision == nil {
		return answer
	}
	advice.Answered = agent.Answered{Handler: "model"}
	return advice
}

// withoutSecretTexts removes both texts if one of them contains a number which the buyer must not see.
func (r *Router) withoutSecretTexts(in agent.QuoteInput, a agent.QuoteAnswer) agent.QuoteAnswer {
	visible := []money.Amount{in.Table.Bounds.List()}
	if in.Table.Offer != nil {
		visible = append(visible, *in.Table.Offer)
	}
	if price := negotiation.PriceIn(a.Decision); price != nil {
		visible = append(visible, *price)
	}
	fits := func(text string) bool {
		return fit(withoutName(text, in.Product.Name), in.Product.Quantity, visible...)
	}
	if !fits(a.Reasoning) || !fits(a.Message) {
		a.Reasoning, a.Message = "", ""
	}
	return a
}

// Checkout asks the handler for consent. A handler that fails consents, so that no deal is lost: the checkout has its own rules.
func (r *Router) Checkout(ctx ports.Outbound, in agent.CheckoutInput) (agent.Verdict, error) {
	a := in.Mandate.Agent
	verdict, err := serve(ctx, r, a, a.Handlers.Checkout, in, (*agent.Program).Checkout, ports.RemoteAgents.Checkout)
	return r.verdict(ctx, in.Mandate, "checkout", verdict, err)
}

// Finalize asks for consent as Checkout does.
func (r *Router) Finalize(ctx ports.Outbound, in agent.FinalizeInput) (agent.Verdict, error) {
	a := in.Mandate.Agent
	verdict, err := serve(ctx, r, a, a.Handlers.Finalize, in, (*agent.Program).Finalize, ports.RemoteAgents.Finalize)
	return r.verdict(ctx, in.Mandate, "finalize", verdict, err)
}

func (r *Router) verdict(ctx context.Context, m agent.Mandate, event string, v agent.Verdict, err error) (agent.Verdict, error) {
	switch {
	case err == nil:
		return v, nil
	case errors.Is(err, agent.ErrUnbound):
		return agent.Consent(), nil
	case fault.KindOf(err) == fault.Invalid:
		return agent.Consent(), err
	}
	r.logFallback(ctx, m, event, err)
	return agent.Consent(), nil
}

// Word lets a language model word a decision, if the merchant has turned that on.
func (r *Router) Word(ctx ports.Outbound, in agent.WordInput) agent.Texts {
	if r.Wording == nil {
		return agent.Texts{}
	}
	return r.Wording.Word(ctx, modelOf(in.Scene), in)
}

// program returns the named program, or the built-in one if this server does not have it.
func (r *Router) program(h agent.Handler) *agent.Program {
	if p, ok := r.Programs[h.Program]; ok {
		return p
	}
	return r.Programs[agent.House]
}

func (r *Router) handler(a *agent.Agent, h agent.Handler) (ports.RemoteHandler, error) {
	secret, err := r.Vault.Open(a.Secret, agent.SecretPurpose(a.ID))
	if err != nil {
		return ports.RemoteHandler{}, fault.New(fault.Unavailable, "agent_secret", "The agent's secret cannot be opened.").Because(err)
	}
	return ports.RemoteHandler{
		Agent:  a.ID,
		URL:    h.URL,
		Secret: string(secret),
	}, nil
}

// logFallback logs a handler's failure for operators. The buyer does not learn of it.
func (r *Router) logFallback(ctx context.Context, m agent.Mandate, event string, err error) {
	r.Log.WarnContext(ctx, "an agent's handler failed; the house serves", "agent", m.Agent.ID.String(), "event", event, "why", reasonOf(err), "error", err)
}

// reasonOf returns a stable code for the record and the log.
func reasonOf(err error) string {
	var f *fault.Error
	switch {
	case errors.As(err, &f):
		return f.Code
	case errors.Is(err, context.DeadlineExceeded):
		return "agent_timeout"
	}
	return "agent_failed"
}
